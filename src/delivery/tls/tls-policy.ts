/**
 * The TLS that a mail host must offer before it gets a recipient domain's mail: DANE before MTA-STS where both apply (RFC
 * 8461 §2, RFC 7672 §1.3), opportunistic TLS (RFC 7435) where neither does. session-opener.ts opens sessions under the policy;
 * verdict.ts decides what a refusal means for the recipient.
 */

import type { TlsaRecord } from "../../dns/record-data.ts";
import type { SecureResolver } from "../../dns/secure-resolver.ts";
import type { Clock } from "../../lib/clock.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import type { StsPolicy } from "../../spool/port/sts-policies.ts";
import type { MailHost } from "../routing/route.ts";
import { isModern, type Peer, type PeerCheck } from "../smtp/tls.ts";
import { type HostTlsa, type SignedRoute, signedRoute, tlsaOf } from "./dane.ts";
import { daneObjection } from "./dane-match.ts";
import { namesHost, type StsLookup, type StsPolicies } from "./mta-sts.ts";
import { webpkiObjection } from "./webpki.ts";

/** The name in a try. */
export type PolicyName =
  | "none"
  | "mta-sts enforce"
  | "mta-sts testing"
  | "dane"
  | "operator encrypt"
  | "operator require";

export type HostPolicy =
  /** TLS where it is offered. `testingNote`: why `mta-sts enforce` would forbid this peer (null: no TLS), or null. */
  | { type: "opportunistic"; name: PolicyName; testingNote: (peer: Peer | null) => string | null }
  /** TLS with a peer that passes `check` (null: any peer), or nothing is sent. */
  | {
      type: "required";
      name: PolicyName;
      authenticate: "none" | "webpki" | "dane";
      serverName: string;
      check: PeerCheck | null;
    }
  /** The host must not be used in this attempt. */
  | { type: "unusable"; name: PolicyName; cause: "mta_sts_mx_mismatch" | "dns_trouble"; error: string };

/** The policy of a recipient domain for one of its hosts. Queries none of the domain's own servers. Never rejects. */
export type HostPolicyLookup = (host: MailHost) => Promise<HostPolicy>;

/**
 * Looks up what a recipient domain (A-labels) publishes. Without an MTA-STS policy in force, waits for one for `stsLimitMs` at
 * most. Rejects only where the spool cannot be read.
 */
export type PolicyLookup = (domain: string, stsLimitMs?: number) => Promise<HostPolicyLookup>;

export interface PolicyParts {
  sts: Pick<StsPolicies, "lookUp">;
  /** Null where no resolver validates: then there is no DANE. */
  dane: SecureResolver | null;
  clock: Clock;
}

const NO_POLICY: HostPolicy = { type: "opportunistic", name: "none", testingNote: () => null };

/** The policy where all mail goes to a host that the operator named. */
export const opportunistic: PolicyLookup = async () => async () => NO_POLICY;

/** As long as DNS answers are cached. */
const KEPT_MS = 10_000;
const POLICIES_MAX = 20_000;
/** Octets of an answer that is cached; some TLSA records have 32 each. Anybody can publish 64 KiB under thousands of names. */
const CACHED_OCTETS_MAX = 2048;

