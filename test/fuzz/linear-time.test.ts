/**
 * No parser of outside text takes time that grows with the square of it: each gets hostile texts of a length and of twice that
 * (outside-parsers.ts, hostile-texts.ts), and the CPU time of both is compared (cpu-growth.ts). Without it, a TXT record of 60,000
 * quotation marks stopped the service for seconds.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { excessiveGrowth, GROWTH_MAX } from "./cpu-growth.ts";
import { repeated, UNITS } from "./hostile-texts.ts";
import { OUTSIDE_PARSERS } from "./outside-parsers.ts";

/** After so many, the cause is clear. */
const SHOWN_MAX = 4;

describe(`twice the text takes at most ${GROWTH_MAX} times the CPU`, () => {
  for (const { name, length, frames, parse } of OUTSIDE_PARSERS) {
    it(name, async () => {
      const found: string[] = [];
      for (const [index, frame] of frames.entries()) {
        for (const unit of UNITS) {
          if (found.length === SHOWN_MAX) break;
          const growth = await excessiveGrowth(parse, (octets) => frame(repeated(unit, octets)), length);
          if (growth !== null) found.push(`${JSON.stringify(unit)} in form ${index}: ${growth}`);
        }
      }
      assert.deepEqual(found, []);
    });
  }
});

describe("the measurement", () => {
  it("finds expressions that are quadratic: two stars side by side, a run that is not at the end, an opening without an end", async () => {
    for (const [expression, unit] of [
      [/^["'“”„\\\s]*(v\s*([=:]\s*)?)?["'“”„]*dmarc/i, '"'],
      [/[;\s]*$/, " "],
      [/\([^)]*\)/, "("],
    ] as const) {
      const measure = () =>
        excessiveGrowth(
          (text: string) => expression.test(text),
          (length) => repeated(unit, length),
          8192,
        );
      // Another program on the same core can hide growth once.
      const growth = (await measure()) ?? (await measure()) ?? (await measure());
      assert.match(growth ?? "", /ms at 16384/, String(expression));
    }
  });

  it("passes one that is linear, and one that is fast", async () => {
    const linear = (text: string): number => text.repeat(100).split("a").length;
    for (const parse of [linear, (text: string) => text.length]) {
      assert.equal(await excessiveGrowth(parse, (length) => repeated("a", length), 8192), null);
    }
  });
});
