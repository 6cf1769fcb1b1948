/** Congestion windows and closed destinations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import type { LoadSignal } from "../../../src/delivery/throttle/load-signal.ts";
import type { Trouble } from "../../../src/message/result/closed-destination.ts";

const NAME = "mx.a.example";
const NOW_MS = 1_000_000;
const HOUR_MS = 3_600_000;

/** Fills the window, then releases every slot with the signal; returns the number of slots. */
function round(destinations: CongestionWindows, signal: LoadSignal, nowMs = NOW_MS): number {
  const slots = [];
  for (let slot = destinations.acquire(NAME, nowMs); slot !== null; slot = destinations.acquire(NAME, nowMs)) {
    slots.push(slot);
  }
  for (const slot of slots) destinations.release(slot, signal, nowMs + 1);
  return slots.length;
}

test("a window doubles on accepted mail up to its limit, and other destinations' windows do not change", () => {
  const destinations = new CongestionWindows(4);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map(() => round(destinations, "accepted")),
    [4, 8, 16, 32, 64, 100],
  );
  assert.equal(round(destinations, "accepted"), 100);
  assert.equal(destinations.capacity("mx.b.example", NOW_MS), 4);
});

test("congestion halves a window once for all concurrent attempts, then it grows slowly", () => {
  const destinations = new CongestionWindows(16);
  assert.equal(round(destinations, "strained"), 16);
  assert.equal(round(destinations, "accepted", NOW_MS + 10), 8);
  assert.equal(
    round(destinations, "accepted", NOW_MS + 20),
    8 + 1 - 1,
    "additive growth has not reached the next slot",
  );
  assert.equal(round(destinations, "neutral", NOW_MS + 30), 9);
  for (let i = 0; i < 10; i += 1) round(destinations, "strained", NOW_MS + 100 * (i + 1));
  assert.equal(destinations.capacity(NAME, NOW_MS), 1, "one slot always remains");
});

test("windows survive a restart", () => {
  const before = new CongestionWindows(4);
  round(before, "accepted");
  const after = new CongestionWindows(4);
  after.restore(JSON.parse(JSON.stringify(before.states(NOW_MS))), NOW_MS);
  assert.equal(after.capacity(NAME, NOW_MS), 8);
});

/** Acquires and releases a slot at once; null when there is none. */
function attempt(destinations: CongestionWindows, signal: LoadSignal, nowMs: number): true | null {
  const slot = destinations.acquire(NAME, nowMs);
  if (slot === null) return null;
  destinations.release(slot, signal, nowMs);
  return true;
}

test("only accepted mail widens a window; neutral signals do not change it", () => {
  const signals: [LoadSignal, number][] = [
    ["accepted", 9],
    ["strained", 4],
    ["refused", 4],
    ["sender_refused", 8],
    ["unreachable", 4],
    ["neutral", 8],
  ];
  for (const [signal, capacity] of signals) {
    const destinations = new CongestionWindows(8);
    attempt(destinations, signal, NOW_MS);
    assert.equal(destinations.capacity(NAME, NOW_MS), capacity, signal);
  }
});

/** Of a closed destination. */
function timesOf(destinations: CongestionWindows, nowMs: number) {
  const closed = destinations.closed(NAME, nowMs);
  assert.ok(closed);
  const { sinceMs, probeAtMs } = closed;
  return { sinceMs, probeAtMs };
}

test("five consecutive refused attempts close a destination, for longer after each refused probe", () => {
  const destinations = new CongestionWindows(4);
  for (let i = 0; i < 4; i += 1) attempt(destinations, "refused", NOW_MS);
  assert.equal(destinations.closed(NAME, NOW_MS), null);
  attempt(destinations, "refused", NOW_MS);
  let nowMs = NOW_MS;
  for (const gapS of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    assert.deepEqual(timesOf(destinations, nowMs), { sinceMs: NOW_MS, probeAtMs: nowMs + gapS * 1000 });
    nowMs += gapS * 1000;
    assert.deepEqual([destinations.capacity(NAME, nowMs - 1), destinations.capacity(NAME, nowMs)], [0, 1]);
    const probe = destinations.acquire(NAME, nowMs);
    assert.equal(destinations.acquire(NAME, nowMs), null, "no attempt beside the probe");
    assert.ok(probe);
    destinations.release(probe, "refused", nowMs);
  }
  assert.equal(destinations.closedCount(nowMs), 1);
  nowMs += 300_000;
  attempt(destinations, "accepted", nowMs);
  assert.equal(destinations.closed(NAME, nowMs), null);
  for (let i = 0; i < 4; i += 1) attempt(destinations, "refused", nowMs);
  assert.equal(destinations.closed(NAME, nowMs), null, "they are counted from the acceptance on");
});

