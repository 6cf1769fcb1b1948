import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { dkimBody } from "mailauth/lib/dkim/body/index.js";
import { PiecewiseBodyHash, relaxedBodyHash } from "../../src/message/body-hash.ts";

/** The hash that mailauth computes of a body that ends with a CRLF. */
function hashByMailauth(body: string): string {
  const hashing = dkimBody("relaxed", "sha256", false);
  hashing.update(Buffer.from(body, "latin1"));
  return hashing.digest("base64");
}

const hashOf = (body: string): string => relaxedBodyHash(Buffer.from(body, "latin1"));
const sha256 = (canonical: string): string => createHash("sha256").update(canonical, "latin1").digest("base64");

test("bodies and their canonical forms (RFC 6376 §3.4.4)", () => {
  const canonicalForms: [body: string, canonical: string][] = [
    ["", ""],
    ["\r\n\r\n", ""],
    [" \t\r\n \r\n", ""],
    ["a", "a\r\n"],
    ["a \t", "a\r\n"],
    [" C \r\nD \t E\r\n\r\n\r\n", " C\r\nD E\r\n"],
    ["\t\r\n\r\na\tb\r\n", "\r\n\r\na b\r\n"],
    ["a\vb\f \xa0 \xa0\r\n", "a\vb\f \xa0 \xa0\r\n"],
    ["\0\x01 \x7f\xff\r\n", "\0\x01 \x7f\xff\r\n"],
  ];
  for (const [body, canonical] of canonicalForms) assert.equal(hashOf(body), sha256(canonical), JSON.stringify(body));
});

test("random bodies have the hash that mailauth computes", () => {
  const piece = fc.constantFrom("a", "bc", " ", "  ", "\t", "\r\n", "\r\n\r\n", " \r\n", "\xe9", "=", ".", "\v");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const body = `${pieces.join("")}x\r\n`;
      assert.equal(hashOf(body), hashByMailauth(body));
    }),
    { numRuns: 2000 },
  );
});

test("base64 that is not examined has the same hash, beside text that is changed", () => {
  const random = (bytes: number): Buffer => createHash("sha512").update(String(bytes)).digest().subarray(0, bytes);
  const base64 = Buffer.concat(Array.from({ length: 3000 }, (_, i) => random((i % 57) + 1))).toString("base64");
  const file = (base64.match(/.{1,76}/g) ?? []).join("\r\n");
  for (const [before, after] of [
    ["", "\r\n"],
    ["", ""],
    ["a  b \r\n\r\n", "\r\n--x\r\n \t\r\n\r\n"],
    ["\r\n", "\r\n\r\nc \td\r\n"],
  ] as const) {
    const body = Buffer.from(`${before}${file}${after}${file}${after}`);
    const first = { from: before.length, to: before.length + file.length };
    const second = { from: first.to + after.length, to: first.to + after.length + file.length };
    assert.equal(relaxedBodyHash(body, [first, second]), relaxedBodyHash(body));
  }
});

test("white space at the limits of the blocks in which a long body is hashed", () => {
  for (const around of [64 * 1024, 128 * 1024]) {
    for (const edge of ["  ", " \r\n", "\t \t", "\r\n\r\n", " \r\n \r\n"]) {
      for (let shift = -4; shift <= 1; shift += 1) {
        const body = `a  ${"x".repeat(around + shift - 3)}${edge}y\r\n`;
        assert.equal(hashOf(body), hashByMailauth(body), JSON.stringify([around, edge, shift]));
      }
    }
  }
});

test("a CR or LF that is not part of a CRLF is rejected, wherever it is", () => {
  for (const body of [
    "a\rb\r\n",
    "a\nb\r\n",
    "a\r\n\n",
    "a\n",
    "a\r",
    "\r\r\n",
    "\n",
    "  a\r \r\n",
    "a  \n\r\n",
    "a\r\n\r",
  ]) {
    assert.throws(() => hashOf(body), /bare (CR|LF) at byte \d+ of the body/, JSON.stringify(body));
  }
});

test("the time for a run of white space is linear", () => {
  const body = `a${" ".repeat(5_000_000)}b${"\r\n".repeat(2_000_000)}`;
  assert.equal(hashOf(body), sha256("a b\r\n"));
});

const piecewise = (pieces: string[]): string => {
  const hashing = new PiecewiseBodyHash();
  for (const piece of pieces) hashing.add(Buffer.from(piece, "latin1"));
  return hashing.digest();
};

test("a body in pieces that end anywhere has the hash of the whole", () => {
  const piece = fc.constantFrom(
    "a",
    "bc ",
    " ",
    "  ",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\r\n\r",
    " \r",
    "\n \r\n",
    "\xe9",
    "",
    "x",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const whole = pieces.join("");
      if (/(?<!\r)\n|\r(?!\n)/.test(whole))
        assert.throws(() => piecewise(pieces), /bare (CR|LF)/, JSON.stringify(pieces));
      else assert.equal(piecewise(pieces), hashOf(whole), JSON.stringify(pieces));
    }),
    { numRuns: 20_000 },
  );
});
