/**
 * Bounds the mail that is stored and waits to be read: anyone can send some, and it must not fill the disk. Anyone can write to the
 * fixed names, so these may take half, and the envelope senders, which have tags, the rest. The backlog is looked at once a second,
 * and what this process stores meanwhile is added, so several processes may exceed it a little.
 */
import type { IncomingRecipientType } from "../app/incoming-recipients.ts";
import type { Clock } from "../lib/clock.ts";
import type { IncomingBacklog } from "../spool/port/incoming.ts";
import { tooMuchWaits } from "./reply.ts";

const BACKLOG_MAX: IncomingBacklog = { mails: 10_000, octets: 256 * 1024 * 1024 };
const NAMES_SHARE = 0.5;
const KEPT_MS = 1000;

export interface BacklogParts {
  store: { incomingBacklog(): Promise<IncomingBacklog> };
  clock: Pick<Clock, "monotonicMs">;
}

export class Backlog {
  readonly #parts: BacklogParts;
  readonly #max: IncomingBacklog;
  #known: IncomingBacklog = { mails: 0, octets: 0 };
  #look: Promise<void> | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: BacklogParts, max = BACKLOG_MAX) {
    this.#parts = parts;
    this.#max = max;
  }

  /** Rejects with the reply if no more mail of the type is accepted, and with SpoolUnavailable. */
  async check(type: IncomingRecipientType): Promise<void> {
    if (this.#parts.clock.monotonicMs() - this.#lookedAtMs >= KEPT_MS) {
      this.#look ??= this.#update().finally(() => {
        this.#look = null;
      });
    }
    await this.#look;
    const share = type === "bounces" ? 1 : NAMES_SHARE;
    const { mails, octets } = this.#known;
    if (mails >= share * this.#max.mails || octets >= share * this.#max.octets) throw tooMuchWaits();
  }

  /** Counts a mail that is being stored. */
  add(octets: number): void {
    this.#known = { mails: this.#known.mails + 1, octets: this.#known.octets + octets };
  }

  async #update(): Promise<void> {
    this.#known = await this.#parts.store.incomingBacklog();
    this.#lookedAtMs = this.#parts.clock.monotonicMs();
  }
}
