/** Dots at the beginning of lines, and the end of a content: as smtp-server reads them, in fewer chunks. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { SMTPStream } from "smtp-server/lib/smtp-stream.js";
import { Prng } from "../../simulate/prng.ts";
import { quickParser, type SmtpParser } from "../../src/lib/dot-unstuffing.ts";

interface Read {
  /** The contents that ended. */
  contents: string[];
  /** The commands between them. */
  commands: string[];
  chunks: number;
}

/** Reads what a client sends in these pieces: each DATA begins a content. */
async function read(parser: SmtpParser, pieces: readonly Buffer[]): Promise<Read> {
  const result: Read = { contents: [], commands: [], chunks: 0 };
  parser.oncommand = (command, callback) => {
    result.commands.push(command.toString("latin1"));
    if (command.toString() !== "DATA") return callback?.();
    const stream = parser.startDataMode();
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
    stream.on("end", () => {
      assert.equal(stream.byteLength, Buffer.concat(chunks).length);
      result.contents.push(Buffer.concat(chunks).toString("latin1"));
      result.chunks += chunks.length;
      parser.continue();
    });
    // As a server does: smtp-server expects that no command is carried out at once.
    setImmediate(() => callback?.());
  };
  for (const piece of pieces) {
    if (!parser.write(piece)) await once(parser, "drain");
  }
  await new Promise((resolve) => parser.write("NOOP\r\n", resolve));
  return result;
}

const newParser = (): SmtpParser => new SMTPStream() as SmtpParser;

test("lines that begin with a dot take no chunk of their own", async () => {
  const lines = `${"..\r\n".repeat(1000)}end\r\n`;
  const { contents, chunks, commands } = await read(quickParser(newParser()), [Buffer.from(`DATA\r\n${lines}.\r\n`)]);
  assert.deepEqual(contents, [lines.replaceAll("..", ".")]);
  assert.deepEqual(commands, ["DATA", "NOOP"]);
  assert.ok(chunks <= 2, String(chunks));
});

test("an empty content, and one that begins with dots", async () => {
  const cases: [sent: string, content: string][] = [
    [".\r\n", ""],
    ["\r\n.\r\n", "\r\n"],
    ["..\r\n.\r\n", ".\r\n"],
    ["...\r\n..\r\n.\r\n", "..\r\n.\r\n"],
    [".x\r\n.\r\n", ".x\r\n"],
    ["a\r\n.b\r\n..c\r\n.\r\n", "a\r\n.b\r\n.c\r\n"],
  ];
  for (const [sent, content] of cases) {
    for (const size of [1, 2, 3, 4, 5, 100]) {
      const whole = Buffer.from(`DATA\r\n${sent}`);
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
        whole.subarray(i * size, (i + 1) * size),
      );
      const { contents, commands } = await read(quickParser(newParser()), pieces);
      assert.deepEqual([contents, commands], [[content], ["DATA", "NOOP"]], `${JSON.stringify(sent)} by ${size}`);
    }
  }
});

test("whatever is sent, and however it is cut, is read as smtp-server reads it", async () => {
  const random = new Prng(22);
  const below = (n: number): number => random.integer(0, n - 1);
  const atoms = ["\r\n", ".", "..", "\r", "\n", "a", "\r\n.\r\n", "\r\n..\r\n", "\n.\n", "\r\n.", ".\r\n"];
  for (let round = 0; round < 3000; round += 1) {
    const sent = Array.from({ length: 1 + below(12) }, () => atoms[below(atoms.length)]).join("");
    const whole = Buffer.from(`DATA\r\n${sent}\r\n.\r\nRSET\r\nDATA\r\nx\r\n.\r\n`);
    const pieces: Buffer[] = [];
    const most = 1 + below(12);
    for (let at = 0; at < whole.length; ) {
      const end = at + 1 + below(most);
      pieces.push(whole.subarray(at, end));
      at = end;
    }
    const quick = await read(quickParser(newParser()), pieces);
    const slow = await read(newParser(), pieces);
    assert.deepEqual(
      [quick.contents, quick.commands],
      [slow.contents, slow.commands],
      JSON.stringify(pieces.map(String)),
    );
  }
});
