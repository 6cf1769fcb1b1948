/** The windows of nodes beside others: slots are asked for, used, given up, and moved between nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedWindows } from "../../../src/delivery/throttle/shared-windows.ts";
import { newWindow } from "../../../src/delivery/throttle/window-state.ts";
import type { KnownWindow, WindowSlot } from "../../../src/delivery/throttle/windows.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { type FakeClock, fakeClock, quiet } from "../../support/fake-clock.ts";
import { FakeSlots, type SharedStore, sharedStore } from "../../support/shared-slots.ts";

const MX = "mx.a.example";
const WALL_MS = 1_700_000_000_000;

interface Cluster {
  clock: FakeClock;
  store: SharedStore;
  node(name: string, known?: KnownWindow[]): TestNode;
}

interface TestNode {
  slots: FakeSlots;
  windows: SharedWindows;
  /** Open connections, of which the idle ones are closed on request. */
  connections: { open: number; quit: number };
  wakes: number;
  /** Begins so many attempts, after an exchange if need be; null for each that gets no slot. */
  begin(count: number): Promise<(WindowSlot | null)[]>;
}

function cluster({ limit = null as number | null, start = 4 } = {}): Cluster {
  const clock = fakeClock();
  const store = sharedStore(() => WALL_MS + clock.monotonicMs());
  const node = (name: string, known: KnownWindow[] = []): TestNode => {
    const slots = new FakeSlots(store, name);
    const connections = { open: 0, quit: 0 };
    const made: Omit<TestNode, "windows" | "begin"> = { slots, connections, wakes: 0 };
    const windows = new SharedWindows(
      {
        slots,
        clock,
        log: silentLog,
        start,
        limitOf: () => limit,
        connections: {
          count: () => connections.open,
          quitIdle(_, count) {
            connections.quit += count;
            connections.open -= count;
          },
        },
        onCapacity() {
          made.wakes += 1;
        },
      },
      known,
    );
    const begin = async (count: number): Promise<(WindowSlot | null)[]> => {
      const begun = Array.from(
        { length: count },
        async () => windows.acquire(MX, clock.monotonicMs()) ?? (await windows.waitFor(MX)),
      );
      await clock.advance(2000);
      return Promise.all(begun);
    };
    return Object.assign(made, { windows, begin });
  };
  return { clock, store, node };
}

const begun = (slots: (WindowSlot | null)[]): number => slots.filter((slot) => slot !== null).length;

/** Five refused attempts of the node close the destination. */
async function closeBy({ windows, begin }: TestNode, { clock }: Cluster): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    const [slot] = await begin(1);
    assert.ok(slot);
    windows.release(slot, "refused", clock.monotonicMs());
  }
}

function release({ windows }: TestNode, slots: (WindowSlot | null)[], { clock }: Cluster): void {
  for (const slot of slots) if (slot !== null) windows.release(slot, "accepted", clock.monotonicMs());
}

test("attempts that begin to wait together get their slots by one exchange, and no more than the window has", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  await quiet();
  const first = Array.from({ length: 6 }, () => a.windows.waitFor(MX));
  const before = all.store.exchanges.length;
  await all.clock.advance(0);
  assert.equal(all.store.exchanges.length, before + 2, "each node has registered, the first one with its request");
  await all.clock.advance(1000);
  assert.equal(begun(await Promise.all(first)), 4);
  assert.equal(begun(await b.begin(1)), 0);
  assert.equal(a.wakes > 0, true);
});

test("slots move to another node when they are not needed any more", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  const slots = await a.begin(4);
  assert.equal(begun(slots), 4);
  release(a, slots, all);
  await all.clock.advance(1500);
  assert.equal(begun(await b.begin(4)), 4);
});

test("beyond its share, a node's mail does not wait for slots that another needed a moment ago", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  release(a, await a.begin(4), all);
  const waiting = Array.from({ length: 4 }, () => b.windows.waitFor(MX));
  await all.clock.advance(300);
  assert.equal(begun(await Promise.all(waiting)), 2);
});

