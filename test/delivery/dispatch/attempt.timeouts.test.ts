/**
 * Timeouts to the minute: an attempt on a clock that the test advances, with real connections. The peer's own delays use the same
 * clock.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/peers.ts";
import type { Script, ScriptedSmtp, ScriptedSmtpOptions, Step } from "../../support/scripted-smtp.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const MINUTE_MS = 60_000;
const SILENT: Step = { silent: true };

/** Whether a promise has settled, without waiting for it. */
function watch<T>(promise: Promise<T>): { result: Promise<T>; settled: boolean } {
  const watched = { result: promise, settled: false };
  void promise.finally(() => {
    watched.settled = true;
  });
  return watched;
}

interface Stall {
  stage: string;
  minutes: number;
  peer: Omit<ScriptedSmtpOptions, "host" | "port">;
  /** The last thing that the peer hears before it falls silent. */
  heard: string | null;
}

/** RFC 5321 §4.5.3.2; it names no time for EHLO and STARTTLS. A host that has not greeted before gets a minute. */
const stalls: Stall[] = [
  { stage: "greeting", minutes: 1, peer: { script: { greeting: () => SILENT } }, heard: null },
  { stage: "ehlo", minutes: 5, peer: { script: { ehlo: () => SILENT } }, heard: "EHLO" },
  {
    stage: "starttls",
    minutes: 2,
    peer: { tls: selfSigned("mx1.customers.example"), script: { starttls: () => SILENT } },
    heard: "STARTTLS",
  },
  { stage: "mail", minutes: 5, peer: { capabilities: [], script: { mail: () => SILENT } }, heard: "MAIL" },
  { stage: "rcpt", minutes: 5, peer: { capabilities: [], script: { rcpt: () => SILENT } }, heard: "RCPT" },
  { stage: "data", minutes: 2, peer: { capabilities: [], script: { data: () => SILENT } }, heard: "DATA" },
];

const hasHeard = (peer: ScriptedSmtp, verb: string | null) => () =>
  verb === null ? peer.connections > 0 : peer.commands.some((line) => line.startsWith(verb));

/** Each with the usual limits, and where many attempts wait. */
const limited = stalls.flatMap((stall) => [
  { ...stall, isBrief: false, limit: `${stall.minutes} minutes`, limitMs: stall.minutes * MINUTE_MS },
  { ...stall, isBrief: true, limit: "10 seconds of a brief attempt", limitMs: 10_000 },
]);

for (const { stage, limit, limitMs, isBrief, peer: options, heard } of limited) {
  test(`silence at ${stage}: ${limit} exactly, then the next host gets the message`, async (t) => {
    const clock = fakeClock();
    const { exchanger, attempt } = await setAttemptStage(t, { clock, isBrief });
    const silent = await exchanger(options);
    const next = await exchanger();
    const attempted = watch(attempt());
    await until(`the peer's silence at ${stage}`, hasHeard(silent, heard));
    await clock.advance(limitMs - 1);
    assert.deepEqual([attempted.settled, next.connections], [false, 0]);
    await clock.advance(1);
    const [outcome] = await attempted.result;
    assert.equal(outcome?.type, "delivered");
    assert.equal(outcome?.tries[0]?.stage, stage);
    assert.match(outcome?.tries[0]?.error ?? "", /^no reply within \d+ ms$/);
    assert.deepEqual([silent.transactions.length, next.transactions.length], [0, 1]);
  });
}

test("a brief attempt has the usual time for the reply to its final dot", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock, isBrief: true });
  const silent = await exchanger({ script: { dot: () => SILENT } });
  const attempted = watch(attempt());
  await until("the final dot", () => silent.transactions.length > 0);
  await clock.advance(10 * MINUTE_MS - 1);
  assert.equal(attempted.settled, false);
  await clock.advance(1);
  assert.equal((await attempted.result)[0]?.type, "unknown");
});

test("a brief attempt tries no host more when ten seconds are over", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock, isBrief: true });
  const first = await exchanger({ script: { ehlo: () => SILENT } });
  const second = await exchanger({ script: { ehlo: () => SILENT } });
  const last = await exchanger();
  const attempted = watch(attempt());
  for (const host of [first, second]) {
    await until("the EHLO", hasHeard(host, "EHLO"));
    await clock.advance(10_000);
  }
  assert.deepEqual([(await attempted.result)[0]?.type, last.connections], ["deferred", 0]);
});

