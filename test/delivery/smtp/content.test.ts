import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCrlfOnly, wireBlocks } from "../../../src/delivery/smtp/content.ts";

function onWire(parts: string[], blockBytes?: number): string {
  const bytes = parts.map((part) => Buffer.from(part));
  return Buffer.concat([...wireBlocks(bytes, blockBytes)]).toString();
}

test("a dot is doubled at the start of a line only", () => {
  assert.equal(onWire(["", ".a\r\n.\r\n..b\r\nc.d\r\n."]), "..a\r\n..\r\n...b\r\nc.d\r\n..\r\n.\r\n");
  assert.equal(onWire(["p: .\r\n", ".a"]), "p: .\r\n..a\r\n.\r\n");
  assert.equal(onWire(["p: .\r\n", ".a\r\n"]), "p: .\r\n..a\r\n.\r\n");
  assert.equal(onWire(["", ""]), ".\r\n");
});

test("stuffing does not depend on the block boundaries", () => {
  const text = "a\r\n.\r\n\r\n..b\r\n.c\r\nd.\r\n.";
  const whole = onWire([text]);
  for (let blockBytes = 1; blockBytes <= text.length; blockBytes += 1) {
    assert.equal(onWire([text], blockBytes), whole);
    assert.equal(onWire(["x: y\r\n", text], blockBytes), `x: y\r\n${whole}`);
  }
});

test("blocks have 64 KiB", () => {
  const sizes = [...wireBlocks([Buffer.alloc(1_000, "a"), Buffer.alloc(150_000, "a")])].map(({ length }) => length);
  assert.deepEqual(sizes, [65_536, 65_536, 19_933]);
});

test("a later part's blocks are views of it, except those with a dot to stuff and the message's last", () => {
  const part = Buffer.alloc(200_000, "a");
  part.write("\r\n.", 70_000);
  const blocks = [...wireBlocks([part], undefined, { atLineStart: false, isLast: false })];
  assert.deepEqual(
    blocks.map(({ buffer, length }) => [buffer === part.buffer, length]),
    [
      [true, 65_536],
      [false, 65_537],
      [true, 65_536],
      [true, 3_392],
    ],
  );
  const [last] = wireBlocks([part.subarray(0, 10)], undefined, { atLineStart: false, isLast: true });
  assert.equal(last?.toString(), "aaaaaaaaaa\r\n.\r\n");
});

test("the closing dot is in the block of the last content bytes", () => {
  const blocks = [...wireBlocks([Buffer.from("ab: c\r\n"), Buffer.from("de\r\n")], 11)].map(String);
  assert.deepEqual(blocks, ["ab: c\r\nde\r\n.\r\n"]);
});

test("only CRLF is accepted as a line end", () => {
  for (const fine of ["", "a", "a\r\n", "\r\n\r\n", "a\r\nb"]) assertCrlfOnly(Buffer.from(fine));
  for (const broken of ["\n", "\r", "a\nb", "a\rb", "a\r\n.\n", "a\r", "\r\r\n", "\n\r", "a\r\n\n", "a\r\nb\r"]) {
    assert.throws(() => assertCrlfOnly(Buffer.from(broken)), /bare CR or LF/u, JSON.stringify(broken));
  }
});
