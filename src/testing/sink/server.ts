/**
 * The sink's SMTP server: accepts messages for any address, stores them with their verdicts, and carries out the action that a
 * recipient's local part selects. Actions are in actions.ts, verdicts in verdicts.ts, storage in mailbox.ts.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { domainToASCII } from "node:url";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { Resolver } from "../../dns/resolver.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { actionOf, conflictRefusal, createGreylist, type Greylist, type PeerReply } from "./actions.ts";
import { headerField } from "./header.ts";
import { type Mailbox, openMailbox, type SinkEntry } from "./mailbox.ts";
import { judge } from "./verdicts.ts";

export interface SinkOptions {
  /** 0 for any free one. */
  port: number;
  /** 127.0.0.1 unless given. */
  host?: string;
  /** Where messages are stored; null for memory only. */
  dir: string | null;
  /** For the DNS queries of the verdicts. */
  resolver: Resolver;
  /** Offer STARTTLS, with a self-signed certificate. True unless given. */
  tls?: boolean;
  /** Called once an entry is recorded, before the reply to the sender. */
  onMessage?: (entry: SinkEntry) => void;
}

export interface Sink {
  readonly port: number;
  /** The newest 10,000 messages, oldest first. */
  readonly entries: SinkEntry[];
  /** Closes all connections. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MESSAGE_BYTES_MAX = 50 * 1024 * 1024;
const CLIENT_IDLE_MS = 5 * 60_000;
const CLOSE_LIMIT_MS = 1000;

interface Context {
  server: SMTPServer;
  mailbox: Mailbox;
  greylist: Greylist;
  resolver: Resolver;
  onMessage: (entry: SinkEntry) => void;
  closing: AbortSignal;
}

/** Starts listening. Rejects if the port is in use or the directory cannot be created. */
export async function startSink(options: SinkOptions): Promise<Sink> {
  const { port, host = HOST, dir, resolver, tls = true, onMessage = () => {} } = options;
  const closing = new AbortController();
  const mailbox = await openMailbox(dir);
  const greylist = createGreylist();
  const server: SMTPServer = createServer(tls, () => context);
  const context: Context = { server, mailbox, greylist, resolver, onMessage, closing: closing.signal };
  // Ignores the errors of single clients; an error of the listener rejects below.
  server.on("error", () => {});
  const listener = server.listen(port, host);
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    entries: mailbox.entries,
    close() {
      closing.abort();
      return closeServer(server);
    },
  };
}

function createServer(tls: boolean, context: () => Context): SMTPServer {
  return new SMTPServer({
    name: "sink.invalid",
    banner: "Postrider sink",
    size: MESSAGE_BYTES_MAX,
    rejectOversized: true,
    disabledCommands: tls ? ["AUTH"] : ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    // Tests of a sender decide about unusual addresses, not the sink.
    lenientAddressParsing: true,
    socketTimeout: CLIENT_IDLE_MS,
    closeTimeout: CLOSE_LIMIT_MS,
    // Also silences the warning about the built-in certificate, which suffices for a sink.
    logger: false,
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

function rcptRefusal({ greylist }: Context, envelope: SMTPServerSession["envelope"], recipient: string): Error | null {
  const action = actionOf(recipient);
  if (action.type === "refuse") return smtpError(action.reply);
  const accepted = envelope.rcptTo.map(({ address }) => actionOf(wireAddress(address)));
  const conflict = conflictRefusal(action, accepted);
  if (conflict !== null) return smtpError(conflict);
  if (action.type !== "greylist") return null;
  const reply = greylist.refuse(senderOf(envelope), recipient, action.times);
  return reply === null ? null : smtpError(reply);
}

/** Receives one message and carries out the actions. Returns the text of the reply, or null for none; rejects if storing fails. */
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
  const content = await readMessage(stream);
  if (content === null) return null;
  if (stream.sizeExceeded) return "smtp-server itself replies 552";

  const entry = await storeMessage(context, content, { ...envelope, tls, answer });
  context.onMessage(entry);
  if (answer === "dropped_after_dot") {
    socket?.destroy();
    return null;
  }
  context.greylist.reset(entry.mail_from, recipients);
  const delayMs = Math.max(...actions.map((action) => (action.type === "slow" ? action.delayMs : 0)));
  if (delayMs > 0 && !(await waitFor(delayMs, context.closing))) return null;
  return `2.0.0 Stored as ${entry.id}`;
}

type Envelope = Pick<SinkEntry, "mail_from" | "rcpt_to" | "client_ip" | "ehlo">;

function envelopeOf({ envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession, recipients: string[]): Envelope {
  return { mail_from: senderOf(envelope), rcpt_to: recipients, client_ip: remoteAddress, ehlo: hostNameAppearsAs };
}

async function storeMessage(
  { mailbox, resolver }: Context,
  content: Buffer,
  about: Envelope & Pick<SinkEntry, "tls" | "answer">,
): Promise<SinkEntry> {
  const atMs = Date.now();
  const id = `${atMs.toString(36)}-${randomBytes(6).toString("hex")}`;
  const file = await mailbox.store(id, content);
  const { mail_from: mailFrom, client_ip: clientIp, ehlo } = about;
  const entry: SinkEntry = {
    id,
    at: rfc3339(atMs),
    file,
    size_bytes: content.length,
    ...about,
    subject: headerField(content, "Subject"),
    message_id: headerField(content, "Message-ID"),
    ...(await judge({ content, mailFrom, clientIp, ehlo }, resolver)),
  };
  await mailbox.record(entry);
  return entry;
}

/** The bytes between DATA and the final dot, without dot stuffing; null if the client disconnected before it. */
async function readMessage(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) {
      if (stream.sizeExceeded) chunks.length = 0;
      else chunks.push(chunk as Buffer);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
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
  return address.slice(0, at) + (/^[\x20-\x7e]*$/.test(domain) ? domain : domainToASCII(domain) || domain);
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
