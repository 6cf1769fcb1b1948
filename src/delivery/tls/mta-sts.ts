/**
 * The MTA-STS policy in force for a recipient domain (RFC 8461): the stored one until its max_age is over, even when DNS and
 * HTTPS fail, because an attacker can make them fail; a new one when DNS shows a new id. Decides which policy is in force, how
 * long a message waits for one, and which hosts it names; tls-policy.ts decides what it requires of a session.
 *
 * mailauth parses the file. Two rules are applied here, because mailauth differs: a pattern's "*." matches one label (RFC 8461
 * §4.1; its validateMx allows several), and the first value of a repeated field counts (§3.2; it uses the last).
 */

import { parsePolicy } from "mailauth/lib/mta-sts.js";
import type { DnsAnswer } from "../../dns/resolver.ts";
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { withinLimit } from "../../lib/time-limit.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { StsPolicy } from "../../spool/port/sts-policies.ts";
import { LIMIT_MS, type StsFetchParts } from "./sts-fetch.ts";
import { FRESH_MS, StsFetches } from "./sts-fetches.ts";
export interface StsParts extends StsFetchParts {
  spool: Pick<Spool, "stsPolicy" | "beginStsFetch" | "failStsFetch" | "storeStsPolicy">;
  log: Logger;
}

/** How long messages wait for a policy where none is in force. They are then delivered without one; the fetch continues. */
const WAIT_MS = FRESH_MS;

/** How long a failed fetch is not repeated (RFC 8461 §3.3), nor a look-up in DNS that failed after WAIT_MS. */
const FAILURE_KEPT_MS = 300_000;

/** A fetch counts as given up so long after its limit: its process has ended. */
const FETCH_MARGIN_MS = 10_000;

/** How often it is looked whether another process has fetched a policy, while messages wait for it and later. */
const LOOK_EVERY_MS = 250;
const LOOK_SELDOM_MS = 5000;

/** Failures remembered, and policies that could not be stored; at the limit the oldest is dropped. */
const REMEMBERED_MAX = 10_000;

/** A policy is fetched again at this age, so that it does not expire while DNS shows the same id. */
const REFRESH_MS = DAY_MS;

/** The start of the TXT record, and its id: 1 to 32 letters and digits (RFC 8461 §3.1). */
const RECORD = /^v=STSv1\s*;/;
const ID = /(?:^|;)\s*id\s*=\s*([a-zA-Z0-9]{1,32})\s*(?:;|$)/;

/** A look-up after the stored policy was read. */
interface Begun {
  current: StsPolicy | null;
  /** The TXT records. */
  answer: Promise<DnsAnswer<string>>;
  beganMs: number;
}

/** The look-up of one domain's policy, which callers share and need not wait for. */
export interface StsLookup {
  /** The policy in force as far as it is known now, null without one. */
  readonly policy: StsPolicy | null;
  /**
   * Resolves at once with a policy in force; without one when the look-up has ended, at the latest WAIT_MS after it began or
   * after `limitMs`. Rejects where the spool cannot be read.
   */
  wait(limitMs?: number): Promise<void>;
  /** Resolves when DNS and the policy host have answered or failed. Rejects as `wait` does. */
  readonly ended: Promise<void>;
}

export class StsPolicies {
  readonly #parts: StsParts;
  readonly #fetches: StsFetches;
  readonly #underWay = new Map<string, Promise<StsLookup>>();
  /** When the look-up for a domain may be tried again, by the monotonic clock. */
  readonly #failures = boundedMap<number>(REMEMBERED_MAX);
  /** Policies that the spool did not store. They are in force all the same, and newer than the stored ones. */
  readonly #unstored = boundedMap<StsPolicy>(REMEMBERED_MAX);

  constructor(parts: StsParts) {
    this.#parts = parts;
    this.#fetches = new StsFetches(parts);
  }

