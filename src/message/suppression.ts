/**
 * Decides which refusals say that a mailbox does not exist, and when an address had enough of them that it is not tried
 * again for a while. Where refusals are kept, and what a suppressed recipient looks like, are the spool's.
 *
 * Enough are SUPPRESS_AFTER refusals within 30 days, each at least 8 hours after the one before; one fewer, but never
 * less than two, where the newest comes at least 24 hours after the oldest. With the default of 3 these are two refusals a
 * day apart, or three spread over a day. A receiver whose directory is down refuses good addresses, and a person who
 * waits for a code asks for it again and again: what comes close together says no more than one refusal does.
 *
 * What counts is a 5xx to RCPT or to the final dot with one of these enhanced codes (RFC 3463 §3.2, RFC 7505 §4.2):
 * - 5.1.1 the mailbox does not exist; 5.1.6 it has moved and left no address.
 * - 5.1.10 "null MX": an exchanger that DNS names for the domain cannot mean that, and large providers say it for a
 *   recipient that they do not find.
 *
 * What does not count, because the address may be good:
 * - No enhanced code: a bare 550 is as often a verdict on the sender or the message.
 * - 5.1.2 and its likes in DNS, NXDOMAIN and null MX: they speak of a whole domain, which one new record mends; and
 *   asking DNS again costs nobody anything, so each message gets today's answer.
 * - 5.1.3 bad syntax: a quarrel over how the address was written, perhaps our own fault.
 * - 5.1.0 and 5.1.4 leave open what is wrong; 5.2.x a mailbox that exists; 5.7.x is policy.
 */
import { mailboxKey } from "./address.ts";
import type { Outcome, SmtpRecord, Try } from "./outcome.ts";

const CODES: ReadonlySet<string | null> = new Set(["5.1.1", "5.1.6", "5.1.10"]);

/** How long a refusal counts. */
export const REFUSAL_COUNTS_MS = 30 * 86_400_000;

/** A refusal that comes sooner after another may have the same cause. */
export const REFUSALS_APART_MS = 8 * 3_600_000;

/** Refusals this far apart are one stronger: hardly any outage lasts a day. */
export const REFUSALS_SPAN_MS = 24 * 3_600_000;

/** The most refusals that may be asked for before an address is suppressed, and so the most worth keeping. */
export const SUPPRESS_AFTER_MAX = 20;

/** Refusals are shown with every message that they stop: enough of the peer's words to know them again. */
const MESSAGE_LENGTH_MAX = 500;

/** The peer said that the address does not exist. */
export interface Refusal extends Omit<SmtpRecord, "tls"> {
  at_ms: number;
}

/** Why an address is not tried. */
export interface Suppression {
  /** The refusal that made it enough. */
  sinceMs: number;
  /** From here on too few refusals count, unless others come. */
  untilMs: number;
  /** Those that count, the oldest first. */
  refusals: Refusal[];
}

/** How an attempt ended for one recipient. */
export interface Ending {
  outcome: Outcome["type"];
  /** The last is the decisive one. */
  tries: Try[];
}

/** The name under which an address's refusals are kept: local part as written, domain as lower-case A-labels. */
export function refusedAddress(email: string, domain: string): string {
  return mailboxKey(email.slice(0, email.lastIndexOf("@")), domain);
}

/** For each recipient that one attempt settled, the refusal that counts against its address, or null. */
export function refusalsIn(endings: readonly Ending[], atMs: number): (Refusal | null)[] {
  const refusedAtDot = endings.filter((ending) => isRefusedAt(ending, "final_dot"));
  return endings.map((ending) => {
    // One reply to the dot answers for a whole transaction: with several recipients it does not tell which is meant.
    const isMeant = isRefusedAt(ending, "rcpt") || (isRefusedAt(ending, "final_dot") && refusedAtDot.length === 1);
    const last = ending.tries.at(-1);
    if (!isMeant || last?.reply == null || !CODES.has(last.reply.enhanced_code)) return null;
    const message = [...last.reply.message].slice(0, MESSAGE_LENGTH_MAX).join("");
    return { at_ms: atMs, ...last.reply, message, mx: last.mx, ip: last.ip };
  });
}

function isRefusedAt({ outcome, tries }: Ending, stage: Try["stage"]): boolean {
  return outcome === "failed" && tries.at(-1)?.stage === stage;
}

/**
 * The refusals worth keeping once another has come, the oldest first: those apart from each other, and the newest. One that
 * comes close to another takes the place of those between, and never of an older one.
 */
export function withRefusal(known: readonly Refusal[], refusal: Refusal): Refusal[] {
  const sorted = [...known, refusal].toSorted((a, b) => a.at_ms - b.at_ms);
  const counted = sorted.filter((each) => isCounted(each, refusal.at_ms));
  const newest = counted.at(-1) ?? refusal;
  const kept = apart(counted).slice(-SUPPRESS_AFTER_MAX);
  return kept.at(-1) === newest ? kept : [...kept, newest];
}

/** Whether an address with these refusals, the oldest first, is suppressed now. `after`: SUPPRESS_AFTER; 0 for never. */
export function suppressionOf(
  refusals: readonly Refusal[],
  { after, nowMs }: { after: number; nowMs: number },
): Suppression | null {
  const counted = refusals.filter((refusal) => isCounted(refusal, nowMs));
  if (!isEnough(counted, after)) return null;
  const decisive = counted.find((_, i) => isEnough(counted.slice(0, i + 1), after));
  const nextToLapse = counted.findLast((_, i) => isEnough(counted.slice(i), after));
  if (decisive === undefined || nextToLapse === undefined) return null;
  return { sinceMs: decisive.at_ms, untilMs: nextToLapse.at_ms + REFUSAL_COUNTS_MS, refusals: counted };
}

function isEnough(refusals: readonly Refusal[], after: number): boolean {
  const [oldest, newest] = [refusals[0], refusals.at(-1)];
  if (after === 0 || oldest === undefined || newest === undefined) return false;
  const count = apart(refusals).length;
  const isSpread = newest.at_ms - oldest.at_ms >= REFUSALS_SPAN_MS;
  return count >= after || (isSpread && count >= Math.max(2, after - 1));
}

/** The first, and each that comes late enough after the one taken before. */
function apart(refusals: readonly Refusal[]): Refusal[] {
  const taken: Refusal[] = [];
  for (const refusal of refusals) {
    const last = taken.at(-1);
    if (last === undefined || refusal.at_ms - last.at_ms >= REFUSALS_APART_MS) taken.push(refusal);
  }
  return taken;
}

function isCounted(refusal: Refusal, nowMs: number): boolean {
  // In both directions: one that was noted while the clock was ahead must not count until then.
  return Math.abs(nowMs - refusal.at_ms) < REFUSAL_COUNTS_MS;
}
