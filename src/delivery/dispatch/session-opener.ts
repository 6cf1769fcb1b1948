/**
 * Opens sessions with one address of a mail host under its TLS policy: plain text after TLS that failed or broke only where no
 * policy forbids it, and pooled sessions only where they satisfy the policy. Also describes a session for the tries.
 * tls-policy.ts decides which policy applies.
 */
import type { Clock } from "../../lib/clock.ts";
import type { HostAttempt, Stage } from "../../message/result/outcome.ts";
import type { MailHost } from "../routing/route.ts";
import type { Endpoint } from "../routing/source-addresses.ts";
import type { Connect } from "../smtp/connect.ts";
import type { SessionPool } from "../smtp/pool.ts";
import { type OpenFailure, type OpenResult, openSession, type Session, type SessionOptions } from "../smtp/session.ts";
import { BRIEF_OPENING, FIRST_GREETING_MS, type Timeouts } from "../smtp/timeouts.ts";
import type { HostHealth } from "../throttle/host-health.ts";
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
  /** Whether the steps have little time (timeouts.ts). */
  isBrief: boolean;
}

export interface SessionOpenerParts {
  pool: SessionPool;
  clock: Clock;
  health: HostHealth;
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
export type HostAttemptContext = Pick<HostAttempt, "mx" | "ip" | "source" | "tls" | "note" | "policy">;

/** A pooled session that satisfies the policy; null where there is none. */
export function pooledSession({ host, endpoint, policy }: Target, pool: SessionPool): Session | null {
  const { address, localAddress = null } = endpoint;
  return pool.acquire({ mx: host.name, address, port: host.port, localAddress }, (session) =>
    satisfies(session, policy),
  );
}

function satisfies({ peer }: Session, policy: UsablePolicy): boolean {
  if (policy.type === "opportunistic") return true;
  // A lenient handshake may have negotiated keys and signatures that a strict one refuses.
  return peer?.strength === "strict" && (policy.check?.(peer) ?? null) === null;
}

/**
 * A new session. `tls_failed` occurs only where the policy requires TLS. `brokenTls` says how TLS broke with the session before:
 * where the policy allows it, the session is in plain text at once. Never rejects because of the peer.
 */
export function openUnderPolicy(
  target: Target,
  parts: SessionOpenerParts,
  brokenTls: string | null = null,
): Promise<OpenResult> {
  const { host, endpoint, policy, destination } = target;
  const { address, localAddress, source } = endpoint;
  const { clock, ca, health } = parts;
  const options = {
    mx: host.name,
    address,
    ...(localAddress === undefined ? {} : { localAddress }),
    port: host.port,
    hostname: source?.name ?? parts.hostname,
    clock,
    timeouts: openingTimeouts(target, parts),
    handshakes: health.handshakesOf(endpoint.address, host.port),
    ...(ca === undefined ? {} : { ca }),
  };
  const open: Open = async (tls) => {
    const opened = await openCounted({ ...options, ...tls }, destination, parts);
    if (opened.type === "open" && source !== undefined) opened.session.source = source.ip;
    return opened;
  };
  if (policy.type === "required") return openRequired(open, policy);
  const broken = brokenTls ?? brokenBefore(target, parts);
  return broken === null ? openOpportunistic(open, target, parts) : openInPlainText(open, broken);
}

/** How TLS has failed with the address lately; null if it may work. */
function brokenBefore({ endpoint, host }: Target, { health }: SessionOpenerParts): string | null {
  const error = health.brokenTlsOf(endpoint.address, host.port);
  return error === null ? null : `STARTTLS was not tried, because it failed lately (${error})`;
}

/** The time limits of the opening that are not the usual ones. */
function openingTimeouts({ host, endpoint, isBrief }: Target, { health }: SessionOpenerParts): Partial<Timeouts> {
  if (isBrief) return BRIEF_OPENING;
  return health.hasGreeted(endpoint.address, host.port) ? {} : { greeting: FIRST_GREETING_MS };
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
  if (opened.type === "open" && isCounted) {
    opened.session.destination = destination;
    opened.session.transactionsMax = connections.messagesMax(destination);
  }
  return opened;
}

function openRequired(open: Open, policy: Extract<UsablePolicy, { type: "required" }>): Promise<OpenResult> {
  const { serverName, check } = policy;
  return open({ tls: "required", serverName, ...(check === null ? {} : { check }) });
}

async function openOpportunistic(
  open: Open,
  { endpoint: { address }, host: { port } }: Target,
  { health }: SessionOpenerParts,
): Promise<OpenResult> {
  const opened = await open({ tls: "opportunistic" });
  if (opened.type === "open" && opened.session.tls !== null) health.forgetBrokenTls(address, port);
  if (opened.type !== "tls_failed") return opened;
  const { stage, error } = opened;
  health.recordBrokenTls(address, port, error);
  return openInPlainText(open, stage === "starttls" ? `STARTTLS failed (${error})` : tlsBreakAt(stage, error));
}

/** How TLS broke at a command under it, for a note. */
export function tlsBreakAt(stage: Stage, error: string): string {
  return `TLS broke before the reply to ${stage.toUpperCase()} (${error})`;
}

async function openInPlainText(open: Open, cause: string): Promise<OpenResult> {
  const note = `${cause}, continued in plain text`;
  const opened = await open({ tls: "none" });
  if (opened.type !== "open") {
    opened.notes.push(note);
    return opened;
  }
  opened.session.notes.push(note);
  opened.session.fallback = "plaintext";
  return opened;
}

/** The context of a try on a session. */
export function contextOf({ mx, ip, source, tls, peer, notes }: Session, policy: UsablePolicy): HostAttemptContext {
  const testingNote = policy.type === "opportunistic" ? policy.testingNote(peer) : null;
  const isAuthenticated = policy.type === "required" && policy.authenticate !== "none";
  return {
    mx,
    ip,
    ...(source === null ? {} : { source }),
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
    ...(endpoint.source === undefined ? {} : { source: endpoint.source.ip }),
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
