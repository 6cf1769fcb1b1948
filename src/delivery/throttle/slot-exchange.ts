/**
 * One exchange of a node with the state of a destination that all nodes share: what the node learnt and wants to use goes in, its
 * slots come out. It runs while the state is locked, so the slots of all live nodes together never exceed the window. It does no
 * I/O. shared-windows.ts decides when a node exchanges, and what it does with its slots.
 *
 * A node registers what it uses before it uses it, and gives up slots only after it has stopped to use them. So an exchange never
 * takes slots away: it returns the node's fair share, and a node that holds more while others wait gives up the rest with its next
 * exchange.
 */
import type { SharedDestination } from "../../spool/port/destination-slots.ts";
import {
  applyIdleTime,
  applyResult,
  beginProbe,
  mayAsk,
  newWindow,
  shifted,
  slotsOf,
  type WindowResult,
  type WindowState,
} from "./window-state.ts";

/** What a node has registered. */
interface Holder {
  slots: number;
  /** The slots that it would use. */
  wanted: number;
}

/** A destination's shared state. Stored, as JSON. */
interface StoredDestination {
  /** With times of the store's clock. */
  window: WindowState;
  holders: Record<string, Holder>;
}

export interface SlotRequest {
  /** Slots that the node uses, or may begin to use before it gets the reply. */
  keep: number;
  /** Slots that it would use; at least one if an attempt waits. */
  wanted: number;
  /** Whether an attempt waits for a slot. */
  isWaiting: boolean;
  /** A person's request for a probe that this attempt would serve; null for none. */
  request: string | null;
  /** The results of attempts since the last exchange, in their order. */
  results: readonly WindowResult[];
  /** The window that the node knows from its own attempts, with times of the store's clock; null for none. */
  known: WindowState | null;
}

export interface SlotReply {
  /** Slots that the node holds now; not fewer than it keeps. */
  slots: number;
  /** How many of them it should use while other nodes wait: the others are to be given up. */
  share: number;
  /** Whether other nodes wait for slots. */
  othersWait: boolean;
  /** Whether the node is to probe the closed destination with one attempt. */
  isProbe: boolean;
  /** The window as it is now, with times of the store's clock. */
  window: WindowState;
}

export interface SlotRules {
  /** The window of a destination without known state. */
  start: number;
  /** The most slots of all nodes together; null for no limit. */
  limit: number | null;
}

/** Returns the new state, null if nothing is worth keeping, and the reply to the node. */
export function exchangeSlots(
  shared: SharedDestination,
  request: SlotRequest,
  rules: SlotRules,
): { state: string | null; reply: SlotReply } {
  const { self, nowMs } = shared;
  const { start } = rules;
  const { window, holders } = currentState(shared, request, start);
  for (const result of request.results) applyResult(window, result, { start, nowMs });
  const reply = grant(window, holders, { shared, request, rules });
  const { slots, share } = reply;
  const wanted = share === 0 ? 0 : request.wanted;
  if (slots > 0 || wanted > 0) holders.set(self, { slots, wanted });
  const isWorthKeeping = holders.size > 0 || !isNew(window, start);
  const stored: StoredDestination = { window, holders: Object.fromEntries(holders) };
  return { state: isWorthKeeping ? JSON.stringify(stored) : null, reply };
}

interface Circumstances {
  shared: SharedDestination;
  request: SlotRequest;
  rules: SlotRules;
}

function grant(
  window: WindowState,
  others: ReadonlyMap<string, Holder>,
  { shared, request, rules }: Circumstances,
): SlotReply {
  const { nowMs, allShare, self } = shared;
  const { keep, wanted, isWaiting } = request;
  const usedByOthers = sum([...others.values()].map(({ slots }) => slots));
  const most = Math.min(
    slotsOf(window, { active: keep + usedByOthers, nowMs }),
    rules.limit ?? Number.POSITIVE_INFINITY,
  );
  const free = allShare ? Math.max(0, most - usedByOthers - keep) : 0;
  const reply = { othersWait: false, isProbe: false, window };
  if (window.closure !== null) {
    const hasRoom = rules.limit === null || usedByOthers + keep < rules.limit;
    const asked = allShare && hasRoom && mayAskFor(window, request, nowMs) ? request.request : null;
    const isProbe = isWaiting && (free > 0 || asked !== null);
    if (isProbe) beginProbe(window, nowMs, asked);
    return { ...reply, isProbe, slots: keep + (isProbe ? 1 : 0), share: 0 };
  }
  const claims = new Map([...others, [self, { slots: keep, wanted }]]);
  const share = allShare ? (fairShares(most, claims).get(self) ?? 0) : wanted;
  const othersWait = [...others.values()].some((other) => other.wanted > other.slots);
  return { ...reply, othersWait, share, slots: keep + Math.min(free, Math.max(0, share - keep)) };
}

const mayAskFor = (window: WindowState, { request }: SlotRequest, nowMs: number): boolean =>
  request !== null && mayAsk(window, request, nowMs);

/**
 * Shares slots among the nodes that want some, one slot to each of them in turn. Where they do not suffice for all, those that hold
 * slots already come first, so that slots move only from nodes that hold more.
 */
export function fairShares(slots: number, claims: ReadonlyMap<string, Holder>): Map<string, number> {
  const shares = new Map<string, number>();
  let left = slots;
  for (let round = 1; left > 0; round += 1) {
    const wanting = [...claims].filter(([, { wanted }]) => wanted >= round);
    if (wanting.length === 0) break;
    const rank = ({ slots: held }: Holder): number => (held >= round ? 0 : 1);
    wanting.sort(([a, one], [b, other]) => rank(one) - rank(other) || (a < b ? -1 : 1));
    for (const [name] of wanting.slice(0, left)) shares.set(name, round);
    left -= Math.min(left, wanting.length);
  }
  return shares;
}

/** The stored state without nodes that have ended and without this one, or what the node knows if that is newer. */
function currentState(
  { state, self, isLive, nowMs }: SharedDestination,
  { known, keep }: SlotRequest,
  start: number,
): { window: WindowState; holders: Map<string, Holder> } {
  const stored = state === null ? null : (JSON.parse(state) as StoredDestination);
  const entries = Object.entries(stored?.holders ?? {});
  const holders = new Map(entries.filter(([node]) => node !== self && isLive(node)));
  const isKnownNewer = known !== null && (stored === null || known.usedAtMs > stored.window.usedAtMs);
  const window = isKnownNewer ? shifted(known, 0) : (stored?.window ?? newWindow(start, nowMs));
  const isUsed = holders.size > 0 || keep > 0;
  return { window: !isUsed && applyIdleTime(window, { start, nowMs }) ? newWindow(start, nowMs) : window, holders };
}

function isNew({ window, threshold, closure, refusals }: WindowState, start: number): boolean {
  const fresh = newWindow(start, 0);
  return window === start && threshold === fresh.threshold && closure === null && refusals === 0;
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
