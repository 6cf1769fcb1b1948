/**
 * An SMTP server that accepts messages for any address, and carries out the action that a recipient's local part selects. What
 * becomes of a message is its user's decision: server.ts stores it, discarding-sink.ts does not. Actions are in actions.ts.
 */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { unstuffQuickly } from "../../lib/dot-unstuffing.ts";
import { MINUTE_MS } from "../../lib/units.ts";
import { domainInAscii } from "../../message/domain-encoding.ts";
import { actionOf, conflictRefusal, createGreylist, type Greylist, type PeerReply } from "./actions.ts";
import { SINK_HOST } from "./bounce.ts";

export interface ScriptedServerOptions {
  /** 0 for any free one. */
  port: number;
  host: string;
  /** Offer STARTTLS, with a self-signed certificate. */
  tls: boolean;
  messageBytesMax: number;
  /** Connections at one time; further ones are closed with 421. No limit if absent. */
  clientsMax?: number;
  /** Recipients of one transaction. No limit if absent. */
  recipientsMax?: number;
  /**
   * Takes a message: reads the stream to its end. Returns the id for the reply; null if the message was not taken, because it is
   * larger than `messageBytesMax` or the client disconnected before the final dot. The reply is 451 if it rejects.
   */
  receive(stream: SMTPServerDataStream, about: ReceivedEnvelope): Promise<string | null>;
}

/** A message without its content. */
export interface ReceivedEnvelope {
  /** "" for the null sender. */
  mailFrom: string;
  recipients: string[];
  /** The ENVID of MAIL, decoded; null without one. */
  envelopeId: string | null;
  /** The ORCPT of recipients, decoded. */
  originalRecipients: ReadonlyMap<string, string>;
  clientIp: string;
  ehlo: string;
  /** The protocol, such as "TLSv1.3". */
  tls: string | null;
  /** The reply to the final dot. */
  answer: "accepted" | "dropped_after_dot";
}

export interface ScriptedServer {
  readonly port: number;
  /** Closes all connections. */
  close(): Promise<void>;
}

const CLIENT_IDLE_MS = 5 * MINUTE_MS;
const CLOSE_LIMIT_MS = 1000;

interface Context {
  server: SMTPServer;
  greylist: Greylist;
  receive: ScriptedServerOptions["receive"];
  recipientsMax: number;
  closing: AbortSignal;
}

/** Starts listening. Rejects if the port is in use. */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const { port, host, receive, recipientsMax = Number.POSITIVE_INFINITY } = options;
  const closing = new AbortController();
  const server: SMTPServer = createServer(options, () => context);
  const context: Context = { server, greylist: createGreylist(), receive, recipientsMax, closing: closing.signal };
  // Ignores the errors of single clients; an error of the listener rejects below.
  server.on("error", () => {});
  const listener = server.listen(port, host);
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      closing.abort();
      return closeServer(server);
    },
  };
}

function createServer({ tls, messageBytesMax, clientsMax }: ScriptedServerOptions, context: () => Context): SMTPServer {
  return new SMTPServer({
    name: SINK_HOST,
    banner: "Postrider sink",
    size: messageBytesMax,
    rejectOversized: true,
    hideDSN: false,
    disabledCommands: tls ? ["AUTH"] : ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    // Tests of a sender decide about unusual addresses, not the sink.
    lenientAddressParsing: true,
    socketTimeout: CLIENT_IDLE_MS,
    closeTimeout: CLOSE_LIMIT_MS,
    ...(clientsMax === undefined ? {} : { maxClients: clientsMax }),
    // Also silences the warning about the built-in certificate, which suffices for a sink.
    logger: false,
    onConnect({ id }, callback) {
      const connection = [...context().server.connections].find((each) => each.id === id);
      if (connection !== undefined) unstuffQuickly(connection);
      callback();
    },
    onRcptTo({ address }, { envelope }, callback) {
      callback(rcptRefusal(context(), envelope, wireAddress(address)));
    },
    onData(stream, session, callback) {
      receive(context(), stream, session).then(
        (text) => text !== null && callback(null, text),
        () => callback(smtpError({ code: 451, text: "4.3.0 The message could not be stored" })),
      );
    },
  });
}

