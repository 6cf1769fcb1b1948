/** Octets in parts: the same answers as of the whole, and only parts that are needed are read. */
import assert from "node:assert/strict";
import { isAscii } from "node:buffer";
import { describe, it } from "node:test";
import fc from "fast-check";
import { atOnce, PartedOctets, type Reading } from "../../src/message/parted-octets.ts";

function parted(parts: readonly string[]) {
  const buffers = parts.map((part) => Buffer.from(part, "latin1"));
  const octets = new PartedOctets();
  for (const buffer of buffers) octets.add(buffer);
  octets.release();
  const reads: number[] = [];
  const run = <T>(reading: Reading<T>): T => {
    let step = reading.next();
    while (step.done !== true) {
      reads.push(step.value);
      step = reading.next(buffers[step.value] ?? assert.fail());
    }
    return step.value;
  };
  return { octets, run, reads, whole: Buffer.concat(buffers) };
}

describe("octets in parts", () => {
  it("give the answers of the whole, wherever they are cut", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n", "\xfc"), maxLength: 8 });
    const place = fc.nat({ max: 40 });
    const sought = fc.constantFrom("a", "ab", "\r\n\r\n", "aba", "\r\n--bb");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), place, place, sought, (parts, one, other, text) => {
        const { octets, run, whole } = parted(parts);
        const clamp = (at: number): number => Math.min(at, whole.length);
        const range = { from: clamp(Math.min(one, other)), to: clamp(Math.max(one, other)) };
        const piece = whole.subarray(range.from, range.to);
        assert.ok(run(octets.slice(range)).equals(piece));
        assert.equal(run(octets.isAscii(range)), isAscii(piece));
        const found = piece.indexOf(Buffer.from(text, "latin1"));
        assert.equal(run(octets.indexOf(Buffer.from(text, "latin1"), range)), found === -1 ? -1 : range.from + found);
        assert.deepEqual(octets.all, { from: 0, to: whole.length });
      }),
      { numRuns: 5000 },
    );
  });

  it("read each part once in a row, and none to learn that whole parts are ASCII", () => {
    const { octets, run, reads } = parted(["aaa", "bbb", "\xfc\xfcc", "ddd"]);
    assert.equal(run(octets.isAscii({ from: 0, to: 6 })), true);
    assert.equal(run(octets.isAscii({ from: 1, to: 12 })), false);
    assert.deepEqual(reads, []);
    assert.equal(run(octets.isAscii({ from: 1, to: 7 })), false);
    assert.equal(run(octets.isAscii({ from: 8, to: 12 })), true);
    assert.deepEqual(reads.splice(0), [2]);
    assert.equal(run(octets.indexOf(Buffer.from("dd"), octets.all)), 9);
    assert.deepEqual(reads, [0, 1, 2, 3]);
  });

  it("are read at once where they are in memory as a whole, and only there", () => {
    const whole = PartedOctets.of(Buffer.from("abc"));
    assert.equal(atOnce(whole.indexOf(Buffer.from("c"), whole.all)), 2);
    const { octets } = parted(["a", "b"]);
    assert.throws(() => atOnce(octets.slice(octets.all)), /not in memory as a whole/);
  });
});