test("a node that holds all slots leaves its share to one that waits, as soon as attempts end", async () => {
  const all = cluster({ limit: 2 });
  const [a, b] = [all.node("a"), all.node("b")];
  const slots = await a.begin(2);
  assert.equal(begun(await b.begin(1)), 0, "the attempts last longer than the wait");
  const waiting = b.begin(1);
  await quiet();
  release(a, slots.slice(0, 1), all);
  assert.equal(begun(await waiting), 1);
  assert.equal(a.windows.acquire(MX, all.clock.monotonicMs()), null);
  assert.equal(a.windows.capacity(MX, all.clock.monotonicMs()), 0);
});

test("an idle connection keeps its slot until another node waits for it, and is closed then", async () => {
  const all = cluster({ limit: 1 });
  const [a, b] = [all.node("a"), all.node("b")];
  release(a, await a.begin(1), all);
  a.connections.open = 1;
  await all.clock.advance(3000);
  assert.equal(a.connections.quit, 0);
  assert.equal(begun(await b.begin(1)), 1);
  assert.deepEqual(a.connections, { open: 0, quit: 1 });
});

test("mail is left to the nodes that have all slots, and asks again after a second", async () => {
  const all = cluster({ limit: 2 });
  const [a, b, c] = [all.node("a"), all.node("b"), all.node("c")];
  const [ofA] = [await a.begin(1), await b.begin(1)];
  const waiting = c.windows.waitFor(MX);
  await all.clock.advance(0);
  assert.equal(await waiting, null);
  const nowMs = all.clock.monotonicMs();
  assert.deepEqual(c.windows.elsewhere(nowMs), [MX]);
  assert.deepEqual([c.windows.capacity(MX, nowMs), c.windows.retryAtMs(MX, nowMs)], [0, nowMs + 1000]);
  assert.deepEqual([c.windows.capacity(MX, nowMs + 1000), c.windows.retryAtMs(MX, nowMs + 1000)], [1, null]);
  release(a, ofA, all);
  await all.clock.advance(2000);
  assert.equal(begun(await c.begin(1)), 1);
  assert.deepEqual(c.windows.elsewhere(all.clock.monotonicMs()), []);
});

test("the window grows for all nodes with what each of them has delivered", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  release(a, await a.begin(4), all);
  await all.clock.advance(2000);
  assert.equal(begun(await b.begin(8)), 8);
});

test("a node whose slots are all in use asks for more of them, as far as the window has some", async () => {
  const all = cluster({ start: 8 });
  const a = all.node("a");
  const [first] = await a.begin(2);
  const nowMs = all.clock.monotonicMs();
  assert.ok(a.windows.capacity(MX, nowMs) >= 1);
  assert.ok(first);
  assert.ok(a.windows.capacity(MX, nowMs) <= 6);
});

test("a closed destination is probed by one node at a time, and its mail waits at the others", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  await closeBy(a, all);
  await all.clock.advance(100);
  assert.equal(begun(await b.begin(1)), 0, "before the probe is due");
  assert.equal(begun(await b.begin(1)), 1, "the probe");
  const nowMs = all.clock.monotonicMs();
  assert.equal(begun(await a.begin(1)), 0);
  assert.ok(a.windows.closed(MX, nowMs) !== null);
  assert.deepEqual(a.windows.elsewhere(nowMs), []);
});

test("a request that all nodes see is served by one attempt of one of them, and the nodes know the reply", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  const trouble = { cause: "rate_limited", text: "421 slow down" } as const;
  const refuse = (slot: WindowSlot | null | undefined): void => {
    assert.ok(slot);
    a.windows.release(slot, "refused", all.clock.monotonicMs(), trouble);
  };
  for (let i = 0; i < 5; i += 1) refuse((await a.begin(1))[0]);
  for (let i = 0; i < 3; i += 1) {
    await all.clock.advance(6000);
    refuse((await a.begin(1))[0]);
  }
  await all.clock.advance(200);
  await b.begin(1);
  const nowMs = all.clock.monotonicMs();
  const { probeAtMs = 0, last, causes } = b.windows.closed(MX, nowMs) ?? {};
  assert.ok(probeAtMs > nowMs + 1000);
  assert.deepEqual([causes, last?.text], [["rate_limited"], "421 slow down"]);
  assert.equal(a.windows.mayAsk(MX, "probe_1", nowMs) && b.windows.mayAsk(MX, "probe_1", nowMs), true);
  const waiting = [a, b, a, b].map(({ windows }) => windows.waitFor(MX, "probe_1"));
  await all.clock.advance(1000);
  assert.equal(begun(await Promise.all(waiting)), 1);
  assert.equal(b.windows.closed(MX, all.clock.monotonicMs())?.isProbing, true);
});