test("a pause closes a destination at once, is kept while no mail is sent to it, and ends with one probe", () => {
  const destinations = new CongestionWindows(4);
  attempt(destinations, "accepted", NOW_MS);
  const pause: Trouble = { cause: "rate_limited", text: "421 [TSS04]", pause: { ms: 2 * HOUR_MS, atOnce: true } };
  refuse(destinations, pause, NOW_MS);
  const probeAtMs = NOW_MS + 2 * HOUR_MS;
  assert.equal(destinations.closed(NAME, NOW_MS)?.probeAtMs, probeAtMs);
  assert.deepEqual([destinations.capacity(NAME, probeAtMs - 1), destinations.capacity(NAME, probeAtMs)], [0, 1]);
  const probe = destinations.acquire(NAME, probeAtMs);
  assert.ok(probe?.isProbe);
  assert.equal(destinations.acquire(NAME, probeAtMs), null);
  destinations.release(probe, "refused", probeAtMs, pause);
  assert.equal(destinations.closed(NAME, probeAtMs)?.probeAtMs, probeAtMs + 2 * HOUR_MS, "as long again");
  const laterMs = probeAtMs + 2 * HOUR_MS;
  attempt(destinations, "accepted", laterMs);
  assert.equal(destinations.closed(NAME, laterMs), null);
  assert.equal(destinations.capacity(NAME, laterMs), 2, "it starts slowly");
});

test("a pause that one of several recipient domains may have asked for counts only once five refusals in a row close it", () => {
  const destinations = new CongestionWindows(4);
  const pause: Trouble = { cause: "rate_limited", text: "421 wait", pause: { ms: HOUR_MS, atOnce: false } };
  for (let i = 0; i < 20; i += 1) {
    refuse(destinations, pause, NOW_MS);
    if (i % 4 === 3) attempt(destinations, "accepted", NOW_MS);
  }
  assert.equal(destinations.closed(NAME, NOW_MS), null);
  for (let i = 0; i < 5; i += 1) refuse(destinations, pause, NOW_MS);
  assert.equal(destinations.closed(NAME, NOW_MS)?.probeAtMs, NOW_MS + HOUR_MS);
});

test("a destination that refuses this server's address is probed less and less often, up to an hour", () => {
  const destinations = new CongestionWindows(4);
  const blocked: Trouble = { cause: "reputation", text: "550 5.7.1 bad reputation" };
  for (let i = 0; i < 4; i += 1) refuse(destinations, blocked, NOW_MS);
  assert.equal(destinations.closed(NAME, NOW_MS), null, "one may concern a single recipient domain");
  const gaps: number[] = [];
  for (let nowMs = NOW_MS; gaps.length < 15; nowMs += gaps.at(-1) ?? 0) {
    refuse(destinations, blocked, nowMs);
    gaps.push((destinations.closed(NAME, nowMs)?.probeAtMs ?? 0) - nowMs);
  }
  assert.deepEqual(gaps.slice(0, 4), [1000, 2000, 4000, 8000]);
  assert.equal(gaps.at(-1), HOUR_MS);
});

test("accepted mail in between keeps a destination open, and refusals of earlier attempts are not a probe's", () => {
  const destinations = new CongestionWindows(16);
  for (let i = 0; i < 20; i += 1) attempt(destinations, i % 5 === 4 ? "strained" : "refused", NOW_MS);
  assert.equal(destinations.closed(NAME, NOW_MS), null);

  const other = new CongestionWindows(16);
  const slots = Array.from({ length: 16 }, () => other.acquire(NAME, NOW_MS));
  for (const slot of slots) if (slot !== null) other.release(slot, "refused", NOW_MS);
  assert.equal(other.closed(NAME, NOW_MS)?.probeAtMs, NOW_MS + 1000);
});

