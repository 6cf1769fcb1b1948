/** When requests are written to the request log, and which of them under a flood. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestRecorder } from "../../../src/app/send/request-recorder.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { ApiRequest, RecordedRequest } from "../../../src/spool/port/request-log.ts";
import { apiRequest, rejectedRequest } from "../../support/api-requests.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

const START_MS = 1_000_000;

/** A recorder whose writes wait for `commit` while `isStuck`. */
function setUp() {
  const clock = fakeClock(START_MS);
  const writes: { requests: readonly RecordedRequest[]; nowMs: number }[] = [];
  const spool = { isDown: false, isStuck: false, commit: (): void => {} };
  const unrecorded: number[] = [];
  const recorder = new RequestRecorder({
    spool: {
      async recordRequests(requests, nowMs) {
        if (spool.isDown) throw new SpoolUnavailable("down");
        writes.push({ requests, nowMs });
        if (spool.isStuck) await new Promise<void>((resolve) => (spool.commit = resolve));
      },
    },
    clock,
    log: silentLog,
    metrics: { unrecorded: (count) => void unrecorded.push(count) },
  });
  const record = (count: number, make: () => ApiRequest): void => {
    for (let i = 0; i < count; i += 1) recorder.record(make());
  };
  return { clock, spool, writes, unrecorded, recorder, record };
}

const countOf = (requests: readonly ApiRequest[] = [], accountId: string | null): number =>
  requests.filter((request) => request.accountId === accountId).length;

test("requests are written once a second, in the order in which they were answered", async () => {
  const { clock, writes, recorder } = setUp();
  const rejected = rejectedRequest({ atMs: START_MS + 1 });
  const first = apiRequest({ atMs: START_MS });
  const last = apiRequest({ atMs: START_MS + 2 });
  for (const request of [rejected, first, last]) recorder.record(request);
  await clock.advance(999);
  assert.deepEqual(writes, []);
  await clock.advance(1);
  assert.deepEqual(writes, [{ requests: [first, rejected, last], nowMs: START_MS + 1000 }]);
});

test("without requests, the log is written once a minute, so that old ones are deleted", async () => {
  const { clock, writes } = setUp();
  await clock.advance(121_000);
  assert.deepEqual(
    writes.map(({ requests, nowMs }) => [requests.length, nowMs - START_MS]),
    [
      [0, 1000],
      [0, 61_000],
      [0, 121_000],
    ],
  );
});

test("of each second, 200 successes and 500 rejections are written; the others are counted", async () => {
  const { clock, writes, unrecorded, record } = setUp();
  record(1000, () => apiRequest());
  record(600, () => rejectedRequest());
  await clock.advance(1000);
  const [{ requests } = { requests: [] }] = writes;
  assert.equal(requests.filter(({ status }) => status === 202).length, 200);
  assert.equal(requests.length, 700);
  assert.deepEqual(unrecorded, [900]);
  record(1, () => apiRequest());
  await clock.advance(1000);
  assert.equal(writes[1]?.requests.length, 1);
  assert.deepEqual(unrecorded, [900]);
});

test("a flood of one account, or without a key, displaces no request of another account", async () => {
  const { clock, writes, record } = setUp();
  record(5000, () => rejectedRequest({ accountId: null, keyId: null }));
  record(5000, () => rejectedRequest({ accountId: "acc_flood" }));
  record(5000, () => apiRequest({ accountId: "acc_flood" }));
  record(40, () => rejectedRequest({ accountId: "acc_small" }));
  record(30, () => apiRequest({ accountId: "acc_small" }));
  await clock.advance(1000);
  const requests = writes[0]?.requests;
  assert.equal(countOf(requests, "acc_small"), 70);
  assert.equal(countOf(requests, null), 230);
  assert.equal(countOf(requests, "acc_flood"), 230 + 170);
});

test("requests that cannot be written are dropped and counted, and later ones are written", async () => {
  const { clock, spool, writes, unrecorded, record } = setUp();
  spool.isDown = true;
  record(3, () => apiRequest());
  await clock.advance(1000);
  spool.isDown = false;
  record(2, () => apiRequest());
  await clock.advance(1000);
  assert.deepEqual(
    writes.map(({ requests }) => requests.length),
    [2],
  );
  assert.deepEqual(unrecorded, [3]);
});

test("a write waits for the one before", async () => {
  const { clock, spool, writes, record } = setUp();
  spool.isStuck = true;
  record(1, () => apiRequest());
  await clock.advance(1000);
  record(1, () => apiRequest());
  await clock.advance(5000);
  assert.equal(writes.length, 1);
  spool.commit();
  await clock.advance(1000);
  assert.equal(writes.length, 2);
});

test("stopping writes what is gathered, after the write under way, and nothing from then on", async () => {
  const { clock, spool, writes, recorder, record } = setUp();
  spool.isStuck = true;
  record(1, () => apiRequest());
  await clock.advance(1000);
  record(2, () => rejectedRequest());
  let isStopped = false;
  const stopped = recorder.stop().then(() => (isStopped = true));
  await quiet();
  assert.deepEqual([writes.length, isStopped], [1, false]);
  spool.isStuck = false;
  spool.commit();
  await stopped;
  assert.deepEqual(
    writes.map(({ requests }) => requests.length),
    [1, 2],
  );
  record(1, () => apiRequest());
  await clock.advance(120_000);
  assert.equal(writes.length, 2);
});

test("the fault of a request is made only if the request is recorded", async () => {
  const { clock, writes, recorder } = setUp();
  let made = 0;
  const faultOf = () => {
    made += 1;
    return { detail: "No.", errors: [], others: 0 };
  };
  for (let i = 0; i < 600; i += 1) recorder.record(rejectedRequest({}), faultOf);
  await clock.advance(1000);
  assert.deepEqual([made, writes[0]?.requests.length, writes[0]?.requests[0]?.fault?.detail], [500, 500, "No."]);
});
