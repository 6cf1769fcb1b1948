/** The numbers of copied messages. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { CopiedNumbers } from "../../../../../src/spool/engine/postgres/copy/copy-messages.ts";
import { firstNumberAt, timeOfNumber } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";

const AT_MS = 1_700_000_000_000;

it("messages of one millisecond have numbers in their order, also if they are more than it has", () => {
  const numbers = new CopiedNumbers();
  const given = Array.from({ length: 3000 }, () => numbers.next(AT_MS));
  assert.deepEqual(
    given,
    given.map((_, i) => firstNumberAt(AT_MS) + i),
  );
  const next = numbers.next(AT_MS + 1);
  assert.equal(next, (given.at(-1) ?? 0) + 1);
  assert.equal(timeOfNumber(numbers.next(AT_MS + 1000)), AT_MS + 1000);
});

it("no message has the number of a domain's event", () => {
  const numbers = new CopiedNumbers();
  const reserved = [numbers.reserve(AT_MS), numbers.reserve(AT_MS)];
  assert.equal(new Set([...reserved, numbers.next(AT_MS), numbers.next(AT_MS)]).size, 4);
});
