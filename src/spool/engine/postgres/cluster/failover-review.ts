/**
 * The nodes' common look at a database that was promoted: each one says what it had seen of the former primary, and whether its own
 * work is there. A node that did nothing lately finds all of its own, so no node can vouch for the others. The first one lists the
 * nodes that worked with the former primary. The review ends once all of these have spoken, or with `force` without the others. Its
 * entry of the key-value store is the only place where nodes can meet, and stays as the record of the last failover.
 */
import { type DeliveryPause, PAUSE_ENTRY } from "../../../port/delivery-pause.ts";
import { type Session, statement } from "../connection/statement.ts";
import { markLeasesOf } from "./lost-work.ts";
import { type Timeline, timelineText } from "./timeline.ts";

/** The entry of the key-value store that has the server, its timeline and the table of the last transactions. */
export const TIMELINE_ENTRY = "timeline";

/** The entry of the review. */
export const REVIEW_ENTRY = "timeline-review";

/** A loss of more than this is no failover but a restore: what was delivered since is not in the nodes' memory. */
const LOSS_MAX_MS = 60_000;

/** What a node says. Times are by the database's clock. */
export interface Testimony {
  name: string;
  /** Whether the node has seen more of the former primary's log than the promoted server had replayed, and no commit waited for it. */
  isAhead: boolean;
  /** When the node last saw the former primary; null if it never did. */
  seenMs: number | null;
  /** The commit time of the last transaction that the promoted server had replayed; null if that is not known. */
  forkMs: number | null;
  /** Whether commits waited for a standby. */
  isSynchronous: boolean;
  /** Whether the last transaction of the node is in the database. */
  hasLast: boolean;
  /** From when on the node knows what it has delivered; null if from its start on. */
  completeSinceMs: number | null;
  lostMessages: number;
  lostRecipients: number;
}

export interface ReviewEnd {
  atMs: number;
  isLossy: boolean;
  isPaused: boolean;
  /** The names of nodes that have not spoken. */
  missing: string[];
  /** The time of which transactions are lost; null where it is not known. */
  fromMs: number | null;
  toMs: number | null;
  /** Messages that were answered with 202, as far as their nodes remember. */
  lostMessages: number;
  /** Recipients that become unknown. */
  lostRecipients: number;
}

interface Review {
  timeline: string;
  nodes: { number: number; name: string }[];
  /** By the node's number. */
  testimonies: Record<string, Testimony>;
  /** Those of a review that had not ended when another server was promoted, for nodes that do not speak again. */
  formerTestimonies?: Record<string, Testimony>;
  end: ReviewEnd | null;
  /** The end of the last review that has found a loss; kept when another failover begins the next one. */
  formerLoss?: ReviewEnd | null;
}

/** Whether recipients became unknown, or messages are gone. */
export const hasLost = ({ isLossy, lostRecipients }: ReviewEnd): boolean => isLossy || lostRecipients > 0;

const read = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1");
const add = statement("INSERT INTO key_values (name, text) VALUES ($1, '{}') ON CONFLICT (name) DO NOTHING");
const lock = statement<{ text: string; nowMs: number }>(
  `SELECT text, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs" FROM key_values WHERE name = $1 FOR UPDATE`,
);
const store = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
);
const registered = statement<{ number: number; name: string }>("SELECT number, name FROM nodes WHERE ended_at IS NULL");
const newest = statement<{ seq: number | null; atMs: number | null }>(
  `SELECT (SELECT max(seq) FROM messages) AS seq, (extract(epoch FROM max(heartbeat_at)) * 1000)::bigint AS "atMs" FROM nodes`,
);

/** The last failover that lost transactions; null if there was none. */
export async function lastLoss(session: Session): Promise<ReviewEnd | null> {
  const [row] = (await session.run(read, [REVIEW_ENTRY])).rows;
  return row === undefined ? null : lossOf(JSON.parse(row.text) as Partial<Review>);
}

const lossOf = ({ end, formerLoss }: Partial<Review>): ReviewEnd | null =>
  end && hasLost(end) ? end : (formerLoss ?? null);

/** What a node says after a second promotion, if the review of the first one had not ended. */
export function afterFormer(former: Testimony | null, next: Testimony): Testimony {
  if (former === null) return next;
  return {
    name: next.name,
    isAhead: former.isAhead || next.isAhead,
    seenMs: latest([former.seenMs, next.seenMs]),
    forkMs: earliest([former.forkMs, next.forkMs]),
    isSynchronous: former.isSynchronous && next.isSynchronous,
    hasLast: former.hasLast && next.hasLast,
    completeSinceMs: latest([former.completeSinceMs, next.completeSinceMs]),
    lostMessages: former.lostMessages + next.lostMessages,
    lostRecipients: former.lostRecipients + next.lostRecipients,
  };
}

