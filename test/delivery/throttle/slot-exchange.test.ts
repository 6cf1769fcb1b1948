/** Exchanges of nodes with a destination's shared state: slots, shares, windows and probes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  exchangeSlots,
  fairShares,
  type SlotReply,
  type SlotRequest,
} from "../../../src/delivery/throttle/slot-exchange.ts";
import { newWindow, type WindowResult } from "../../../src/delivery/throttle/window-state.ts";

const NOW_MS = 1_000_000;
const NOTHING: SlotRequest = { keep: 0, wanted: 0, isWaiting: false, request: null, results: [], known: null };
const RESULT: WindowResult = { cuts: 0, isProbe: false, signal: "accepted", tookMs: 100, trouble: null };

interface DestinationOptions {
  start?: number;
  limit?: number | null;
}

/** A destination's state, which nodes exchange. */
function destination({ start = 4, limit = null }: DestinationOptions = {}) {
  const ended = new Set<string>();
  const shared = {
    state: null as string | null,
    nowMs: NOW_MS,
    allShare: true,
    end: (node: string) => void ended.add(node),
    exchange(self: string, request: Partial<SlotRequest>): SlotReply {
      const isLive = (node: string): boolean => !ended.has(node);
      const { state: before, nowMs, allShare } = shared;
      const { state, reply } = exchangeSlots(
        { name: "mx", state: before, self, isLive, allShare, nowMs },
        { ...NOTHING, ...request },
        { start, limit },
      );
      shared.state = state;
      return reply;
    },
    /** The slots that a node gets that wants so many, and holds `keep`. */
    slotsOf: (self: string, wanted: number, keep = 0) => shared.exchange(self, { wanted, keep, isWaiting: true }).slots,
  };
  return shared;
}

test("the slots of all nodes together fill the window, and no more", () => {
  const shared = destination({ start: 5 });
  assert.deepEqual([shared.slotsOf("a", 3), shared.slotsOf("b", 3), shared.slotsOf("c", 3)], [3, 2, 0]);
  assert.equal(shared.slotsOf("a", 1, 1), 1, "given up");
  assert.equal(shared.slotsOf("c", 3), 2);
});

test("a limit is less than the window, and holds for all nodes together", () => {
  const shared = destination({ start: 5, limit: 2 });
  assert.deepEqual([shared.slotsOf("a", 1), shared.slotsOf("b", 5), shared.slotsOf("c", 1)], [1, 1, 0]);
});

test("an exchange takes no slots away: a node keeps what it uses although the window is smaller", () => {
  const shared = destination({ start: 8 });
  assert.equal(shared.slotsOf("a", 8), 8);
  const results = [{ ...RESULT, signal: "strained" as const }];
  const { slots, share, window } = shared.exchange("a", { keep: 8, wanted: 8, results });
  assert.deepEqual([slots, share, window.window], [8, 4, 4]);
  assert.equal(shared.slotsOf("b", 1), 0);
  assert.equal(shared.slotsOf("a", 8, 3), 3);
  assert.equal(shared.slotsOf("b", 1), 1);
});

test("a node that holds all slots learns that another waits, and of the share that remains to it", () => {
  const shared = destination({ limit: 2 });
  assert.deepEqual([shared.slotsOf("a", 4), shared.slotsOf("b", 1)], [2, 0]);
  const { share, othersWait, slots } = shared.exchange("a", { keep: 2, wanted: 4 });
  assert.deepEqual({ share, othersWait, slots }, { share: 1, othersWait: true, slots: 2 });
  assert.equal(shared.slotsOf("a", 4, 1), 1, "what it gives up is left to the other");
  assert.equal(shared.slotsOf("b", 1), 1);
});

test("a node without a share is not waited for, and one that wants nothing is forgotten", () => {
  const shared = destination({ limit: 2 });
  for (const node of ["a", "b"]) shared.slotsOf(node, 1);
  const reply = shared.exchange("c", { wanted: 1, isWaiting: true });
  assert.deepEqual([reply.slots, reply.share], [0, 0]);
  assert.equal(shared.exchange("a", { keep: 1, wanted: 1 }).othersWait, false);
  for (const node of ["a", "b"]) shared.exchange(node, {});
  assert.equal(shared.state, null, "a destination of which nothing is known needs no state");
});

test("the slots of a node that has ended are free", () => {
  const shared = destination();
  shared.slotsOf("a", 4);
  assert.equal(shared.slotsOf("b", 4), 0);
  shared.end("a");
  assert.equal(shared.slotsOf("b", 4), 4);
});

test("while a node has not registered what it uses, others get nothing but keep what they have", () => {
  const shared = destination();
  shared.allShare = false;
  assert.equal(shared.slotsOf("b", 2), 0);
  const { slots, share } = shared.exchange("a", { keep: 3, wanted: 4, isWaiting: true });
  assert.deepEqual([slots, share], [3, 4]);
  shared.allShare = true;
  assert.equal(shared.slotsOf("b", 2), 1);
});