  /**
   * The look-up of the policy of a recipient domain (A-labels). Resolves when the stored policy is read; DNS and the fetch go on
   * beside it. Concurrent calls and processes share them; if the process that fetches dies, another fetch follows. Rejects only
   * where the spool cannot be read.
   */
  lookUp(domain: string): Promise<StsLookup> {
    const shared = this.#underWay.get(domain);
    if (shared !== undefined) return shared;
    const begun = this.#begin(domain);
    this.#underWay.set(domain, begun);
    const end = (): void => void this.#underWay.delete(domain);
    void begun.then(({ ended }) => ended).then(end, end);
    return begun;
  }

  async #begin(domain: string): Promise<StsLookup> {
    const { resolver, clock } = this.#parts;
    const beganMs = clock.monotonicMs();
    const isFailing = beganMs < (this.#failures.peek(domain) ?? Number.NEGATIVE_INFINITY);
    const answer = isFailing ? null : resolver.txt(`_mta-sts.${domain}`);
    const stored = await this.#stored(domain);
    const current = stored !== null && isInForce(stored, clock.now()) ? stored : null;
    const latest = answer === null ? Promise.resolve(null) : this.#latest(domain, { current, answer, beganMs });
    return new Lookup(current, latest, { clock, untilMs: beganMs + WAIT_MS });
  }

  /** The policy that replaces the one in force; null if none does. */
  async #latest(domain: string, { current, answer, beganMs }: Begun): Promise<StsPolicy | null> {
    const { clock } = this.#parts;
    const texts = await answer;
    if (texts.type === "failure" && clock.monotonicMs() - beganMs >= WAIT_MS) this.#rememberFailure(domain);
    const id = texts.type === "found" ? policyId(texts.records) : null;
    if (id === null) return null;
    const ageMs = current === null ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - current.fetchedAtMs);
    if (current?.id === id && ageMs < REFRESH_MS) return null;
    return this.#fetchOnce(domain, id, current);
  }

  /** Fetches the policy unless another process does. Waits for that one only if no policy is in force meanwhile. */
  async #fetchOnce(domain: string, id: string, current: StsPolicy | null): Promise<StsPolicy | null> {
    const { spool, clock, limitMs = LIMIT_MS } = this.#parts;
    const beganMs = clock.monotonicMs();
    for (;;) {
      // Without the spool's reply, the policy may be fetched twice.
      const begun = await spool.beginStsFetch(domain, limitMs + FETCH_MARGIN_MS).catch(() => "begun" as const);
      // Another process may have ended its fetch since the policy was read.
      const stored = await spool.stsPolicy(domain);
      const isNew = stored?.id === id && stored.fetchedAtMs > (current?.fetchedAtMs ?? Number.NEGATIVE_INFINITY);
      if (isNew && isInForce(stored, clock.now())) return stored;
      if (begun === "begun") return this.#fetch(domain, id);
      if (begun === "failed") this.#rememberFailure(domain);
      if (begun === "failed" || current !== null) return null;
      const pauseMs = clock.monotonicMs() - beganMs < WAIT_MS ? LOOK_EVERY_MS : LOOK_SELDOM_MS;
      await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    }
  }

  async #fetch(domain: string, id: string): Promise<StsPolicy | null> {
    const { spool, clock, log } = this.#parts;
    const file = await this.#fetches.fetch(domain);
    if (file === null) {
      await spool.failStsFetch(domain, 0).catch(() => {});
      return null;
    }
    const fetchedAtMs = clock.now();
    const read = file.type === "fetched" ? readPolicy(file.text) : file;
    if (read.type === "failed") {
      log.warn({ domain, error: read.error }, "MTA-STS policy not fetched");
      this.#rememberFailure(domain);
      // The other processes may then fetch it too.
      await spool.failStsFetch(domain, FAILURE_KEPT_MS).catch(() => {});
      return null;
    }
    const { mode, mx, maxAgeMs } = read;
    const policy = { domain, id, mode, mx, fetchedAtMs, expiresAtMs: fetchedAtMs + maxAgeMs };
    await this.#store(policy);
    return policy;
  }

  #rememberFailure(domain: string): void {
    this.#failures.set(domain, this.#parts.clock.monotonicMs() + FAILURE_KEPT_MS);
  }

  async #stored(domain: string): Promise<StsPolicy | null> {
    const unstored = this.#unstored.peek(domain);
    if (unstored === undefined) return this.#parts.spool.stsPolicy(domain);
    await this.#store(unstored);
    return unstored;
  }

  /** Never rejects. */
  async #store(policy: StsPolicy): Promise<void> {
    const { spool, log } = this.#parts;
    const { domain } = policy;
    try {
      await spool.storeStsPolicy(policy);
      this.#unstored.delete(domain);
    } catch (error) {
      log.warn({ domain, err: error }, "MTA-STS policy not stored");
      this.#unstored.set(domain, policy);
    }
  }
}

