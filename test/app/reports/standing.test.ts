/** The standing at a receiver: which of its rules this server's mail meets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readStanding } from "../../../src/app/reports/standing.ts";
import { PROFILES } from "../../../src/receivers/profiles.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import { encodeCounts, newCounts, type ReceiverCounts } from "../../../src/spool/port/receiver-results.ts";
import type { DmarcTotals, ReportedWeek } from "../../../src/spool/port/sender-reports.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 20_000 * DAY_MS;

interface Given {
  /** By days ago. */
  counts?: [daysAgo: number, counts: Partial<ReceiverCounts>][];
  reported?: Partial<DmarcTotals> & { org: string };
  ptr?: string | null;
}

const TLS = { reports: 0, succeeded: 0, failed: 0 };

function standingAt(name: string, { counts = [], reported, ptr }: Given) {
  const days = new Map(
    counts.map(([ago, each]) => [20_000 - ago, new Map([[name, { ...newCounts(), ...each }]])] as const),
  );
  const address = { address: "192.0.2.10", ptr, receivers: [] };
  const values: Record<string, string> = {
    "receiver-days": encodeCounts(days),
    ...(ptr === undefined ? {} : { preflight: JSON.stringify({ atMs: NOW_MS, addresses: [address] }) }),
  };
  const dmarc = { reports: 1, messages: 0, failed: 0, failedOurs: 0, ...reported };
  const weeks: ReportedWeek[] = [7, 60].map((ago) => ({ weekMs: NOW_MS - ago * DAY_MS, dmarc, tls: TLS }));
  const spool = {
    readLiveNodeValues: async (entry: string) => [values[entry] ?? []].flat(),
    reportedWeeks: async () => (reported === undefined ? [] : weeks),
    weekReports: async () => ({
      receivers: [{ ...dmarc, org: reported?.org ?? "" }],
      sources: [],
      tlsSenders: [],
      tlsFailures: [],
    }),
  };
  const registry = {
    accounts: async () => [{ id: "acc_1" }] as Account[],
    domains: async () => [{ accountId: "acc_1", name: "shop.example", verified: true }] as Domain[],
  };
  const profile = PROFILES.find((each) => each.name === name) ?? null;
  return readStanding({ name, profile }, { spool, registry, nowMs: NOW_MS });
}

const ruleBy = (measure: string, { rules }: Awaited<ReturnType<typeof standingAt>>) => {
  const rule = rules.find((each) => each.measure === measure);
  assert.ok(rule, measure);
  return rule;
};

test("without mail, reports and preflights nothing is measured", async () => {
  const standing = await standingAt("gmail", {});
  assert.ok(standing.rules.length >= 5);
  assert.deepEqual(new Set(standing.rules.map(({ state }) => state)), new Set(["unknown"]));
  assert.equal(standing.dmarc, null);
});

test("results of 7 and 30 days, and messages without TLS with an example", async () => {
  const standing = await standingAt("gmail", {
    counts: [
      [3, { delivered: 90 }],
      [20, { delivered: 10, withoutTls: 2, examples: { without_tls: "msg_plain" } }],
      [40, { delivered: 1000 }],
    ],
  });
  assert.deepEqual([standing.week.delivered, standing.month.delivered], [90, 100]);
  const { state, shown, example } = ruleBy("tls", standing);
  assert.deepEqual(
    [state, shown, example],
    ["not_met", "2.0 % of 100 messages were delivered without TLS", "msg_plain"],
  );
  assert.equal(ruleBy("tls", await standingAt("gmail", { counts: [[3, { delivered: 9 }]] })).state, "met");
});

test("authentication by the receiver's own DMARC reports of the last month", async () => {
  const failing = { org: "google.com", messages: 200, failed: 10, failedOurs: 4 };
  const standing = await standingAt("gmail", { reported: failing });
  assert.equal(standing.dmarc?.messages, 200, "the older week is left out");
  const { state, shown } = ruleBy("authentication", standing);
  assert.equal(state, "not_met");
  assert.match(shown ?? "", /^2\.0 % of 200 reported messages/);
  const good = await standingAt("gmail", { reported: { ...failing, failedOurs: 1 } });
  assert.equal(ruleBy("authentication", good).state, "met");
  const other = await standingAt("gmail", { reported: { ...failing, org: "Yahoo" } });
  assert.equal(ruleBy("authentication", other).state, "unknown");
});

test("the reverse name by the last preflight, for every receiver", async () => {
  assert.equal(ruleBy("reverse_name", await standingAt("small.example", { ptr: "mta.example" })).state, "met");
  const { state, shown } = ruleBy("reverse_name", await standingAt("small.example", { ptr: null }));
  assert.deepEqual([state, shown], ["not_met", "192.0.2.10 has none"]);
});

test("complaints that came back, against the share of the rule; none prove nothing", async () => {
  const complaintsOf = async (name: string, complaints: number) => {
    const examples = complaints > 0 ? { complaint: "msg_c" } : {};
    return ruleBy("complaints", await standingAt(name, { counts: [[3, { delivered: 1000, complaints, examples }]] }));
  };
  const found = await Promise.all([0, 2, 4].map((complaints) => complaintsOf("yahoo", complaints)));
  assert.deepEqual(
    found.map(({ state }) => state),
    ["unknown", "met", "not_met"],
  );
  assert.deepEqual(
    [found[2]?.shown, found[2]?.example],
    ["complaints about 0.4 % of 1000 messages came back", "msg_c"],
  );
  assert.equal((await complaintsOf("orange", 4)).state, "met");
});
