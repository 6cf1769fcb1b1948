/** The daily preflight: when it runs, with which receivers, what is stored, and what counts as worse. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DailyPreflight } from "../../../src/app/installation/daily-preflight.ts";
import { readOwnPreflight, worsened } from "../../../src/app/reports/preflight.ts";
import type { AddressPreflight, PreflightVerdict } from "../../../src/doctor/preflight.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { ReceiverProfile } from "../../../src/receivers/profiles.ts";
import { encodeCounts, newCounts } from "../../../src/spool/port/receiver-results.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = 20_000 * DAY_MS;

const resultOf = (profiles: readonly ReceiverProfile[], verdict: PreflightVerdict): AddressPreflight => ({
  address: "192.0.2.10",
  ptr: "mta.example",
  ptrDetail: "192.0.2.10 has the name mta.example, which resolves back to it.",
  isBound: true,
  port25: "open",
  blocklists: [],
  receivers: profiles.map((profile) => {
    return { profile, verdict, step: "mail", reply: "250 ok", advice: null, url: "https://help.example/" };
  }),
});

function stage(used: readonly string[]) {
  const clock = fakeClock(START_MS);
  const day = new Map(used.map((name) => [name, { ...newCounts(), delivered: 1 }] as const));
  const values = new Map([["receiver-days", encodeCounts(new Map([[START_MS / DAY_MS - 3, day]]))]]);
  const spool = {
    readNodeValue: async (name: string) => values.get(name) ?? null,
    writeNodeValue: async (name: string, text: string) => void values.set(name, text),
    readLiveNodeValues: async (name: string) => [values.get(name) ?? []].flat(),
  };
  const tried: string[][] = [];
  const told: (readonly string[])[] = [];
  const state: { verdict: PreflightVerdict; error: Error | null } = { verdict: "accepted", error: null };
  const begin = (): DailyPreflight => {
    const preflight = new DailyPreflight({
      spool,
      clock,
      log: silentLog,
      random: () => 0.5,
      async examine(profiles) {
        tried.push(profiles.map(({ name }) => name));
        if (state.error !== null) throw state.error;
        return [resultOf(profiles, state.verdict)];
      },
      onWorse: async (sentences) => void told.push(sentences),
    });
    preflight.start();
    return preflight;
  };
  return { clock, spool, tried, told, state, begin };
}

test("runs once a day, with the receivers that mail was sent to, also across restarts", async () => {
  const { clock, spool, tried, told, begin } = stage(["gmail", "mimecast-eu", "small.example"]);
  const first = begin();
  await clock.advance(HOUR_MS);
  assert.deepEqual(tried, [], "not at the start");
  await clock.advance(23 * HOUR_MS);
  // Customers of Mimecast have exchangers of their own, and small.example has no profile.
  assert.deepEqual(tried, [["gmail"]]);
  assert.equal((await readOwnPreflight(spool))?.addresses[0]?.receivers[0]?.verdict, "accepted");
  first.stop();
  begin();
  await clock.advance(2 * DAY_MS);
  assert.equal(tried.length, 3);
  assert.deepEqual(told, []);
});

test("without mail it tries nothing, and a failure is followed by another try", async () => {
  const idle = stage([]);
  idle.begin();
  await idle.clock.advance(3 * DAY_MS);
  assert.deepEqual(idle.tried, []);
  const { clock, tried, state, begin, spool } = stage(["yahoo"]);
  state.error = new Error("no sockets");
  begin();
  await clock.advance(2 * HOUR_MS);
  state.error = null;
  await clock.advance(HOUR_MS);
  assert.equal(tried.length, 2);
  assert.notEqual(await readOwnPreflight(spool), null);
});

test("a refusal is told once, until the receiver accepts and refuses again", async () => {
  const { clock, told, state, begin } = stage(["gmail", "yahoo"]);
  const verdicts: PreflightVerdict[] = ["accepted", "refused", "refused", "deferred", "refused"];
  begin();
  await clock.advance(HOUR_MS);
  for (const verdict of verdicts) {
    state.verdict = verdict;
    await clock.advance(DAY_MS);
  }
  assert.equal(told.length, 2);
  assert.match(told[0]?.[0] ?? "", /^gmail rejects the session from 192\.0\.2\.10 at the step "mail": 250 ok https:/);
  assert.equal(told[0]?.length, 2);
});

test("a lost reverse name, a listing and a closed port are worse; what was so before is not", () => {
  const report = (changes: object) => ({
    addresses: [
      {
        address: "192.0.2.10",
        ptr: "mta.example" as string | null,
        ptr_detail: "It has no name.",
        port_25: "open" as const,
        blocklists: [],
        receivers: [],
        ...changes,
      },
    ],
    summary: "",
    limits: "",
  });
  const good = report({});
  const bad = report({
    ptr: null,
    port_25: "closed",
    blocklists: [{ list: "bl.example", listed: true, detail: "It is listed." }],
  });
  assert.equal(worsened(good, bad).length, 3);
  assert.deepEqual(worsened(bad, bad), []);
  assert.deepEqual(worsened(bad, good), []);
  assert.equal(worsened(null, bad).length, 2, "the first one");
});
