/** The pages of the list of suppressed addresses. What the list contains is in the conformance suite. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { PAGE_ADDRESSES, SuppressionList } from "../../../src/spool/records/suppression-list.ts";

const NOW_MS = 1_700_000_000_000;
const FILTER = { accountId: "acc_default", after: 1, nowMs: NOW_MS, limit: 1000 };

/** Addresses refused once each, the newest first; `text` is the reply. */
const rowsOf = (count: number, text = "No such user") =>
  Array.from({ length: count }, (_, i) => {
    const newestMs = NOW_MS - i;
    const refusal = { at_ms: newestMs, code: 550, enhanced_code: "5.1.1", message: text, mx: "mx.example", ip: null };
    return { address: `user${i}@customers.example`, newestMs, refusals: JSON.stringify([refusal]) };
  });

it("continues after the last address of a full page, and is complete after one that is not full", () => {
  const list = new SuppressionList(FILTER);
  assert.equal(list.add(rowsOf(PAGE_ADDRESSES)), false);
  const { accountId, newestMs, address } = list.range;
  assert.deepEqual([accountId, newestMs, address], ["acc_default", NOW_MS - 99, "user99@customers.example"]);
  assert.equal(list.add(rowsOf(PAGE_ADDRESSES - 1)), true);
  assert.equal(list.addresses.length, 2 * PAGE_ADDRESSES - 1);
});

it("passes over pages of addresses that are not suppressed", () => {
  const list = new SuppressionList({ ...FILTER, after: 2 });
  assert.equal(list.add(rowsOf(PAGE_ADDRESSES)), false);
  assert.deepEqual(list.addresses, []);
});

it("is complete at its limit of addresses, and of size", () => {
  const few = new SuppressionList({ ...FILTER, limit: 2 });
  assert.equal(few.add(rowsOf(3)), true);
  assert.equal(few.addresses.length, 2);
  const large = new SuppressionList(FILTER);
  assert.equal(large.add(rowsOf(3, "x".repeat(200_000))), true);
  assert.equal(large.addresses.length, 2);
  const tooLarge = new SuppressionList(FILTER);
  tooLarge.add(rowsOf(2, "x".repeat(600_000)));
  assert.equal(tooLarge.addresses.length, 1);
});
