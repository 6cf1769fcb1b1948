/**
 * Counts sessions by recipient domain, day and TLS outcome, for the TLS reports that Postrider sends. Counts are written once a
 * minute, off the path of messages; those of the last minute are lost in a crash.
 */
import { isIPv6 } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { TlsSessionCounts, TlsSessions } from "../../spool/port/tls-sessions.ts";
import type { TlsOutcome } from "./tls-outcome.ts";

const WRITE_INTERVAL_MS = 60_000;
/** Counts of one minute. Further ones are not counted. */
const COUNTS_MAX = 10_000;
/** Counts of one write. */
const WRITTEN_MAX = 500;

export interface SessionCountsParts {
  spool: Pick<TlsSessionCounts, "addTlsSessions">;
  clock: Clock;
  log: Pick<Logger, "warn">;
  /** The public addresses of this server. */
  sendingIps: readonly string[];
  /** The sender of reports. Its sessions are not counted: a report would be followed by a report on its own delivery, every day. */
  reportsFrom: string;
}

/** Where a session went, and for which sender. */
export interface CountedSession {
  /** The address in From. */
  from: string;
  /** The recipient domain. */
  domain: string;
  mx: string;
  /** Its address; empty if there was no connection. */
  ip: string;
}

export class SessionCounts {
  readonly #parts: SessionCountsParts;
  #counts = new Map<string, TlsSessions>();
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(parts: SessionCountsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(WRITE_INTERVAL_MS, () => {
      void this.#write().then(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  /** Counts a session. Successes of a domain are counted together. */
  add({ from, domain, mx, ip }: CountedSession, outcome: TlsOutcome): void {
    if (from.toLowerCase() === this.#parts.reportsFrom.toLowerCase()) return;
    const day = Math.floor(this.#parts.clock.now() / DAY_MS);
    const isFailure = outcome.resultType !== "";
    const hosts = isFailure ? { mx, receivingIp: ip, sendingIp: this.#sendingIp(ip) } : NO_HOSTS;
    const key = [day, domain, outcome.policyType, outcome.resultType, hosts.mx, hosts.receivingIp].join(" ");
    const counted = this.#counts.get(key);
    if (counted !== undefined) counted.sessions += 1;
    else if (this.#counts.size < COUNTS_MAX) this.#counts.set(key, { day, domain, ...outcome, ...hosts, sessions: 1 });
  }

  /** Writes what is left. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#write();
  }

  async #write(): Promise<void> {
    const { spool, log } = this.#parts;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      for (let at = 0; at < counts.length; at += WRITTEN_MAX) {
        await spool.addTlsSessions(counts.slice(at, at + WRITTEN_MAX));
      }
    } catch (error) {
      log.warn({ error: errorText(error) }, "counts of TLS sessions not stored");
    }
  }

  /** The public address of this server, if it has one of the family. */
  #sendingIp(receivingIp: string): string {
    const ofFamily = this.#parts.sendingIps.filter((ip) => receivingIp !== "" && isIPv6(ip) === isIPv6(receivingIp));
    return ofFamily.length === 1 ? (ofFamily[0] ?? "") : "";
  }
}

const NO_HOSTS = { mx: "", receivingIp: "", sendingIp: "" } as const;