class Lookup implements StsLookup {
  readonly ended: Promise<void>;
  readonly #limit: { clock: Clock; untilMs: number };
  #policy: StsPolicy | null;

  /** `untilMs`: how long callers wait, by the monotonic clock. */
  constructor(current: StsPolicy | null, latest: Promise<StsPolicy | null>, limit: { clock: Clock; untilMs: number }) {
    this.#policy = current;
    this.#limit = limit;
    this.ended = latest.then((policy) => {
      this.#policy = policy ?? this.#policy;
    });
    // Those who wait get the error.
    this.ended.catch(() => {});
  }

  get policy(): StsPolicy | null {
    return this.#policy;
  }

  async wait(limitMs = WAIT_MS): Promise<void> {
    const { clock, untilMs } = this.#limit;
    const leftMs = Math.min(limitMs, untilMs - clock.monotonicMs());
    if (this.#policy === null && leftMs > 0) await withinLimit(this.ended, { clock, limitMs: leftMs, late: undefined });
  }
}

/** Whether the max_age is not over. A policy fetched while the clock was ahead is in force for at most twice its max_age. */
function isInForce({ fetchedAtMs, expiresAtMs }: StsPolicy, nowMs: number): boolean {
  const maxAgeMs = expiresAtMs - fetchedAtMs;
  return nowMs < expiresAtMs && fetchedAtMs - nowMs <= maxAgeMs;
}

/** Whether the policy names the host: a pattern's "*" matches exactly one label, the leftmost (RFC 8461 §4.1). */
export function namesHost(policy: StsPolicy, host: string): boolean {
  const parent = host.slice(host.indexOf(".") + 1);
  return policy.mx.some((pattern) =>
    pattern.startsWith("*.") ? host.includes(".") && pattern.slice(2) === parent : pattern === host,
  );
}

/** The id in the TXT records of `_mta-sts.DOMAIN`; null unless exactly one of them is an MTA-STS record with one. */
export function policyId(texts: string[]): string | null {
  const [record, ...more] = texts.filter((text) => RECORD.test(text));
  return record === undefined || more.length > 0 ? null : (ID.exec(record.replace(RECORD, ""))?.[1] ?? null);
}

type ReadPolicy =
  | { type: "policy"; mode: StsPolicy["mode"]; mx: string[]; maxAgeMs: number }
  | { type: "failed"; error: string };

/** Reads a policy file, whatever it contains. */
export function readPolicy(text: string): ReadPolicy {
  try {
    const { mode, mx = [], maxAge } = parsePolicy(firstOfEach(text));
    return { type: "policy", mode, mx: mx.map((name) => name.replace(/\.$/, "")), maxAgeMs: maxAge * 1000 };
  } catch (error) {
    return { type: "failed", error: (error as Error).message };
  }
}

/** mailauth compares each host with all before it. A policy that is in use names a few. */
const STS_HOSTS_MAX = 500;

/** The file without repeated fields other than mx, of which the first distinct ones count. */
function firstOfEach(text: string): string {
  const seen = new Set<string>();
  let hosts = 0;
  const lines = text.split(/\r?\n/).filter((line) => {
    const field = line.split(":")[0]?.trim().toLowerCase() ?? "";
    const key = field === "mx" ? line : field;
    if (seen.has(key) || (field === "mx" && hosts >= STS_HOSTS_MAX)) return false;
    if (field === "mx") hosts += 1;
    seen.add(key);
    return true;
  });
  return lines.join("\n");
}
