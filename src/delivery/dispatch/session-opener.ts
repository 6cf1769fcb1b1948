/**
 * Opens sessions with one address of a mail host under its TLS policy: plain text after a failed handshake only where no
 * policy forbids it, and pooled sessions only where they satisfy the policy. Also describes a session for the tries.
 * tls-policy.ts decides which policy applies.
 */
import type { Clock } from "../../lib/clock.ts";
import type { HostAttempt } from "../../message/outcome.ts";
import type { MailHost } from "../routing/route.ts";
import type { Endpoint } from "../routing/source-addresses.ts";
import type { Connect } from "../smtp/connect.ts";
import type { SessionPool } from "../smtp/pool.ts";
import { type OpenFailure, type OpenResult, openSession, type Session, type SessionOptions } from "../smtp/session.ts";
import type { HostPolicy } from "../tls/tls-policy.ts";
import type { ConnectionBudget } from "./connection-budget.ts";

export type UsablePolicy = Exclude<HostPolicy, { type: "unusable" }>;

/** The address to open a session with, and the policy it must satisfy. */
export interface Target {
  /** Null where connections are not counted. */
  destination: string | null;
  host: MailHost;
  endpoint: Endpoint;
  policy: UsablePolicy;
}

export interface SessionOpenerParts {
  pool: SessionPool;
  clock: Clock;
  /** The EHLO name. */
  hostname: string;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** Opens sockets, instead of the system's TCP. */
  connect?: Connect;
  /** Counts the connections to each destination; absent where nothing limits them. */
  connections?: ConnectionBudget;
}

/** The circumstances of a try. */
export type HostAttemptContext = Pick<HostAttempt, "mx" | "ip" | "tls" | "note" | "policy">;

/** A pooled session that satisfies the policy; null where there is none. */
export function pooledSession({ host, endpoint, policy }: Target, pool: SessionPool): Session | null {
  return pool.acquire({ mx: host.name, address: endpoint.address, port: host.port }, (session) =>
    satisfies(session, policy),
  );
}

function satisfies({ peer }: Session, policy: UsablePolicy): boolean {
  if (policy.type === "opportunistic") return true;
  // A lenient handshake may have negotiated keys and signatures that a strict one refuses.
  return peer?.strength === "strict" && (policy.check?.(peer) ?? null) === null;
}

/** A new session. `tls_failed` occurs only where the policy requires TLS. Never rejects because of the peer. */
export function openUnderPolicy(target: Target, parts: SessionOpenerParts): Promise<OpenResult> {
  const { host, endpoint, policy, destination } = target;
  const { clock, hostname, ca } = parts;
  const options = {
    ...{ mx: host.name, ...endpoint, port: host.port, hostname, clock },
    ...(ca === undefined ? {} : { ca }),
  };
  const open: Open = (tls) => openCounted({ ...options, ...tls }, destination, parts);
  return policy.type === "required" ? openRequired(open, policy) : openOpportunistic(open);
}

type Open = (options: Pick<SessionOptions, "tls" | "serverName" | "check">) => Promise<OpenResult>;

/** Opens a session as soon as the destination's limit allows another connection. */
async function openCounted(
  options: SessionOptions,
  destination: string | null,
  { connect, connections }: SessionOpenerParts,
): Promise<OpenResult> {
  const isCounted = connections !== undefined && destination !== null;
  const opener = isCounted ? await connections.begin(destination, connect) : connect;
  const opened = await openSession({ ...options, ...(opener === undefined ? {} : { connect: opener }) });
  if (opened.type === "open" && isCounted) opened.session.destination = destination;
  return opened;
}

function openRequired(open: Open, policy: Extract<UsablePolicy, { type: "required" }>): Promise<OpenResult> {
  const { serverName, check } = policy;
  return open({ tls: "required", serverName, ...(check === null ? {} : { check }) });
}

async function openOpportunistic(open: Open): Promise<OpenResult> {
  const opened = await open({ tls: "opportunistic" });
  if (opened.type !== "tls_failed") return opened;
  const note = `STARTTLS failed (${opened.error}), continued in plain text`;
  const again = await open({ tls: "none" });
  if (again.type !== "open") {
    again.notes.push(note);
    return again;
  }
  again.session.notes.push(note);
  again.session.fallback = "plaintext";
  return again;
}

/** The context of a try on a session. */
export function contextOf({ mx, ip, tls, peer, notes }: Session, policy: UsablePolicy): HostAttemptContext {
  const testingNote = policy.type === "opportunistic" ? policy.testingNote(peer) : null;
  const isAuthenticated = policy.type === "required" && policy.authenticate !== "none";
  return {
    mx,
    ip,
    // A pooled session may have been opened under a weaker policy than the one that it satisfies now.
    tls: tls === null ? null : { ...tls, verified: tls.verified || isAuthenticated },
    note: (testingNote === null ? notes : [...notes, testingNote]).join("; ") || null,
    policy: policy.name,
  };
}

/** The context of a session that did not open. */
export function contextOfFailure({ host, endpoint, policy }: Target, failure: OpenFailure): HostAttemptContext {
  return {
    mx: host.name,
    ip: endpoint.address,
    tls: failure.tls,
    note: failure.notes.join("; ") || null,
    policy: policy.name,
  };
}

/** The context of what happens before there is a session. */
export function contextWithoutSession(
  mx: string,
  parts: { ip?: string; policy?: HostPolicy } = {},
): HostAttemptContext {
  return { mx, ip: parts.ip ?? null, tls: null, note: null, policy: parts.policy?.name ?? null };
}
