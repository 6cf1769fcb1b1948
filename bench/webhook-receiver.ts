/**
 * Receives webhooks for the benchmark, a separate program: `webhook-receiver.ts HOST PORT [SMTP_HOST SMTP_PORT]`. With the
 * last two it is also the recipients' mail exchanger, so that one clock has the time of each final reply and of the webhook
 * about it. It replies to each message over the IPC channel with what it has received since the message before. It runs on the
 * machine that is measured, so it parses only the HTTP that the service sends: node:http takes more CPU.
 */
import { createServer, type Socket } from "node:net";

export interface ReceivedWebhooks {
  /** Requests. */
  count: number;
  /** When the last request arrived, in milliseconds since the epoch; 0 for none. */
  lastMs: number;
  /** Milliseconds from the final reply to each recipient.delivered. */
  afterReplyMs: number[];
}

const [host = "127.0.0.1", port = "0", smtpHost, smtpPort] = process.argv.slice(2);
/** When the final reply was written, by recipient. */
const repliedMs = new Map<string, number>();
let received: ReceivedWebhooks = nothing();

function nothing(): ReceivedWebhooks {
  return { count: 0, lastMs: 0, afterReplyMs: [] };
}

const nowMs = (): number => performance.timeOrigin + performance.now();

function take(body: Buffer, atMs: number): void {
  received.count += 1;
  received.lastMs = atMs;
  if (repliedMs.size === 0) return;
  const { type, data } = JSON.parse(body.toString()) as { type: string; data: { recipient: { email: string } | null } };
  const email = data.recipient?.email ?? "";
  const sinceMs = repliedMs.get(email);
  if (type !== "recipient.delivered" || sinceMs === undefined) return;
  received.afterReplyMs.push(atMs - sinceMs);
  repliedMs.delete(email);
}

/** Accepts every message, one command at a time. */
function serveMail(socket: Socket): void {
  let lines = "";
  let isContent = false;
  let recipients: string[] = [];
  const finish = (): void => {
    isContent = false;
    const atMs = nowMs();
    for (const email of recipients) repliedMs.set(email, atMs);
    recipients = [];
    socket.write("250 2.0.0 Ok: queued\r\n");
  };
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    const [, email] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? [];
    if (email !== undefined) recipients.push(email);
    isContent = verb === "DATA";
    if (isContent) socket.write("354 go\r\n");
    else if (verb === "QUIT") socket.end("221 bye\r\n");
    else socket.write("250 2.0.0 Ok\r\n");
  };
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    lines += chunk.toString("latin1");
    for (;;) {
      const mark = isContent ? "\r\n.\r\n" : "\r\n";
      const end = lines.indexOf(mark);
      if (end < 0) return;
      const line = lines.slice(0, end);
      lines = lines.slice(end + mark.length);
      if (isContent) finish();
      else command(line);
    }
  });
  socket.write("220 receiver ESMTP\r\n");
}

const HEAD_END = "\r\n\r\n";
const NO_CONTENT = Buffer.from("HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");

/** Responds with 204 to each POST, which has a Content-Length. */
function serveWebhooks(socket: Socket): void {
  let unread: Buffer | null = null;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    const atMs = nowMs();
    let bytes: Buffer = unread === null ? chunk : Buffer.concat([unread, chunk]);
    for (;;) {
      const headEnd = bytes.indexOf(HEAD_END);
      if (headEnd < 0) break;
      const bodyStart = headEnd + HEAD_END.length;
      const length = Number(/^content-length: (\d+)/im.exec(bytes.toString("latin1", 0, headEnd))?.[1] ?? 0);
      if (bytes.length < bodyStart + length) break;
      socket.write(NO_CONTENT);
      take(bytes.subarray(bodyStart, bodyStart + length), atMs);
      bytes = bytes.subarray(bodyStart + length);
    }
    unread = bytes.length === 0 ? null : bytes;
  });
}

createServer({ noDelay: true }, serveWebhooks).listen(Number(port), host, () => {
  if (smtpPort === undefined) process.send?.("ready");
  else createServer({ noDelay: true }, serveMail).listen(Number(smtpPort), smtpHost, () => process.send?.("ready"));
});
process.on("message", () => {
  process.send?.(received);
  received = nothing();
});
process.on("disconnect", () => process.exit(0));
