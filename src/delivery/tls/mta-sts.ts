/**
 * The MTA-STS policy that holds for a recipient domain (RFC 8461): the one in the spool until its max_age is over, even
 * when DNS and HTTPS fail, since that is when an attacker is at work; a new one where DNS shows a new id. Decides which
 * policy holds and which hosts it names; what it demands of a session is tls-policy.ts's.
 *
 * mailauth reads the file. Its validateMx lets "*." stand for several labels (RFC 8461 §4.1: for one), and of a repeated
 * field it takes the last value (§3.2: the first counts): both are done here.
 */
import { parsePolicy } from "mailauth/lib/mta-sts.js";
import type { Logger } from "../../lib/log.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { StsPolicy } from "../../spool/port/sts-policies.ts";
import { fetchStsFile, type StsFetchParts } from "./sts-fetch.ts";

export interface StsParts extends StsFetchParts {
  spool: Pick<Spool, "stsPolicy" | "storeStsPolicy">;
  log: Logger;
}

/** A fetch that failed is not repeated for so long. */
const FAILURE_KEPT_MS = 300_000;

/** Failures remembered, and policies that could not be stored; beyond that the oldest are forgotten. */
const REMEMBERED_MAX = 10_000;

/** A cached policy is fetched anew when it is as old as this, so that it does not run out while DNS shows the same id. */
const REFRESH_MS = 24 * 3_600_000;

/** The record's text, and the id: 1 to 32 letters and digits (RFC 8461 §3.1). */
const RECORD = /^v=STSv1\s*;/;
const ID = /(?:^|;)\s*id\s*=\s*([a-zA-Z0-9]{1,32})\s*(?:;|$)/;

export class StsPolicies {
  readonly #parts: StsParts;
  readonly #underWay = new Map<string, Promise<StsPolicy | null>>();
  /** When the fetch for a domain may be tried again, by the monotonic clock. */
  readonly #failures = new Map<string, number>();
  /** Policies that the spool did not store: they hold all the same, and are newer than what it has. */
  readonly #unstored = new Map<string, StsPolicy>();

  constructor(parts: StsParts) {
    this.#parts = parts;
  }

  /**
   * The policy that holds now for a recipient domain (A-labels), null without one. Takes no longer than DNS and one
   * bounded fetch; who asks meanwhile shares both. Rejects only where the spool cannot be read.
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
    const held = stored !== null && isHeld(stored, nowMs) ? stored : null;
    const id = texts.type === "found" ? policyId(texts.records) : null;
    if (id === null) return held;
    const isCurrent = held !== null && held.id === id && Math.abs(nowMs - held.fetchedAtMs) < REFRESH_MS;
    const isFailing = clock.monotonicMs() < (this.#failures.get(domain) ?? Number.NEGATIVE_INFINITY);
    if (isCurrent || isFailing) return held;
    return (await this.#fetch(domain, id)) ?? held;
  }

  async #fetch(domain: string, id: string): Promise<StsPolicy | null> {
    const { clock, log } = this.#parts;
    const file = await fetchStsFile(domain, this.#parts);
    const fetchedAtMs = clock.now();
    const read = file.type === "fetched" ? readPolicy(file.text) : file;
    if (read.type === "failed") {
      log.warn({ domain, error: read.error }, "the MTA-STS policy cannot be had");
      remember(this.#failures, domain, clock.monotonicMs() + FAILURE_KEPT_MS);
      return null;
    }
    const { mode, mx, maxAgeMs } = read;
    const policy = { domain, id, mode, mx, fetchedAtMs, expiresAtMs: fetchedAtMs + maxAgeMs };
    await this.#store(policy);
    return policy;
  }

  async #stored(domain: string): Promise<StsPolicy | null> {
    const unstored = this.#unstored.get(domain);
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
      log.warn({ domain, err: error }, "the MTA-STS policy cannot be stored");
      remember(this.#unstored, domain, policy);
    }
  }
}

/** Sets the newest of a bounded map. */
function remember<T>(map: Map<string, T>, domain: string, value: T): void {
  map.delete(domain);
  map.set(domain, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}

/** Until its max_age is over. One that was fetched when the clock was ahead holds no longer than twice as long. */
function isHeld({ fetchedAtMs, expiresAtMs }: StsPolicy, nowMs: number): boolean {
  const maxAgeMs = expiresAtMs - fetchedAtMs;
  return nowMs < expiresAtMs && fetchedAtMs - nowMs <= maxAgeMs;
}

/** Whether the policy names the host: a pattern's "*" stands for exactly one label, the leftmost (RFC 8461 §4.1). */
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

/** Without the repetitions of fields other than mx. */
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
