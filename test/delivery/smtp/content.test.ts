import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCrlfOnly, stuffedBlocks } from "../../../src/delivery/smtp/content.ts";

function stuffed(parts: string[], blockBytes?: number): string {
  return Buffer.concat([
    ...stuffedBlocks(
      parts.map((part) => Buffer.from(part)),
      blockBytes,
    ),
  ]).toString();
}

test("a dot at the start of any line is doubled, and no other", () => {
  assert.equal(stuffed(["", ".a\r\n.\r\n..b\r\nc.d\r\n."]), "..a\r\n..\r\n...b\r\nc.d\r\n..");
  assert.equal(stuffed(["p: .\r\n", ".a"]), "p: .\r\n..a");
  assert.equal(stuffed(["", ""]), "");
});

test("stuffing does not depend on where blocks begin", () => {
  const text = "a\r\n.\r\n\r\n..b\r\n.c\r\nd.\r\n.";
  const whole = stuffed([text]);
  for (let blockBytes = 1; blockBytes <= text.length; blockBytes += 1) {
    assert.equal(stuffed([text], blockBytes), whole);
    assert.equal(stuffed(["x: y\r\n", text], blockBytes), `x: y\r\n${whole}`);
  }
});

test("blocks have 64 KiB", () => {
  const sizes = [...stuffedBlocks([Buffer.alloc(1_000, "a"), Buffer.alloc(150_000, "a")])].map(({ length }) => length);
  assert.deepEqual(sizes, [65_536, 65_536, 19_928]);
});

test("only CRLF passes as a line end", () => {
  for (const fine of ["", "a", "a\r\n", "\r\n\r\n", "a\r\nb"]) assertCrlfOnly(Buffer.from(fine));
  for (const broken of ["\n", "\r", "a\nb", "a\rb", "a\r\n.\n", "a\r", "\r\r\n", "\n\r", "a\r\n\n", "a\r\nb\r"]) {
    assert.throws(() => assertCrlfOnly(Buffer.from(broken)), /bare CR or LF/u, JSON.stringify(broken));
  }
});
