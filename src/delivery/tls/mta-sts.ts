/**
 * The MTA-STS policy in force for a recipient domain (RFC 8461): the stored one until its max_age is over, even when DNS and
 * HTTPS fail, because an attacker can make them fail; a new one when DNS shows a new id. Decides which policy is in force and
 * which hosts it names; tls-policy.ts decides what it requires of a session.
 *
 * mailauth parses the file. Two rules are applied here, because mailauth differs: a pattern's "*." matches one label (RFC 8461
 * §4.1; its validateMx allows several), and the first value of a repeated field counts (§3.2; it uses the last).
 */
import { parsePolicy } from "mailauth/lib/mta-sts.js";
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Logger } from "../../lib/log.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { StsPolicy } from "../../spool/port/sts-policies.ts";
import { fetchStsFile, LIMIT_MS, type StsFetchParts } from "./sts-fetch.ts";

export interface StsParts extends StsFetchParts {
  spool: Pick<Spool, "stsPolicy" | "beginStsFetch" | "failStsFetch" | "storeStsPolicy">;
  log: Logger;
}

/** How long a failed fetch is not repeated. */
const FAILURE_KEPT_MS = 300_000;

/** A fetch counts as given up so long after its limit: its process has ended. */
const FETCH_MARGIN_MS = 10_000;

/** How often it is looked whether another process has fetched a policy. */
const LOOK_EVERY_MS = 250;

/** Failures remembered, and policies that could not be stored; at the limit the oldest is dropped. */
const REMEMBERED_MAX = 10_000;

/** A policy is fetched again at this age, so that it does not expire while DNS shows the same id. */
const REFRESH_MS = 24 * 3_600_000;

/** The start of the TXT record, and its id: 1 to 32 letters and digits (RFC 8461 §3.1). */
const RECORD = /^v=STSv1\s*;/;
const ID = /(?:^|;)\s*id\s*=\s*([a-zA-Z0-9]{1,32})\s*(?:;|$)/;

export class StsPolicies {
  readonly #parts: StsParts;
  readonly #underWay = new Map<string, Promise<StsPolicy | null>>();
  /** When the fetch for a domain may be tried again, by the monotonic clock. */
  readonly #failures = boundedMap<number>(REMEMBERED_MAX);
  /** Policies that the spool did not store. They are in force all the same, and newer than the stored ones. */
  readonly #unstored = boundedMap<StsPolicy>(REMEMBERED_MAX);

  constructor(parts: StsParts) {
    this.#parts = parts;
  }

  /**
   * The policy in force for a recipient domain (A-labels), null without one. Takes no longer than DNS and one bounded fetch, which
   * concurrent calls and processes share; if the process that fetches dies, another fetch follows. Rejects only where the spool
   * cannot be read.
   */
  policyOf(domain: string): Promise<StsPolicy | null> {
    const shared = this.#underWay.get(domain);
    if (shared !== undefined) return shared;
    const asked = this.#find(domain).finally(() => this.#underWay.delete(domain));
    this.#underWay.set(domain, asked);
    return asked;
  }

  async #find(domain: string): Promise<StsPolicy | null> {
    const { resolver, clock } = this.#parts;
    const [stored, texts] = await Promise.all([this.#stored(domain), resolver.txt(`_mta-sts.${domain}`)]);
    const nowMs = clock.now();
    const current = stored !== null && isInForce(stored, nowMs) ? stored : null;
    const id = texts.type === "found" ? policyId(texts.records) : null;
    if (id === null) return current;
    const isUpToDate = current !== null && current.id === id && Math.abs(nowMs - current.fetchedAtMs) < REFRESH_MS;
    const isFailing = clock.monotonicMs() < (this.#failures.peek(domain) ?? Number.NEGATIVE_INFINITY);
    if (isUpToDate || isFailing) return current;
    return (await this.#fetchOnce(domain, id, current)) ?? current;
  }

  /** Fetches the policy unless another process does. Waits for that one only if no policy is in force meanwhile. */
  async #fetchOnce(domain: string, id: string, current: StsPolicy | null): Promise<StsPolicy | null> {
    const { spool, clock, limitMs = LIMIT_MS } = this.#parts;
    for (;;) {
      // Without the spool's reply, the policy may be fetched twice.
      const begun = await spool.beginStsFetch(domain, limitMs + FETCH_MARGIN_MS).catch(() => "begun" as const);
      // Another process may have ended its fetch since the policy was read.
      const stored = await spool.stsPolicy(domain);
      const isNew = stored?.id === id && stored.fetchedAtMs > (current?.fetchedAtMs ?? Number.NEGATIVE_INFINITY);
      if (isNew && isInForce(stored, clock.now())) return stored;
      if (begun === "begun") return this.#fetch(domain, id);
      if (begun === "failed") this.#failures.set(domain, clock.monotonicMs() + FAILURE_KEPT_MS);
      if (begun === "failed" || current !== null) return null;
      await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    }
  }

  async #fetch(domain: string, id: string): Promise<StsPolicy | null> {
    const { spool, clock, log } = this.#parts;
    const file = await fetchStsFile(domain, this.#parts);
    const fetchedAtMs = clock.now();
    const read = file.type === "fetched" ? readPolicy(file.text) : file;
    if (read.type === "failed") {
      log.warn({ domain, error: read.error }, "MTA-STS policy not fetched");
      this.#failures.set(domain, clock.monotonicMs() + FAILURE_KEPT_MS);
      // The other processes may then fetch it too.
      await spool.failStsFetch(domain, FAILURE_KEPT_MS).catch(() => {});
      return null;
    }
    const { mode, mx, maxAgeMs } = read;
    const policy = { domain, id, mode, mx, fetchedAtMs, expiresAtMs: fetchedAtMs + maxAgeMs };
    await this.#store(policy);
    return policy;
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
function policyId(texts: string[]): string | null {
  const [record, ...more] = texts.filter((text) => RECORD.test(text));
  return record === undefined || more.length > 0 ? null : (ID.exec(record.replace(RECORD, ""))?.[1] ?? null);
}

type ReadPolicy =
  | { type: "policy"; mode: StsPolicy["mode"]; mx: string[]; maxAgeMs: number }
  | { type: "failed"; error: string };

function readPolicy(text: string): ReadPolicy {
  try {
    const { mode, mx = [], maxAge } = parsePolicy(firstOfEach(text));
    return { type: "policy", mode, mx: mx.map((name) => name.replace(/\.$/, "")), maxAgeMs: maxAge * 1000 };
  } catch (error) {
    return { type: "failed", error: (error as Error).message };
  }
}

/** The file without repeated fields other than mx. */
function firstOfEach(text: string): string {
  const seen = new Set<string>();
  const lines = text.split(/\r?\n/).filter((line) => {
    const field = line.split(":")[0]?.trim().toLowerCase() ?? "";
    if (field !== "mx" && seen.has(field)) return false;
    seen.add(field);
    return true;
  });
  return lines.join("\n");
}
