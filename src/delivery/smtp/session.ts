/**
 * An SMTP session from the TCP connection until mail can be sent: greeting, EHLO or HELO, STARTTLS. Reports how far it came;
 * whether to try another address, or plain text after a failed handshake, is the caller's decision.
 */
import type { Clock } from "../../lib/clock.ts";
import type { SmtpReply, Stage, TlsRecord } from "../../message/result/outcome.ts";
import { type Capabilities, capabilitiesOf, NO_CAPABILITIES } from "./capabilities.ts";
import { type Connect, connectSmtp } from "./connect.ts";
import type { CommandResult, Connection, ConnectionFailure } from "./connection.ts";
import { RFC_TIMEOUTS, type Timeouts } from "./timeouts.ts";
import type { HandshakeHistory, Peer, PeerCheck } from "./tls.ts";

export interface SessionOptions {
  /** The mail exchanger's name, as A-labels. */
  mx: string;
  /** Its IP address. */
  address: string;
  port: number;
  /** The EHLO name. */
  hostname: string;
  /** `required`: TLS or no session; everything that prevents TLS is `tls_failed`. */
  tls: "opportunistic" | "none" | "required";
  /** The check that the peer's certificate must pass, or there is no session. A certificate that passes counts as verified. */
  check?: PeerCheck;
  /** The name requested in the handshake, instead of `mx`. */
  serverName?: string;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** The address's TLS handshakes so far. */
  handshakes?: HandshakeHistory;
  localAddress?: string;
  timeouts?: Partial<Timeouts>;
  clock?: Clock;
  /** Opens the socket, instead of the system's TCP. */
  connect?: Connect;
}

/** The lesser protocol that a session uses although its host offers, or should offer, more. */
export type Fallback = "none" | "plaintext" | "helo";

interface OpeningContext {
  /** The state of TLS when the opening ended. */
  tls: TlsRecord | null;
  notes: string[];
}

export type OpenFailure =
  | ({ type: "refused"; stage: Stage; reply: SmtpReply } & OpeningContext)
  /** `isLocal`: the error is this server's, not the peer's. `ended`: how an open connection ended; lost if absent. */
  | ({
      type: "unreachable";
      stage: Stage;
      error: string;
      isLocal?: boolean;
      ended?: ConnectionFailure["type"];
    } & OpeningContext)
  /**
   * TLS is missing, failed, or broke before the reply to the EHLO under it. The connection is closed. The same host may be tried
   * without TLS if the caller's policy allows it. `ended`: how an open connection ended; absent where this side ended it.
   */
  | ({
      type: "tls_failed";
      stage: "starttls" | "ehlo";
      error: string;
      ended?: ConnectionFailure["type"];
    } & OpeningContext);

export type OpenResult = { type: "open"; session: Session } | OpenFailure;

/** An open session, for one transaction at a time. Its holder must `quit` or `destroy` it, or release it to a pool. */
export class Session {
  readonly mx: string;
  readonly ip: string;
  readonly port: number;
  /** The local address that was asked for; null where the system chose. */
  readonly localAddress: string | null;
  readonly timeouts: Timeouts;
  readonly connection: Connection;
  tls: TlsRecord | null = null;
  /** The peer of the TLS handshake; null without TLS. */
  peer: Peer | null = null;
  /** A refusal on a fallback session is not permanent. */
  fallback: Fallback = "none";
  notes: string[] = [];
  capabilities: Readonly<Capabilities> = NO_CAPABILITIES;
  /** The destination whose connections it counts among; null if they are not counted. */
  destination: string | null = null;
  /** The sending address that it leaves from, for the record; null where the system chose. */
  source: string | null = null;
  /** MAIL commands sent so far, and how many its receiver allows. */
  transactions = 0;
  transactionsMax = Number.POSITIVE_INFINITY;
  #isRetired = false;

  constructor(connection: Connection, options: SessionOptions) {
    this.connection = connection;
    this.mx = options.mx;
    this.ip = options.address;
    this.port = options.port;
    this.localAddress = options.localAddress ?? null;
    this.timeouts = { ...RFC_TIMEOUTS, ...options.timeouts };
  }

  /** Whether another transaction may begin: not after a 421, a loss or a protocol error, nor beyond the peer's limits. */
  get usable(): boolean {
    const { mailMax } = this.capabilities;
    const most = this.#isRetired ? 0 : Math.min(mailMax ?? Number.POSITIVE_INFINITY, this.transactionsMax);
    return this.connection.ended === null && this.transactions < most;
  }

  /** Prevents further transactions. */
  retire(): void {
    this.#isRetired = true;
  }

  /** QUIT; settles when the connection is closed, after the `quit` timeout at the latest. */
  quit(): Promise<void> {
    return this.connection.quit(this.timeouts.quit);
  }

  destroy(): void {
    this.connection.destroy();
  }
}

/** Opens a session with one address of one mail exchanger. Never rejects because of the peer. */
export async function openSession(options: SessionOptions): Promise<OpenResult> {
  const { mx: host, address, port, localAddress, timeouts, clock, connect } = options;
  const connected = await connectSmtp({
    host,
    address,
    port,
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(clock === undefined ? {} : { clock }),
    ...(connect === undefined ? {} : { connect }),
  });
  if (connected.type === "failed") {
    const { error, isLocal } = connected;
    return { type: "unreachable", stage: "connect", error, isLocal, tls: null, notes: [] };
  }
  const session = new Session(connected.connection, options);
  const failure =
    stepFailure(session, "greeting", await connected.greeting) ??
    (await greet(session, options.hostname)) ??
    (await secure(session, options));
  return failure ?? { type: "open", session };
}

