/** SMTP load for the peers: Postfix's smtp-source, and single messages over one open connection. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { startProgram } from "../child.ts";
import { ADDRESSES, BODY_BYTES, type Submitter } from "../sides/side.ts";

export interface SmtpLoad {
  host: string;
  port: number;
  messages: number;
  clients: number;
  /** A message with LF line ends, to send instead of a generated one. */
  file?: string;
}

const { sender, recipientDomain, hostname } = ADDRESSES;

/** Sends the messages over persistent connections, each to a different recipient. Times are from performance.now(). */
export async function sendBySmtp({ host, port, messages, clients, file }: SmtpLoad) {
  const startMs = performance.now();
  const message = file === undefined ? ["-l", String(BODY_BYTES)] : ["-F", file];
  const size = [...message, "-m", String(messages), "-s", String(Math.min(clients, messages))];
  const envelope = ["-f", sender, "-t", `rcpt@${recipientDomain}`, "-N", "-d"];
  const source = await startProgram("smtp-source", [...size, ...envelope, `${host}:${port}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = source.process.exitCode === null ? await once(source.process, "exit") : [source.process.exitCode];
  if (code !== 0) throw new Error(`smtp-source exited with ${code}`);
  return { startMs, endMs: performance.now() };
}

/** One connection, with one write for the envelope and one for the content, like a well-made client. */
export async function smtpSubmitter({ host, port }: { host: string; port: number }): Promise<Submitter> {
  const socket = connect({ host, port, noDelay: true });
  const replies = createInterface(socket)[Symbol.asyncIterator]();
  const reply = () => finalLine(replies);
  await reply();
  await progress(socket, reply, `EHLO ${hostname}\r\n`, 1);
  return {
    async send(number) {
      const to = `one${number}@${recipientDomain}`;
      await progress(socket, reply, `MAIL FROM:<${sender}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 3);
      await progress(socket, reply, `${letter(number, to)}\r\n.\r\n`, 1);
    },
    close: () => void socket.end("QUIT\r\n"),
  };
}

async function finalLine(replies: AsyncIterator<string>): Promise<string> {
  for (;;) {
    const { value, done } = await replies.next();
    if (done) throw new Error("the peer closed the connection");
    if (value[3] !== "-") return value;
  }
}

async function progress(socket: Socket, reply: () => Promise<string>, text: string, count: number): Promise<void> {
  socket.write(text);
  for (let i = 0; i < count; i++) {
    const line = await reply();
    if (!/^[23]/.test(line)) throw new Error(`the peer replied ${line}`);
  }
}

const LINE = "The quick brown fox jumps over the lazy dog, 0123456789 times or so.\r\n";

function letter(number: number, to: string): string {
  const fields = [
    `From: Shop <${sender}>`,
    `To: ${to}`,
    "Subject: Your order",
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${number}.${Date.now()}@${ADDRESSES.senderDomain}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
  ];
  return `${fields.join("\r\n")}\r\n\r\n${LINE.repeat(BODY_BYTES / LINE.length)}`;
}
