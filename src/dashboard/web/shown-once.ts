/**
 * Secrets and results that a page shows once after a form was submitted. They are held in memory under a ticket in the page's
 * path, so reloading the page neither shows them again nor submits the form again.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";

/** How long a value is held until its page is requested. */
const SHOW_WITHIN_MS = 5 * 60_000;
const HELD_MAX = 1000;

/** Values that have not been shown yet, by ticket, the oldest first. */
export class ShownOnce<T> {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #held = new Map<string, { value: T; accountId: string; untilMs: number }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Returns the ticket for `take`. */
  hold(accountId: string, value: T): string {
    const nowMs = this.#clock.monotonicMs();
    for (const [ticket, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(ticket);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= HELD_MAX && oldest !== undefined) this.#held.delete(oldest);
    const ticket = randomBytes(16).toString("base64url");
    this.#held.set(ticket, { value, accountId, untilMs: nowMs + SHOW_WITHIN_MS });
    return ticket;
  }

  /** Returns the account's value once, and null from then on. */
  take(accountId: string, ticket: string): T | null {
    const held = this.#held.get(ticket);
    if (held === undefined || held.accountId !== accountId || held.untilMs <= this.#clock.monotonicMs()) return null;
    this.#held.delete(ticket);
    return held.value;
  }
}
