/**
 * Secrets and results that a page shows once after a form was submitted. The page's path has a ticket, so reloading the page
 * neither shows them again nor submits the form again. The spool holds the value sealed, under a hash of the ticket, until any
 * node shows it.
 */

import { createHash, randomBytes } from "node:crypto";
import { MINUTE_MS } from "../../lib/units.ts";
import type { DashboardParts } from "./parts.ts";

/** How long a value is held until its page is requested. */
const SHOW_WITHIN_MS = 5 * MINUTE_MS;

export type ShownOnceParts = Pick<DashboardParts, "heldValues" | "secrets">;

/** Values of one kind that have not been shown yet. They are held as JSON. */
export class ShownOnce<T> {
  readonly #parts: ShownOnceParts;
  readonly #kind: string;

  constructor(parts: ShownOnceParts, kind: string) {
    this.#parts = parts;
    this.#kind = kind;
  }

  /** Returns the ticket for `take`. */
  async hold(accountId: string, value: T): Promise<string> {
    const { heldValues, secrets } = this.#parts;
    const ticket = randomBytes(16).toString("base64url");
    const sealed = secrets.seal(this.#nameOf(ticket), JSON.stringify(value));
    await heldValues.hold({ hash: this.#hashOf(ticket), accountId, sealed, keptMs: SHOW_WITHIN_MS });
    return ticket;
  }

  /** Returns the account's value once, and null from then on. */
  async take(accountId: string, ticket: string): Promise<T | null> {
    const { heldValues, secrets } = this.#parts;
    const sealed = await heldValues.take(accountId, this.#hashOf(ticket));
    return sealed === null ? null : JSON.parse(secrets.open(this.#nameOf(ticket), sealed));
  }

  #nameOf(ticket: string): string {
    return `${this.#kind} ${ticket}`;
  }

  #hashOf(ticket: string): Buffer {
    return createHash("sha256").update(this.#nameOf(ticket)).digest();
  }
}
