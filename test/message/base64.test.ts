/** Base64 in both directions, compared with Node's conversion of the whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { base64LinesBytes, decodeBase64, writeBase64Lines } from "../../src/message/base64.ts";
import { runs } from "../fuzz/hostile.ts";

/** Bytes of a line, and of a block of lines encoded at once. */
const LINE_BYTES = 57;
const BLOCK_BYTES = 256 * LINE_BYTES;

const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => (i * 7919 + (i >> 8)) % 256));

test("encoded lines have 76 characters, also around the boundaries of lines and blocks", () => {
  const borders = [0, LINE_BYTES, 2 * LINE_BYTES, BLOCK_BYTES, 2 * BLOCK_BYTES];
  for (const border of borders) {
    for (let length = Math.max(0, border - 4); length <= border + 4; length += 1) {
      const bytes = bytesOf(length);
      const sizeBytes = base64LinesBytes(length);
      const target = Buffer.alloc(sizeBytes + 20, "#");
      assert.equal(writeBase64Lines(bytes, target, 10), 10 + sizeBytes);
      const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
      const frame = "#".repeat(10);
      assert.equal(target.toString(), `${frame}${lines.join("\r\n")}${frame}`, `${length} bytes`);
    }
  }
});

/** The reference decoder: removes white space and rejects everything that Node would skip. */
function decodedWhole(text: string): Buffer | null {
  const base64 = text.replace(/[ \t\r\n]+/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return null;
  return Buffer.from(base64, "base64");
}

function assertDecoded(text: string): void {
  assert.deepEqual(decodeBase64(text), decodedWhole(text), JSON.stringify(text));
}

const valid = fc
  .tuple(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom("", " ", "\n", "\r\n", "\t ", " \n \n"),
    fc.integer({ min: 1, max: 80 }),
  )
  .map(([bytes, space, every]) => {
    const text = Buffer.from(bytes).toString("base64");
    return text.replaceAll(new RegExp(`.{${every}}|$`, "g"), (part) => `${part}${space}`);
  });
const CHARACTERS = [..."AZaz09+/Qg==  \t\r\n", "-", "_", ":", ".", "é", "\u0141", "\u3d3d", "\u00a0", "😀", "\0", "=="];
const damaged = fc
  .tuple(valid, fc.nat(300), fc.constantFrom(...CHARACTERS), fc.nat(2))
  .map(([text, at, character, removed]) => text.slice(0, at) + character + text.slice(at + removed));
const anything = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 16 }).map((parts) => parts.join(""));

test("a base64 text, with white space anywhere, is decoded completely or rejected", () => {
  let rejected = 0;
  let decoded = 0;
  fc.assert(
    fc.property(fc.oneof(valid, damaged, anything), (text) => {
      assertDecoded(text);
      if (decodeBase64(text) === null) rejected += 1;
      else decoded += 1;
    }),
    runs(5000),
  );
  assert.ok(rejected > 100 && decoded > 100, `${rejected} rejected, ${decoded} decoded`);
});

test("edge cases: padding, white space alone, characters that Node misreads", () => {
  for (const text of [
    "",
    " ",
    "====",
    "=",
    "A===",
    "QQ==",
    "QR==",
    "QQ = =",
    "Q Q = = \n",
    "QQ==QUJD",
    "QUJD=",
    "QU=D",
  ]) {
    assertDecoded(text);
  }
  // Node reads these by their low byte as "ABCD" and "QQ==".
  for (const text of ["\u0141BCD", "QQ=\u013d"]) assert.equal(decodeBase64(text), null);
});

test("decoding a long text with white space allocates only the decoded bytes", () => {
  const bytes = bytesOf(300_000);
  const spaced = bytes.toString("base64").replaceAll(/./g, "$& \n");
  const decoded = decodeBase64(spaced);
  assert.deepEqual(decoded, bytes);
  assert.equal(decoded?.buffer.byteLength, bytes.length);
});
