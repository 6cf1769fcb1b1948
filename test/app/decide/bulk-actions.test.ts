import assert from "node:assert/strict";
import { it } from "node:test";
import {
  add,
  BULK_MAX,
  type BulkParts,
  type BulkScope,
  type BulkStep,
  countBulk,
  isBulkAction,
  NO_TOTALS,
  runBulk,
  runBulkStep,
  UNLIMITED,
} from "../../../src/app/decide/bulk-actions.ts";
import { MessageDamaged } from "../../../src/spool/port/errors.ts";
import type { RetryFilter } from "../../../src/spool/port/operations.ts";
import type { ActedFilter, ActedMessage, ActedMessages } from "../../../src/spool/port/reports.ts";

const NOW_MS = 1_000_000;
const FILTER = { accountId: "acc_default" };

/** Messages of one millisecond each, the newest first, with so many recipients each. */
const messagesOf = (counts: readonly number[]): ActedMessage[] =>
  counts.map((count, i) => ({
    id: `msg_${i}`,
    createdAtMs: NOW_MS - i,
    positions: Array.from({ length: count }, (_, position) => position),
    domains: Array.from({ length: count }, (_, position) => `d${position % 12}.example`),
  }));

/** A search that finds these messages, in pages of at most `pageMax`. */
function reportsOf(stored: readonly ActedMessage[], pageMax = 1000) {
  const filters: ActedFilter[] = [];
  return {
    filters,
    countActed: async () => null,
    async findActed(filter: ActedFilter): Promise<ActedMessages> {
      filters.push(filter);
      const { sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, cursor } = filter;
      const all = stored.filter(({ createdAtMs }) => createdAtMs >= sinceMs && createdAtMs < untilMs);
      const from = all.findIndex(({ id }) => id === cursor) + 1;
      const messages = all.slice(from, from + Math.min(filter.limit, pageMax));
      const isMore = from + messages.length < all.length;
      return { messages, cursor: isMore ? (messages.at(-1)?.id ?? null) : null, searchedBackToMs: null };
    },
  };
}

const count = (stored: readonly ActedMessage[], monotonicMs = () => 0, pageMax = 1000) => {
  const reports = reportsOf(stored, pageMax);
  return countBulk(reports, { action: "cancel", filter: FILTER }, { nowMs: NOW_MS, monotonicMs, withDomains: true });
};

const scopeIn = ({ recipients, sinceMs }: BulkScope) => [recipients, sinceMs];

it("counts the recipients on all pages of a search", async () => {
  const stored = messagesOf([3, 0, 2, 50, 1]);
  const { domains, ...counted } = await count(stored, () => 0, 2);
  const scope = { recipients: 56, atMs: NOW_MS, sinceMs: null };
  assert.deepEqual(counted, {
    ...scope,
    messages: 4,
    otherDomains: 2,
    accepted: { oldestMs: NOW_MS - 4, newestMs: NOW_MS },
  });
  assert.equal(domains.length, 10);
  assert.deepEqual(domains.slice(0, 3), [
    { domain: "d0.example", recipients: 8 },
    { domain: "d1.example", recipients: 7 },
    { domain: "d2.example", recipients: 5 },
  ]);
  const none = { recipients: 0, messages: 0, accepted: null, domains: [], otherDomains: 0 };
  assert.deepEqual(await count([]), { ...none, atMs: NOW_MS, sinceMs: null });
});

it("limits an action to the newest messages, and says from when on: by recipients, and by the time of the count", async () => {
  const many = messagesOf([BULK_MAX - 10, 5, 6, 1]);
  assert.deepEqual(scopeIn(await count(many)), [BULK_MAX - 5, NOW_MS - 1]);
  let clockMs = 0;
  const slow = () => {
    clockMs += 6000;
    return clockMs;
  };
  const cut = await count(messagesOf([1, 2, 3, 4, 5, 6]), slow, 2);
  assert.deepEqual([...scopeIn(cut), cut.accepted?.oldestMs], [10, NOW_MS - 3, NOW_MS - 3]);
});

it("counts all where no limit is set", async () => {
  let clockMs = 0;
  const monotonicMs = () => {
    clockMs += 3_600_000;
    return clockMs;
  };
  const reports = reportsOf(messagesOf([BULK_MAX, 5, 1]), 1);
  const times = { nowMs: NOW_MS, monotonicMs, limits: UNLIMITED };
  const scope = await countBulk(reports, { action: "cancel", filter: FILTER }, times);
  assert.deepEqual(scopeIn(scope), [BULK_MAX + 6, null]);
});

