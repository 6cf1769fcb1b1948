/** The pages of the list of suppressed addresses. What the list contains is in the conformance suite. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { SuppressionFilter } from "../../../src/spool/port/suppressions.ts";
import { REFUSED_PORTION, SuppressionList } from "../../../src/spool/records/suppression-list.ts";

const NOW_MS = 1_700_000_000_000;
const NO_SET = new Set<string>();

/** A list that is past the addresses with a set cause. */
function refusedList(parts: Partial<SuppressionFilter> = {}): SuppressionList {
  return new SuppressionList({
    accountId: "acc_default",
    after: 1,
    nowMs: NOW_MS,
    limit: 1000,
    cause: "refusals",
    ...parts,
  });
}

/** Addresses refused once each, the newest first; `text` is the reply. */
const rowsOf = (count: number, text = "No such user") =>
  Array.from({ length: count }, (_, i) => {
    const newestMs = NOW_MS - i;
    const refusal = { at_ms: newestMs, code: 550, enhanced_code: "5.1.1", message: text, mx: "mx.example", ip: null };
    return { address: `user${i}@customers.example`, newestMs, refusals: JSON.stringify([refusal]) };
  });

const setRow = (address: string, atMs = NOW_MS, messageId: string | null = null) => ({
  address,
  cause: "manual" as const,
  atMs,
  untilMs: null,
  messageId,
});

it("continues after the last address of a full portion, and is complete after one that is not full", () => {
  const list = refusedList();
  list.addRefused(rowsOf(REFUSED_PORTION), NO_SET);
  assert.ok(list.isReading);
  assert.deepEqual(list.position, { isRefused: true, atMs: NOW_MS - 99, address: "user99@customers.example" });
  list.addRefused(rowsOf(REFUSED_PORTION - 1), NO_SET);
  assert.ok(!list.isReading);
  assert.equal(list.page.addresses.length, 2 * REFUSED_PORTION - 1);
  assert.equal(list.page.next, null);
});

it("passes over portions of addresses that are not suppressed, or are among the others", () => {
  const list = refusedList({ after: 2 });
  list.addRefused(rowsOf(REFUSED_PORTION), NO_SET);
  assert.deepEqual(list.page.addresses, []);
  const other = refusedList();
  other.addRefused(rowsOf(1), new Set(["user0@customers.example"]));
  assert.deepEqual(other.page, { addresses: [], next: null });
});

it("ends a page at its limit of addresses, and of size, and names the place of the next page", () => {
  const few = refusedList({ limit: 2 });
  few.addRefused(rowsOf(3), NO_SET);
  assert.equal(few.page.addresses.length, 2);
  assert.equal(few.page.next?.address, "user1@customers.example");
  const exact = refusedList({ limit: 2 });
  exact.addRefused(rowsOf(2), NO_SET);
  assert.equal(exact.page.next, null);
  const large = refusedList();
  large.addRefused(rowsOf(4, "x".repeat(200_000)), NO_SET);
  assert.equal(large.page.addresses.length, 2);
  const tooLarge = refusedList();
  tooLarge.addRefused(rowsOf(2, "x".repeat(600_000)), NO_SET);
  assert.equal(tooLarge.page.addresses.length, 1);
});

it("goes on with refused addresses after the others, unless the filter wants another cause", () => {
  const filter = { accountId: "acc_default", after: 1, nowMs: NOW_MS, limit: 5 };
  const all = new SuppressionList(filter);
  all.addSet([setRow("a@x.example"), setRow("b@x.example", NOW_MS - 1, "msg_1")], all.portion);
  assert.deepEqual(
    all.page.addresses.map(({ messageId }) => messageId),
    [undefined, "msg_1"],
  );
  assert.ok(all.isReading && all.position.isRefused);
  const manual = new SuppressionList({ ...filter, cause: "manual" });
  manual.addSet([setRow("a@x.example")], manual.portion);
  assert.ok(!manual.isReading);
});

it("reads a bounded number of rows for a search, and then returns the place to go on from", () => {
  const list = new SuppressionList({ accountId: "acc_default", after: 1, nowMs: NOW_MS, limit: 5, search: "ANN" });
  let read = 0;
  for (; list.isReading; read += list.portion) {
    const rows = Array.from({ length: list.portion }, (_, i) => setRow(`user${i}@x.example`, NOW_MS - read - i));
    list.addSet(rows, list.portion);
  }
  assert.equal(read, 50_000);
  const { addresses, next } = list.page;
  assert.deepEqual([addresses, next?.atMs], [[], NOW_MS - read + 1]);
});
