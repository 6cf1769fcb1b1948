/**
 * How attempts end in a shutdown, on a clock that the test advances, with real connections: before the final dot nothing is lost and
 * nothing leaves, after it the reply is awaited.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../../src/lib/log.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import { type FakeClock, fakeClock, quiet } from "../../support/fake-clock.ts";
import { until } from "../../support/peers.ts";
import type { Hook, ScriptedSmtp, Step } from "../../support/scripted-smtp.ts";
import { type AttemptStage, type StageOptions, setAttemptStage } from "./attempt-stage.ts";

const SECOND_MS = 1000;
const SILENT: Step = { silent: true };

/** A reply that comes after `delayMs` of the test's clock. */
const after =
  (clock: FakeClock, delayMs: number, reply: string): Hook =>
  () =>
    new Promise((resolve) => clock.after(delayMs, () => resolve(reply)));

type Attempted = ReturnType<typeof watch>;

/** A promise, and whether it has settled. */
function watch(result: Promise<Outcome[]>) {
  const watched = { result, settled: false };
  void result.finally(() => {
    watched.settled = true;
  });
  return watched;
}

interface Stage extends AttemptStage {
  clock: FakeClock;
  /** Stops the attempt; how many recipients were left at the final dot. */
  stop(attempted: Attempted, replyWaitMs?: number): Promise<number>;
}

async function setUp(t: Parameters<typeof setAttemptStage>[0], options: Partial<StageOptions> = {}): Promise<Stage> {
  const clock = fakeClock();
  const stage = await setAttemptStage(t, { clock, ...options });
  return {
    ...stage,
    clock,
    stop({ result }, replyWaitMs = 60 * SECOND_MS) {
      const ended = () => result.then(() => {});
      return stage.shutdown.run({ clock, log: silentLog, replyWaitMs, ended });
    },
  };
}

const heard = (peer: ScriptedSmtp, verb: string) => () => peer.commands.some((line) => line.startsWith(verb));
const reasons = (outcomes: Outcome[]) =>
  outcomes.map((o) => (o.type === "delivered" ? o.type : `${o.type} ${o.reason}`));
const isAtOnce = (outcome: Outcome | undefined) => outcome?.type === "deferred" && outcome.atOnce === true;

test("a host that takes 12 s for its final reply is awaited, and no longer than that", async (t) => {
  const { clock, exchanger, attempt, stop } = await setUp(t);
  const peer = await exchanger({ script: { dot: after(clock, 12 * SECOND_MS, "250 2.0.0 at last") } });
  const attempted = watch(attempt());
  await until("the dot", () => peer.transactions.length === 1);
  const stopping = stop(attempted);
  await clock.advance(12 * SECOND_MS - 1);
  assert.equal(attempted.settled, false);
  await clock.advance(1);
  assert.deepEqual(reasons(await attempted.result), ["delivered"]);
  assert.equal(await stopping, 0);
});

test("a final reply that does not come in time leaves the recipient unknown, with the host as evidence", async (t) => {
  const { clock, exchanger, attempt, stop } = await setUp(t);
  const peer = await exchanger({ script: { dot: () => SILENT } });
  const other = await exchanger();
  const attempted = watch(attempt(2));
  await until("the dot", () => peer.transactions.length === 1);
  const stopping = stop(attempted);
  await clock.advance(63 * SECOND_MS - 1);
  assert.equal(attempted.settled, false);
  await clock.advance(1);
  const outcomes = await attempted.result;
  assert.deepEqual(reasons(outcomes), Array(2).fill("unknown interrupted_after_final_dot"));
  const [attemptedAt] = outcomes[0]?.tries ?? [];
  assert.deepEqual([attemptedAt?.ip, attemptedAt?.stage, other.connections], [peer.host, "final_dot", 0]);
  assert.equal(await stopping, 2);
});

