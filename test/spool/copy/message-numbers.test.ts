/** The numbers of copied messages, and the rows that refer to messages by their numbers. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { NewNumbers, TranslatedNumbers } from "../../../src/spool/copy/message-numbers.ts";
import { firstNumberAt, timeOfNumber } from "../../../src/spool/engine/postgres/mail/message-number.ts";
import { PAUSE_ENTRY } from "../../../src/spool/port/delivery-pause.ts";

const AT_MS = 1_700_000_000_000;

const pause = (newestSeq: number): string => JSON.stringify({ backupAtMs: 5, newestSeq });

it("messages of one millisecond have numbers in their order, also if they are more than it has", () => {
  const numbers = new NewNumbers();
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
  const numbers = new NewNumbers();
  const reserved = [numbers.reserve(AT_MS), numbers.reserve(AT_MS)];
  assert.equal(new Set([...reserved, numbers.next(AT_MS), numbers.next(AT_MS)]).size, 4);
});

it("rows refer to the new numbers, to none of a message that is gone, and events of domains to 0", () => {
  const translated = new TranslatedNumbers({
    endpoint_retries: [{ seq: 1 }, { seq: 0 }, { seq: 3 }],
    quarantined: [{ seq: 2, message_id: "msg_b" }],
    feedback: [{ seq: 4 }, { seq: 5 }],
    key_values: [
      { name: "name", text: "text" },
      { name: PAUSE_ENTRY, text: pause(2) },
    ],
  });
  // In the order of time, which is not that of the numbers.
  for (const [seq, number] of [
    [2, 1000],
    [4, 2000],
    [1, 3000],
  ] as const) {
    translated.add(seq, number);
  }
  assert.deepEqual(translated.rowsOf("endpoint_retries"), [{ seq: 3000 }, { seq: 0 }, { seq: -3 }]);
  assert.deepEqual(translated.rowsOf("quarantined"), [{ seq: 1000, message_id: "msg_b" }]);
  assert.deepEqual(translated.rowsOf("feedback"), [{ seq: 2000 }, { seq: -5 }]);
  assert.deepEqual([translated.isQuarantined(2), translated.isQuarantined(4)], [true, false]);
  assert.deepEqual(translated.rowsOf("key_values"), [
    { name: "name", text: "text" },
    { name: PAUSE_ENTRY, text: pause(3000) },
  ]);
});