test("all nodes share one window: results of each change it for all", () => {
  const shared = destination();
  shared.exchange("a", { keep: 1, wanted: 1, results: [RESULT, RESULT, RESULT] });
  assert.equal(shared.exchange("b", { wanted: 1 }).window.window, 7);
  shared.exchange("b", { results: [{ ...RESULT, signal: "refused" }] });
  assert.equal(shared.exchange("a", {}).window.window, 3.5);
  const late = shared.exchange("a", { results: [{ ...RESULT, signal: "refused" }] });
  assert.equal(late.window.window, 3.5, "an attempt from before the cut does not cut again");
});

test("a closed destination is probed by one attempt of one node", () => {
  const shared = destination();
  const refused: WindowResult[] = Array.from({ length: 5 }, () => ({ ...RESULT, signal: "refused" }));
  assert.equal(shared.exchange("a", { keep: 1, wanted: 1, results: refused }).isProbe, false);
  const ask = (node: string) => shared.exchange(node, { wanted: 1, isWaiting: true });
  assert.equal(ask("b").isProbe, false, "before the probe is due");
  shared.nowMs += 1000;
  assert.equal(shared.exchange("b", { wanted: 1 }).isProbe, false, "no attempt waits");
  const probe = ask("b");
  assert.deepEqual([probe.isProbe, probe.slots, probe.window.cuts], [true, 1, 1]);
  assert.equal(ask("a").isProbe, false, "the probe is under way");
  shared.exchange("b", { results: [{ ...RESULT, cuts: 1, isProbe: true }] });
  assert.equal(ask("a").window.closure, null);
});

test("one node serves a person's request for a probe, whichever of them sees it", () => {
  const shared = destination();
  const refused: WindowResult[] = Array.from({ length: 5 }, () => ({ ...RESULT, signal: "refused" }));
  shared.exchange("a", { keep: 1, wanted: 1, results: refused });
  const ask = (node: string, request: string | null) =>
    shared.exchange(node, { wanted: 1, isWaiting: true, request }).isProbe;
  assert.equal(ask("a", null), false);
  assert.equal(ask("a", "probe_1"), true);
  assert.deepEqual([ask("a", "probe_1"), ask("b", "probe_1"), ask("b", "probe_2")], [false, false, false]);
  shared.exchange("a", { results: [{ ...RESULT, isProbe: true, signal: "refused" }] });
  assert.equal(ask("b", "probe_1"), false, "it was served");
  shared.nowMs += 500;
  assert.equal(ask("b", "probe_2"), false, "soon after the other one");
});

test("a closed destination is probed within its limit", () => {
  const shared = destination({ limit: 1 });
  const results: WindowResult[] = Array.from({ length: 5 }, () => ({ ...RESULT, signal: "refused" }));
  shared.exchange("a", { keep: 1, wanted: 1, results });
  shared.nowMs += 1000;
  assert.equal(shared.exchange("b", { wanted: 1, isWaiting: true }).isProbe, false, "the first node has a connection");
  shared.exchange("a", {});
  assert.equal(shared.exchange("b", { wanted: 1, isWaiting: true }).isProbe, true);
});

test("a node brings in the window that it knows from its own attempts, if that is newer", () => {
  const wide = { ...newWindow(4, NOW_MS), window: 20 };
  const fresh = destination();
  assert.equal(fresh.exchange("a", { wanted: 20, known: wide }).slots, 20);
  const known = destination();
  known.exchange("b", { keep: 1, wanted: 1, results: [RESULT] });
  assert.equal(known.exchange("a", { known: { ...wide, usedAtMs: NOW_MS - 1 } }).window.window, 5);
  assert.equal(known.exchange("a", { known: { ...wide, usedAtMs: NOW_MS + 1 } }).window.window, 20);
});

test("an unused window returns to its start, one in use does not", () => {
  const shared = destination();
  shared.exchange("a", { keep: 1, wanted: 1, results: Array.from({ length: 12 }, () => RESULT) });
  shared.nowMs += 5 * 60_000;
  assert.equal(shared.exchange("a", { keep: 1 }).window.window, 16);
  assert.equal(shared.exchange("a", {}).window.window, 10);
  shared.nowMs += 60 * 60_000;
  shared.exchange("a", {});
  assert.equal(shared.state, null);
});

test("slots are shared evenly, and move only from nodes that hold more", () => {
  const claims = (...nodes: [slots: number, wanted: number][]) =>
    new Map(nodes.map(([slots, wanted], i) => [`node${i}`, { slots, wanted }]));
  const shared = (slots: number, ...nodes: [number, number][]) => [...fairShares(slots, claims(...nodes)).values()];
  assert.deepEqual(shared(9, [9, 9], [0, 9], [0, 9]), [3, 3, 3]);
  assert.deepEqual(shared(9, [9, 9], [0, 1]), [8, 1]);
  assert.deepEqual(shared(5, [0, 2], [0, 2]), [2, 2]);
  assert.deepEqual(
    [...fairShares(2, claims([0, 1], [1, 1], [1, 1]))],
    [
      ["node1", 1],
      ["node2", 1],
    ],
  );
  assert.deepEqual(
    [...fairShares(3, claims([0, 3], [1, 3], [2, 3]))],
    [
      ["node1", 1],
      ["node2", 1],
      ["node0", 1],
    ],
  );
  assert.deepEqual(shared(0, [0, 1]), []);
});
