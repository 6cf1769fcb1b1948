/**
 * Sending domains whose mail a destination has refused for their records (SPF, DKIM, DMARC, MX, addresses) or their rate, a few times in a row:
 * their mail pauses only there. One message at a time probes whether the destination accepts it again. The mail of other
 * domains, and this one's at other destinations, goes on. refusal-scope.ts decides what a refusal concerns.
 *
 * In memory of each node: a node that starts, and each one beside others, learns a pause by the same number of refusals.
 */

import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { rfc3339 } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { Category } from "../../message/result/category.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { destinationLabel } from "../../receivers/names.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";

/** A destination's refusal of the sending domain. */
export interface SenderRefusal {
  category: Category;
  /** The reply on one line. */
  text: string;
}

/** A pause. Times are of the monotonic clock. */
export interface SenderPause {
  destination: string;
  category: Category;
  sinceMs: number;
  /** When the next message may probe; null while one does. */
  probeAtMs: number | null;
}

/** What an attempt needs to know, and gives back with `report` or `withdraw`. */
export type Pass =
  /** `isProbe`: the only message that is tried during a pause. */
  { type: "pass"; destination: string | null; isProbe: boolean } | { type: "paused"; pause: SenderPause };

export type PausedJob = Pick<DeliveryJob, "accountId" | "domainId" | "domain" | "from">;

/** Consecutive refusals, without a message accepted, after which a domain's mail pauses. */
export const REFUSALS_UNTIL_PAUSED = 3;

/** The gap before the first probe; doubled after each that is refused. */
const GAP_FIRST_MS = 5000;
const GAP_MAX_MS = 300_000;

/** A probe that takes longer no longer keeps another one from starting. */
const PROBE_LIMIT_MS = 60_000;

/** Sending domains at destinations with refusals; beyond that, the one without a refusal for longest is forgotten. */
const REFUSED_MAX = 10_000;

interface Refused extends SenderPause {
  probeAtMs: number;
  /** Until when no other message probes beside the one that does. */
  probingUntilMs: number;
  refusals: number;
  isPaused: boolean;
  gapMs: number;
}

export interface SenderPausesParts {
  clock: Clock;
  log: Logger;
  /** Called when a domain's mail pauses, and after each refused probe, if it is for its authentication. */
  onUnauthenticated: (job: PausedJob) => void;
}

export class SenderPauses {
  readonly #parts: SenderPausesParts;
  readonly #refused = boundedMap<Refused>(REFUSED_MAX);

  constructor(parts: SenderPausesParts) {
    this.#parts = parts;
  }

  /** Pairs of a sending domain and a destination at which its mail pauses. */
  get count(): number {
    let count = 0;
    for (const { isPaused } of this.#refused.values()) if (isPaused) count += 1;
    return count;
  }

  /** Whether a job may be tried at the destination now; null for none. A test message is never paused. */
  enter(job: PausedJob, destination: string | null): Pass {
    // Nearly always nothing is paused, and then nothing is looked up.
    if (this.#refused.size === 0 || destination === null) return { type: "pass", destination, isProbe: false };
    const nowMs = this.#parts.clock.monotonicMs();
    const refused = this.#refused.peek(keyOf(job, destination));
    if (refused?.isPaused !== true) return { type: "pass", destination, isProbe: false };
    if (nowMs < refused.probingUntilMs) return { type: "paused", pause: { ...refused, probeAtMs: null } };
    if (nowMs < refused.probeAtMs) return { type: "paused", pause: { ...refused } };
    refused.probingUntilMs = nowMs + PROBE_LIMIT_MS;
    return { type: "pass", destination, isProbe: true };
  }

  /** Call instead of `report` if the job was not tried. */
  withdraw(job: PausedJob, { destination, isProbe }: Extract<Pass, { type: "pass" }>): void {
    if (!isProbe || destination === null) return;
    const refused = this.#refused.peek(keyOf(job, destination));
    if (refused !== undefined) refused.probingUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Reports what a tried job met: a refusal of the sending domain, if there was one, and whether a message was accepted. */
  report(
    job: PausedJob,
    pass: Extract<Pass, { type: "pass" }>,
    { refusal, isAccepted }: { refusal: SenderRefusal | null; isAccepted: boolean },
  ): void {
    const { destination } = pass;
    if (destination === null || isTestRoute(job.domain)) return;
    if (isAccepted) this.#accept(job, destination);
    else if (refusal !== null) this.#refuse(job, { ...pass, destination, refusal });
    else this.withdraw(job, pass);
  }

  #accept(job: PausedJob, destination: string): void {
    if (this.#refused.size === 0) return;
    const key = keyOf(job, destination);
    const refused = this.#refused.peek(key);
    if (refused === undefined) return;
    this.#refused.delete(key);
    if (refused.isPaused) this.#parts.log.info({ domain: domainOf(job), destination }, "sending domain accepted again");
  }

  #refuse(
    job: PausedJob,
    { destination, isProbe, refusal }: { destination: string; isProbe: boolean; refusal: SenderRefusal },
  ): void {
    const { clock, log, onUnauthenticated } = this.#parts;
    const { category, text } = refusal;
    const nowMs = clock.monotonicMs();
    const refused = this.#of(job, destination, nowMs);
    refused.category = category;
    refused.refusals += 1;
    // Attempts that began together are refused together: only a probe shows that the destination still refuses.
    if (refused.isPaused ? !isProbe : refused.refusals < REFUSALS_UNTIL_PAUSED) return;
    refused.gapMs = refused.isPaused ? Math.min(GAP_MAX_MS, 2 * refused.gapMs) : GAP_FIRST_MS;
    refused.probeAtMs = nowMs + refused.gapMs;
    refused.probingUntilMs = Number.NEGATIVE_INFINITY;
    if (!refused.isPaused)
      log.warn({ domain: domainOf(job), destination, category, reply: text }, "sending domain paused");
    if (!refused.isPaused) refused.sinceMs = nowMs;
    refused.isPaused = true;
    if (category === "authentication") onUnauthenticated(job);
  }

  #of(job: PausedJob, destination: string, nowMs: number): Refused {
    const key = keyOf(job, destination);
    const known = this.#refused.peek(key) ?? {
      destination,
      category: "other" as const,
      sinceMs: nowMs,
      probeAtMs: nowMs,
      probingUntilMs: Number.NEGATIVE_INFINITY,
      refusals: 0,
      isPaused: false,
      gapMs: 0,
    };
    // The newest.
    this.#refused.set(key, known);
    return known;
  }
}

/** Why a job is not tried. Without the reply, which may name another message's recipient. */
export function pauseText({ destination, sinceMs, probeAtMs }: SenderPause, clock: Clock): string {
  const at = (ms: number): string => rfc3339(Math.round(ms + clock.now() - clock.monotonicMs()));
  const probe = probeAtMs === null ? "One message probes it now." : `One message probes it at ${at(probeAtMs)}.`;
  return `not tried: ${destinationLabel(destination)} has rejected mail of the sending domain several times, so it pauses there since ${at(sinceMs)}. ${probe}`;
}

const keyOf = ({ domainId }: PausedJob, destination: string): string => `${domainId} ${destination}`;

const domainOf = ({ from }: PausedJob): string => from.slice(from.lastIndexOf("@") + 1);
