/** A client of SMTP submission that a test scripts command by command. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { connect as connectTls, TLSSocket } from "node:tls";

export class SubmissionClient {
  #socket: Socket;
  #received = "";
  #waiting: (() => void) | null = null;
  #isClosed = false;
  /** The first reply; "" if the connection ended before it. */
  greeting = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** Connects, from this address, and reads the greeting. */
  static async open(t: TestContext, port: number, localAddress = "127.0.0.1"): Promise<SubmissionClient> {
    const socket = connect({ host: "127.0.0.1", port, localAddress, noDelay: true });
    t.after(() => socket.destroy());
    await once(socket, "connect");
    const client = new SubmissionClient(socket);
    client.greeting = await client.reply();
    return client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The SHA-256 fingerprint of the server's certificate; undefined before STARTTLS. */
  get certificate(): string | undefined {
    return this.#socket instanceof TLSSocket ? this.#socket.getPeerCertificate().fingerprint256 : undefined;
  }

  /** Sends one command and returns the whole reply, without its last line end. */
  async command(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  write(text: string | Buffer): void {
    this.#socket.write(text);
  }

  /** Writes, and waits until the server takes more, or the connection has ended. */
  async writeAll(octets: Buffer): Promise<void> {
    const socket = this.#socket;
    if (this.#isClosed || socket.write(octets)) return;
    const either = new AbortController();
    const { signal } = either;
    await Promise.race(["drain", "close"].map((event) => once(socket, event, { signal }).catch(() => {})));
    either.abort();
  }

  /** Resolves when the connection has ended. */
  async ended(): Promise<void> {
    while (!this.#isClosed) await this.reply();
  }

  /** The next reply; "" if the connection has ended. */
  async reply(): Promise<string> {
    for (;;) {
      const [whole] = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(this.#received) ?? [];
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length);
        return whole.trimEnd();
      }
      if (this.#isClosed) return "";
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  /** Sends STARTTLS, with what an attacker would add in the same packet, and changes to TLS. */
  async startTls(injected = ""): Promise<void> {
    const reply = await this.command(`STARTTLS${injected === "" ? "" : `\r\n${injected}`}`);
    if (!reply.startsWith("220")) throw new Error(reply);
    this.#socket.removeAllListeners();
    this.#socket = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(this.#socket, "secureConnect");
    this.#listen();
  }

  /** EHLO and AUTH PLAIN with this password. Returns the reply to AUTH. */
  async authenticate(password: string): Promise<string> {
    await this.command("EHLO client.example");
    return this.command(`AUTH PLAIN ${Buffer.from(`\0any\0${password}`).toString("base64")}`);
  }

  /** A whole transaction. Returns the reply to the message, or the first that is not positive. */
  async send({ from = "hello@shop.example", to, content, cut = (whole) => [whole] }: Envelope): Promise<string> {
    for (const line of [`MAIL FROM:<${from}>`, ...to.map((address) => `RCPT TO:<${address}>`)]) {
      const reply = await this.command(line);
      if (!reply.startsWith("2")) return reply;
    }
    const reply = await this.command("DATA");
    if (!reply.startsWith("354")) return reply;
    const text = typeof content === "string" ? Buffer.from(content) : content;
    for (const piece of cut(Buffer.concat([stuffed(text), Buffer.from(".\r\n")]))) {
      this.write(piece);
      await setImmediate();
    }
    return this.reply();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Closes with a reset, as after a crash. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #listen(): void {
    this.#socket.on("data", (chunk) => {
      this.#received += chunk.toString();
      this.#wake();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = null;
  }
}

export interface Envelope {
  from?: string;
  to: string[];
  /** Ends its last line. */
  content: string | Buffer;
  /** Cuts what follows DATA into the pieces that are written one by one. */
  cut?: (whole: Buffer) => Buffer[];
}

const stuffed = (content: Buffer): Buffer => Buffer.from(content.toString("latin1").replace(/^\./gm, ".."), "latin1");
