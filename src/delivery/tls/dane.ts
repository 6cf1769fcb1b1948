/**
 * What DNSSEC says of a mail host's TLS (RFC 7672 §2): TLSA records count only where the answers for MX, the host's
 * address and the records themselves are all secure. Decides between "there are none", "there are these" and "that cannot
 * be known now"; whether a certificate matches is dane-match.ts's.
 */
import type { SecureResolver, TlsaRecord } from "../../dns/secure-resolver.ts";
import type { MailHost } from "../routing/route.ts";
import { isUsable } from "./dane-match.ts";

/** Whether a recipient domain's MX records are signed, and then the hosts that they name. */
export type SignedRoute =
  | { type: "signed"; hosts: ReadonlySet<string> }
  | { type: "unsigned" }
  | { type: "failure"; code: string };

export type HostTlsa =
  | { type: "none" }
  /** Only the usable ones; empty when the host has others only. `base` is the name that they belong to. */
  | { type: "records"; usable: TlsaRecord[]; base: string }
  | { type: "failure"; code: string };

/** The standing of the domain's MX records; without any, the domain is its own host. Never rejects. */
export async function signedRoute(domain: string, resolver: SecureResolver): Promise<SignedRoute> {
  const mx = await resolver.mx(domain);
  if (mx.type === "failure") return mx;
  if (!mx.secure) return { type: "unsigned" };
  const hosts = mx.type === "found" ? mx.records.map(({ exchange }) => exchange) : [domain];
  return { type: "signed", hosts: new Set(hosts) };
}

/** The TLSA records of a host that a signed route names. Never rejects. */
export async function tlsaOf(host: MailHost, resolver: SecureResolver): Promise<HostTlsa> {
  const home = await signedHome(host.name, resolver);
  if (home.type !== "signed") return home.type === "failure" ? home : { type: "none" };
  // The name that an alias leads to comes first, then the alias (RFC 7672 §2.2.3).
  for (const base of new Set([home.name, host.name])) {
    const answer = await resolver.tlsa(`_${host.port}._tcp.${base}`);
    if (answer.type === "failure") return answer;
    if (answer.type === "found" && answer.secure) {
      return { type: "records", usable: answer.records.filter(isUsable), base };
    }
  }
  return { type: "none" };
}

type Home = { type: "signed"; name: string } | { type: "unsigned" } | { type: "failure"; code: string };

/**
 * Whether the host's addresses are signed (RFC 7672 §2.1.2, §2.2.2). One family that is certainly signed or unsigned
 * tells it for both: a broken AAAA of an unsigned zone must not stop mail.
 */
async function signedHome(name: string, resolver: SecureResolver): Promise<Home> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const known = answers.filter((answer) => answer.type !== "failure");
  const found = known.find((answer) => answer.type === "found" && answer.secure);
  if (found?.type === "found") return { type: "signed", name: found.name };
  if (known.some(({ secure }) => secure)) return { type: "signed", name };
  const trouble = answers.find((answer) => answer.type === "failure");
  return known.length === 0 && trouble?.type === "failure" ? trouble : { type: "unsigned" };
}
