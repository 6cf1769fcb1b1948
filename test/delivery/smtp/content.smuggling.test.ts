/**
 * SMTP smuggling, from the message's text to the bytes sent: no text of a sender lets a receiver find a second end of the message,
 * however leniently that receiver reads line ends.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BLOCK_BYTES, wireBlocks } from "../../../src/delivery/smtp/content.ts";
import { transact } from "../../../src/delivery/smtp/transaction.ts";
import { compose } from "../../../src/message/compose/compose.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import { runs } from "../../fuzz/hostile.ts";
import { leavesOf } from "../../support/mime.ts";
import { done, message, openOrFail, startPeer } from "./fixture.ts";

/** The sequences that smuggling uses, and those that encodings treat specially. */
const PIECES = [
  ".",
  "..",
  "\r",
  "\n",
  "\r\n",
  "\r\n.\r\n",
  "\n.\n",
  "\r.\r",
  "\n.\r\n",
  "\r\n.\r",
  "\r\n.\n",
  "\r\r\n.\r\r\n",
  "a",
  " ",
  "\t",
  "=",
  "=2E",
  "\x0b",
  "\x0c",
  "\x85",
  "\u2028",
  "é",
  "👋",
  "From ",
  "--",
  "x".repeat(75),
  "\r\nMAIL FROM:<evil@shop.example>\r\nRCPT TO:<victim@customers.example>\r\nDATA\r\n",
];

const hostileText = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));

const STAMP = { messageId: "<m@shop.example>", date: new Date(0), boundary: "boundary" };

async function composed(parts: { text?: string; html?: string; subject?: string }): Promise<Buffer | null> {
  const body = { from: "hello@shop.example", to: "ann@customers.example", subject: "Hi", ...parts };
  const read = validateSendRequest(body, { recipientsMax: 1 });
  return read.type === "valid" ? compose(read.submission, STAMP).bytes : null;
}

const onTheWire = (content: Buffer, blockBytes?: number): Buffer =>
  Buffer.concat([...wireBlocks([content], blockBytes)]);

/** The only end of the message is its last line, even for readers that accept a bare CR or LF as a line end. */
function assertOneEnd(raw: Buffer): void {
  const text = raw.toString("latin1");
  assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n/, "a bare CR or LF");
  const lines = text.split("\r\n");
  assert.deepEqual(lines.slice(-2), [".", ""]);
  assert.equal(lines.indexOf("."), lines.length - 2, "a lone dot before the end");
  assert.ok(!lines.slice(0, -2).some((line) => /^\.(?!\.)/.test(line)), "a dot that is not stuffed");
}

const shown = (text: string): string => text.replace(/\r\n?/g, "\n").replace(/\n+$/, "");

test("any text, any block boundary: one lone dot, only CRLF, and the text arrives unchanged", async () => {
  const inputs = {
    text: hostileText,
    html: fc.option(hostileText, { nil: undefined }),
    blockBytes: fc.integer({ min: 1, max: 80 }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(inputs), async ({ text, html, blockBytes }) => {
      const content = await composed({ text, ...(html === undefined ? {} : { html }) });
      assert.ok(content !== null);
      const raw = onTheWire(content, blockBytes);
      assertOneEnd(raw);
      const unstuffed = raw
        .subarray(0, -3)
        .toString("latin1")
        .replace(/(^|\r\n)\./g, "$1");
      assert.equal(unstuffed, content.toString("latin1"));
      const wanted = html && !text ? [html] : html ? [text, html] : [text];
      assert.deepEqual(
        leavesOf(content).map((leaf) => shown(leaf.text)),
        wanted.map(shown),
      );
    }),
    runs(500),
  );
});

test("any subject: refused, or none of its line ends and dots begins a line", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (subject) => {
      const content = await composed({ text: "Hi", subject });
      assert.equal(content === null, /[\r\n]/.test(subject));
      if (content === null) return;
      assertOneEnd(onTheWire(content));
      const [header = ""] = content.toString("utf8").split("\r\n\r\n");
      assert.ok(
        header.split("\r\n").every((line) => /^(\s+\S|[A-Za-z-]+:)/.test(line)),
        header,
      );
      assert.equal(header.split("\r\n").filter((line) => /^\S/.test(line)).length, 8);
    }),
    runs(300),
  );
});

test("on a connection, the peer reads exactly the messages that were sent and no commands between them", async (t) => {
  const peer = await startPeer(t);
  const session = await openOrFail(peer);
  const texts = fc.sample(hostileText, { numRuns: 60, seed: 1 });
  const contents: Buffer[] = [];
  for (const text of texts) {
    // Long enough that dots fall on every side of the boundaries between blocks.
    const content = await composed({ text: `${text}\n.\n..\n${"y\n.\n".repeat(14_000 + contents.length)}${text}` });
    assert.ok(content !== null);
    contents.push(content);
    const { recipients } = await done(transact(session, message({ content })));
    assert.deepEqual(
      recipients.map(({ type }) => type),
      ["reply"],
    );
  }
  assert.equal(peer.transactions.length, texts.length);
  for (const [index, { raw, message: arrived }] of peer.transactions.entries()) {
    assertOneEnd(raw);
    assert.ok(contents[index]?.equals(arrived), `message ${index} arrived changed`);
  }
  const borders = new Set(contents.map((content) => content.toString("latin1", BLOCK_BYTES - 1, BLOCK_BYTES + 1)));
  for (const around of ["\n.", ".\r", "\r\n"])
    assert.ok(borders.has(around), `no border within ${JSON.stringify(around)}`);
  const verbs = peer.commands.map((line) => line.split(/[ :]/)[0]);
  assert.deepEqual(verbs, ["EHLO", ...texts.flatMap(() => ["MAIL", "RCPT", "DATA"])]);
  session.destroy();
});
