/**
 * When an API key is held: it sends far above what it normally does, or far more of its recipients are unknown mailboxes. Somebody may
 * have got hold of it, and receivers would block the sending addresses. Recipients are counted, in spans of ten minutes and by UTC day.
 *
 * What is normal is what the key did on the days before: bursts that come back within five weeks, such as a newsletter each Monday, are
 * part of it. A key is held only once it is known for a week, unless it has its own limit.
 */

export const SPAN_MS = 600_000;
export const SPANS_A_DAY = 144;

/** How many days count. */
export const HISTORY_DAYS = 35;
const LEARNING_SPANS = 7 * SPANS_A_DAY;

/** Times what is normal. */
const SPAN_FACTOR = 3;
const DAY_FACTOR = 5;
const UNKNOWN_FACTOR = 4;

/** A key with less is never held. */
const SPAN_FLOOR = 200;
const DAY_FLOOR = 1000;
const UNKNOWN_FLOOR = 20;
/** As a share of the day's recipients. */
const UNKNOWN_SHARE_FLOOR = 0.2;

/** Of the limits. */
const WARNING_SHARE = 2 / 3;

/** After a release a key is not held again for so long. */
const RELEASED_FOR_MS = 86_400_000;

/** What a key did on the days before today. */
export interface KeyHistory {
  /** Spans since the epoch; null if it did nothing. */
  firstSpan: number | null;
  /** The most recipients of a span, and of a day. */
  peakSpan: number;
  peakDay: number;
  /** All recipients, and those that were unknown mailboxes. */
  recipients: number;
  unknown: number;
}

export const NO_HISTORY: KeyHistory = { firstSpan: null, peakSpan: 0, peakDay: 0, recipients: 0, unknown: 0 };

/** Recipients of the present span and of today, and today's unknown mailboxes. */
export interface KeyUse {
  span: number;
  day: number;
  unknown: number;
}

/** What an operator has set for a key. */
export interface FuseSetting {
  /** Recipients in ten minutes; null for what the history says. */
  limit: number | null;
  isOff: boolean;
  /** When a person has released it last; null for never. */
  releasedAtMs: number | null;
}

export const DEFAULT_FUSE: FuseSetting = { limit: null, isOff: false, releasedAtMs: null };

export type FuseState = "normal" | "warning" | "held";

/** What a key is held for, with the figures. */
export interface FuseCause {
  kind: "rate" | "unknown_mailboxes";
  /** Recipients, or unknown mailboxes. */
  count: number;
  limit: number;
  per: "span" | "day";
}

export interface FuseVerdict {
  state: FuseState;
  /** Null if it is normal. */
  cause: FuseCause | null;
}

const NORMAL: FuseVerdict = { state: "normal", cause: null };

export function fuseVerdict(
  history: KeyHistory,
  use: KeyUse,
  { setting, nowMs }: { setting: FuseSetting; nowMs: number },
): FuseVerdict {
  const { limit, isOff, releasedAtMs } = setting;
  if (isOff || (releasedAtMs !== null && nowMs - releasedAtMs < RELEASED_FOR_MS)) return NORMAL;
  const limits = limit === null ? limitsOf(history, use, nowMs) : [spanLimit(use, limit)];
  const over = limits.find(({ count, limit: most }) => count > most);
  if (over !== undefined) return { state: "held", cause: over };
  const near = limits.find(({ count, limit: most }) => count > most * WARNING_SHARE);
  return near === undefined ? NORMAL : { state: "warning", cause: near };
}

const spanLimit = ({ span }: KeyUse, limit: number): FuseCause => ({ kind: "rate", count: span, limit, per: "span" });

/** Empty while the key is being learned. */
function limitsOf(history: KeyHistory, use: KeyUse, nowMs: number): FuseCause[] {
  const { firstSpan, peakSpan, peakDay, recipients, unknown } = history;
  if (firstSpan === null || Math.floor(nowMs / SPAN_MS) - firstSpan < LEARNING_SPANS) return [];
  const share = Math.max(UNKNOWN_SHARE_FLOOR, (UNKNOWN_FACTOR * unknown) / Math.max(1, recipients));
  // Shortly after midnight, today says little.
  const days = Math.max(1, Math.floor((nowMs / SPAN_MS - firstSpan) / SPANS_A_DAY));
  const unknownLimit = Math.max(UNKNOWN_FLOOR, Math.floor(share * Math.max(use.day, recipients / days)));
  return [
    spanLimit(use, Math.max(SPAN_FLOOR, SPAN_FACTOR * peakSpan)),
    { kind: "rate", count: use.day, limit: Math.max(DAY_FLOOR, DAY_FACTOR * peakDay), per: "day" },
    { kind: "unknown_mailboxes", count: use.unknown, limit: unknownLimit, per: "day" },
  ];
}

/** The sentence for people. */
export function causeText({ kind, count, limit, per }: FuseCause): string {
  const time = per === "span" ? "in ten minutes" : "today";
  return kind === "rate"
    ? `${count} recipients ${time}, where its limit is ${limit}`
    : `${count} of its recipients ${time} were unknown mailboxes, where its limit is ${limit}`;
}
