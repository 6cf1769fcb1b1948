/**
 * Decides which rejections count against an address (refusals), and how many of them suppress it. The spool stores refusals and
 * suppressed recipients.
 *
 * An address is suppressed after SUPPRESS_AFTER refusals within 30 days, each at least 8 hours after the previous one. One
 * fewer is enough, but at least two, if the newest is at least 24 hours after the oldest. With the default of 3, these are
 * two refusals a day apart or three spread over a day. Refusals close together count as one: a server whose directory is
 * down rejects valid addresses, and a user who waits for a code requests it repeatedly.
 *
 * A refusal is a 5xx to RCPT or to the final dot by which the classifier blames the address: an enhanced code for an unknown mailbox, or
 * a text that can mean nothing else. A bare 550 is as often about the sender or the message. NXDOMAIN and null MX in DNS concern the
 * whole domain, which one new record repairs; another DNS query is cheap, so each message gets the current answer.
 */
import { mailboxKey } from "../address.ts";
import type { Category } from "./category.ts";
import { classifyReply } from "./classifier.ts";
import type { HostAttempt, Outcome, SmtpRecord } from "./outcome.ts";

/** The age up to which a refusal counts. */
export const REFUSAL_COUNTS_MS = 30 * 86_400_000;

/** Refusals closer together may have the same cause and count as one. */
export const REFUSALS_APART_MS = 8 * 3_600_000;

/** Over this span one refusal fewer is enough: hardly any outage lasts a day. */
const REFUSALS_SPAN_MS = 24 * 3_600_000;

/** The maximum of SUPPRESS_AFTER, and so the number of refusals worth storing. */
export const SUPPRESS_AFTER_MAX = 20;

/** Characters of the reply. Refusals are shown with every message that they suppress. */
const MESSAGE_LENGTH_MAX = 500;

/** A reply that the address does not exist, or a bounce that says so. */
export interface Refusal extends Omit<SmtpRecord, "tls"> {
  at_ms: number;
  /** It came as a bounce: the host had accepted the message. A later delivery does not disprove it. */
  bounced?: true;
}

/**
 * The causes that can be stored for an address, the weakest first. `bounce`: another service reported a hard bounce. `manual`: a person or
 * a program added the address. `unsubscribed`, `complaint`: its owner decided.
 */
export const SET_CAUSES = ["bounce", "manual", "unsubscribed", "complaint"] as const;
export type SetCause = (typeof SET_CAUSES)[number];

/** `refusals`: the address does not exist, as recent attempts showed. */
export type SuppressionCause = "refusals" | SetCause;
export const SUPPRESSION_CAUSES: readonly SuppressionCause[] = ["refusals", ...SET_CAUSES];

/** Why an address receives no attempts. */
export interface Suppression {
  cause: SuppressionCause;
  /** The time of the decisive refusal, or when the cause was set. */
  sinceMs: number;
  /** When too few refusals count, unless more arrive, or the end of another cause; null if it lasts until it is removed. */
  untilMs: number | null;
  /** The refusals that count, oldest first. */
  refusals: Refusal[];
}

/** A suppression that does not follow from refusals. */
export interface SetSuppression {
  cause: SetCause;
  /** When the cause was set. */
  atMs: number;
  /** Null: until it is removed. */
  untilMs: number | null;
}

/** Whether a suppression is in force no more. */
export const isEnded = ({ untilMs }: Pick<SetSuppression, "untilMs">, nowMs: number): boolean =>
  untilMs !== null && untilMs <= nowMs;

/**
 * Returns the suppression of an address that has one and gets another. The stronger cause stays. The end of the same cause is replaced;
 * of two causes, the later end counts, so that neither shortens the other. The first of two equal causes gives the time.
 */
export function combinedSuppression(known: SetSuppression, added: SetSuppression, nowMs: number): SetSuppression {
  if (isEnded(known, nowMs)) return added;
  if (known.cause === added.cause) {
    return { cause: known.cause, atMs: Math.min(known.atMs, added.atMs), untilMs: added.untilMs };
  }
  const isStronger = SET_CAUSES.indexOf(added.cause) > SET_CAUSES.indexOf(known.cause);
  const { cause, atMs } = isStronger ? added : known;
  const isEndless = known.untilMs === null || added.untilMs === null;
  return { cause, atMs, untilMs: isEndless ? null : Math.max(known.untilMs ?? 0, added.untilMs ?? 0) };
}

/** The result of an attempt for one recipient. */
export interface AttemptResult {
  outcome: Outcome["type"];
  /** The last is the decisive one. */
  tries: HostAttempt[];
}

/** Returns the key of an address's refusals: local part as it is sent, domain as lower-case A-labels. */
export function refusalKey(email: string, domain: string): string {
  return mailboxKey(email.slice(0, email.lastIndexOf("@")), domain);
}

