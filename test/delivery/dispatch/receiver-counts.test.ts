/** Counts of results by receiver: what is counted, when it is stored, and what reports read of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReceiverResultCounts } from "../../../src/delivery/dispatch/receiver-counts.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Settlement } from "../../../src/spool/port/mail.ts";
import { newCounts, parseCounts, readReceiverResults } from "../../../src/spool/port/receiver-results.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOUR_MS = 3_600_000;
const START_MS = 500_000 * HOUR_MS;

const TLS = { protocol: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", verified: true };

function settlement(result: Settlement["result"], more: Partial<Settlement> = {}): Settlement {
  const smtp = { mx: "mx.example.com", ip: null, tls: null, code: 250, enhanced_code: null, message: "ok" };
  const outcome = result === "pending" ? "deferred" : result;
  const host = {
    mx: smtp.mx,
    ip: null,
    stage: "final_dot",
    reply: null,
    error: null,
    note: null,
    policy: null,
  } as const;
  const tries = [{ ...host, tls: TLS }];
  return { position: 0, result, reason: null, category: null, nextAttemptAtMs: null, smtp, outcome, tries, ...more };
}

async function stage() {
  const clock = fakeClock(START_MS);
  const values = new Map<string, string>();
  const spool = {
    readNodeValue: async (name: string) => values.get(name) ?? null,
    writeNodeValue: async (name: string, text: string) => void values.set(name, text),
    readLiveNodeValues: async (name: string) => [values.get(name) ?? []].flat(),
  };
  const begin = async (): Promise<ReceiverResultCounts> => {
    const counts = new ReceiverResultCounts({ spool, clock, log: silentLog });
    await counts.start();
    return counts;
  };
  const counts = await begin();
  const job = { domain: "a.example", createdAtMs: START_MS, messageId: "msg_1" };
  const add = (destination: string | null, settlements: Settlement[], domain = job.domain): void =>
    counts.add({ ...job, domain }, destination, { settlements, atMs: clock.now() });
  const read = (days: number) => readReceiverResults(spool, { nowMs: clock.now(), days });
  return { clock, values, counts, add, read, begin };
}

test("results by receiver, with categories, TLS and the time since acceptance", async () => {
  const { clock, counts, add, read } = await stage();
  const plain = settlement("delivered").tries.map((each) => ({ ...each, tls: null }));
  add("*.gmail", [settlement("delivered"), settlement("pending", { category: "rate_limited" })]);
  clock.step(120_000);
  add("*.gmail", [settlement("delivered", { tries: plain }), settlement("failed", { category: "bad_address" })]);
  clock.step(2 * HOUR_MS);
  add("*.gmail", [settlement("delivered"), settlement("unknown")]);
  // Of several receivers, who has replied; without a reply, nobody.
  add("*.gmail+*.example.com", [settlement("delivered"), settlement("pending", { smtp: null, category: "network" })]);
  await counts.stop();
  const found = await read(1);
  assert.deepEqual(found.get("gmail"), {
    ...newCounts(),
    delivered: 3,
    deferred: 1,
    failed: 1,
    unknown: 1,
    withoutTls: 1,
    within: [1, 1, 0],
    categories: { rate_limited: 1, bad_address: 1 },
    examples: { rate_limited: "msg_1", bad_address: "msg_1", without_tls: "msg_1" },
  });
  assert.deepEqual([...found.keys()], ["gmail", "example.com"]);
});

test("complaints are counted by receiver, with an example", async () => {
  const { clock, counts, read } = await stage();
  counts.addComplaint("icloud", { messageId: "msg_1", atMs: clock.now() });
  counts.addComplaint("icloud", { messageId: "msg_2", atMs: clock.now() });
  await counts.stop();
  const found = (await read(1)).get("icloud");
  assert.deepEqual([found?.complaints, found?.examples.complaint, found?.delivered], [2, "msg_2", 0]);
});

test("hundreds of receivers without a profile do not displace one that has one", async () => {
  const { counts, add, read } = await stage();
  for (let i = 0; i < 300; i += 1) add(`*.r${i}.example`, [settlement("delivered")]);
  add("*.gmail", [settlement("delivered")]);
  await counts.stop();
  const found = await read(1);
  assert.deepEqual([found.size, found.get("gmail")?.delivered], [201, 1]);
});

test("what was not tried, test messages and sinks are not counted", async () => {
  const { counts, add, read } = await stage();
  add("*.gmail", [settlement("pending", { untried: true })]);
  add(null, [settlement("failed")]);
  add("127.0.0.1:2525", [settlement("delivered", { smtp: null })]);
  await counts.stop();
  assert.equal((await read(30)).size, 0);
});

test("counts are written each minute, survive a restart, and go from hours to days", async () => {
  const { clock, counts, add, read, begin } = await stage();
  add("*.gmail", [settlement("delivered")]);
  assert.equal((await read(1)).size, 0);
  await clock.advance(60_000);
  assert.equal((await read(1)).get("gmail")?.delivered, 1);
  await counts.stop();
  const again = await begin();
  again.add({ domain: "a.example", createdAtMs: START_MS, messageId: "msg_2" }, "*.gmail", {
    settlements: [settlement("delivered")],
    atMs: clock.now(),
  });
  await clock.advance(60_000);
  assert.equal((await read(1)).get("gmail")?.delivered, 2, "the hour goes on");
  await clock.advance(25 * HOUR_MS);
  assert.deepEqual([(await read(1)).size, (await read(7)).get("gmail")?.delivered], [0, 2]);
  await clock.advance(7 * 24 * HOUR_MS);
  assert.deepEqual([(await read(7)).size, (await read(30)).get("gmail")?.delivered], [0, 2]);
  await clock.advance(31 * 24 * HOUR_MS);
  await again.stop();
  assert.equal((await read(365)).size, 0, "no longer kept");
});

test("what cannot be read counts for nothing, and what another version has left out is 0", () => {
  for (const text of [null, "", "{", "null", "[1]", "[[1,2]]"]) assert.equal(parseCounts(text).size, 0, String(text));
  assert.deepEqual(parseCounts('[[7,[["gmail",{"delivered":2}]]]]').get(7)?.get("gmail"), {
    ...newCounts(),
    delivered: 2,
  });
});

test("results of sending addresses are counted by address and receiver", async () => {
  const { begin, clock } = await stage();
  const counts = await begin();
  const from = (source: string, result: Settlement["result"]) => {
    const smtp = { mx: "mx.example.com", ip: null, tls: null, code: 250, enhanced_code: null, message: "ok", source };
    return settlement(result, { smtp });
  };
  const settlements = [from("192.0.2.1", "delivered"), from("192.0.2.1", "pending"), from("192.0.2.2", "failed")];
  const job = { domain: "a.example", createdAtMs: START_MS, messageId: "msg_1" };
  counts.add(job, "*.gmail", { settlements: [...settlements, settlement("delivered")], atMs: clock.now() });
  const shown = [...counts.addressTotals].map(([address, totals]) => [address, Object.fromEntries(totals)]);
  assert.deepEqual(shown, [
    ["192.0.2.1", { gmail: { delivered: 1, deferred: 1, failed: 0, unknown: 0 } }],
    ["192.0.2.2", { gmail: { delivered: 0, deferred: 0, failed: 1, unknown: 0 } }],
  ]);
  assert.equal(counts.totals.get("gmail")?.delivered, 2);
});
