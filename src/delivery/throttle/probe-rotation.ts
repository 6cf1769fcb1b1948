/**
 * Which message may probe a closed destination whose mail is deferred, because too many destinations are closed for all mail to wait in
 * the spool. A message that was refused as a probe gives way to those that were turned away since. Without that rule, one message
 * that its destination always refuses, or that breaks every connection, can be due whenever a probe is: all others find the next
 * probe minutes ahead, are deferred, and the destination never opens. While mail waits in the spool for the probe, the order of due
 * times has the same effect, because a refused probe is deferred behind the mail that is due.
 *
 * Known in memory of each node. Only the order of jobs decides, so a simulation repeats it.
 */
import { type BoundedMap, boundedMap } from "../../lib/bounded-map.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";

export type ThrottledJob = Pick<DeliveryJob, "messageId" | "domain">;

/** Closed destinations, and of each the messages and recipient domains remembered. */
const DESTINATIONS_MAX = 1000;
const REMEMBERED_MAX = 100;

/** How long is waited for a message that was turned away: two of the longest pauses. It may have been cancelled since. */
const GIVES_WAY_MS = 600_000;

interface Turns {
  /** Messages that were refused as a probe. */
  refused: BoundedMap<number>;
  /** When a message that has not been a probe was last turned away, by its recipient domain. */
  turnedAway: BoundedMap<number>;
}

export class ProbeRotation {
  readonly #turns = boundedMap<Turns>(DESTINATIONS_MAX);

  /** Whether the job leaves the probe to another one: of any recipient domain, or if a person asks for this domain, of the same. */
  givesWay(destination: string, { messageId, domain }: ThrottledJob, at: { nowMs: number; isAsked: boolean }): boolean {
    const turns = this.#turns.peek(destination);
    if (turns?.refused.peek(messageId) === undefined) return false;
    const waiting = at.isAsked ? [turns.turnedAway.peek(domain)] : [...turns.turnedAway.entries()].map(([, ms]) => ms);
    return waiting.some((atMs) => atMs !== undefined && at.nowMs - atMs < GIVES_WAY_MS);
  }

  turnedAway(destination: string, { messageId, domain }: ThrottledJob, nowMs: number): void {
    const { refused, turnedAway } = this.#of(destination);
    if (refused.peek(messageId) === undefined) turnedAway.set(domain, nowMs);
  }

  /** The destination stays closed after the job's probe. */
  refused(destination: string, { messageId, domain }: ThrottledJob): void {
    const { refused, turnedAway } = this.#of(destination);
    if (refused.peek(messageId) === undefined) turnedAway.delete(domain);
    refused.set(messageId, 1);
  }

  opened(destination: string): void {
    this.#turns.delete(destination);
  }

  #of(destination: string): Turns {
    const known = this.#turns.peek(destination);
    if (known !== undefined) return known;
    const turns = { refused: boundedMap<number>(REMEMBERED_MAX), turnedAway: boundedMap<number>(REMEMBERED_MAX) };
    this.#turns.set(destination, turns);
    return turns;
  }
}
