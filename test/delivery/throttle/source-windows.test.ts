/** Windows by sending address: which one a job gets, and what the throttle sees of all together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { DestinationThrottle } from "../../../src/delivery/throttle/destination-throttle.ts";
import { SourceWindows } from "../../../src/delivery/throttle/source-windows.ts";
import type { WarmUpQuota } from "../../../src/delivery/throttle/warm-up-quota.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";
import { warmingUp, warmUpQuota } from "./warm-up-stage.ts";

const [A, B] = ["*.gmail@192.0.2.1", "*.gmail@192.0.2.2"];
const BLOCK = { cause: "reputation", text: "550 5.7.1 blocked using zen.spamhaus.org" } as const;

type Names = Record<string, readonly string[]>;

function stage(
  names: Names,
  { elsewhere = {}, warmUp = warmUpQuota() }: { elsewhere?: Names; warmUp?: WarmUpQuota } = {},
) {
  const inner = new CongestionWindows(2);
  const windows = new SourceWindows({
    windows: inner,
    sources: {
      windowsOf: (destination) => names[destination] ?? null,
      windowsElsewhere: (destination) => elsewhere[destination] ?? [],
      hasMixedQueues: () => false,
      isInUse: () => true,
    },
    warmUp,
    now: () => 0,
  });
  const block = (name: string): void => {
    for (let i = 0; i < 5; i += 1) {
      const slot = inner.acquire(name, 0);
      assert.ok(slot);
      inner.release(slot, "refused", 0, BLOCK);
    }
  };
  return { inner, windows, block };
}

test("without sending addresses a destination has one window", () => {
  const { windows } = stage({});
  const slot = windows.acquire("*.gmail", 0);
  assert.deepEqual([slot?.name, slot?.window], ["*.gmail", undefined]);
  assert.equal(windows.capacity("*.gmail", 0), 1);
  assert.deepEqual([...windows.windowsOf(["*.gmail"])], ["*.gmail"]);
});

test("the capacity is that of all addresses, and the next one is used where the first is full", () => {
  const { windows } = stage({ "*.gmail": [A, B] });
  assert.equal(windows.capacity("*.gmail", 0), 4);
  const slots = Array.from({ length: 4 }, () => windows.acquire("*.gmail", 0));
  assert.deepEqual(
    slots.map((slot) => [slot?.name, slot?.window]),
    [A, A, B, B].map((window) => ["*.gmail", window]),
  );
  assert.equal(windows.acquire("*.gmail", 0), null);
  assert.equal(windows.closed("*.gmail", 0), null);
  const [first] = slots;
  assert.ok(first);
  windows.release(first, "accepted", 0);
  assert.ok(windows.capacity("*.gmail", 0) >= 1);
});

test("a blocked address is left out, and probed first when its probe is due", () => {
  const { inner, windows, block } = stage({ "*.gmail": [A, B] });
  block(A);
  assert.equal(windows.closed("*.gmail", 0), null);
  assert.equal(windows.acquire("*.gmail", 0)?.window, B);
  const dueMs = inner.closed(A, 0)?.probeAtMs ?? 0;
  assert.equal(windows.acquire("*.gmail", dueMs)?.window, A);
  assert.equal(windows.acquire("*.gmail", dueMs)?.window, B, "one message probes it");
});

test("a destination is closed when all of its addresses are, until the first probe", () => {
  const { inner, windows, block } = stage({ "*.gmail": [A, B] });
  block(A);
  block(B);
  const probes = [A, B].map((name) => inner.closed(name, 0)?.probeAtMs ?? 0);
  const closed = windows.closed("*.gmail", 0);
  assert.deepEqual([closed?.probeAtMs, closed?.last?.cause], [Math.min(...probes), "reputation"]);
  assert.equal(windows.capacity("*.gmail", 0), 0);
});

test("mail whose addresses other nodes have is left to them; without a live node it is not", () => {
  const elsewhere = { "*.gmail@news": ["*.gmail@192.0.2.9"] };
  const { windows } = stage({ "*.gmail@news": [], "*.gmail@gone": [] }, { elsewhere });
  assert.deepEqual([windows.capacity("*.gmail@news", 0), windows.capacity("*.gmail@gone", 0)], [0, 2]);
  assert.deepEqual(windows.elsewhere(0), ["*.gmail@news"]);
  assert.equal(windows.acquire("*.gmail@news", 0), null);
  assert.equal(windows.closed("*.gmail@news", 0), null);
});

test("mail of addresses that are blocked here is left to a node with another one, but for the probes", () => {
  const { inner, windows, block } = stage({ "*.gmail": [A] }, { elsewhere: { "*.gmail": [B] } });
  block(A);
  assert.notEqual(windows.closed("*.gmail", 0), null);
  assert.deepEqual(windows.elsewhere(0), ["*.gmail"]);
  const dueMs = inner.closed(A, 0)?.probeAtMs ?? 0;
  assert.deepEqual(windows.elsewhere(dueMs), []);
  assert.equal(windows.acquire("*.gmail", dueMs)?.window, A);
  assert.deepEqual(windows.elsewhere(dueMs), ["*.gmail"], "while it is probed");
  const alone = stage({ "*.gmail": [A] });
  alone.block(A);
  assert.notEqual(alone.windows.closed("*.gmail", 0), null);
  assert.deepEqual(alone.windows.elsewhere(0), []);
});

test("a destination whose first address is spent for today leaves the others, and waits once all are", async () => {
  const clock = fakeClock(20_000 * 86_400_000);
  const warm = [warmingUp("192.0.2.1", { schedule: [1] }), warmingUp("192.0.2.2", { schedule: [1] })];
  const warmUp = warmUpQuota(warm, { clock });
  const { windows } = stage({ "*.gmail": [A, B] }, { warmUp });
  const first = await windows.waitFor("*.gmail");
  assert.equal(first?.window, A);
  assert.equal(windows.obstacle("*.gmail"), null);
  const second = await windows.waitFor("*.gmail");
  assert.equal(second?.window, B);
  await quiet();
  assert.equal(await windows.waitFor("*.gmail"), null);
  assert.equal(windows.obstacle("*.gmail")?.type, "warm_up");
  assert.ok(windows.capacity("*.gmail", 0) > 0, "claims return it, so that it is deferred");
  assert.deepEqual(windows.elsewhere(0), []);
  assert.ok(first);
  windows.ended(A, { further: 0, hosts: [null] });
  windows.release(first, "accepted", 0);
  assert.equal(windows.obstacle("*.gmail")?.type, "warm_up");
});

test("mail that was left to a node is claimed again once that node has gone", () => {
  let isGone = false;
  const sources = {
    windowsOf: () => [],
    windowsElsewhere: () => (isGone ? [] : ["*.gmail@192.0.2.9"]),
    hasMixedQueues: () => false,
    isInUse: () => true,
  };
  const parts = { windows: new CongestionWindows(2), sources, warmUp: warmUpQuota(), now: () => 0 };
  const throttle = new DestinationThrottle(new SourceWindows(parts));
  const job = { messageId: "msg_1", domain: "a.example" };
  assert.equal(throttle.acquire(job, "*.gmail@news", 0).type, "full");
  assert.deepEqual(throttle.allowances(0).elsewhere, ["*.gmail@news"]);
  assert.equal(throttle.allowances(0).allowance["*.gmail@news"], 0);
  isGone = true;
  assert.deepEqual(throttle.allowances(0).elsewhere, []);
  assert.notEqual(throttle.allowances(0).allowance["*.gmail@news"], 0);
});