/** Null if none of the times is known. */
function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Null if one of the times is not known. */
const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce((least, ms) => (least === null || ms === null ? null : Math.min(least, ms)), Number.POSITIVE_INFINITY);

/** Adds what a node says, in a transaction. `number` is that of its registration with the former primary; null for none. */
export async function testify(
  session: Session,
  timeline: Timeline,
  { number, testimony }: { number: number | null; testimony: Testimony },
): Promise<void> {
  const { review } = await lockReview(session, timeline);
  if (number === null || review.end !== null) return;
  review.testimonies[number] = testimony;
  await session.run(store, [REVIEW_ENTRY, JSON.stringify(review)]);
}

/** Ends the review in a transaction. Returns null if a node has not spoken, unless `force`. */
export async function conclude(
  session: Session,
  timeline: Timeline,
  force: boolean,
): Promise<{ end: ReviewEnd; isOwn: boolean } | null> {
  const { review, nowMs } = await lockReview(session, timeline);
  if (review.end !== null) return { end: review.end, isOwn: false };
  const missing = review.nodes.filter(({ number }) => review.testimonies[number] === undefined);
  if (missing.length > 0 && !force) return null;
  const testimonies = Object.values({ ...review.formerTestimonies, ...review.testimonies });
  const end = verdict(testimonies, timeline, { atMs: nowMs, missing: missing.map(({ name }) => name) });
  if (end.isPaused) await pauseDelivery(session);
  else if (mayLackMarks(testimonies, end)) {
    const numbers = missing.map(({ number }) => number);
    end.lostRecipients += await markLeasesOf(session, numbers, nowMs);
  }
  review.end = end;
  await session.run(store, [REVIEW_ENTRY, JSON.stringify(review)]);
  await session.run(store, [TIMELINE_ENTRY, timelineText(timeline)]);
  return { end, isOwn: true };
}

/** Pauses delivery until an operator decides. A pause that is in effect already covers an earlier backup. */
export async function pauseDelivery(session: Session): Promise<DeliveryPause> {
  const [row] = (await session.run(newest)).rows;
  const pause = { backupAtMs: row?.atMs ?? null, newestSeq: row?.seq ?? 0 };
  await session.run(store, [PAUSE_ENTRY, JSON.stringify(pause)]);
  return pause;
}

async function lockReview(session: Session, timeline: Timeline): Promise<{ review: Review; nowMs: number }> {
  await session.run(add, [REVIEW_ENTRY]);
  const [row] = (await session.run(lock, [REVIEW_ENTRY])).rows;
  const known = JSON.parse(row?.text ?? "{}") as Partial<Review>;
  const nowMs = row?.nowMs ?? 0;
  const name = timelineText(timeline);
  if (known.timeline === name) return { review: known as Review, nowMs };
  const nodes = (await session.run(registered)).rows;
  const formerTestimonies = known.end === null ? { ...known.formerTestimonies, ...known.testimonies } : {};
  const formerLoss = lossOf(known);
  const review: Review = { timeline: name, nodes, testimonies: {}, formerTestimonies, end: null, formerLoss };
  await session.run(store, [REVIEW_ENTRY, JSON.stringify(review)]);
  return { review, nowMs };
}

/** Whether nodes that have not spoken may have sent final dots whose marks are not in the database. */
const mayLackMarks = (testimonies: readonly Testimony[], { missing, isLossy }: ReviewEnd): boolean =>
  missing.length > 0 && (isLossy || !testimonies.some(({ isSynchronous }) => isSynchronous));

function verdict(
  testimonies: readonly Testimony[],
  timeline: Timeline,
  { atMs, missing }: { atMs: number; missing: string[] },
): ReviewEnd {
  const isLossy = testimonies.some(({ isAhead, hasLast, lostMessages }) => isAhead || !hasLast || lostMessages > 0);
  const forkMs = testimonies.length === 0 ? timeline.forkMs : earliest(testimonies.map((each) => each.forkMs));
  const toMs = latest(testimonies.map(({ seenMs }) => seenMs));
  const isKnown = forkMs !== null && toMs !== null && toMs - forkMs <= LOSS_MAX_MS;
  const isRemembered = testimonies.every(
    ({ completeSinceMs }) => completeSinceMs === null || completeSinceMs < (forkMs ?? 0),
  );
  const sum = (of: (testimony: Testimony) => number): number => testimonies.reduce((all, each) => all + of(each), 0);
  return {
    atMs,
    isLossy,
    isPaused: isLossy && !(isKnown && isRemembered),
    missing,
    fromMs: forkMs,
    toMs,
    lostMessages: sum(({ lostMessages }) => lostMessages),
    lostRecipients: sum(({ lostRecipients }) => lostRecipients),
  };
}