it("is about live messages, or about test messages alone, and about what was accepted by the time of the count", async () => {
  const reports = reportsOf([]);
  const times = { nowMs: NOW_MS, monotonicMs: () => 0 };
  await countBulk(reports, { action: "mark-failed", filter: FILTER }, times);
  await countBulk(reports, { action: "cancel", filter: { ...FILTER, test: true, untilMs: 5 } }, times);
  await countBulk(reports, { action: "send-failed-again", filter: FILTER }, times);
  await countBulk(reports, { action: "send-failed-again", filter: { ...FILTER, reason: "cancelled" } }, times);
  const [marked, cancelled, sent, named] = reports.filters.map(({ limit: _, ...filter }) => filter);
  const common = { ...FILTER, test: false, untilMs: NOW_MS + 1 };
  assert.deepEqual(marked, { ...common, result: "unknown", unchangedSinceMs: NOW_MS });
  assert.deepEqual(cancelled, { ...FILTER, result: "pending", test: true, untilMs: 5 });
  assert.deepEqual(sent, {
    ...common,
    result: "failed",
    unchangedSinceMs: NOW_MS,
    exceptReasons: ["suppressed", "resolved", "cancelled", "discarded"],
  });
  assert.deepEqual(named?.exceptReasons, ["suppressed"]);
});

function stepOf(parts: Partial<BulkStep> = {}): BulkStep {
  const scope = { atMs: NOW_MS, sinceMs: null };
  const step = { action: "cancel", filter: FILTER, scope, after: "", by: "ann@shop.example", nowMs: NOW_MS } as const;
  return { ...step, maxAgeMs: 1000, ...parts };
}

function partsOf(stored: readonly ActedMessage[], parts: Partial<BulkParts["spool"]>, monotonicMs = () => 0) {
  const unused = () => assert.fail("not this operation");
  const spool = { resolve: unused, cancel: unused, retry: unused, retryFailed: unused, ...parts };
  return { spool, reports: reportsOf(stored), monotonicMs } as unknown as BulkParts;
}

it("goes on after the last whole message when the time of a step is over, and reaches each recipient once", async () => {
  const stored = messagesOf([200, 60, 700, 1, 0, 3]);
  const seen: string[] = [];
  const cancel: BulkParts["spool"]["cancel"] = async ({ recipients }) => {
    const names = recipients.flatMap(({ messageId, positions }) => positions.map((each) => `${messageId} ${each}`));
    seen.push(...names);
    return { cancelled: names.length, unknown: 0, atDot: 0, unreadable: 0 };
  };
  let clockMs = 0;
  const late = () => {
    clockMs += 10_000;
    return clockMs;
  };
  const parts = partsOf(stored, { cancel }, late);
  const { after: _, nowMs, ...whole } = stepOf();
  const atOnce = await runBulk(parts, whole, () => nowMs);
  assert.deepEqual([seen.length, new Set(seen).size, atOnce.done], [964, 964, 964]);
  seen.length = 0;
  const total = { ...NO_TOTALS };
  const positions: (string | null)[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const { totals, next } = await runBulkStep(parts, stepOf({ after }));
    add(total, totals);
    positions.push(next);
    after = next;
  }
  assert.deepEqual(positions, ["msg_0", "msg_1", null]);
  assert.deepEqual([seen.length, new Set(seen).size, total.done, total.seen], [964, 964, 964, 964]);
});

it("retries each message by itself, so that a damaged one does not keep the others from it", async () => {
  const filters: RetryFilter[] = [];
  const retry: BulkParts["spool"]["retry"] = async (filter) => {
    filters.push(filter);
    if (filter.messageId === "msg_1") throw new MessageDamaged("damaged");
    return filter.positions?.length ?? 0;
  };
  const { totals } = await runBulkStep(
    partsOf(messagesOf([1, 2, 1]), { retry }),
    stepOf({ action: "send-unknown-again" }),
  );
  assert.deepEqual(totals, { ...NO_TOTALS, done: 2, unreadable: 2, seen: 4 });
  assert.deepEqual(new Set(filters.map(({ result, by }) => `${result} ${by}`)), new Set(["unknown ann@shop.example"]));
});

it("knows its actions by name, and no others", () => {
  assert.ok(isBulkAction("cancel"));
  for (const name of ["", "Cancel", "constructor", "toString"]) assert.ok(!isBulkAction(name), name);
});