/** Returns, for each recipient of one attempt, the refusal of its address, or null. */
export function refusalsIn(results: readonly AttemptResult[], atMs: number): (Refusal | null)[] {
  const refusedAtDot = results.filter((result) => isRefusedAt(result, "final_dot"));
  return results.map((result) => {
    // The reply to the final dot is for the whole transaction: with several recipients, the unknown one is not named.
    const isRefused = isRefusedAt(result, "rcpt") || (isRefusedAt(result, "final_dot") && refusedAtDot.length === 1);
    const last = result.tries.at(-1);
    if (!isRefused || last?.reply == null || !classifyReply(last.reply, last.stage).blamesAddress) return null;
    const message = [...last.reply.message].slice(0, MESSAGE_LENGTH_MAX).join("");
    return { at_ms: atMs, ...last.reply, message, mx: last.mx, ip: last.ip };
  });
}

function isRefusedAt({ outcome, tries }: AttemptResult, stage: HostAttempt["stage"]): boolean {
  return outcome === "failed" && tries.at(-1)?.stage === stage;
}

/** Returns the refusal that a bounce is, which blames the address. */
export function refusalOfBounce(
  { status, diagnostic }: { status: string | null; diagnostic: string },
  { atMs, domain }: { atMs: number; domain: string },
): Refusal {
  const message = [...diagnostic].slice(0, MESSAGE_LENGTH_MAX).join("");
  return { at_ms: atMs, code: 550, enhanced_code: status, message, mx: domain, ip: null, bounced: true };
}

/**
 * Returns the refusals that remain after a delivery. Bounces do: hosts that accept every address and bounce later would otherwise
 * clear each one with the next acceptance.
 */
export const afterDelivery = (refusals: readonly Refusal[]): Refusal[] => refusals.filter(({ bounced }) => bounced);

/**
 * Returns the refusals to store after a new one, oldest first: those spaced apart, and the newest. A refusal close to another
 * replaces those in between, never an older one.
 */
export function addRefusal(known: readonly Refusal[], refusal: Refusal): Refusal[] {
  const sorted = [...known, refusal].toSorted((a, b) => a.at_ms - b.at_ms);
  const recent = sorted.filter((each) => isRecent(each, refusal.at_ms));
  const newest = recent.at(-1) ?? refusal;
  const stored = spacedApart(recent).slice(-SUPPRESS_AFTER_MAX);
  return stored.at(-1) === newest ? stored : [...stored, newest];
}

/** Returns the suppression of an address with these refusals, oldest first, or null. `after`: SUPPRESS_AFTER; 0 means never. */
export function suppressionOf(
  refusals: readonly Refusal[],
  { after, nowMs }: { after: number; nowMs: number },
): Suppression | null {
  const recent = refusals.filter((refusal) => isRecent(refusal, nowMs));
  if (!isEnough(recent, after)) return null;
  const decisive = recent.find((_, i) => isEnough(recent.slice(0, i + 1), after));
  const nextToLapse = recent.findLast((_, i) => isEnough(recent.slice(i), after));
  if (decisive === undefined || nextToLapse === undefined) return null;
  return {
    cause: "refusals",
    sinceMs: decisive.at_ms,
    untilMs: nextToLapse.at_ms + REFUSAL_COUNTS_MS,
    refusals: recent,
  };
}

function isEnough(refusals: readonly Refusal[], after: number): boolean {
  const [oldest, newest] = [refusals[0], refusals.at(-1)];
  if (after === 0 || oldest === undefined || newest === undefined) return false;
  const count = spacedApart(refusals).length;
  const isSpread = newest.at_ms - oldest.at_ms >= REFUSALS_SPAN_MS;
  return count >= after || (isSpread && count >= Math.max(2, after - 1));
}

/** Returns the first refusal, and each that is late enough after the previous one returned. */
function spacedApart(refusals: readonly Refusal[]): Refusal[] {
  const spaced: Refusal[] = [];
  for (const refusal of refusals) {
    const last = spaced.at(-1);
    if (last === undefined || refusal.at_ms - last.at_ms >= REFUSALS_APART_MS) spaced.push(refusal);
  }
  return spaced;
}

function isRecent(refusal: Refusal, nowMs: number): boolean {
  // In both directions: a refusal recorded while the clock was ahead must not count until that time.
  return Math.abs(nowMs - refusal.at_ms) < REFUSAL_COUNTS_MS;
}

/** The category of a recipient whose address is suppressed. */
export const categoryOfSuppression = ({ cause }: Suppression): Category =>
  cause === "refusals" || cause === "bounce" ? "bad_address" : "policy";
