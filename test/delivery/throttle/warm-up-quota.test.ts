/** The messages of a day that nodes draw: no more than the schedule allows, whatever fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WarmUpQuota } from "../../../src/delivery/throttle/warm-up-quota.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/units.ts";
import { type FakeClock, fakeClock, quiet } from "../../support/fake-clock.ts";
import { warmingUp, warmUpQuota, warmUpStore } from "./warm-up-stage.ts";

const WINDOW = "*.gmail@192.0.2.1";
const NAME = WINDOW;
const HOST = "gmail-smtp-in.l.google.com";
const DAY = 20_000;

const atNoon = (): FakeClock => fakeClock(DAY * DAY_MS + 12 * HOUR_MS);

/** Sends a message through the window if it has room. Returns whether it did. */
async function send(quota: WarmUpQuota, { recipients = 1, window = WINDOW, host = HOST } = {}): Promise<boolean> {
  await quota.ready(window);
  if (quota.left(window) < 1) return false;
  quota.begin(window);
  quota.accepted(window, Array<string>(recipients).fill(host));
  quota.end(window);
  await quiet();
  return true;
}

async function sendAll(quota: WarmUpQuota): Promise<number> {
  let sent = 0;
  while (sent < 1000 && (await send(quota))) sent += 1;
  return sent;
}

test("an address without warm-up has no limit, and costs no draw", () => {
  const spool = warmUpStore();
  const quota = warmUpQuota([], { spool });
  assert.equal(quota.left(WINDOW), Number.POSITIVE_INFINITY);
  assert.equal(warmUpQuota([warmingUp("192.0.2.2")], { spool }).left(WINDOW), Number.POSITIVE_INFINITY);
  assert.equal(quota.isSpent(WINDOW), false);
  assert.equal(spool.draws, 0);
});

test("a day has the messages of its place, each receiver its own; the next place follows what was accepted", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1")], { spool, clock });
  assert.equal(await sendAll(quota), 50);
  assert.equal(quota.isSpent(WINDOW), true);
  assert.deepEqual(quota.spent(), [WINDOW]);
  assert.equal(quota.nextDayMs, (DAY + 1) * DAY_MS);
  assert.equal(await send(quota, { window: "*.yahoo@192.0.2.1" }), true);
  await clock.advance(12 * HOUR_MS);
  assert.equal(quota.isSpent(WINDOW), false);
  assert.equal(await sendAll(quota), 100);
  await clock.advance(DAY_MS);
  assert.equal(await sendAll(quota), 200);
  assert.ok(spool.draws < 200, `${spool.draws} draws`);
});

test("an operator's place and schedule hold, and the end has no limit", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1", { schedule: [3, 5], firstPlace: 1 })], { spool, clock });
  assert.equal(await sendAll(quota), 5);
  spool.rows.set(NAME, { place: 2, day: DAY, taken: 5, accepted: 5, isBlocked: false });
  quota.left(WINDOW);
  await clock.advance(MINUTE_MS);
  quota.left(WINDOW);
  await quiet();
  assert.equal(quota.left(WINDOW), Number.POSITIVE_INFINITY);
});

test("a change of the setting holds at once, and what was drawn before is given back", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1", { schedule: [40] })], { spool, clock });
  assert.equal(await send(quota), true);
  quota.set([warmingUp("192.0.2.1", { schedule: [3] })]);
  assert.equal(quota.isSpent(WINDOW), false, "not known before the next draw");
  assert.equal(await sendAll(quota), 2);
  assert.equal(quota.isSpent(WINDOW), true);
  quota.set([warmingUp("192.0.2.1", { schedule: [5] })]);
  assert.equal(quota.isSpent(WINDOW), false);
  assert.equal(await sendAll(quota), 2);
  spool.rows.set(NAME, { place: 1, day: DAY, taken: 5, accepted: 5, isBlocked: false });
  quota.set([warmingUp("192.0.2.1", { schedule: [5], changedAtMs: 1 })]);
  assert.equal(await send(quota), true, "an operator has moved it in the schedule");
  assert.equal(quota.left(WINDOW), Number.POSITIVE_INFINITY);
});

