/** Whether a session with a mail host had the TLS that it should have, in the words of TLS reports (RFC 8460 §4.2, §4.3). */
import type { TlsSessions } from "../../spool/port/tls-sessions.ts";
import type { OpenResult, Session } from "../smtp/session.ts";
import type { HostPolicy } from "./tls-policy.ts";

/** `resultType` is empty for a session with TLS as required. */
export type TlsOutcome = Pick<TlsSessions, "policyType" | "resultType">;

type SessionPolicy = Exclude<HostPolicy, { type: "unusable" }>;

/** Null for a session that ended before it could have TLS. */
export function tlsOutcome(opened: OpenResult, policy: SessionPolicy): TlsOutcome | null {
  const policyType = policyTypeOf(policy);
  if (opened.type === "tls_failed") return { policyType, resultType: failureType(opened.error) };
  if (opened.type !== "open") return opened.tls === null ? null : { policyType, resultType: "" };
  return { policyType, resultType: policy.type === "required" ? "" : opportunisticResult(opened.session, policy) };
}

/** The outcome of a host that must not be used. */
export function unusableOutcome(policy: Extract<HostPolicy, { type: "unusable" }>): TlsOutcome {
  const resultType = policy.cause === "dns_trouble" ? "dnssec-invalid" : "validation-failure";
  return { policyType: policyTypeOf(policy), resultType };
}

/** Plain text is a failure without a policy too: the sender wanted TLS. */
function opportunisticResult(
  { peer, capabilities }: Session,
  { testingNote }: Extract<SessionPolicy, { type: "opportunistic" }>,
): string {
  if (peer === null) return capabilities.startTls ? "validation-failure" : "starttls-not-supported";
  const note = testingNote(peer);
  return note === null ? "" : failureType(note);
}

function policyTypeOf({ name }: HostPolicy): TlsOutcome["policyType"] {
  if (name === "dane") return "tlsa";
  return name.startsWith("mta-sts") ? "sts" : "no-policy-found";
}

/** By the errors of session.ts and tls-policy.ts, which name the code of Node or OpenSSL. */
function failureType(error: string): string {
  if (error.startsWith("STARTTLS")) return "starttls-not-supported";
  if (error.includes("CERT_HAS_EXPIRED")) return "certificate-expired";
  if (/ALTNAME_INVALID|HOSTNAME_MISMATCH|was asked for as/.test(error)) return "certificate-host-mismatch";
  return error.includes("certificate does not verify") ? "certificate-not-trusted" : "validation-failure";
}
