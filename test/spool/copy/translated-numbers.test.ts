/** Rows that refer to messages by their numbers, in a copy that gives messages new ones. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { TranslatedNumbers } from "../../../src/spool/copy/translated-numbers.ts";
import { PAUSE_ENTRY } from "../../../src/spool/port/delivery-pause.ts";

const pause = (newestSeq: number): string => JSON.stringify({ backupAtMs: 5, newestSeq });

it("rows refer to the new numbers, to none of a message that is gone, and events of domains to 0", () => {
  const translated = new TranslatedNumbers({
    retries: [
      ["end_a", 1, 10],
      ["end_a", 0, 11],
      ["end_a", 3, 12],
    ],
    quarantined: [[2, "msg_b"]],
    feedback: [
      [4, 0, "bounce"],
      [5, 0, "bounce"],
    ],
    entries: [
      ["name", "text"],
      [PAUSE_ENTRY, pause(2)],
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
  assert.deepEqual(translated.retries, [
    ["end_a", 3000, 10],
    ["end_a", 0, 11],
    ["end_a", -3, 12],
  ]);
  assert.deepEqual(translated.quarantined, [[1000, "msg_b"]]);
  assert.deepEqual(translated.feedback, [
    [2000, 0, "bounce"],
    [-5, 0, "bounce"],
  ]);
  assert.deepEqual([translated.isQuarantined(2), translated.isQuarantined(4)], [true, false]);
  assert.deepEqual(translated.entries, [
    ["name", "text"],
    [PAUSE_ENTRY, pause(3000)],
  ]);
});