test("what was not accepted is sent again, and each recipient counts", async () => {
  const quota = warmUpQuota([warmingUp("192.0.2.1", { schedule: [10] })], { clock: atNoon() });
  for (let i = 0; i < 30; i += 1) {
    await quota.ready(WINDOW);
    quota.begin(WINDOW);
    quota.end(WINDOW);
  }
  assert.equal(await send(quota, { recipients: 8 }), true);
  assert.equal(await sendAll(quota), 2);
  const over = warmUpQuota([warmingUp("192.0.2.1", { schedule: [10] })], { clock: atNoon() });
  assert.equal(await send(over, { recipients: 50 }), true);
  assert.equal(await sendAll(over), 0, "a message is not split, and the day is over");
  const before = warmUpQuota([warmingUp("192.0.2.1", { schedule: [10] })], { clock: atNoon() });
  await before.ready(WINDOW);
  before.begin(WINDOW, 50);
  await quiet();
  assert.equal(before.left(WINDOW), 0, "the next message does not leave beside it");
  before.end(WINDOW, 50);
  assert.equal(await sendAll(before), 10);
});

test("a domain with hosts of two receivers uses the day of both, and counts for the one that accepted", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1", { schedule: [10, 20] })], { spool, clock });
  const joint = "*.gmail+*.own.example@192.0.2.1";
  for (let i = 0; i < 8; i += 1) assert.equal(await send(quota, { window: joint, host: "mx.own.example" }), true);
  assert.equal(await sendAll(quota), 10, "Gmail has accepted none of them");
  assert.equal(await send(quota, { window: joint, host: "mx.own.example" }), false);
  assert.equal(quota.isSpent(joint), true);
  assert.equal(quota.isSpent("*.own.example@192.0.2.1"), false);
  assert.deepEqual(quota.spent(), [joint]);
  quota.block(joint);
  await clock.advance(12 * HOUR_MS);
  assert.equal(await sendAll(quota), 20, "a block is of one of them, and it is not known of which");
  await clock.advance(DAY_MS);
  assert.equal(await send(quota, { window: joint, host: HOST }), true);
  const [gmail, own] = [spool.rows.get(NAME), spool.rows.get("*.own.example@192.0.2.1")];
  assert.deepEqual([gmail?.place, own?.place], [2, 1]);
  assert.equal(spool.rows.has(joint), false);
});

test("a block goes back by one place at once", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1", { schedule: [10, 20, 40], firstPlace: 2 })], { spool, clock });
  for (let i = 0; i < 15; i += 1) assert.equal(await send(quota), true);
  quota.block(WINDOW);
  quota.block(WINDOW);
  await quiet();
  assert.equal(spool.rows.get(NAME)?.place, 1);
  const sent = 15 + (await sendAll(quota));
  assert.ok(sent >= 20 && sent <= 22, `${sent} sent: what was drawn before may leave`);
});

test("a block that is met while another draw is under way is stored too", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1", { schedule: [10, 20, 40], firstPlace: 2 })], { spool, clock });
  assert.equal(await send(quota), true);
  const { drawWarmUp } = spool;
  let answer = (): void => {};
  spool.drawWarmUp = async (key, draw) => {
    const drawn = await drawWarmUp(key, draw);
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return drawn;
  };
  await clock.advance(MINUTE_MS);
  quota.left(WINDOW);
  await quiet();
  spool.drawWarmUp = drawWarmUp;
  quota.block(WINDOW);
  answer();
  await quiet();
  assert.equal(spool.rows.get(NAME)?.place, 1);
});