for (const stage of ["greeting", "ehlo"] as const) {
  test(`silence at ${stage}: the attempt ends at once, due again at once`, async (t) => {
    const { exchanger, attempt, stop } = await setUp(t);
    const peer = await exchanger({ script: { [stage]: () => SILENT } });
    const next = await exchanger();
    const attempted = watch(attempt());
    await until("the connection", () => peer.connections === 1);
    assert.equal(await stop(attempted), 0);
    const [outcome] = await attempted.result;
    assert.deepEqual(reasons([outcome as Outcome]), ["deferred interrupted_before_final_dot"]);
    assert.deepEqual([isAtOnce(outcome), outcome?.tries.length, next.connections], [true, 1, 0]);
  });
}

test("a session that opens after the shutdown has begun is not used", async (t) => {
  const { clock, exchanger, attempt, stop } = await setUp(t);
  const peer = await exchanger({ script: { greeting: after(clock, SECOND_MS, "220 good morning") } });
  const attempted = watch(attempt());
  await until("the connection", () => peer.connections === 1);
  await stop(attempted);
  await clock.advance(2 * SECOND_MS);
  await until("EHLO", heard(peer, "EHLO"));
  await quiet();
  assert.equal(heard(peer, "MAIL")(), false);
});

for (const [stage, verb] of [
  ["mail", "MAIL"],
  ["rcpt", "RCPT"],
  ["data", "DATA"],
] as const) {
  test(`silence at ${stage}: three seconds exactly, then pending and due again at once, without a dot`, async (t) => {
    const { clock, exchanger, attempt, stop } = await setUp(t);
    const peer = await exchanger({ capabilities: [], script: { [stage]: () => SILENT } });
    const next = await exchanger();
    const attempted = watch(attempt());
    await until(stage, heard(peer, verb));
    const stopping = stop(attempted);
    await clock.advance(3 * SECOND_MS - 1);
    assert.equal(attempted.settled, false);
    await clock.advance(1);
    const [outcome] = await attempted.result;
    assert.deepEqual(reasons([outcome as Outcome]), ["deferred interrupted_before_final_dot"]);
    assert.deepEqual([isAtOnce(outcome), peer.transactions.length, next.connections], [true, 0, 0]);
    assert.equal(await stopping, 0);
  });
}

test("a transaction that reaches its dot within three seconds sends it, and its reply has the whole wait", async (t) => {
  const { clock, exchanger, attempt, stop } = await setUp(t);
  const peer = await exchanger({
    script: {
      data: after(clock, 2 * SECOND_MS, "354 go on"),
      dot: after(clock, 60 * SECOND_MS, "250 2.0.0 at last"),
    },
  });
  const attempted = watch(attempt());
  await until("DATA", heard(peer, "DATA"));
  const stopping = stop(attempted);
  await clock.advance(2 * SECOND_MS);
  await until("the dot", () => peer.transactions.length === 1);
  await clock.advance(60 * SECOND_MS);
  assert.deepEqual(reasons(await attempted.result), ["delivered"]);
  assert.equal(await stopping, 0);
});

test("a mark that is not durable within three seconds prevents the dot", async (t) => {
  let marked = () => {};
  let asked = false;
  const mark = () => {
    asked = true;
    return new Promise<"marked">((resolve) => {
      marked = () => resolve("marked");
    });
  };
  const { clock, exchanger, attempt, stop } = await setUp(t, { mark });
  const peer = await exchanger();
  const attempted = watch(attempt());
  await until("the mark", () => asked);
  const stopping = stop(attempted);
  await clock.advance(3 * SECOND_MS);
  assert.equal(attempted.settled, false, "the mark may still be written: the attempt ends after it");
  marked();
  const [outcome] = await attempted.result;
  assert.deepEqual(reasons([outcome as Outcome]), ["deferred interrupted_before_final_dot"]);
  assert.equal(isAtOnce(outcome), true);
  await until("the cut", () => peer.open === 0);
  assert.equal(peer.transactions.length, 0);
  assert.equal(await stopping, 0);
});

