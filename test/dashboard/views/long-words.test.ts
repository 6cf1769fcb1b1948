import assert from "node:assert/strict";
import { test } from "node:test";
import { shortened, shortenedPieces } from "../../../src/dashboard/views/long-words.ts";

const KEY = `MIIBIjANBgkqhkiG9w0B${"x".repeat(300)}IDAQAB==`;

test("shortens long words in their middle, and leaves all others as they are", () => {
  assert.equal(
    shortened(`Publish v=DKIM1; p=${KEY} at s._domainkey.shop.example.`),
    "Publish v=DKIM1; p=MIIBIjANBgkqhk…IDAQAB== at s._domainkey.shop.example.",
  );
  const spf = `v=spf1 ${"include:_spf.shop.example ".repeat(12)}~all`;
  assert.equal(shortened(spf), spf);
  assert.equal(shortened(""), "");
});

test("counts the characters that are left out", () => {
  const pieces = shortenedPieces(`p=${KEY};n=${KEY}`);
  const length = pieces.reduce<number>((sum, piece) => sum + (typeof piece === "string" ? piece.length : piece), 0);
  assert.equal(length, `p=${KEY};n=${KEY}`.length);
  assert.equal(pieces.filter((piece) => typeof piece === "number").length, 2);
  assert.deepEqual(shortenedPieces("a".repeat(100), 200), ["a".repeat(100)]);
});
