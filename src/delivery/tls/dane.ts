/**
 * The TLSA records of a mail host (RFC 7672 §2). They count only where the answers for MX, the host's address and the records
 * themselves are all secure. Decides between "there are none", "there are these" and "that cannot be known now"; dane-match.ts
 * decides whether a certificate matches.
 */
import type { TlsaRecord } from "../../dns/record-data.ts";
import type { SecureResolver } from "../../dns/secure-resolver.ts";
import type { MailHost } from "../routing/route.ts";
import { isUsable } from "./dane-match.ts";

/** Whether a recipient domain's MX records are signed, and if so, the hosts that they name. */
export type SignedRoute =
  | { type: "signed"; hosts: ReadonlySet<string> }
  | { type: "unsigned" }
  | { type: "failure"; code: string };

export type HostTlsa =
  | { type: "none" }
  /** The usable ones; empty when the host has only others. `base` is the name that they belong to. */
  | { type: "records"; usable: TlsaRecord[]; base: string }
  | { type: "failure"; code: string };

/** Whether the domain's MX records are signed; without any, the domain is its own host. Never rejects. */
export async function signedRoute(domain: string, resolver: SecureResolver): Promise<SignedRoute> {
  const mx = await resolver.mx(domain);
  if (mx.type === "failure") return mx;
  if (!mx.secure) return { type: "unsigned" };
  const hosts = mx.type === "found" ? mx.records.map(({ exchange }) => exchange) : [domain];
  return { type: "signed", hosts: new Set(hosts) };
}

/** The TLSA records of a host that a signed route names. Never rejects. */
export async function tlsaOf(host: MailHost, resolver: SecureResolver): Promise<HostTlsa> {
  const security = await addressSecurity(host.name, resolver);
  if (security.type !== "signed") return security.type === "failure" ? security : { type: "none" };
  // The target of an alias comes first, then the alias (RFC 7672 §2.2.3).
  for (const base of new Set([security.name, host.name])) {
    const answer = await resolver.tlsa(`_${host.port}._tcp.${base}`);
    if (answer.type === "failure") return answer;
    if (answer.type === "found" && answer.secure) {
      return { type: "records", usable: answer.records.filter(isUsable), base };
    }
  }
  return { type: "none" };
}

type AddressSecurity = { type: "signed"; name: string } | { type: "unsigned" } | { type: "failure"; code: string };

/**
 * Whether the host's addresses are signed (RFC 7672 §2.1.2, §2.2.2). One address family with a certain answer decides for both: a
 * broken AAAA of an unsigned zone must not stop mail.
 */
async function addressSecurity(name: string, resolver: SecureResolver): Promise<AddressSecurity> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const known = answers.filter((answer) => answer.type !== "failure");
  const found = known.find((answer) => answer.type === "found" && answer.secure);
  if (found?.type === "found") return { type: "signed", name: found.name };
  if (known.some(({ secure }) => secure)) return { type: "signed", name };
  const failure = answers.find((answer) => answer.type === "failure");
  return known.length === 0 && failure?.type === "failure" ? failure : { type: "unsigned" };
}