test("a neutral probe is followed by another at once, an unreachable one counts as refused", () => {
  const destinations = new CongestionWindows(4);
  for (let i = 0; i < 5; i += 1) attempt(destinations, "refused", NOW_MS);
  const nowMs = NOW_MS + 1000;
  attempt(destinations, "neutral", nowMs);
  assert.equal(destinations.capacity(NAME, nowMs), 1);
  attempt(destinations, "unreachable", nowMs);
  assert.equal(destinations.closed(NAME, nowMs)?.probeAtMs, nowMs + 2000);
});

test("a probe at a slow host prevents others for a minute, not until it ends", () => {
  const destinations = new CongestionWindows(4);
  for (let i = 0; i < 5; i += 1) attempt(destinations, "refused", NOW_MS);
  const nowMs = NOW_MS + 1000;
  const slow = destinations.acquire(NAME, nowMs);
  assert.ok(slow?.isProbe);
  assert.equal(destinations.capacity(NAME, nowMs + 59_999), 0);
  assert.equal(destinations.closed(NAME, nowMs)?.probeAtMs, nowMs + 60_000, "a timer starts the next one");
  attempt(destinations, "accepted", nowMs + 60_000);
  assert.equal(destinations.closed(NAME, nowMs + 60_000), null);
  destinations.release(slow, "neutral", nowMs + 90_000);
});

test("refusals of one sender do not close a destination, nor narrow its window below a new one's", () => {
  const destinations = new CongestionWindows(4);
  for (let i = 0; i < 8; i += 1) attempt(destinations, "accepted", NOW_MS);
  for (let i = 0; i < 20; i += 1) attempt(destinations, "sender_refused", NOW_MS);
  assert.equal(destinations.closed(NAME, NOW_MS), null);
  assert.equal(destinations.capacity(NAME, NOW_MS), 4);
  attempt(destinations, "refused", NOW_MS);
  attempt(destinations, "sender_refused", NOW_MS);
  assert.equal(destinations.capacity(NAME, NOW_MS), 2, "nor do they widen it");
});

test("a probe that is refused for its sender is followed by another at once", () => {
  const destinations = new CongestionWindows(4);
  for (let i = 0; i < 5; i += 1) attempt(destinations, "refused", NOW_MS);
  const nowMs = NOW_MS + 1000;
  attempt(destinations, "sender_refused", nowMs);
  attempt(destinations, "accepted", nowMs);
  assert.equal(destinations.closed(NAME, nowMs), null);
});

test("unused windows return to their start from both sides and are then dropped", () => {
  const minutes = (count: number): number => NOW_MS + count * 60_000;
  const wide = new CongestionWindows(4);
  for (let i = 0; i < 16; i += 1) attempt(wide, "accepted", NOW_MS);
  assert.deepEqual(
    [0, 4, 5, 10, 15, 60].map((count) => wide.capacity(NAME, minutes(count))),
    [20, 20, 12, 8, 6, 4],
  );
  assert.deepEqual(wide.states(minutes(60)), []);
  const narrow = new CongestionWindows(8);
  for (let i = 0; i < 4; i += 1) attempt(narrow, "strained", NOW_MS);
  assert.deepEqual(
    [0, 5, 10, 60].map((count) => narrow.capacity(NAME, minutes(count))),
    [1, 4, 6, 8],
  );
});

test("a closed destination is restored after a restart and probed at once", () => {
  const before = new CongestionWindows(4);
  for (let i = 0; i < 5; i += 1) attempt(before, "refused", NOW_MS);
  attempt(before, "refused", NOW_MS + 1000);
  const after = new CongestionWindows(4);
  const nowMs = NOW_MS + 1500;
  after.restore(JSON.parse(JSON.stringify(before.states(nowMs))), nowMs);
  assert.equal(after.capacity(NAME, nowMs), 1);
  attempt(after, "refused", nowMs);
  assert.deepEqual(timesOf(after, nowMs), { sinceMs: NOW_MS, probeAtMs: nowMs + 4000 });
  assert.equal(after.closed(NAME, nowMs + 3_600_000), null, "dropped when no mail was sent to it");
});

test("destinations with attempts under way are counted", () => {
  const destinations = new CongestionWindows();
  const slots = ["a", "a", "b"].map((name) => destinations.acquire(name, 0));
  assert.equal(destinations.activeCount, 2);
  for (const slot of slots) if (slot !== null) destinations.release(slot, "accepted", 0);
  assert.equal(destinations.activeCount, 0);
});

/** As `attempt`, with what it met. */
function refuse(destinations: CongestionWindows, trouble: Trouble, nowMs: number): void {
  const slot = destinations.acquire(NAME, nowMs);
  assert.ok(slot);
  destinations.release(slot, "refused", nowMs, trouble);
}

