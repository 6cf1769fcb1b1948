/**
 * Persistent SMTP clients in a process of its own, for submission and for a peer alike: each writes the envelope at once, then the
 * content, and waits for the replies. An order arrives over the IPC channel, and the time of the last reply is its answer.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ADDRESSES, BODY_BYTES } from "../sides/side.ts";

export interface SmtpOrder {
  host: string;
  port: number;
  /** For AUTH PLAIN; null for none. */
  password: string | null;
  messages: number;
  clients: number;
  /** Recipients and Message-IDs differ across orders. */
  firstNumber: number;
}

const { sender, recipientDomain, senderDomain, hostname } = ADDRESSES;
const LINE = "The quick brown fox jumps over the lazy dog, 0123456789 times or so.\r\n";
const BODY = LINE.repeat(Math.ceil(BODY_BYTES / LINE.length));

class Client {
  readonly #socket: Socket;
  #awaited = 0;
  #isContinued = false;
  #rest = "";
  #settle: { resolve: () => void; reject: (error: Error) => void } = { resolve() {}, reject() {} };

  constructor({ host, port }: SmtpOrder) {
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("data", (chunk) => this.#read(chunk.toString("latin1")));
    this.#socket.on("error", (error) => this.#settle.reject(error));
    this.#socket.on("close", () => this.#settle.reject(new Error("the server closed the connection")));
  }

  async begin(password: string | null): Promise<void> {
    await this.#exchange("", 1);
    await this.#exchange(`EHLO ${hostname}\r\n`, 1);
    if (password === null) return;
    await this.#exchange(`AUTH PLAIN ${Buffer.from(`\0any\0${password}`).toString("base64")}\r\n`, 1);
  }

  async send(number: number): Promise<void> {
    const to = `one${number}@${recipientDomain}`;
    await this.#exchange(`MAIL FROM:<${sender}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 3);
    await this.#exchange(`${header(number, to)}\r\n${BODY}.\r\n`, 1);
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.end("QUIT\r\n");
  }

  /** Resolves after so many replies. */
  #exchange(text: string, replies: number): Promise<void> {
    this.#awaited = replies;
    const settled = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    if (text !== "") this.#socket.write(text);
    return settled;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\r\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#isContinued = line[3] === "-";
      if (this.#isContinued) continue;
      if (!/^[23]/.test(line)) this.#settle.reject(new Error(`the server replied ${line}`));
      this.#awaited -= 1;
      if (this.#awaited === 0) this.#settle.resolve();
    }
  }
}

function header(number: number, to: string): string {
  const fields = [
    `From: Shop <${sender}>`,
    `To: ${to}`,
    "Subject: Your order",
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${number}.${process.pid}@${senderDomain}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
  ];
  return fields.map((field) => `${field}\r\n`).join("");
}

async function run(order: SmtpOrder): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    const client = new Client(order);
    await client.begin(order.password);
    while (next < order.messages) {
      next += 1;
      await client.send(order.firstNumber + next);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: order.clients }, work));
}

for (;;) {
  const [order] = (await once(process, "message")) as [SmtpOrder];
  await run(order);
  process.send?.("done");
}