/** EHLO, or HELO after a permanent refusal (RFC 5321 §3.2). Discards the capabilities offered before. */
async function greet(session: Session, hostname: string): Promise<OpenFailure | null> {
  const { connection, timeouts } = session;
  session.capabilities = NO_CAPABILITIES;
  const ehlo = await connection.command(`EHLO ${hostname}`, timeouts.ehlo);
  if (ehlo.type === "reply" && ehlo.reply.code >= 500) {
    session.fallback = "helo";
    session.notes.push(`EHLO rejected with ${ehlo.reply.code}, continued with HELO`);
    return greetFailure(session, await connection.command(`HELO ${hostname}`, timeouts.ehlo));
  }
  const failure = greetFailure(session, ehlo);
  if (failure === null && ehlo.type === "reply") session.capabilities = capabilitiesOf(ehlo.reply);
  return failure;
}

/** STARTTLS where it is wanted and offered (RFC 3207), then EHLO again. */
async function secure(session: Session, options: SessionOptions): Promise<OpenFailure | null> {
  const required = options.tls === "required";
  if (!required && (options.tls === "none" || !session.capabilities.startTls)) return null;
  if (!session.capabilities.startTls) return tlsFailure(session, "STARTTLS is not offered");

  const result = await session.connection.command("STARTTLS", session.timeouts.starttls);
  if (result.type === "reply" && result.reply.code >= 400 && session.connection.ended === null) {
    const refusal = `STARTTLS rejected with ${result.reply.code}`;
    if (required) return tlsFailure(session, `${refusal}: ${result.reply.message}`);
    session.fallback = "plaintext";
    session.notes.push(`${refusal}, continued in plain text`);
    return null;
  }
  return (
    brokenTls(stepFailure(session, "starttls", result)) ??
    (await encrypt(session, options)) ??
    brokenTls(await greet(session, options.hostname))
  );
}

/**
 * The host has just replied in plain text, so a connection that breaks between STARTTLS and the next reply is a failure of TLS: under
 * TLS 1.3, a missing client certificate shows only after the handshake. Replies, silence and errors of this server stay what they are.
 */
function brokenTls(failure: OpenFailure | null): OpenFailure | null {
  if (failure?.type !== "unreachable" || failure.isLocal || failure.ended === "timeout") return failure;
  const { stage, error, ended = "lost", tls, notes } = failure;
  return { type: "tls_failed", stage: stage === "ehlo" ? stage : "starttls", error, ended, tls, notes };
}

async function encrypt(session: Session, options: SessionOptions): Promise<OpenFailure | null> {
  const { check, serverName, ca, handshakes } = options;
  const upgrade = await session.connection.upgradeTls({
    timeoutMs: session.timeouts.starttls,
    // Without a policy, old TLS is still better than the plain text that would follow.
    strength: options.tls === "required" ? "strict" : "lenient",
    check: (peer) => {
      session.peer = peer;
      return check?.(peer) ?? null;
    },
    ...(serverName === undefined ? {} : { serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(handshakes === undefined ? {} : { history: handshakes }),
  });
  switch (upgrade.type) {
    case "secured":
      session.tls = { ...upgrade.tls, verified: upgrade.tls.verified || check !== undefined };
      return null;
    case "handshake_failed":
      return tlsFailure(session, upgrade.error);
    case "not_begun":
      return brokenTls(stepFailure(session, "starttls", upgrade.ended));
  }
}

/** As stepFailure, but fails for a 2xx other than 250 too: it replies to something else, as a greeting that is sent twice does. */
function greetFailure(session: Session, result: CommandResult): OpenFailure | null {
  const failure = stepFailure(session, "ehlo", result);
  if (failure !== null || result.type !== "reply" || result.reply.code === 250) return failure;
  const error = session.connection.abortOnReply(result.reply);
  return { type: "unreachable", stage: "ehlo", error, ended: "protocol_error", ...openingContextOf(session) };
}

/** Null for a 2xx; otherwise how the opening ends, with the connection closed or closing. */
function stepFailure(session: Session, stage: Stage, result: CommandResult): OpenFailure | null {
  if (result.type !== "reply") {
    const { error, isLocal = false, type: ended } = result;
    return { type: "unreachable", stage, error, isLocal, ended, ...openingContextOf(session) };
  }
  const { reply } = result;
  if (reply.code < 300) return null;
  if (reply.code < 400) {
    const error = session.connection.abortOnReply(reply);
    return { type: "unreachable", stage, error, ended: "protocol_error", ...openingContextOf(session) };
  }
  void session.quit();
  return { type: "refused", stage, reply, ...openingContextOf(session) };
}

function tlsFailure(session: Session, error: string): OpenFailure {
  void session.quit();
  return { type: "tls_failed", stage: "starttls", error, ...openingContextOf(session) };
}

function openingContextOf(session: Session): OpeningContext {
  return { tls: session.tls, notes: session.notes };
}