test("a closed destination has what its refusals met, the last one in full, also after a restart", () => {
  const lost: Trouble = { cause: "connection_lost", text: "connection closed" };
  const limited: Trouble = { cause: "rate_limited", text: "421 slow down" };
  const before = new CongestionWindows(4);
  for (const trouble of [lost, limited, lost, lost]) refuse(before, trouble, NOW_MS);
  refuse(before, limited, NOW_MS + 500);
  const met = (destinations: CongestionWindows, nowMs: number) => {
    const { causes, last } = destinations.closed(NAME, nowMs) ?? {};
    return { causes, last };
  };
  const known = { causes: ["connection_lost", "rate_limited"], last: { ...limited, atMs: NOW_MS + 500 } };
  assert.deepEqual(met(before, NOW_MS + 500), known);
  const after = new CongestionWindows(4);
  after.restore(JSON.parse(JSON.stringify(before.states(NOW_MS + 900))), NOW_MS + 900);
  assert.deepEqual(met(after, NOW_MS + 900), known);
  attempt(after, "accepted", NOW_MS + 900);
  for (let i = 0; i < 5; i += 1) attempt(after, "refused", NOW_MS + 1000);
  assert.deepEqual(
    met(after, NOW_MS + 1000),
    { causes: [], last: null },
    "of the time before the acceptance nothing is left",
  );
});

test("a person's request allows one probe before its time, not beside another one, and the schedule goes on as before", () => {
  const destinations = new CongestionWindows(4);
  for (let i = 0; i < 5; i += 1) attempt(destinations, "refused", NOW_MS);
  for (const nowMs of [1000, 3000, 7000]) attempt(destinations, "refused", NOW_MS + nowMs);
  assert.equal(timesOf(destinations, NOW_MS + 7000).probeAtMs, NOW_MS + 15_000);
  const nowMs = NOW_MS + 8000;
  assert.equal(destinations.acquire(NAME, nowMs), null);
  const probe = destinations.acquire(NAME, nowMs, "probe_1");
  assert.ok(probe?.isProbe);
  assert.equal(destinations.closed(NAME, nowMs)?.isProbing, true);
  assert.equal(destinations.acquire(NAME, nowMs, "probe_2"), null, "a probe is under way");
  destinations.release(probe, "refused", nowMs);
  assert.equal(timesOf(destinations, nowMs).probeAtMs, NOW_MS + 15_000, "as without it");
  assert.equal(destinations.acquire(NAME, nowMs + 1000, "probe_2"), null, "a person who asks often is no load");
  assert.equal(destinations.mayAsk(NAME, "probe_1", nowMs + 10_000), false, "a request is served once");
  assert.equal(attempt(destinations, "refused", NOW_MS + 15_000), true);
  const second = destinations.acquire(NAME, nowMs + 10_000, "probe_2");
  assert.ok(second?.isProbe);
  destinations.release(second, "accepted", nowMs + 10_000);
  assert.equal(destinations.closed(NAME, nowMs + 10_000), null);
  assert.equal(destinations.mayAsk(NAME, "probe_3", nowMs + 30_000), false, "it is open");
});

test("a destination whose attempts take long has a small window, however often it accepts", () => {
  const destinations = new CongestionWindows(5);
  let nowMs = NOW_MS;
  const slow = (tookMs: number): number => {
    const slots = [];
    for (let slot = destinations.acquire(NAME, nowMs); slot !== null; slot = destinations.acquire(NAME, nowMs))
      slots.push(slot);
    nowMs += tookMs;
    for (const slot of slots) destinations.release(slot, "accepted", nowMs);
    return slots.length;
  };
  for (let count = 0; count < 6; count += 1) slow(100);
  assert.equal(slow(100), 100);
  for (let count = 0; count < 4; count += 1) slow(3000);
  assert.equal(slow(3000), 100, "three seconds for the scan of a content leave the window as it is");
  for (let count = 0; count < 4; count += 1) slow(30_000);
  assert.equal(slow(30_000), 10);
  for (let count = 0; count < 20; count += 1) slow(590_000);
  assert.equal(slow(590_000), 1, "one slot always remains");
  for (let count = 0; count < 60; count += 1) slow(100);
  assert.equal(slow(100), 100, "prompt replies bring the window back");
});
