/**
 * Connects smtp-server, which speaks SMTP, with the sessions that decide about commands, and bounds what a connection may take: how
 * many there are, how long one may be idle or slow. What a listener accepts, and which extensions it offers, is decided by it.
 */
import type { Socket } from "node:net";
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from "smtp-server";
import type { Clock } from "../lib/clock.ts";
import { unstuffQuickly } from "../lib/dot-unstuffing.ts";
import { IterationQueue } from "../lib/iteration-queue.ts";
import type { Logger } from "../lib/log.ts";
import { AUTH_OCTETS_MAX, limitCommands } from "./command-limits.ts";
import type { MessageMemory } from "./message-memory.ts";
import { closeWith, OpenSessions, type SmtpConnection } from "./open-sessions.ts";
import { errorReply, SmtpRejection, unavailable } from "./rejection.ts";

/** The commands of one connection. Each method throws the reply, or rejects with it. */
export interface Session<Accepted> {
  /** MAIL. `announcedOctets`: its SIZE, null without one. `sender`: "" for the null sender. */
  mail(announcedOctets: number | null, sender: string): void | Promise<void>;
  recipient(address: string): void | Promise<void>;
  /** Resolves once the message is durable, with null if the connection ended before the final dot. */
  data(stream: SMTPServerDataStream, options: DataOptions): Promise<Accepted | null>;
  /** The connection has closed. */
  end(): void;
}

export interface DataOptions {
  /** The SIZE of MAIL; null without one. */
  announcedOctets: number | null;
  /** Aborts when the connection closes. */
  gone: AbortSignal;
  /** Closes the connection at once. */
  cutOff: () => void;
}

/** A message or a rejection, for records. */
export interface Outcome<S, Accepted> {
  session: S;
  result: Accepted | SmtpRejection;
  /** Whole milliseconds. */
  durationMs: number;
}

export interface ProtocolOptions<S, Accepted> {
  hostname: string;
  clock: Clock;
  log: Logger;
  messages: Pick<MessageMemory, "clear">;
  /** The SIZE that is announced. */
  octetsMax: number;
  /** Bounds what smtp-server keeps of recipients. The sessions decide about the number, and reply to it. */
  recipientsMax: number;
  /** How long a connection may be idle; five minutes unless given (RFC 5321 §4.5.3.2.7). */
  idleMs?: number;
  /** A session for a new connection, and another one after STARTTLS. */
  newSession: (connection: SmtpConnection) => S;
  /** The text of the 250 to a message. */
  acceptedText: (accepted: Accepted) => string;
  onOutcome: (outcome: Outcome<S, Accepted>) => void;
}

export interface Kind {
  /** Whether connections are under TLS when they arrive. */
  secure: boolean;
  /** PEM; null: STARTTLS is not offered. */
  certificate: { cert: string; key: string } | null;
  /** Further options of smtp-server. */
  options?: SMTPServerOptions;
  /**
   * Called with each new connection. Returns what to do when it has closed. A rejection that it throws is sent, and the connection
   * is closed.
   */
  admit?: (connection: SmtpConnection) => () => void;
}

const IDLE_MS = 300_000;
/** Of an iteration of the event loop, for the commands of all connections. */
const COMMANDS_MS = 2;
/** How long messages may still take when the service stops. */
const DRAIN_MS = 5000;

/** Commands that have no use here. */
const DISABLED = ["VRFY", "EXPN", "HELP", "WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD"];

/** What belongs to one connection. */
interface Open<S> {
  connection: SmtpConnection;
  session: S;
  gone: AbortController;
  leave: () => void;
}

export class Protocol<Accepted extends object, S extends Session<Accepted>> {
  readonly #options: ProtocolOptions<S, Accepted>;
  readonly #sessions = new OpenSessions();
  readonly #turns: IterationQueue;
  /** By the id of smtp-server's session. */
  readonly #open = new Map<string, Open<S>>();
  readonly #servers: SMTPServer[] = [];
  #busy = 0;
  #onIdle = (): void => {};

  constructor(options: ProtocolOptions<S, Accepted>) {
    this.#options = options;
    this.#turns = new IterationQueue({ clock: options.clock, budgetMs: COMMANDS_MS });
  }

