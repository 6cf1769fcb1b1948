/** A message in 7 bits part by part: the octets of the whole, wherever it is cut. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { sevenBitParts, toSevenBit } from "../../../src/message/compose/seven-bit.ts";
import { PartedOctets } from "../../../src/message/parted-octets.ts";

const LINES = [
  "Subject: x",
  "Subject: Grüße",
  "Content-Transfer-Encoding: 8bit",
  "Content-Type: message/rfc822",
  "",
  "",
  "",
  "Content-Type: multipart/mixed; boundary=a",
  "Content-Type: multipart/mixed; boundary=ab",
  "--a",
  "--a",
  "--ab",
  "--a--",
  "--a--",
  "--ab--",
  "--ab ",
  "Grüße",
  "ü".repeat(100),
  "x".repeat(100),
];
const WELL_FORMED = [
  "From: a@b.example",
  "Content-Type: multipart/mixed; boundary=a",
  "",
  "--a",
  "",
  "ü".repeat(200),
  "--a",
  "--a",

  "Content-Type: multipart/mixed; boundary=ab",
  "",
  "",
  "--ab",
  "X: ü",
  "",
  "x",
  "--ab",
  "",
  "ü",
  "--ab--",
  "--a--",
];

/** The parts in 7 bits; null if the message cannot be converted. */
function converted(parts: readonly Buffer[]): Buffer[] | null {
  const octets = new PartedOctets();
  for (const part of parts) octets.add(part);
  const reading = sevenBitParts(octets);
  let step = reading.next();
  while (step.done !== true) step = reading.next(parts[step.value] ?? assert.fail());
  const { value } = step;
  return value && parts.map((part, number) => value.part(number, part));
}

function cut(message: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < message.length || i === 0; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    parts.push(message.subarray(at, at + size));
    at += size;
  }
  return parts;
}

it("is the whole in 7 bits, wherever the parts end", () => {
  const replaced = fc.array(fc.tuple(fc.nat({ max: WELL_FORMED.length }), fc.constantFrom(...LINES)), { maxLength: 4 });
  const sizes = fc.tuple(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 200 }));
  let count = 0;
  fc.assert(
    fc.property(replaced, sizes, (changes, partSizes) => {
      const lines = [...WELL_FORMED];
      for (const [at, line] of changes) lines.splice(at, line.length % 2, line);
      const message = Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
      const whole = toSevenBit(message);
      const parts = converted(cut(message, partSizes));
      assert.equal(parts === null, whole === null);
      if (whole === null || parts === null) return;
      count += 1;
      assert.equal(Buffer.concat(parts).toString("latin1"), whole.toString("latin1"));
    }),
    { numRuns: 3000 },
  );
  assert.ok(count > 1000, `${count} were converted`);
});
