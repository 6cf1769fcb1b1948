/** The order of message numbers and times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  firstNumberAt,
  MessageNumbers,
  numberAfter,
} from "../../../../../src/spool/engine/postgres/mail/message-number.ts";

/** A step of the node's clock, messages at that moment, and whether a number was in use. */
const steps = fc.array(
  fc.record({
    stepMs: fc.integer({ min: -200_000, max: 200_000 }),
    messages: fc.integer({ min: 0, max: 40 }),
    isUsed: fc.boolean(),
  }),
  { maxLength: 30 },
);

test("a message's number is between those of its time and of a minute later, and its node's numbers differ", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 63 }), (all, slot) => {
      const numbers = new MessageNumbers(slot);
      let nowMs = 1_700_000_000_000;
      for (const { stepMs, messages, isUsed } of all) {
        nowMs += stepMs;
        if (isUsed) numbers.skip();
        const given = Array.from({ length: messages }, () => numbers.next(nowMs));
        for (const number of given) assert.ok(number >= firstNumberAt(nowMs) && number < numberAfter(nowMs + 1));
        assert.equal(new Set(given).size, messages);
      }
    }),
  );
});