  /** Returns a function that serves a connection. */
  kind(kind: Kind): (socket: Socket) => void {
    const server = this.#server(kind);
    const number = this.#servers.push(server);
    let connected = 0;
    return (socket) => {
      connected += 1;
      const id = `${number}.${connected}`;
      server.connect(socket, { id });
      const connection = [...server.connections].find((each) => each.id === id);
      if (connection === undefined) return;
      unstuffQuickly(connection);
      limitCommands(connection, { recipientsMax: this.#options.recipientsMax, turns: this.#turns });
      this.#add(id, connection, kind);
    };
  }

  /** The session of a connection, by its id; null once it has closed. */
  sessionOf(id: string): S | null {
    return this.#open.get(id)?.session ?? null;
  }

  /** Serves this certificate, beginning with the next handshake after STARTTLS. */
  renew(certificate: { cert: string; key: string }): void {
    for (const server of this.#servers) server.updateSecureContext(certificate);
  }

  /** Lets complete messages be stored, and closes all connections. */
  async close(): Promise<void> {
    const { clock, messages } = this.#options;
    messages.clear();
    const drained = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(DRAIN_MS, resolve);
    });
    if (this.#busy > 0) await Promise.race([drained, late]);
    cancel();
    for (const { connection } of this.#open.values()) closeWith(connection, "4.3.2 The service is stopping");
  }

  /** Runs a command of the client. Rejects with the reply, which is recorded. */
  async command(smtp: SMTPServerSession, run: (session: S) => void | Promise<void>): Promise<void> {
    const open = this.#open.get(smtp.id);
    if (open === undefined) throw unavailable("The connection is closed");
    this.#sessions.touch(open.connection);
    const beganMs = this.#options.clock.monotonicMs();
    try {
      await run(open.session);
    } catch (error) {
      const reply = this.#replyTo(error);
      this.#record(open, beganMs, reply);
      throw reply;
    }
  }

  #server({ secure, certificate, options = {} }: Kind): SMTPServer {
    const { hostname, octetsMax, recipientsMax, idleMs = IDLE_MS, newSession } = this.#options;
    // Without a certificate, smtp-server would carry out STARTTLS with a built-in key that is public.
    const ofCertificate = certificate === null ? ["STARTTLS"] : [];
    const server = new SMTPServer({
      ...options,
      name: hostname,
      banner: "Postrider",
      secure,
      ...(certificate ?? {}),
      hideSTARTTLS: certificate === null,
      size: octetsMax,
      maxRecipients: recipientsMax,
      maxCommandLength: AUTH_OCTETS_MAX,
      disabledCommands: [...DISABLED, ...ofCertificate, ...(options.disabledCommands ?? [])],
      disableReverseLookup: true,
      // message/address.ts decides what a valid address is.
      lenientAddressParsing: true,
      socketTimeout: idleMs,
      logger: false,
      // RFC 3207 §4.2: what a client has said before the handshake is void.
      onSecure: (_socket, smtp, callback) => {
        const open = this.#open.get(smtp.id);
        if (open !== undefined) open.session = newSession(open.connection);
        callback();
      },
      onMailFrom: (sender, smtp, callback) =>
        this.#answer(smtp, (session) => session.mail(announcedOctetsOf(sender), sender.address), callback),
      onRcptTo: ({ address }, smtp, callback) => this.#answer(smtp, (session) => session.recipient(address), callback),
      onData: (stream, smtp, callback) => this.#data(stream, smtp, callback),
      onClose: ({ id }) => this.#remove(id),
    });
    // An error of one client's connection, such as a failed handshake, after which it is closed. Without a listener the process ends.
    server.on("error", () => {});
    return server;
  }

  #add(id: string, connection: SmtpConnection, { admit = () => () => {} }: Kind): void {
    let leave: () => void;
    try {
      leave = admit(connection);
    } catch (error) {
      if (!(error instanceof SmtpRejection)) throw error;
      closeWith(connection, error.message);
      return;
    }
    const session = this.#options.newSession(connection);
    this.#open.set(id, { connection, session, gone: new AbortController(), leave });
    this.#sessions.add(connection);
  }

  #remove(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.#sessions.remove(open.connection);
    open.leave();
    open.gone.abort();
    open.session.end();
  }

  #answer(
    smtp: SMTPServerSession,
    decide: (session: S) => void | Promise<void>,
    callback: (error?: Error | null) => void,
  ): void {
    this.command(smtp, decide).then(
      () => callback(null),
      (error: SmtpRejection) => callback(error),
    );
  }

  #data(
    stream: SMTPServerDataStream,
    smtp: SMTPServerSession,
    callback: (error?: Error | null, text?: string) => void,
  ): void {
    const open = this.#open.get(smtp.id);
    if (open === undefined) return void stream.resume();
    const beganMs = this.#options.clock.monotonicMs();
    const { connection, session, gone } = open;
    const work = (): Promise<Accepted | null> =>
      session.data(stream, {
        announcedOctets: announcedOctetsOf(smtp.envelope.mailFrom || null),
        gone: gone.signal,
        cutOff: () => connection._socket.destroy(),
      });
    this.#busy += 1;
    this.#sessions
      .whileBusy(connection, work)
      .then(
        (accepted) => {
          if (accepted !== null) this.#record(open, beganMs, accepted);
          callback(null, accepted === null ? undefined : this.#options.acceptedText(accepted));
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

  #replyTo(error: unknown): SmtpRejection {
    const reply = errorReply(error);
    if (reply !== null) return reply;
    this.#options.log.error({ err: error }, "SMTP session failed");
    return unavailable("Internal error: try again");
  }

  #record({ session }: Open<S>, beganMs: number, result: Accepted | SmtpRejection): void {
    const { onOutcome, clock } = this.#options;
    onOutcome({ session, result, durationMs: Math.round(clock.monotonicMs() - beganMs) });
  }
}

/** The SIZE parameter of MAIL (RFC 1870), of which smtp-server has checked the form; null without one. */
export function announcedOctetsOf(mailFrom: SMTPServerAddress | null): number | null {
  const { SIZE: size } = { ...(mailFrom?.args || {}) } as { SIZE?: string };
  return size === undefined ? null : Number(size);
}
