/**
 * SMTP submission on smtp-server/protocol.ts: AUTH, the time until a valid key, and what is recorded of each message and rejection.
 * session.ts decides about the commands.
 */
import type { Socket } from "node:net";
import type { SMTPServerAuthentication, SMTPServerAuthenticationResponse, SMTPServerSession } from "smtp-server";
import type { Logger } from "../lib/log.ts";
import { newRequestId } from "../lib/request-id.ts";
import type { SmtpConnection } from "../smtp-server/open-sessions.ts";
import { type Outcome, Protocol as SmtpProtocol } from "../smtp-server/protocol.ts";
import { SmtpRejection } from "../smtp-server/rejection.ts";
import { authenticationRequired } from "./reply.ts";
import { type SubmissionParts, SubmissionSession, type Submitted } from "./session.ts";

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

type AuthCallback = (error: Error | null | undefined, response?: SMTPServerAuthenticationResponse) => void;

/** From the connection to a valid key. */
const UNAUTHENTICATED_MS = 60_000;

export class Protocol {
  readonly #parts: ProtocolParts;
  readonly #smtp: SmtpProtocol<Submitted, SubmissionSession>;

  constructor(parts: ProtocolParts) {
    const { hostname, clock, log, messages, limits, idleMs } = parts;
    this.#parts = parts;
    this.#smtp = new SmtpProtocol({
      hostname,
      clock,
      log,
      messages,
      ...(idleMs === undefined ? {} : { idleMs }),
      octetsMax: limits.messageBytesMax,
      // Of recipients that are written differently, session.ts counts each once.
      recipientsMax: 2 * limits.recipientsMax,
      newSession: ({ remoteAddress }) => new SubmissionSession(parts, remoteAddress),
      acceptedText: ({ messageId }) => `2.0.0 Accepted as ${messageId}`,
      onOutcome: (outcome) => parts.onReply(replyOf(outcome)),
    });
  }

  /** Returns a function that serves a connection. */
  kind({ secure, allowsPlaintext, certificate }: Kind): (socket: Socket) => void {
    return this.#smtp.kind({
      secure,
      certificate,
      options: {
        allowInsecureAuth: allowsPlaintext,
        authMethods: ["PLAIN", "LOGIN"],
        authRequiredMessage: authenticationRequired().message,
        // Without a certificate, smtp-server would accept AUTH in plaintext from any client.
        disabledCommands: certificate === null && !allowsPlaintext ? ["AUTH"] : [],
        onAuth: (auth, smtp, callback) => this.#authenticate(auth, smtp, callback),
      },
      admit: (connection) => {
        if (!allowsPlaintext) hideAuthUntilTls(connection);
        return this.#limitUnauthenticated(connection);
      },
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

  #authenticate({ password }: SMTPServerAuthentication, smtp: SMTPServerSession, callback: AuthCallback): void {
    this.#smtp
      .command(smtp, (session) => session.authenticate(password ?? ""))
      .then(
        () => callback(null, { user: this.#smtp.sessionOf(smtp.id)?.key?.id }),
        (error: SmtpRejection) => callback(error),
      );
  }

  /** Returns how to end the limit. */
  #limitUnauthenticated(connection: SmtpConnection): () => void {
    return this.#parts.clock.after(UNAUTHENTICATED_MS, () => {
      if (this.#smtp.sessionOf(connection.id)?.key !== null) return;
      connection.send(421, "4.4.2 Not authenticated in time", false);
    });
  }
}

function replyOf({ session, result, durationMs }: Outcome<SubmissionSession, Submitted>): SubmissionReply {
  const isRejection = result instanceof SmtpRejection;
  return {
    requestId: isRejection ? newRequestId() : result.requestId,
    accountId: session.sentKey?.accountId ?? null,
    keyId: session.sentKey?.id ?? null,
    code: isRejection ? result.responseCode : 250,
    problem: isRejection ? result.problem : null,
    messageId: isRejection ? null : result.messageId,
    durationMs,
  };
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
