/** A client's connection for SMTP submission that either side may lose at any time. Sends commands as they are, and reads replies. */
import { connect, type Socket } from "node:net";

/** The connection could not be opened, or has ended. */
export class ConnectionLost extends Error {}

/** A reply that ends the attempt; a client tries again after a temporary one. */
export class Rejected extends Error {
  get isTemporary(): boolean {
    return this.message.startsWith("4");
  }
}

export interface ConnectionOptions {
  host: string;
  port: number;
  /** The API key. */
  key: string;
  /** Called with the id in each 250 that arrives. */
  onAccepted: (id: string) => void;
}

/** A connection without an octet for this time is closed. */
const IDLE_MS = 60_000;
const REPLY = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/;
const ACCEPTED = /^250 2\.0\.0 Accepted as (msg_\S+)$/;

export class SubmissionConnection {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #onAccepted: (id: string) => void;
  readonly #replies: string[] = [];
  #received = "";
  #wake = (): void => {};

  private constructor({ host, port, onAccepted }: ConnectionOptions) {
    this.#onAccepted = onAccepted;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.setTimeout(IDLE_MS, () => this.#socket.destroy());
    this.#socket.on("data", (chunk) => this.#receive(chunk.toString("latin1")));
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.once("close", () => {
        this.#wake();
        resolve();
      });
    });
  }

  /** Connects and authenticates. Rejects with ConnectionLost or Rejected. */
  static async open(options: ConnectionOptions): Promise<SubmissionConnection> {
    const connection = new SubmissionConnection(options);
    await connection.expect("220");
    connection.write("EHLO client.example\r\n");
    await connection.expect("250");
    connection.write(`AUTH PLAIN ${Buffer.from(`\0any\0${options.key}`).toString("base64")}\r\n`);
    await connection.expect("235");
    return connection;
  }

  /** Begins a message: when it resolves, the service awaits its content. Rejects as `open`. */
  async begin(recipients: readonly string[]): Promise<void> {
    const commands = ["MAIL FROM:<bounces@client.example>", ...recipients.map((to) => `RCPT TO:<${to}>`), "DATA"];
    this.write(`${commands.join("\r\n")}\r\n`);
    for (const command of commands) await this.expect(command === "DATA" ? "354" : "250");
  }

  write(octets: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(octets);
  }

  /** Reads the next reply. Rejects with ConnectionLost, or with Rejected if its code is another one. */
  async expect(code: string): Promise<void> {
    while (this.#replies.length === 0) {
      if (this.#socket.destroyed) throw new ConnectionLost();
      await this.#input();
    }
    const reply = this.#replies.shift() ?? "";
    if (reply.startsWith(code)) return;
    this.#socket.destroy();
    throw new Rejected(reply);
  }

  /** Resolves once a reply has begun to arrive that was not read yet, or the connection has ended. */
  async untilReplyBegins(): Promise<void> {
    while (this.#received === "" && this.#replies.length === 0 && !this.#socket.destroyed) await this.#input();
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes with a TCP reset. */
  reset(): void {
    if (!this.#socket.destroyed) this.#socket.resetAndDestroy();
  }

  /** Closes as a process does that ends: with a FIN, and a reset if something has arrived that was not read. */
  close(): void {
    this.#socket.destroy();
  }

  /** Sends a FIN, and goes on reading. */
  finish(): void {
    this.#socket.end();
  }

  async #input(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #receive(text: string): void {
    this.#received += text;
    for (;;) {
      const [whole] = REPLY.exec(this.#received) ?? [];
      if (whole === undefined) break;
      this.#received = this.#received.slice(whole.length);
      const reply = whole.trimEnd();
      const [, id] = ACCEPTED.exec(reply) ?? [];
      if (id !== undefined) this.#onAccepted(id);
      this.#replies.push(reply);
    }
    this.#wake();
  }
}
