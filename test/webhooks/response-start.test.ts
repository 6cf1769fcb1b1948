import assert from "node:assert/strict";
import { test } from "node:test";
import { ResponseStart } from "../../src/webhooks/response-start.ts";

function textOf(...chunks: (string | Buffer)[]): string {
  const start = new ResponseStart();
  for (const chunk of chunks) start.add(Buffer.from(chunk));
  return start.text();
}

test("a short body is shown whole, from any chunks", () => {
  assert.equal(textOf(), "");
  assert.equal(textOf("ok"), "ok");
  const bytes = Buffer.from("Grüße 🎉");
  assert.equal(textOf(...Array.from(bytes, (byte) => Buffer.of(byte))), "Grüße 🎉");
});

test("a long body is cut after at most 1 KiB, between characters", () => {
  assert.equal(textOf("x".repeat(1023), "yz"), `${"x".repeat(1023)}y`);
  for (const [text, shown] of [
    ["ü", 512],
    ["€", 341],
    ["🎉", 256],
  ] as const)
    assert.equal(textOf(text.repeat(2000)), text.repeat(shown));
  assert.equal(textOf(`xxx${"🎉".repeat(300)}`), `xxx${"🎉".repeat(255)}`);
});

test("invalid UTF-8 is replaced, and the text is still within 1 KiB", () => {
  assert.equal(textOf(Buffer.of(0x61, 0xff, 0x62)), "a\uFFFDb");
  assert.equal(textOf(Buffer.of(0x61, 0xe2, 0x82)), "a\uFFFD");
  assert.equal(textOf(Buffer.alloc(5000, 0xff)), "\uFFFD".repeat(341));
});

test("control characters are removed, except line feeds and tabs", () => {
  assert.equal(textOf("a\u0000b\u001b[31m\tc\r\nd\u007fe\u0085f"), "ab[31m\tc\ndef");
});

test("bidirectional controls and other format characters are removed", () => {
  for (const [first, last] of [
    [0x00ad, 0x00ad],
    [0x061c, 0x061c],
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x2069],
    [0xfeff, 0xfeff],
    [0xe0061, 0xe007a],
  ] as const)
    for (let code = first; code <= last; code += 1)
      assert.equal(textOf(`a${String.fromCodePoint(code)}b`), "ab", code.toString(16));
  assert.equal(textOf("\uFEFFשלום – مرحبا “❤️”"), "שלום – مرحبا “❤️”");
});

test("reading stops after 64 KiB, and after 1000 chunks", () => {
  const large = new ResponseStart();
  assert.equal(large.add(Buffer.alloc(64 * 1024)), true);
  assert.equal(large.add(Buffer.alloc(1)), false);
  const fragmented = new ResponseStart();
  const byte = Buffer.from("x");
  for (let i = 0; i < 1000; i += 1) assert.equal(fragmented.add(byte), true);
  assert.equal(fragmented.add(byte), false);
});