test("a store that cannot be asked stops the address until it can", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  spool.fails = true;
  const quota = warmUpQuota([warmingUp("192.0.2.1")], { spool, clock });
  assert.equal(await send(quota), false);
  const { draws } = spool;
  for (let i = 0; i < 100; i += 1) quota.left(WINDOW);
  await quiet();
  assert.equal(spool.draws, draws, "not again within a second");
  assert.equal(quota.isSpent(WINDOW), false);
  spool.fails = false;
  await clock.advance(1000);
  assert.equal(await send(quota), true);
});

test("what another node has used up is known here within seconds", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const here = warmUpQuota([warmingUp("192.0.2.1", { schedule: [5] })], { spool, clock });
  const there = warmUpQuota([warmingUp("192.0.2.1", { schedule: [5] })], { spool, clock });
  assert.equal(there.isSpentElsewhere(WINDOW), false);
  await quiet();
  assert.equal(await sendAll(here), 5);
  await clock.advance(10_000);
  there.isSpentElsewhere(WINDOW);
  await quiet();
  assert.equal(there.isSpentElsewhere(WINDOW), true);
  assert.equal(warmUpQuota([]).isSpentElsewhere(WINDOW), false);
});

test("a stop gives back what was drawn, and reports what was accepted", async () => {
  const [spool, clock] = [warmUpStore(), atNoon()];
  const quota = warmUpQuota([warmingUp("192.0.2.1")], { spool, clock });
  for (let i = 0; i < 4; i += 1) await send(quota);
  await quota.stop();
  const { taken, accepted } = spool.rows.get(NAME) ?? {};
  assert.deepEqual([taken, accepted], [4, 4]);
});

/** Numbers from 0 to 1, the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Walk {
  /** Accepted by the receiver, by day of the receiver's clock. */
  sent: Map<number, number>;
  clock: FakeClock;
  nodes: WarmUpQuota[];
}

async function step(random: () => number, walk: Walk, start: () => WarmUpQuota): Promise<void> {
  const { nodes, clock, sent } = walk;
  const at = Math.floor(random() * nodes.length);
  const node = nodes[at] ?? start();
  const kind = random();
  if (kind < 0.9) {
    await node.ready(WINDOW);
    if (node.left(WINDOW) < 1) return;
    node.begin(WINDOW);
    const isAccepted = random() < 0.8;
    if (random() < 0.1) await clock.advance(Math.floor(random() * 10) * MINUTE_MS);
    if (isAccepted) node.accepted(WINDOW, [HOST]);
    node.end(WINDOW);
    const day = Math.floor(clock.monotonicMs() / DAY_MS);
    if (isAccepted) sent.set(day, (sent.get(day) ?? 0) + 1);
  } else if (kind < 0.95) nodes[at] = start();
  else if (kind < 0.97) {
    await node.stop();
    nodes[at] = start();
  } else if (kind < 0.99) await clock.advance(Math.floor(random() * 6) * HOUR_MS);
  // Less than a day: a clock that is days ahead begins days that have not come.
  else clock.step(-Math.floor(random() * 20) * HOUR_MS);
}

test("nodes that are killed and restarted, and a clock that is set back, keep the limit of each day", async () => {
  let total = 0;
  for (let seed = 1; seed <= 15; seed += 1) {
    const random = randomOf(seed);
    const clock = atNoon();
    const spool = warmUpStore();
    const addresses = [warmingUp("192.0.2.1", { schedule: [20, 20, 20, 20, 20, 20, 20, 20] })];
    const start = () => warmUpQuota(addresses, { spool, clock });
    const walk: Walk = { sent: new Map(), clock, nodes: [start(), start(), start()] };
    for (let i = 0; i < 300; i += 1) await step(random, walk, start);
    for (const [day, count] of walk.sent) assert.ok(count <= 20, `seed ${seed}: ${count} messages on day ${day}`);
    total += [...walk.sent.values()].reduce((sum, each) => sum + each, 0);
  }
  assert.ok(total > 200, `only ${total} messages`);
});
