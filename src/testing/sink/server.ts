/**
 * The testers' sink: stores every message with its verdicts. scripted-server.ts speaks SMTP and carries out the actions that local
 * parts select; verdicts are in verdicts.ts, storage in mailbox.ts.
 */

import { randomBytes } from "node:crypto";
import type { SMTPServerDataStream } from "smtp-server";
import type { Resolver } from "../../dns/resolver.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { MIB } from "../../lib/units.ts";
import { bounceSender, type SmtpHost } from "./bounce-sender.ts";
import { headerField, headerOf } from "./header.ts";
import { LaterBounces } from "./later-bounces.ts";
import { type Mailbox, openMailbox, type SinkEntry } from "./mailbox.ts";
import { type ReceivedEnvelope, startScriptedServer } from "./scripted-server.ts";
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
  /** Where bounces are sent by SMTP; nowhere unless given. */
  bouncesTo?: SmtpHost | null;
  /** Called with a line about each bounce: where it was sent, or why not. */
  onBounce?: (line: string) => void;
}

export interface Sink {
  readonly port: number;
  /** The newest 10,000 messages, oldest first. */
  readonly entries: SinkEntry[];
  /** From now on bounces are sent to this server. */
  sendBouncesTo(target: SmtpHost): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MESSAGE_BYTES_MAX = 50 * MIB;

/** Starts listening. Rejects if the port is in use or the directory cannot be created. */
export async function startSink(options: SinkOptions): Promise<Sink> {
  const { port, host = HOST, dir, resolver, tls = true, onMessage = () => {} } = options;
  const { bouncesTo = null, onBounce = () => {} } = options;
  const mailbox = await openMailbox(dir);
  let send = bounceSender(bouncesTo);
  const bounces = new LaterBounces((bounce) => void send(bounce).then(onBounce));
  const server = await startScriptedServer({
    port,
    host,
    tls,
    messageBytesMax: MESSAGE_BYTES_MAX,
    async receive(stream, about) {
      const content = await readMessage(stream);
      if (content === null || stream.sizeExceeded) return null;
      const entry = await storeMessage({ mailbox, resolver }, content, about);
      onMessage(entry);
      bounces.add(about, headerOf(content));
      return entry.id;
    },
  });
  return {
    port: server.port,
    entries: mailbox.entries,
    sendBouncesTo(target) {
      send = bounceSender(target);
    },
    close() {
      bounces.close();
      return server.close();
    },
  };
}

async function storeMessage(
  { mailbox, resolver }: { mailbox: Mailbox; resolver: Resolver },
  content: Buffer,
  { mailFrom, recipients, clientIp, ehlo, tls, answer }: ReceivedEnvelope,
): Promise<SinkEntry> {
  const atMs = Date.now();
  const id = `${atMs.toString(36)}-${randomBytes(6).toString("hex")}`;
  const file = await mailbox.store(id, content);
  const entry: SinkEntry = {
    id,
    at: rfc3339(atMs),
    file,
    size_bytes: content.length,
    mail_from: mailFrom,
    rcpt_to: recipients,
    client_ip: clientIp,
    ehlo,
    tls,
    answer,
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