test("a host that has greeted before gets five minutes for its greeting, one that was silent since gets one", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  let connections = 0;
  const greeting = (): Step => {
    connections += 1;
    return connections === 1 ? "220 hello" : SILENT;
  };
  const host = await exchanger({ script: { greeting, data: () => "421 4.3.2 closing" } });
  assert.equal((await attempt())[0]?.type, "deferred");
  const silences: [string, number][] = [
    ["no reply within 300000 ms", 5],
    ["no reply within 60000 ms", 1],
  ];
  for (const [error, minutes] of silences) {
    const before = host.connections;
    const attempted = watch(attempt());
    await until("the connection", () => host.connections > before);
    await clock.advance(minutes * MINUTE_MS);
    assert.equal((await attempted.result)[0]?.tries[0]?.error, error);
    // Until the next probe.
    await clock.advance(2 * MINUTE_MS);
  }
});

test("an attempt ends after two hosts without a greeting, and the next one passes over them", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  const silent: ScriptedSmtp[] = [];
  for (let count = 0; count < 3; count += 1) silent.push(await exchanger({ script: { greeting: () => SILENT } }));
  const last = await exchanger();
  const connected = () => silent.filter((host) => host.connections > 0).length;
  const attempted = watch(attempt());
  for (const hosts of [1, 2]) {
    await until(`host ${hosts}`, () => connected() === hosts);
    await clock.advance(MINUTE_MS);
  }
  assert.equal((await attempted.result)[0]?.type, "deferred");
  assert.deepEqual([connected(), last.connections], [2, 0]);
  const third = watch(attempt());
  await until("the third host", () => connected() === 3);
  await clock.advance(MINUTE_MS);
  assert.equal((await third.result)[0]?.type, "delivered");
});

test("a peer that stops reading the content: 3 minutes for a block, then the next host gets the message", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock, content: Buffer.alloc(24 << 20, "x") });
  await exchanger({ capabilities: [], script: { data: () => ({ pause: true, raw: "354 go\r\n" }) } });
  const next = await exchanger({ capabilities: [] });
  const attempted = watch(attempt());
  // The last block that the buffers accepted has a timer of three minutes too; the clock stands still until the test advances it.
  await until("the content's way", () => clock.dueMs.includes(clock.now() + 3 * MINUTE_MS));
  await clock.advance(3 * MINUTE_MS - 1);
  assert.deepEqual([attempted.settled, next.connections], [false, 0]);
  for (let round = 0; round < 3 && next.connections === 0; round += 1) await clock.advance(3 * MINUTE_MS);
  const [outcome] = await attempted.result;
  assert.equal(outcome?.type, "delivered");
  assert.deepEqual(
    [outcome?.tries[0]?.stage, outcome?.tries[0]?.error],
    ["content", "content not accepted within 180000 ms"],
  );
});

test("silence after the final dot: 10 minutes, then unknown; no other host, and a late reply is ignored", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  const silent = await exchanger({ script: { dot: () => SILENT } });
  const next = await exchanger();
  const attempted = watch(attempt(2));
  await until("the dot", () => silent.transactions.length === 1);
  await clock.advance(10 * MINUTE_MS - 1);
  assert.equal(attempted.settled, false);
  await clock.advance(1);
  silent.say("250 2.0.0 queued after all\r\n");
  for (const outcome of await attempted.result) {
    assert.ok(outcome.type === "unknown");
    assert.deepEqual([outcome.reason, outcome.smtp], ["no_reply_to_final_dot", null]);
  }
  assert.deepEqual([silent.transactions.length, next.connections], [1, 0]);
});