/** Policies from what domains and hosts publish, cached for 10 s. */
export function createPolicies({ sts, dane, clock }: PolicyParts): PolicyLookup {
  const parts = { clock, keptMs: KEPT_MS, max: POLICIES_MAX };
  const routes = new TtlCache<SignedRoute>({ ...parts, worthKeeping: isShortRoute });
  const lookups = new TtlCache<StsLookup>({ ...parts, worthKeeping: () => true });
  const hosts = new TtlCache<HostTlsa>({ ...parts, worthKeeping: isShortTlsa });

  const routeOf = async (domain: string): Promise<SignedRoute> =>
    dane === null ? { type: "unsigned" } : routes.get(domain, () => signedRoute(domain, dane));
  const stsOf = async (domain: string, limitMs?: number): Promise<StsLookup> => {
    const lookup = await lookups.get(domain, () => sts.lookUp(domain));
    await lookup.wait(limitMs);
    return lookup;
  };
  const tlsaUnder = async (route: SignedRoute, host: MailHost): Promise<HostTlsa> => {
    if (dane === null || route.type === "unsigned") return { type: "none" };
    if (route.type === "failure") return route;
    // The route's own look-up named other hosts: one of the two answers is old, or forged.
    if (!route.hosts.has(host.name)) return { type: "failure", code: "NOT_IN_SIGNED_MX" };
    return hosts.get(`${host.name}:${host.port}`, () => tlsaOf(host, dane));
  };
  return async (domain, stsLimitMs) => {
    const [route, lookup] = await Promise.all([routeOf(domain), stsOf(domain, stsLimitMs)]);
    return async (host) => {
      const tlsa = await tlsaUnder(route, host);
      // A fetch beside the delivery may have ended meanwhile.
      return hostPolicy({ domain, host, tlsa, policy: lookup.policy, clock });
    };
  };
}

function isShortRoute(route: SignedRoute): boolean {
  if (route.type !== "signed") return route.type !== "failure";
  return [...route.hosts].reduce((sum, host) => sum + host.length, 0) <= CACHED_OCTETS_MAX;
}

function isShortTlsa(tlsa: HostTlsa): boolean {
  if (tlsa.type !== "records") return tlsa.type !== "failure";
  return tlsa.usable.reduce((sum, { data }) => sum + data.length, 0) <= CACHED_OCTETS_MAX;
}

interface PolicyInputs {
  domain: string;
  host: MailHost;
  tlsa: HostTlsa;
  policy: StsPolicy | null;
  clock: Clock;
}

function hostPolicy(known: PolicyInputs): HostPolicy {
  const { host, tlsa, policy } = known;
  if (tlsa.type === "failure") {
    const error = `whether it has TLSA records could not be looked up safely (${tlsa.code})`;
    return { type: "unusable", name: "dane", cause: "dns_trouble", error };
  }
  if (tlsa.type === "records" && tlsa.usable.length > 0) return danePolicy(known, tlsa);
  if (policy?.mode === "enforce") return enforcePolicy(host, policy);
  if (tlsa.type === "records") {
    // Unusable records still show that the host has TLS (RFC 7672 §2.2).
    return { type: "required", name: "dane", authenticate: "none", serverName: host.name, check: null };
  }
  if (policy?.mode === "testing") {
    return { type: "opportunistic", name: "mta-sts testing", testingNote: (peer) => testingNote(host, policy, peer) };
  }
  return NO_POLICY;
}

function danePolicy(
  { domain, host, clock }: PolicyInputs,
  { usable, base }: { usable: TlsaRecord[]; base: string },
): HostPolicy {
  const names = [...new Set([base, host.name, domain])];
  const check = ({ chain }: Peer) => daneObjection(usable, chain(), { names, nowMs: clock.now() });
  return { type: "required", name: "dane", authenticate: "dane", serverName: base, check };
}

function enforcePolicy(host: MailHost, policy: StsPolicy): HostPolicy {
  const name = "mta-sts enforce";
  if (!namesHost(policy, host.name)) {
    return { type: "unusable", name, cause: "mta_sts_mx_mismatch", error: mismatch(policy) };
  }
  const check = webpkiObjection(host);
  return { type: "required", name, authenticate: "webpki", serverName: host.name, check };
}

function testingNote(host: MailHost, policy: StsPolicy, peer: Peer | null): string | null {
  const objection =
    (namesHost(policy, host.name) ? null : mismatch(policy)) ??
    tlsObjection(peer) ??
    (peer && webpkiObjection(host)(peer));
  return objection === null ? null : `MTA-STS would forbid this server if it were enforced: ${objection}`;
}

function tlsObjection(peer: Peer | null): string | null {
  if (peer === null) return "there is no TLS";
  return isModern(peer) ? null : `it has no newer version than ${peer.protocol}`;
}

const mismatch = ({ domain }: StsPolicy): string => `the MTA-STS policy of ${domain} does not name it`;