for (const [name, capabilities, refused] of [
  ["for a recipient refused at the host's limit and one not offered after it", [], "user1@"],
  ["the same with a pipeline", ["PIPELINING"], "user1@"],
  ["for recipients beyond the limit that the host announced", ["LIMITS RCPTMAX=1"], "nobody@"],
] as const) {
  test(`no further transaction of the same job, ${name}: due again at once, because of the shutdown`, async (t) => {
    const { clock, exchanger, attempt, stop } = await setUp(t);
    let isFull = false;
    const rcpt: Hook = (address) => {
      isFull ||= address.includes(refused);
      return isFull ? "452 4.5.3 too many" : undefined;
    };
    const peer = await exchanger({
      capabilities: [...capabilities],
      script: { rcpt, dot: after(clock, SECOND_MS, "250 2.0.0 queued") },
    });
    const attempted = watch(attempt(3));
    await until("the dot", () => peer.transactions.length === 1);
    const stopping = stop(attempted);
    await clock.advance(SECOND_MS);
    const outcomes = await attempted.result;
    const interrupted = "deferred interrupted_before_final_dot";
    assert.deepEqual(reasons(outcomes), ["delivered", interrupted, interrupted]);
    for (const outcome of outcomes.slice(1)) {
      assert.ok(outcome.type === "deferred");
      assert.deepEqual([outcome.category, outcome.atOnce, outcome.smtp], ["other", true, null]);
      assert.equal(outcome.tries.at(-1)?.error, "Postrider stopped before the final dot was sent");
    }
    assert.equal(peer.transactions.length, 1);
    assert.equal(await stopping, 0);
  });
}

test("no other host: a temporarily refused recipient keeps the reply and is due again at once", async (t) => {
  const { clock, exchanger, attempt, stop } = await setUp(t);
  const peer = await exchanger({ capabilities: [], script: { rcpt: after(clock, SECOND_MS, "450 4.2.0 not now") } });
  const next = await exchanger();
  const attempted = watch(attempt());
  await until("RCPT", heard(peer, "RCPT"));
  const stopping = stop(attempted);
  await clock.advance(SECOND_MS);
  const [outcome] = await attempted.result;
  assert.deepEqual(reasons([outcome as Outcome]), ["deferred temporarily_refused"]);
  assert.deepEqual([outcome?.smtp?.code, isAtOnce(outcome), next.connections], [450, true, 0]);
  assert.equal(await stopping, 0);
});

test("a refusal by the last host counts as a regular attempt in the schedule", async (t) => {
  const { clock, exchanger, attempt, stop } = await setUp(t);
  const peer = await exchanger({ capabilities: [], script: { rcpt: after(clock, SECOND_MS, "450 4.2.0 not now") } });
  const attempted = watch(attempt());
  await until("RCPT", heard(peer, "RCPT"));
  const stopping = stop(attempted);
  await clock.advance(SECOND_MS);
  const [outcome] = await attempted.result;
  assert.deepEqual([reasons([outcome as Outcome]), isAtOnce(outcome)], [["deferred temporarily_refused"], false]);
  assert.equal(await stopping, 0);
});

test("without a reply wait: no dot leaves any more, and transactions past their dot have no reply", async (t) => {
  const first = await setUp(t);
  const slow = await first.exchanger({ script: { dot: () => SILENT } });
  const afterDot = watch(first.attempt());
  await until("the dot", () => slow.transactions.length === 1);
  const second = await setUp(t);
  const slower = await second.exchanger({ capabilities: [], script: { data: () => SILENT } });
  const beforeDot = watch(second.attempt());
  await until("DATA", heard(slower, "DATA"));
  const stopping = [first.stop(afterDot, 0), second.stop(beforeDot, 0)];
  await Promise.all([first.clock.advance(0), second.clock.advance(0)]);
  assert.deepEqual(reasons(await afterDot.result), ["unknown interrupted_after_final_dot"]);
  assert.deepEqual(reasons(await beforeDot.result), ["deferred interrupted_before_final_dot"]);
  assert.deepEqual(await Promise.all(stopping), [1, 0]);
});
