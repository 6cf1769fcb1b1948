/**
 * Connects smtp-server, which speaks SMTP, with the sessions that decide about commands (session.ts), and bounds what a connection may
 * take: how many there are, how long one may be idle, unauthenticated or slow.
 */
import type { Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { unstuffQuickly } from "../lib/dot-unstuffing.ts";
import type { Logger } from "../lib/log.ts";
import { newRequestId } from "../lib/request-id.ts";
import { OpenSessions, type SmtpConnection } from "./open-sessions.ts";
import { authenticationRequired, errorReply, SubmissionRejected, unavailable } from "./reply.ts";
import { announcedOctetsOf, type SubmissionParts, SubmissionSession, type Submitted } from "./session.ts";

export interface ProtocolParts extends SubmissionParts {
  hostname: string;
  log: Logger;
  /** How long a connection may be idle; five minutes unless given (RFC 5321 §4.5.3.2.7). */
  idleMs?: number;
  /** Called after each message, and after each rejection. */
  onReply: (reply: SubmissionReply) => void;
}

/** What is recorded of a message or a rejection. */
export interface SubmissionReply {
  requestId: string;
  accountId: string | null;
  keyId: string | null;
  /** The reply code. */
  code: number;
  /** The reason of a rejection as the API names it. */
  problem: string | null;
  messageId: string | null;
  /** Whole milliseconds. */
  durationMs: number;
}

export interface Kind {
  /** Whether connections are under TLS when they arrive. */
  secure: boolean;
  /** Whether a client may authenticate without TLS. */
  allowsPlaintext: boolean;
  /** PEM; null: STARTTLS is not offered. */
  certificate: { cert: string; key: string } | null;
}

const IDLE_MS = 300_000;
/** From the connection to a valid key. */
const UNAUTHENTICATED_MS = 60_000;
/** How long messages may still take when the service stops. */
const DRAIN_MS = 5000;

/** Commands that have no use here. */
const DISABLED = ["VRFY", "EXPN", "HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"];

/**
 * Without a certificate, smtp-server would carry out STARTTLS with a built-in key that is public, and accept AUTH in plaintext from
 * any client. Neither is possible then.
 */
function disabledFor({ allowsPlaintext, certificate }: Omit<Kind, "secure">): string[] {
  if (certificate !== null) return DISABLED;
  return allowsPlaintext ? [...DISABLED, "STARTTLS"] : [...DISABLED, "STARTTLS", "AUTH"];
}

/** What belongs to one connection. */
interface Open {
  connection: SmtpConnection;
  session: SubmissionSession;
  gone: AbortController;
  cancel: () => void;
}

export class Protocol {
  readonly #parts: ProtocolParts;
  readonly #sessions = new OpenSessions();
  /** By the id of smtp-server's session. */
  readonly #open = new Map<string, Open>();
  readonly #servers: SMTPServer[] = [];
  #busy = 0;
  #onIdle = (): void => {};

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  /** Returns a function that serves a connection. */
  kind({ secure, allowsPlaintext, certificate }: Kind): (socket: Socket) => void {
    const server = this.#server({ secure, allowsPlaintext, certificate });
    this.#servers.push(server);
    let connected = 0;
    return (socket) => {
      connected += 1;
      const id = `${this.#servers.indexOf(server)}.${connected}`;
      server.connect(socket, { id });
      const connection = [...server.connections].find((each) => each.id === id);
      if (connection === undefined) return;
      if (!allowsPlaintext) hideAuthUntilTls(connection);
      unstuffQuickly(connection);
      this.#add(id, connection);
    };
  }

  /** Serves this certificate, beginning with the next handshake after STARTTLS. */
  renew(certificate: { cert: string; key: string }): void {
    for (const server of this.#servers) server.updateSecureContext(certificate);
  }

  /** Lets complete messages be stored, and closes all connections. */
  async close(): Promise<void> {
    this.#parts.messages.clear();
    const { clock } = this.#parts;
    const drained = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(DRAIN_MS, resolve);
    });
    if (this.#busy > 0) await Promise.race([drained, late]);
    cancel();
    for (const { connection } of this.#open.values()) {
      connection.send(421, "4.3.2 The service is stopping", false);
      if (!connection._upgrading) connection._socket.destroySoon();
    }
  }

  #server({ secure, allowsPlaintext, certificate }: Kind): SMTPServer {
    const { hostname, limits, idleMs = IDLE_MS } = this.#parts;
    const server = new SMTPServer({
      name: hostname,
      banner: "Postrider",
      secure,
      ...(certificate ?? {}),
      hideSTARTTLS: certificate === null,
      allowInsecureAuth: allowsPlaintext,
      authMethods: ["PLAIN", "LOGIN"],
      authRequiredMessage: authenticationRequired().message,
      size: limits.messageBytesMax,
      // session.ts decides about the number. This bounds what smtp-server keeps of recipients that are written differently.
      maxRecipients: 2 * limits.recipientsMax,
      disabledCommands: disabledFor({ allowsPlaintext, certificate }),
      disableReverseLookup: true,
      // message/address.ts decides what a valid address is.
      lenientAddressParsing: true,
      socketTimeout: idleMs,
      logger: false,
      onAuth: ({ password }, smtp, callback) => {
        this.#command(smtp, ({ session }) => session.authenticate(password ?? "")).then(
          () => callback(null, { user: this.#open.get(smtp.id)?.session.key?.id }),
          (error: SubmissionRejected) => callback(error),
        );
      },
      // RFC 3207 §4.2: what a client has said before the handshake is void.
      onSecure: (_socket, smtp, callback) => {
        const open = this.#open.get(smtp.id);
        if (open !== undefined) open.session = this.#session(open.connection);
        callback();
      },
      onMailFrom: (address, smtp, callback) =>
        this.#answer(smtp, ({ session }) => session.mail(announcedOctetsOf(address)), callback),
      onRcptTo: ({ address }, smtp, callback) =>
        this.#answer(smtp, ({ session }) => session.recipient(address), callback),
      onData: (stream, smtp, callback) => this.#data(stream, smtp, callback),
      onClose: ({ id }) => this.#remove(id),
    });
    // An error of one client's connection, such as a failed handshake, after which it is closed. Without a listener the process ends.
    server.on("error", () => {});
    return server;
  }

  #session({ remoteAddress }: SmtpConnection): SubmissionSession {
    return new SubmissionSession(this.#parts, remoteAddress);
  }

  #add(id: string, connection: SmtpConnection): void {
    const cancel = this.#parts.clock.after(UNAUTHENTICATED_MS, () => {
      if (this.#open.get(id)?.session.key !== null) return;
      connection.send(421, "4.4.2 Not authenticated in time", false);
    });
    this.#open.set(id, { connection, session: this.#session(connection), gone: new AbortController(), cancel });
    this.#sessions.add(connection);
  }

  #remove(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.#sessions.remove(open.connection);
    open.cancel();
    open.gone.abort();
    open.session.end();
  }

  #answer(smtp: SMTPServerSession, decide: (open: Open) => void, callback: (error?: Error | null) => void): void {
    this.#command(smtp, async (open) => decide(open)).then(
      () => callback(null),
      (error: SubmissionRejected) => callback(error),
    );
  }

  /** Rejects with the reply, which is recorded. */
  async #command(smtp: SMTPServerSession, run: (open: Open) => Promise<void>): Promise<void> {
    const open = this.#open.get(smtp.id);
    if (open === undefined) throw unavailable("The connection is closed");
    this.#sessions.touch(open.connection);
    const beganMs = this.#parts.clock.monotonicMs();
    try {
      await run(open);
    } catch (error) {
      const reply = this.#replyTo(error);
      this.#record(open, beganMs, reply);
      throw reply;
    }
  }

  #data(
    stream: SMTPServerDataStream,
    smtp: SMTPServerSession,
    callback: (error?: Error | null, text?: string) => void,
  ): void {
    const open = this.#open.get(smtp.id);
    if (open === undefined) return void stream.resume();
    const beganMs = this.#parts.clock.monotonicMs();
    const { connection, session, gone } = open;
    const work = (): Promise<Submitted | null> =>
      session.data(stream, {
        announcedOctets: announcedOctetsOf(smtp.envelope.mailFrom || null),
        gone: gone.signal,
        cutOff: () => connection._socket.destroy(),
      });
    this.#busy += 1;
    this.#sessions
      .whileBusy(connection, work)
      .then(
        (submitted) => {
          if (submitted !== null) this.#record(open, beganMs, submitted);
          callback(null, submitted === null ? undefined : `2.0.0 Accepted as ${submitted.messageId}`);
        },
        (error) => {
          const reply = this.#replyTo(error);
          this.#record(open, beganMs, reply);
          callback(reply);
          // The key has been revoked.
          if (reply.responseCode === 535) connection.close();
        },
      )
      .finally(() => {
        this.#busy -= 1;
        if (this.#busy === 0) this.#onIdle();
      });
  }

  #replyTo(error: unknown): SubmissionRejected {
    const reply = errorReply(error);
    if (reply !== null) return reply;
    this.#parts.log.error({ err: error }, "submission failed");
    return unavailable("Internal error: try again");
  }

  #record({ session }: Open, beganMs: number, outcome: Submitted | SubmissionRejected): void {
    const { onReply, clock } = this.#parts;
    const isRejection = outcome instanceof SubmissionRejected;
    onReply({
      requestId: newRequestId(),
      accountId: session.key?.accountId ?? null,
      keyId: session.key?.id ?? null,
      code: isRejection ? outcome.responseCode : 250,
      problem: isRejection ? outcome.problem : null,
      messageId: isRejection ? null : outcome.messageId,
      durationMs: Math.round(clock.monotonicMs() - beganMs),
    });
  }
}

/**
 * smtp-server offers AUTH before TLS, although it refuses it there. Some clients would send their password at once, so it is
 * removed from the reply to EHLO (RFC 4954 §4).
 */
function hideAuthUntilTls(connection: SmtpConnection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    const isHidden = !connection.secure && Array.isArray(data);
    send(code, isHidden ? data.filter((line) => !line.startsWith("AUTH ")) : data, context);
  };
}
