/** When the service reports that it cannot accept or deliver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReadinessOptions, watchReadiness } from "../../../src/app/installation/readiness.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

async function setUp(options: ReadinessOptions = {}) {
  const clock = fakeClock();
  const state = { backlog: 0, commits: 0, commit: async () => {}, read: async (): Promise<string | null> => null };
  const spool: Pick<Spool, "backlog" | "probe" | "readValue"> = {
    readValue: () => state.read(),
    backlog: async () => state.backlog,
    probe: () => {
      state.commits += 1;
      return state.commit();
    },
  };
  return { clock, state, readiness: await watchReadiness(spool as Spool, clock, options) };
}

test("ready: the spool commits and the backlog is small", async () => {
  const { readiness } = await setUp();
  assert.equal(readiness.refusal(), null);
  assert.deepEqual(await readiness.reasons(), []);
});

test("a draining node is not ready, but accepts", async () => {
  let isDraining: boolean | Error = true;
  const isHostDraining = async () => (isDraining instanceof Error ? Promise.reject(isDraining) : isDraining);
  const { readiness } = await setUp({ node: { isHostDraining } });
  const reason = "This node is draining: it sends nothing until it is resumed (postrider nodes resume) or restarted.";
  assert.deepEqual(await readiness.reasons(), [reason]);
  assert.equal(readiness.refusal(), null);
  isDraining = false;
  assert.deepEqual(await readiness.reasons(), []);
  isDraining = new SpoolUnavailable("connection lost");
  assert.deepEqual(await readiness.reasons(), []);
});

test("a spool that cannot commit is a reason until it can", async () => {
  const { clock, state, readiness } = await setUp();
  state.commit = () => Promise.reject(new SpoolUnavailable("database or disk is full"));
  assert.deepEqual(await readiness.reasons(), ["The spool cannot commit: database or disk is full"]);
  // The spool itself rejects each send.
  assert.equal(readiness.refusal(), null);
  state.commit = async () => {};
  await clock.advance(1000);
  assert.deepEqual(await readiness.reasons(), []);
});

test("a spool that does not respond is a reason", async () => {
  const { clock, state, readiness } = await setUp();
  state.commit = () => new Promise(() => {});
  const reasons = readiness.reasons();
  await clock.advance(5000);
  assert.deepEqual(await reasons, ["The spool takes too long to commit."]);
});

test("a spool that cannot be read in time is reported by the probe alone", async () => {
  const { clock, state, readiness } = await setUp();
  state.read = () => new Promise(() => {});
  state.commit = () => new Promise(() => {});
  const reasons = readiness.reasons();
  await clock.advance(5000);
  assert.deepEqual(await reasons, ["The spool takes too long to commit."]);
});

test("concurrent requests share one commit", async () => {
  const { state, readiness } = await setUp();
  await Promise.all(Array.from({ length: 100 }, () => readiness.reasons()));
  assert.equal(state.commits, 1);
});

test("a full backlog refuses new sends until it has shrunk", async () => {
  const { clock, state, readiness } = await setUp();
  state.backlog = 2_000_000;
  await clock.advance(5000);
  await quiet();
  assert.match(readiness.refusal() ?? "", /Too many messages are waiting/);
  assert.equal((await readiness.reasons()).length, 1);
  state.backlog = 1_999_999;
  await clock.advance(5000);
  assert.equal(readiness.refusal(), null);
});

test("stopping is a reason at once, and long polls end only later", async () => {
  const { state, readiness } = await setUp();
  readiness.stop();
  assert.equal(readiness.longPollsEnd.aborted, false);
  assert.match((await readiness.reasons()).join(), /stopping/);
  assert.match(readiness.refusal() ?? "", /stopping/);
  assert.equal(state.commits, 0);
  readiness.endLongPolls();
  assert.equal(readiness.longPollsEnd.aborted, true);
});

test("a host that cannot deliver is a reason, and sends are still accepted", async () => {
  const hostReasons: string[] = [];
  const spool: Pick<Spool, "backlog" | "probe" | "readValue"> = {
    readValue: async () => null,
    backlog: async () => 0,
    probe: async () => {},
  };
  const readiness = await watchReadiness(spool as Spool, fakeClock(), { hostReasons: () => hostReasons });
  assert.deepEqual(await readiness.reasons(), []);
  hostReasons.push("outbound_smtp: No mail gets out.");
  assert.deepEqual(await readiness.reasons(), ["outbound_smtp: No mail gets out."]);
  assert.equal(readiness.refusal(), null);
});