test("a peer that uses every timeout is disconnected half an hour after MAIL, and every recipient is still served", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  let asked = 0;
  const inFourMinutes = () =>
    new Promise<Step>((resolve) => {
      asked += 1;
      clock.after(4 * MINUTE_MS, () => resolve("250 ok"));
    });
  const rcpt: Script["rcpt"] = (_, { connection }) => (connection === 0 ? inFourMinutes() : undefined);
  const slow = await exchanger({ capabilities: [], script: { rcpt } });
  const next = await exchanger();
  const attempted = watch(attempt(8));
  for (let count = 1; count <= 7; count += 1) {
    await until(`RCPT ${count}`, () => asked === count);
    await clock.advance(4 * MINUTE_MS);
  }
  await until("RCPT 8", () => asked === 8);
  await clock.advance(2 * MINUTE_MS - 1);
  assert.deepEqual([attempted.settled, slow.connections, slow.open], [false, 1, 1]);
  await clock.advance(1);
  const outcomes = await attempted.result;
  assert.ok(outcomes.every(({ type }) => type === "delivered"));
  assert.equal(outcomes[7]?.tries[0]?.error, "message not transferred within 1800000 ms");
  assert.deepEqual(
    [slow, next].map((peer) => peer.transactions.map(({ connection, rcptTo }) => [connection, rcptTo.length])),
    [[[1, 7]], [[0, 1]]],
  );
});

test("after an hour nothing new begins: a sequence of slow hosts does not hold an attempt for ever", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  const hosts: ScriptedSmtp[] = [];
  const inFourMinutes = () => new Promise<Step>((resolve) => clock.after(4 * MINUTE_MS, () => resolve("250 at last")));
  const script: Script = { ehlo: inFourMinutes, mail: () => SILENT };
  for (let count = 0; count < 8; count += 1) hosts.push(await exchanger({ script }));
  const connected = () => hosts.filter((host) => host.connections > 0).length;
  const asked = () => hosts.filter((host) => host.commands.some((line) => line.startsWith("MAIL"))).length;
  const attempted = watch(attempt());
  for (let count = 1; count <= 7; count += 1) {
    await until(`host ${count}`, () => connected() === count);
    assert.equal(attempted.settled, false);
    await clock.advance(4 * MINUTE_MS);
    await until(`MAIL to host ${count}`, () => asked() === count);
    await clock.advance(5 * MINUTE_MS);
  }
  const [outcome] = await attempted.result;
  assert.ok(outcome?.type === "deferred");
  assert.deepEqual([outcome.reason, outcome.tries.length, connected()], ["timeout", 7, 7]);
});

test("past the message's deadline an attempt begins nothing new: no host, no transaction", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  const silent = await exchanger({ script: { greeting: () => SILENT } });
  const next = await exchanger();
  const attempted = watch(attempt(1, { deadlineMs: clock.now() + MINUTE_MS }));
  await until("the connection", () => silent.connections === 1);
  await clock.advance(MINUTE_MS);
  const [outcome] = await attempted.result;
  assert.deepEqual([outcome?.type, outcome?.tries.length, next.connections], ["deferred", 1, 0]);
});

test("past the message's deadline a session that has just opened gets no transaction", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  const greeting = () => new Promise<Step>((resolve) => clock.after(MINUTE_MS / 2, () => resolve("220 at last")));
  const slow = await exchanger({ script: { greeting } });
  const attempted = watch(attempt(1, { deadlineMs: clock.now() + MINUTE_MS / 2 }));
  await until("the connection", () => slow.connections === 1);
  await clock.advance(MINUTE_MS / 2);
  const [outcome] = await attempted.result;
  assert.deepEqual([outcome?.type, slow.transactions.length], ["deferred", 0]);
  assert.match(outcome?.tries[0]?.error ?? "", /^not tried: the message's deadline passed/);
});

test("past the message's deadline the recipients of the next transaction are deferred", async (t) => {
  const clock = fakeClock();
  const { exchanger, attempt } = await setAttemptStage(t, { clock });
  let dots = 0;
  const dot = () =>
    new Promise<Step>((resolve) => {
      dots += 1;
      if (dots > 2) resolve("250 ok");
      else clock.after(MINUTE_MS, () => resolve("250 ok"));
    });
  await exchanger({ capabilities: ["LIMITS RCPTMAX=1"], script: { dot } });
  const attempted = watch(attempt(3, { deadlineMs: clock.now() + 2 * MINUTE_MS }));
  for (let count = 1; count <= 2; count += 1) {
    await until(`message ${count}`, () => dots === count);
    await clock.advance(MINUTE_MS);
  }
  await until("the end of the attempt", () => attempted.settled || dots > 2);
  const types = (await attempted.result).map(({ type }) => type);
  assert.deepEqual(types, ["delivered", "delivered", "deferred"]);
});
