/**
 * The sink's side of the SMTP conversation: accepts mail for anybody, keeps it with its verdicts, and plays the part
 * that a recipient asks for. Parts are in peer.ts, verdicts in verdicts.ts, storage in mailbox.ts.
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
import { headerField } from "./header.ts";
import { type Mailbox, openMailbox, type SinkEntry } from "./mailbox.ts";
import { companyRefusal, createGreylist, type Greylist, type PeerReply, partOf } from "./peer.ts";
import { judge } from "./verdicts.ts";

export interface SinkOptions {
  /** 0 for any free one. */
  port: number;
  /** 127.0.0.1 unless given. */
  host?: string;
  /** Where messages are kept; null for in memory alone. */
  dir: string | null;
  /** Answers the questions behind the verdicts. */
  resolver: Resolver;
  /** Offer STARTTLS, with a self-signed certificate. True unless given. */
  tls?: boolean;
  /** Called once an entry is recorded, before the sender has its answer. */
  onMessage?: (entry: SinkEntry) => void;
}

export interface Sink {
  readonly port: number;
  /** The newest 10,000 messages, oldest first. */
  readonly entries: SinkEntry[];
  /** Cuts all connections. */
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

/** Listens. Rejects when the port is taken or the directory cannot be made. */
export async function startSink(options: SinkOptions): Promise<Sink> {
  const { port, host = HOST, dir, resolver, tls = true, onMessage = () => {} } = options;
  const closing = new AbortController();
  const mailbox = await openMailbox(dir);
  const server: SMTPServer = new SMTPServer({
    name: "sink.invalid",
    banner: "Postrider sink",
    size: MESSAGE_BYTES_MAX,
    rejectOversized: true,
    disabledCommands: tls ? ["AUTH"] : ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    // Odd addresses are for the sender's tests to judge, not for the sink.
    lenientAddressParsing: true,
    socketTimeout: CLIENT_IDLE_MS,
    closeTimeout: CLOSE_LIMIT_MS,
    // Also silences the warning about the built-in certificate, which is all that a sink needs.
    logger: false,
    onRcptTo({ address }, { envelope }, callback) {
      callback(rcptRefusal(context, envelope, wireAddress(address)));
    },
    onData(stream, session, callback) {
      receive(context, stream, session).then(
        (text) => text !== null && callback(null, text),
        () => callback(smtpError({ code: 451, text: "4.3.0 The message could not be stored" })),
      );
    },
  });
  const greylist = createGreylist();
  const context: Context = { server, mailbox, greylist, resolver, onMessage, closing: closing.signal };
  // Errors of single clients end here; that of the listener rejects below.
  server.on("error", () => {});
  const listener = server.listen(port, host);
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    entries: mailbox.entries,
    close() {
      closing.abort();
      return shut(server);
    },
  };
}

function rcptRefusal({ greylist }: Context, envelope: SMTPServerSession["envelope"], recipient: string): Error | null {
  const part = partOf(recipient);
  if (part.type === "refuse") return smtpError(part.reply);
  const accepted = envelope.rcptTo.map(({ address }) => partOf(wireAddress(address)));
  const company = companyRefusal(part, accepted);
  if (company !== null) return smtpError(company);
  if (part.type !== "greylist") return null;
  const reply = greylist.refuse(senderOf(envelope), recipient, part.times);
  return reply === null ? null : smtpError(reply);
}

/** Takes one message in and plays its recipients' parts: the reply's text, null for none. Rejects if storing fails. */
async function receive(
  context: Context,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<string | null> {
  // Looked up while the client is surely there: it may be gone right after its final dot.
  const socket = [...context.server.connections].find(({ id }) => id === session.id)?._socket;
  const tls = socket instanceof TLSSocket ? socket.getProtocol() : null;
  const recipients = session.envelope.rcptTo.map(({ address }) => wireAddress(address));
  const parts = recipients.map(partOf);
  const answer = parts.some(({ type }) => type === "drop_after_dot") ? "dropped_after_dot" : "accepted";
  const envelope = envelopeOf(session, recipients);
  const content = await wholeMessage(stream);
  if (content === null) return null;
  if (stream.sizeExceeded) return "the server itself replies 552";

  const entry = await keep(context, content, { ...envelope, tls, answer });
  context.onMessage(entry);
  if (answer === "dropped_after_dot") {
    socket?.destroy();
    return null;
  }
  context.greylist.reset(entry.mail_from, recipients);
  const delayMs = Math.max(...parts.map((part) => (part.type === "slow" ? part.delayMs : 0)));
  if (delayMs > 0 && !(await waited(delayMs, context.closing))) return null;
  return `2.0.0 Kept as ${entry.id}`;
}

type Envelope = Pick<SinkEntry, "mail_from" | "rcpt_to" | "client_ip" | "ehlo">;

function envelopeOf({ envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession, recipients: string[]): Envelope {
  return { mail_from: senderOf(envelope), rcpt_to: recipients, client_ip: remoteAddress, ehlo: hostNameAppearsAs };
}

async function keep(
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

/** The bytes between DATA and the final dot, dots unstuffed; null when the client left before it. */
async function wholeMessage(stream: SMTPServerDataStream): Promise<Buffer | null> {
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

async function waited(delayMs: number, closing: AbortSignal): Promise<boolean> {
  return delay(delayMs, true, { signal: closing }).catch(() => false);
}

function senderOf({ mailFrom }: SMTPServerSession["envelope"]): string {
  return mailFrom ? wireAddress(mailFrom.address) : "";
}

/** smtp-server shows domains in Unicode; on the wire, and in DNS, they are A-labels. */
function wireAddress(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  return address.slice(0, at) + (/^[\x20-\x7e]*$/.test(domain) ? domain : domainToASCII(domain) || domain);
}

function smtpError({ code, text }: PeerReply): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

function shut(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(resolve);
    for (const connection of server.connections) {
      // Node crashes when a socket goes away under a TLS handshake; the server's own limit ends those.
      if (!connection._upgrading) connection._socket.destroy();
    }
  });
}
