/**
 * A session with one address of a mail host under the TLS policy that rules there: plain text after a failed handshake
 * where nothing forbids it, never otherwise; kept sessions only where they satisfy the policy; and what a try says of it.
 * Which policy that is, tls-policy.ts decides.
 */
import type { Clock } from "../../lib/clock.ts";
import type { HostAttempt } from "../../message/outcome.ts";
import type { MailHost } from "../routing/route.ts";
import type { Way } from "../routing/source-addresses.ts";
import type { Connect } from "../smtp/connection.ts";
import type { SessionPool } from "../smtp/pool.ts";
import { type OpenFailure, type OpenResult, openSession, type Session, type SessionOptions } from "../smtp/session.ts";
import type { HostPolicy } from "../tls/tls-policy.ts";

export type UsablePolicy = Exclude<HostPolicy, { type: "unusable" }>;

/** Where a session is wanted, and on what terms. */
export interface Target {
  host: MailHost;
  way: Way;
  policy: UsablePolicy;
}

export interface OpeningParts {
  pool: SessionPool;
  clock: Clock;
  /** The EHLO name. */
  hostname: string;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** What opens sockets, instead of the system's TCP. */
  connect?: Connect;
}

/** Where something was said, and on what terms. */
export type Place = Pick<HostAttempt, "mx" | "ip" | "tls" | "note" | "policy">;

/** A kept session that the policy would let be opened now; null where there is none. */
export function keptSession({ host, way, policy }: Target, pool: SessionPool): Session | null {
  return pool.take({ mx: host.name, address: way.address, port: host.port }, (session) => satisfies(session, policy));
}

function satisfies({ peer }: Session, policy: UsablePolicy): boolean {
  if (policy.type === "opportunistic") return true;
  // A lenient handshake may have settled on keys and signatures that a strict one refuses.
  return peer?.strength === "strict" && (policy.check?.(peer) ?? null) === null;
}

/** A new session. `tls_failed` only where the policy requires TLS. Never rejects for the peer's sake. */
export async function openUnderPolicy(
  target: Target,
  { clock, hostname, ca, connect }: OpeningParts,
): Promise<OpenResult> {
  const { host, way, policy } = target;
  const options = {
    ...{ mx: host.name, ...way, port: host.port, hostname, clock },
    ...(ca === undefined ? {} : { ca }),
    ...(connect === undefined ? {} : { connect }),
  };
  return policy.type === "required" ? openRequired(options, policy) : openOpportunistic(options);
}

type Options = Omit<SessionOptions, "tls">;

function openRequired(options: Options, policy: Extract<UsablePolicy, { type: "required" }>): Promise<OpenResult> {
  const { serverName, check } = policy;
  return openSession({ ...options, tls: "required", serverName, ...(check === null ? {} : { check }) });
}

async function openOpportunistic(options: Options): Promise<OpenResult> {
  const opened = await openSession({ ...options, tls: "opportunistic" });
  if (opened.type !== "tls_failed") return opened;
  const note = `STARTTLS failed (${opened.error}), continued in plain text`;
  const again = await openSession({ ...options, tls: "none" });
  if (again.type !== "open") {
    again.notes.push(note);
    return again;
  }
  again.session.notes.push(note);
  again.session.fallback = "plaintext";
  return again;
}

/** The place of what is said on a session. */
export function placeOf({ mx, ip, tls, peer, notes }: Session, policy: UsablePolicy): Place {
  const remark = policy.type === "opportunistic" ? policy.remark(peer) : null;
  const isAuthenticated = policy.type === "required" && policy.authenticate !== "none";
  return {
    mx,
    ip,
    // A kept session may have been opened on easier terms than those that it has satisfied now.
    tls: tls === null ? null : { ...tls, verified: tls.verified || isAuthenticated },
    note: (remark === null ? notes : [...notes, remark]).join("; ") || null,
    policy: policy.name,
  };
}

/** The place of a session that did not open. */
export function placeOfFailure({ host, way, policy }: Target, failure: OpenFailure): Place {
  return {
    mx: host.name,
    ip: way.address,
    tls: failure.tls,
    note: failure.notes.join("; ") || null,
    policy: policy.name,
  };
}

/** The place of what happens before there is a session. */
export function placeBefore(mx: string, parts: { ip?: string; policy?: HostPolicy } = {}): Place {
  return { mx, ip: parts.ip ?? null, tls: null, note: null, policy: parts.policy?.name ?? null };
}
