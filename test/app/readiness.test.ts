/** When the service says that it cannot do its work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { watchReadiness } from "../../src/app/readiness.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { Spool } from "../../src/spool/port/spool.ts";
import { fakeClock, quiet } from "../support/fake-clock.ts";

async function setUp() {
  const clock = fakeClock();
  const state = { backlog: 0, commits: 0, commit: async () => {} };
  const spool: Pick<Spool, "backlog" | "writeValue" | "readValue"> = {
    readValue: async () => null,
    backlog: async () => state.backlog,
    writeValue: () => {
      state.commits += 1;
      return state.commit();
    },
  };
  return { clock, state, readiness: await watchReadiness(spool as Spool, clock) };
}

test("ready: the spool commits and little waits", async () => {
  const { readiness } = await setUp();
  assert.equal(readiness.refusal(), null);
  assert.deepEqual(await readiness.reasons(), []);
});

test("a spool that cannot commit is the reason, until it can again", async () => {
  const { clock, state, readiness } = await setUp();
  state.commit = () => Promise.reject(new SpoolUnavailable("database or disk is full"));
  assert.deepEqual(await readiness.reasons(), ["The spool cannot commit: database or disk is full"]);
  // Each send is answered by the spool itself.
  assert.equal(readiness.refusal(), null);
  state.commit = async () => {};
  await clock.advance(1000);
  assert.deepEqual(await readiness.reasons(), []);
});

test("a spool that does not answer is a reason too", async () => {
  const { clock, state, readiness } = await setUp();
  state.commit = () => new Promise(() => {});
  const reasons = readiness.reasons();
  await clock.advance(5000);
  assert.deepEqual(await reasons, ["The spool takes too long to commit."]);
});

test("many who ask at once cost one commit", async () => {
  const { state, readiness } = await setUp();
  await Promise.all(Array.from({ length: 100 }, () => readiness.reasons()));
  assert.equal(state.commits, 1);
});

test("too large a backlog refuses new sends until it has shrunk", async () => {
  const { clock, state, readiness } = await setUp();
  state.backlog = 2_000_000;
  await clock.advance(5000);
  await quiet();
  assert.match(readiness.refusal() ?? "", /Too much mail waits/);
  assert.equal((await readiness.reasons()).length, 1);
  state.backlog = 1_999_999;
  await clock.advance(5000);
  assert.equal(readiness.refusal(), null);
});

test("stopping is a reason at once, and wakes what waits only at the end", async () => {
  const { state, readiness } = await setUp();
  readiness.stop();
  assert.equal(readiness.waitsEnd.aborted, false);
  assert.match((await readiness.reasons()).join(), /stopping/);
  assert.match(readiness.refusal() ?? "", /stopping/);
  assert.equal(state.commits, 0);
  readiness.endWaits();
  assert.equal(readiness.waitsEnd.aborted, true);
});

test("a host that gets no mail out is a reason, and sends are accepted all the same", async () => {
  const told: string[] = [];
  const spool: Pick<Spool, "backlog" | "writeValue" | "readValue"> = {
    readValue: async () => null,
    backlog: async () => 0,
    writeValue: async () => {},
  };
  const readiness = await watchReadiness(spool as Spool, fakeClock(), { hostReasons: () => told });
  assert.deepEqual(await readiness.reasons(), []);
  told.push("outbound_smtp: No mail gets out.");
  assert.deepEqual(await readiness.reasons(), ["outbound_smtp: No mail gets out."]);
  assert.equal(readiness.refusal(), null);
});