const TOO_MANY_RECIPIENTS: PeerReply = { code: 452, text: "4.5.3 Too many recipients" };

function rcptRefusal(
  { greylist, recipientsMax }: Context,
  envelope: SMTPServerSession["envelope"],
  recipient: string,
): Error | null {
  if (envelope.rcptTo.length >= recipientsMax) return smtpError(TOO_MANY_RECIPIENTS);
  const action = actionOf(recipient);
  if (action.type === "refuse") return smtpError(action.reply);
  const accepted = envelope.rcptTo.map(({ address }) => actionOf(wireAddress(address)));
  const conflict = conflictRefusal(action, accepted);
  if (conflict !== null) return smtpError(conflict);
  if (action.type !== "greylist") return null;
  const reply = greylist.refuse(senderOf(envelope), recipient, action.times);
  return reply === null ? null : smtpError(reply);
}

/** Receives one message and carries out the actions. Returns the text of the reply, or null for none; rejects if it was not taken. */
async function receive(
  context: Context,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<string | null> {
  // Found before the final dot, because the client may disconnect right after it.
  const socket = [...context.server.connections].find(({ id }) => id === session.id)?._socket;
  const tls = socket instanceof TLSSocket ? socket.getProtocol() : null;
  const recipients = session.envelope.rcptTo.map(({ address }) => wireAddress(address));
  const actions = recipients.map(actionOf);
  const answer = actions.some(({ type }) => type === "drop_after_dot") ? "dropped_after_dot" : "accepted";
  const envelope = envelopeOf(session, recipients);
  const id = await context.receive(stream, { ...envelope, tls, answer });
  if (stream.sizeExceeded) return "smtp-server itself replies 552";
  if (id === null) return null;
  if (answer === "dropped_after_dot") {
    socket?.destroy();
    return null;
  }
  context.greylist.reset(envelope.mailFrom, recipients);
  const delayMs = Math.max(...actions.map((action) => (action.type === "slow" ? action.delayMs : 0)));
  if (delayMs > 0 && !(await waitFor(delayMs, context.closing))) return null;
  return `2.0.0 Stored as ${id}`;
}

function envelopeOf(
  { envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession,
  recipients: string[],
): Omit<ReceivedEnvelope, "tls" | "answer"> {
  const originals = envelope.rcptTo.map(({ dsn }, index) => [recipients[index] ?? "", dsn?.orcpt ?? ""] as const);
  return {
    mailFrom: senderOf(envelope),
    recipients,
    envelopeId: envelope.dsn?.envid ?? null,
    originalRecipients: new Map(originals.filter(([, original]) => original !== "")),
    clientIp: remoteAddress,
    ehlo: hostNameAppearsAs,
  };
}

async function waitFor(delayMs: number, closing: AbortSignal): Promise<boolean> {
  return delay(delayMs, true, { signal: closing }).catch(() => false);
}

function senderOf({ mailFrom }: SMTPServerSession["envelope"]): string {
  return mailFrom ? wireAddress(mailFrom.address) : "";
}

/** smtp-server decodes domains to Unicode; on the wire and in DNS they are A-labels. */
function wireAddress(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  return address.slice(0, at) + (/^[\x20-\x7e]*$/.test(domain) ? domain : domainInAscii(domain) || domain);
}

function smtpError({ code, text }: PeerReply): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

function closeServer(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(resolve);
    for (const connection of server.connections) {
      // Node crashes if a socket is destroyed during a TLS handshake; the server's own timeout ends those.
      if (!connection._upgrading) connection._socket.destroy();
    }
  });
}