test("a node whose mail waits learns within seconds that another one has opened the destination", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  await closeBy(a, all);
  await all.clock.advance(1500);
  const [probe] = await a.begin(1);
  assert.ok(probe?.isProbe);
  assert.equal(begun(await b.begin(1)), 0);
  a.windows.release(probe, "accepted", all.clock.monotonicMs());
  const { wakes } = b;
  await all.clock.advance(3000);
  assert.equal(b.windows.closed(MX, all.clock.monotonicMs()), null);
  assert.ok(b.wakes > wakes);
  await all.clock.advance(700_000);
  const exchanges = all.store.exchanges.length;
  await all.clock.advance(60_000);
  assert.equal(all.store.exchanges.length, exchanges, "long after the last mail nothing is exchanged");
});

test("without a valid lease nothing begins, and idle connections are closed", async () => {
  const all = cluster();
  const a = all.node("a");
  release(a, await a.begin(2), all);
  a.connections.open = 2;
  a.slots.hasLease = false;
  assert.equal(a.windows.acquire(MX, all.clock.monotonicMs()), null);
  await all.clock.advance(200);
  assert.equal(a.connections.quit, 2);
});

test("a node that has another name registers what it uses before it begins anything more", async () => {
  const all = cluster();
  const [a, b] = [all.node("a"), all.node("b")];
  const slots = await a.begin(3);
  all.store.ended.add("a");
  a.slots.self = "a2";
  assert.equal(a.windows.acquire(MX, all.clock.monotonicMs()), null);
  await all.clock.advance(200);
  assert.equal(begun(await b.begin(4)), 1);
  release(a, slots, all);
});

test("while the states cannot be exchanged, attempts wait for a second, and slots that are held can be used", async () => {
  const all = cluster();
  const a = all.node("a");
  release(a, await a.begin(2), all);
  a.connections.open = 2;
  await all.clock.advance(100);
  all.store.isDown = true;
  assert.equal(begun(await a.begin(3)), 2);
  all.store.isDown = false;
  await all.clock.advance(2000);
  assert.equal(begun(await a.begin(2)), 2);
});

test("a node takes over what it has under way, and registers it at once, even if that is nothing", async () => {
  const all = cluster();
  const state = newWindow(4, all.clock.monotonicMs());
  const [a, b] = [all.node("a", [{ name: MX, state, active: 3 }]), all.node("b")];
  await all.clock.advance(0);
  assert.deepEqual(all.store.exchanges, [[MX], []]);
  assert.equal(begun(await b.begin(4)), 1);
  assert.deepEqual(
    a.windows.known().map(({ name, active }) => ({ name, active })),
    [{ name: MX, active: 3 }],
  );
});

test("a node without mail exchanges nothing after some seconds", async () => {
  const all = cluster();
  const a = all.node("a");
  release(a, await a.begin(2), all);
  await all.clock.advance(15_000);
  const { length } = all.store.exchanges;
  assert.deepEqual(all.clock.dueMs, []);
  await all.clock.advance(60_000);
  assert.equal(all.store.exchanges.length, length);
});

test("a stop ends all waits", async () => {
  const all = cluster();
  const a = all.node("a");
  all.store.isDown = true;
  const waiting = a.windows.waitFor(MX);
  a.windows.stop();
  assert.equal(await waiting, null);
  assert.equal(await a.windows.waitFor(MX), null);
  assert.equal(a.windows.acquire(MX, all.clock.monotonicMs()), null);
});
