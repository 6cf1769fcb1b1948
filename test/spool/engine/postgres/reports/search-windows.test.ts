/** The windows of a search cover its time without a gap, and are whole days. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstNumberOfDay } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import { daysOfWindow, searchWindows } from "../../../../../src/spool/engine/postgres/reports/search-windows.ts";

const TODAY = 20_000;
const at = firstNumberOfDay;
const ALL = { fromSeq: Number.MIN_SAFE_INTEGER, beforeSeq: Number.MAX_SAFE_INTEGER, today: TODAY };
const lastDays = (count: number): number[] => Array.from({ length: count }, (_, i) => TODAY + 2 - i);

test("the first window is today with what follows, later ones are longer, and the last one is before all partitions", () => {
  const windows = searchWindows({ ...ALL, days: lastDays(12) });
  assert.deepEqual(
    windows.map(({ fromSeq, days }) => [fromSeq, days.length]),
    [
      [at(TODAY), 3],
      [at(TODAY - 2), 2],
      [at(TODAY - 6), 4],
      [ALL.fromSeq, 3],
    ],
  );
  const long = searchWindows({ ...ALL, days: lastDays(400) });
  assert.equal(Math.max(...long.map(({ days }) => days.length)), 32);
});

test("windows have days of the search alone", () => {
  const [fromSeq, beforeSeq] = [at(TODAY - 4) + 5, at(TODAY - 1) + 5];
  const windows = searchWindows({ days: lastDays(12), today: TODAY, fromSeq, beforeSeq });
  assert.deepEqual(windows, [
    { fromSeq: at(TODAY - 1), beforeSeq, days: [at(TODAY - 1)] },
    { fromSeq: at(TODAY - 3), beforeSeq: at(TODAY - 1), days: [at(TODAY - 2), at(TODAY - 3)] },
    { fromSeq, beforeSeq: at(TODAY - 3), days: [] },
  ]);
  assert.deepEqual(searchWindows({ ...ALL, days: [TODAY], fromSeq: 5, beforeSeq: 5 }), []);
});

test("the days of a window cover it", () => {
  const [, , window] = searchWindows({ ...ALL, days: lastDays(12) });
  assert.ok(window);
  assert.deepEqual(
    daysOfWindow(window).map(({ fromSeq, beforeSeq }) => [fromSeq, beforeSeq]),
    [3, 4, 5, 6].map((ago) => [at(TODAY - ago), at(TODAY - ago + 1)]),
  );
  const rest = { fromSeq: 7, beforeSeq: at(TODAY), days: [at(TODAY - 1)] };
  assert.deepEqual(
    daysOfWindow(rest).map(({ fromSeq }) => fromSeq),
    [at(TODAY - 1), 7],
  );
});

test("whatever the days, windows and their days follow each other without a gap", () => {
  const seq = fc.integer({ min: at(TODAY - 60), max: at(TODAY + 5) });
  const days = fc.uniqueArray(fc.integer({ min: TODAY - 50, max: TODAY + 3 })).map((all) => all.sort((a, b) => b - a));
  const time = fc.record({ days, today: fc.constant(TODAY), fromSeq: seq, beforeSeq: seq });
  fc.assert(
    fc.property(time, (given) => {
      let before = given.beforeSeq;
      for (const window of searchWindows(given).flatMap(daysOfWindow)) {
        assert.ok(window.beforeSeq === before && window.fromSeq < before);
        before = window.fromSeq;
      }
      assert.equal(before, Math.min(given.fromSeq, given.beforeSeq));
    }),
  );
});
