/**
 * Inbound SMTP on smtp-server/protocol.ts: without AUTH, with a limit of the connections of each address, and with what is recorded
 * of each message and rejection. session.ts decides about the commands.
 */
import type { Socket } from "node:net";
import type { IncomingRecipientType } from "../app/incoming/incoming-recipients.ts";
import type { Logger } from "../lib/log.ts";
import { type Outcome, Protocol as SmtpProtocol } from "../smtp-server/protocol.ts";
import { SmtpRejection } from "../smtp-server/rejection.ts";
import { type InboundParts, InboundSession, OCTETS_MAX, RECIPIENTS_MAX, type Received } from "./session.ts";

export interface ProtocolParts extends InboundParts {
  hostname: string;
  log: Logger;
  /** How long a connection may be idle; five minutes unless given (RFC 5321 §4.5.3.2.7). */
  idleMs?: number;
  /** Called after each message, and after each rejection. */
  onReply: (reply: InboundReply) => void;
}

/** What is recorded of a message or a rejection. */
export interface InboundReply {
  /** Of the client. */
  ip: string;
  /** The reply code. */
  code: number;
  /** The reason of a rejection. */
  problem: string | null;
  /** Of the recipients of a stored message; none of a rejection. */
  types: IncomingRecipientType[];
  /** Of the content; 0 for a rejection. */
  octets: number;
  /** Whole milliseconds. */
  durationMs: number;
}

export class Protocol {
  readonly #parts: ProtocolParts;
  readonly #smtp: SmtpProtocol<Received, InboundSession>;

  constructor(parts: ProtocolParts) {
    const { hostname, clock, log, messages, idleMs, onReply } = parts;
    this.#parts = parts;
    this.#smtp = new SmtpProtocol({
      hostname,
      clock,
      log,
      messages,
      ...(idleMs === undefined ? {} : { idleMs }),
      octetsMax: OCTETS_MAX,
      // Of addresses that are written differently, session.ts counts each.
      recipientsMax: 2 * RECIPIENTS_MAX,
      newSession: ({ remoteAddress }) => new InboundSession(parts, remoteAddress),
      acceptedText: () => "2.0.0 Accepted",
      onOutcome: (outcome) => onReply(replyOf(outcome)),
    });
  }

  /** Returns a function that serves a connection. `certificate`: PEM; null: STARTTLS is not offered. */
  kind(certificate: { cert: string; key: string } | null): (socket: Socket) => void {
    return this.#smtp.kind({
      secure: false,
      certificate,
      options: { disabledCommands: ["AUTH"] },
      admit: ({ remoteAddress }) => this.#admit(remoteAddress),
    });
  }

  /** Serves this certificate, beginning with the next handshake after STARTTLS. */
  renew(certificate: { cert: string; key: string }): void {
    this.#smtp.renew(certificate);
  }

  /** Lets complete messages be stored, and closes all connections. */
  close(): Promise<void> {
    return this.#smtp.close();
  }

  #admit(ip: string): () => void {
    try {
      return this.#parts.addresses.connect(ip);
    } catch (error) {
      if (error instanceof SmtpRejection) this.#parts.onReply(rejectionOf(ip, error, 0));
      throw error;
    }
  }
}

function replyOf({ session, result, durationMs }: Outcome<InboundSession, Received>): InboundReply {
  const { ip } = session;
  if (result instanceof SmtpRejection) return rejectionOf(ip, result, durationMs);
  return { ip, code: 250, problem: null, ...result, durationMs };
}

const rejectionOf = (ip: string, { responseCode, problem }: SmtpRejection, durationMs: number): InboundReply => ({
  ip,
  code: responseCode,
  problem,
  types: [],
  octets: 0,
  durationMs,
});
