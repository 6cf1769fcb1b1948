/** The columns of the charts, and links that keep the time range of the numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSearch } from "../../../src/dashboard/pages/message-search.ts";
import { columnsOf, momentsOf, rangeNamed } from "../../../src/dashboard/views/chart-ranges.ts";
import { acceptedLink, failedLink, resultLink } from "../../../src/dashboard/views/message-links.ts";

const NOW_MS = Date.UTC(2026, 2, 14, 9, 5, 7);
const RANGE = rangeNamed("3h");

test("the chart of accepted messages counts messages, that of recipients recipients", () => {
  const { sinceMs } = momentsOf(RANGE, NOW_MS);
  const counts = { messages: 2, recipients: 5, delivered: 3, failed: 1, unknown: 0, deferred: 0 };
  const slot = { atMs: sinceMs, ...counts, p50Ms: 500, p95Ms: null };
  const { times, accepted, recipients, p50, p95 } = columnsOf({ slots: [slot], total: slot }, RANGE, NOW_MS);
  assert.equal(times.length, 18);
  assert.equal(times[0], sinceMs / 1000);
  assert.deepEqual([accepted[0], recipients[0], p50[0], p95[0], accepted[1]], [2, 5, 0.5, null, 0]);
});

test("links to the list keep the time range, of the result or of the acceptance, and leave out test messages", () => {
  const { sinceMs } = momentsOf(RANGE, NOW_MS);
  const filterOf = (link: string) => {
    const { filter } = readSearch(Object.fromEntries(new URL(link, "http://localhost").searchParams));
    return filter;
  };
  const failed = filterOf(failedLink(sinceMs, { category: "policy", reason: "message_refused", q: "@a.example" }));
  assert.deepEqual(
    [
      failed.result,
      failed.category,
      failed.reason,
      failed.recipient,
      failed.resultSinceMs,
      failed.sinceMs,
      failed.test,
    ],
    ["failed", "policy", "message_refused", "@a.example", sinceMs, undefined, false],
  );
  assert.equal(filterOf(resultLink("delivered", sinceMs)).resultSinceMs, sinceMs);
  assert.deepEqual([filterOf(acceptedLink(sinceMs)).sinceMs, filterOf(acceptedLink(sinceMs)).test], [sinceMs, false]);
});
