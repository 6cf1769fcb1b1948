/**
 * Bounds the mail that is stored and waits to be read: anyone can send some, and it must not fill the disk. Anyone can write to the
 * fixed names, so these may take half, and the envelope senders, which have tags, the rest. One client address may take a tenth of that
 * half: the mail of one that has used up its time of reading waits for hours, and must not keep out that of all others. The backlog is
 * looked at once a second, and what this process stores meanwhile is added, so several processes may exceed it a little; so may one client
 * address, by what the backlog does not count for a separate network.
 */

import type { IncomingRecipientType } from "../app/incoming/incoming-recipients.ts";
import { clientNetwork } from "../lib/client-address.ts";
import type { Clock } from "../lib/clock.ts";
import { MIB } from "../lib/units.ts";
import type { IncomingBacklog } from "../spool/port/incoming.ts";
import { tooMuchWaits } from "./reply.ts";

type Amount = Pick<IncomingBacklog, "mails" | "octets">;

const BACKLOG_MAX: Amount = { mails: 10_000, octets: 256 * MIB };
const NAMES_SHARE = 0.5;
/** Of the share of the names. Of IPv6, a /64 is one address. */
const ADDRESS_SHARE = 0.1;
const NONE: Amount = { mails: 0, octets: 0 };
const KEPT_MS = 1000;

export interface BacklogParts {
  store: { incomingBacklog(): Promise<IncomingBacklog> };
  clock: Pick<Clock, "monotonicMs">;
}

export class Backlog {
  readonly #parts: BacklogParts;
  readonly #max: Amount;
  #known = NONE;
  /** By the network of the client. */
  #byNetwork = new Map<string, Amount>();
  #look: Promise<void> | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: BacklogParts, max = BACKLOG_MAX) {
    this.#parts = parts;
    this.#max = max;
  }

  /** Rejects with the SMTP reply if the client may send no more mail of this type now, and with SpoolUnavailable. */
  async check(type: IncomingRecipientType, ip: string): Promise<void> {
    if (this.#parts.clock.monotonicMs() - this.#lookedAtMs >= KEPT_MS) {
      this.#look ??= this.#update().finally(() => {
        this.#look = null;
      });
    }
    await this.#look;
    const share = type === "bounces" ? 1 : NAMES_SHARE;
    if (this.#isOver(this.#known, share)) throw tooMuchWaits();
    const own = this.#byNetwork.get(clientNetwork(ip));
    if (type !== "bounces" && own !== undefined && this.#isOver(own, NAMES_SHARE * ADDRESS_SHARE)) throw tooMuchWaits();
  }

  /** Counts a mail that is being stored. */
  add(octets: number, ip: string): void {
    const mail = { mails: 1, octets };
    this.#known = sumOf(this.#known, mail);
    this.#addTo(clientNetwork(ip), mail);
  }

  #isOver({ mails, octets }: Amount, share: number): boolean {
    return mails >= share * this.#max.mails || octets >= share * this.#max.octets;
  }

  #addTo(network: string, amount: Amount): void {
    this.#byNetwork.set(network, sumOf(this.#byNetwork.get(network) ?? NONE, amount));
  }

  async #update(): Promise<void> {
    const { networks, ...known } = await this.#parts.store.incomingBacklog();
    this.#known = known;
    this.#byNetwork = new Map();
    for (const { network, ...amount } of networks) this.#addTo(network, amount);
    this.#lookedAtMs = this.#parts.clock.monotonicMs();
  }
}

const sumOf = (one: Amount, other: Amount): Amount => ({
  mails: one.mails + other.mails,
  octets: one.octets + other.octets,
});
