/**
 * Counts the recipients in an attempt, and those delivered in the last minute, by account and recipient domain. Test messages are
 * left out. It is only for reports: no decision of delivery depends on it.
 */
import type { Clock } from "../../lib/clock.ts";
import { isTestRoute } from "../../message/test-route.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { DomainTraffic } from "../../spool/port/node-traffic.ts";

/** Deliveries are counted by intervals; the last minute is the current one and those before it. */
const INTERVAL_MS = 10_000;
const INTERVALS = 6;

/** Above this, entries without traffic are removed, and then the oldest. */
const ENTRIES_MAX = 5000;

type Named = Pick<DeliveryJob, "accountId" | "domain">;

interface Entry extends Named {
  inFlight: number;
  /** Deliveries by the number of the interval modulo INTERVALS. */
  delivered: number[];
  /** The newest interval with a delivery. */
  interval: number;
}

export class DomainTrafficCounts {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Counts recipients that go into an attempt. Returns the function to call when their results are stored. */
  begin(job: Named, recipients: number): (delivered: number) => void {
    if (isTestRoute(job.domain)) return () => {};
    this.#of(job).inFlight += recipients;
    return (delivered) => {
      const entry = this.#of(job);
      entry.inFlight = Math.max(0, entry.inFlight - recipients);
      if (delivered > 0) this.#addDelivered(entry, delivered);
    };
  }

  /** The entries with traffic. */
  list(): DomainTraffic[] {
    this.#removeIdle();
    return [...this.#entries.values()].map((entry) => {
      const { accountId, domain, inFlight } = entry;
      return { accountId, domain, inFlight, deliveredLastMinute: this.#delivered(entry) };
    });
  }

  #of({ accountId, domain }: Named): Entry {
    const name = `${accountId} ${domain}`;
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    if (this.#entries.size >= ENTRIES_MAX) this.#makeRoom();
    const entry = { accountId, domain, inFlight: 0, delivered: new Array<number>(INTERVALS).fill(0), interval: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  #addDelivered(entry: Entry, recipients: number): void {
    const now = this.#interval;
    this.#forgetOld(entry, now);
    entry.interval = now;
    entry.delivered[now % INTERVALS] = (entry.delivered[now % INTERVALS] ?? 0) + recipients;
  }

  #delivered(entry: Entry): number {
    this.#forgetOld(entry, this.#interval);
    return entry.delivered.reduce((sum, each) => sum + each, 0);
  }

  /** Clears the counts of intervals that are longer ago than a minute. */
  #forgetOld(entry: Entry, now: number): void {
    const passed = Math.min(INTERVALS, now - entry.interval);
    for (let i = 0; i < passed; i += 1) entry.delivered[(now - i) % INTERVALS] = 0;
    entry.interval = now;
  }

  #removeIdle(): void {
    for (const [name, entry] of this.#entries) {
      if (entry.inFlight === 0 && this.#delivered(entry) === 0) this.#entries.delete(name);
    }
  }

  /** Removes a tenth, so that the entries are not gone through for each new one. */
  #makeRoom(): void {
    this.#removeIdle();
    const idle = [...this.#entries].filter(([, { inFlight }]) => inFlight === 0);
    const surplus = this.#entries.size - 0.9 * ENTRIES_MAX;
    for (const [name] of idle.slice(0, Math.max(0, surplus))) this.#entries.delete(name);
  }

  get #interval(): number {
    return Math.floor(this.#clock.monotonicMs() / INTERVAL_MS);
  }
}
