/**
 * An SMTP peer that replies as a test wants and records all commands. Without a script it accepts everything. A hook
 * returns the reply or another action; undefined means the default reply.
 */
import { createServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { TLSSocket, type TLSSocketOptions } from "node:tls";
import { GrowingBytes } from "./growing-bytes.ts";
import type { KeyAndCertificate } from "./self-signed.ts";

/** A reply without its final CRLF (several lines are joined by "\n"), or another action. */
export type Step =
  | string
  /** Closes the connection, after `raw` if given. */
  | { drop: true; raw?: string | Buffer }
  /** Sends no reply; later commands are still read, recorded and answered. */
  | { silent: true }
  /** Stops reading from the connection, after `raw` if given. */
  | { pause: true; raw?: string | Buffer }
  /** Sends exactly these bytes, in one packet or one packet each; the last line counts as the reply. */
  | { raw: string | Buffer; byteByByte?: boolean }
  /** Waits, then runs the next step. Later commands wait too. */
  | { delayMs: number; then?: Step };

export interface PeerState {
  /** Counts from 0. */
  connection: number;
  /** What the client connects from. */
  remoteAddress: string;
  secure: boolean;
  /** The name in the client's TLS handshake (SNI); null without one. */
  serverName: string | null;
  /** The commands on this connection as received. */
  commands: string[];
  /** The argument of MAIL as received, such as "<a@b> SIZE=3"; null outside a transaction. */
  mail: string | null;
  /** The addresses accepted so far in this transaction. */
  rcptTo: string[];
  /** The content received so far, dot-stuffed. */
  content: Buffer;
}

/** `argument` is the text after the command's name ("<a@b> SIZE=3" for MAIL and RCPT), or the content for `dot`. */
export type Hook = (argument: string, state: PeerState) => Step | undefined | Promise<Step | undefined>;

export interface Script {
  greeting?: Hook;
  ehlo?: Hook;
  helo?: Hook;
  /** A 2xx without `tls` is followed by plain text instead of a handshake. */
  starttls?: Hook;
  mail?: Hook;
  rcpt?: Hook;
  data?: Hook;
  /** Called after each packet of content except the last; undefined sends nothing. */
  content?: Hook;
  dot?: Hook;
  rset?: Hook;
  quit?: Hook;
}

export interface RecordedTransaction {
  connection: number;
  secure: boolean;
  mailFrom: string;
  /** The argument of MAIL, with its parameters. */
  mail: string;
  rcptTo: string[];
  /** As received, dot-stuffed, with the final dot. */
  raw: Buffer;
  /** Without stuffing and the final dot. */
  message: Buffer;
}

export interface ScriptedSmtp {
  host: string;
  port: number;
  /** The commands of all connections in the order received. */
  commands: string[];
  /** The transactions whose final dot arrived, whatever the reply. */
  transactions: RecordedTransaction[];
  /** Connections accepted so far. */
  connections: number;
  /** Connections open now. */
  open: number;
  /** Whether a command ever arrived before the reply to the previous one. */
  pipelined: boolean;
  /** The states of all connections, to inspect one in progress. */
  states: PeerState[];
  /** Writes bytes on every open connection. */
  say(bytes: string | Buffer): void;
  /** Closes every open connection. */
  dropAll(): void;
  close(): Promise<void>;
}

export interface ScriptedSmtpOptions {
  script?: Script;
  tls?: KeyAndCertificate;
  /** TLS versions, ciphers, a demand for a client certificate and similar options, instead of OpenSSL's defaults. */
  tlsOptions?: TLSSocketOptions;
  /** Replaces the default capabilities; STARTTLS is added when `tls` is given. */
  capabilities?: string[];
  /** Default 127.0.0.1. */
  host?: string;
  port?: number;
}

const CAPABILITIES = ["PIPELINING", "SIZE 10485760", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"];

export async function startScriptedSmtp(options: ScriptedSmtpOptions = {}): Promise<ScriptedSmtp> {
  const host = options.host ?? "127.0.0.1";
  const live = new Set<PeerConnection>();
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = new PeerConnection(socket, options, peer);
    live.add(connection);
    peer.open += 1;
    socket.on("close", () => {
      live.delete(connection);
      peer.open -= 1;
    });
  });
  const peer: ScriptedSmtp = {
    host,
    port: 0,
    commands: [],
    transactions: [],
    connections: 0,
    open: 0,
    pipelined: false,
    states: [],
    say: (bytes) => {
      for (const connection of live) connection.say(bytes);
    },
    dropAll: () => {
      for (const connection of live) connection.drop();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const connection of live) connection.drop();
        server.close(() => resolve());
      }),
  };
  peer.port = await listen(server, options.port ?? 0, host);
  return peer;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("no TCP address"));
      else resolve(address.port);
    });
  });
}

const DOT = Buffer.from(".\r\n");
const CONTENT_END = Buffer.from("\r\n.\r\n");

class PeerConnection {
  #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #busy = false;
  #inContent = false;
  #content = new GrowingBytes();
  #awaitsHello = false;
  readonly #options: ScriptedSmtpOptions;
  readonly #peer: ScriptedSmtp;
  readonly #state: PeerState;
  readonly #onData = (bytes: Buffer) => this.#receive(bytes);

  constructor(socket: Socket, options: ScriptedSmtpOptions, peer: ScriptedSmtp) {
    this.#socket = socket;
    this.#options = options;
    this.#peer = peer;
    const connection = peer.connections;
    peer.connections += 1;
    this.#state = {
      connection,
      secure: false,
      remoteAddress: socket.remoteAddress ?? "",
      serverName: null,
      commands: [],
      mail: null,
      rcptTo: [],
      content: Buffer.alloc(0),
    };
    peer.states.push(this.#state);
    this.#attach(socket);
    void this.#work(async () => {
      await this.#answer("greeting", "", "220 peer.test ESMTP");
    });
  }

  say(bytes: string | Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  drop(): void {
    this.#socket.destroy();
  }

  #attach(socket: Socket): void {
    socket.on("data", this.#onData);
    socket.on("error", () => socket.destroy());
  }

  #receive(bytes: Buffer): void {
    if (this.#awaitsHello) {
      this.say("this is no TLS\r\n");
      this.drop();
      return;
    }
    this.#received = Buffer.concat([this.#received, bytes]);
    if (this.#busy && this.#received.includes("\n") && !this.#inContent) this.#peer.pipelined = true;
    void this.#work(async () => {});
  }

  /** Processes one command at a time, to keep replies in order. */
  async #work(first: () => Promise<void>): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    await first();
    while (await this.#step()) {
      // Each iteration consumes one command or the content from the input.
    }
    this.#busy = false;
  }

  async #step(): Promise<boolean> {
    if (this.#inContent) return this.#takeContent();
    const end = this.#received.indexOf("\n");
    if (end === -1) return false;
    const line = this.#received.subarray(0, end).toString("utf8").replace(/\r$/u, "");
    this.#received = this.#received.subarray(end + 1);
    if (this.#received.includes("\n")) this.#peer.pipelined = true;
    this.#peer.commands.push(line);
    this.#state.commands.push(line);
    await this.#command(line);
    return true;
  }

  async #command(line: string): Promise<void> {
    const [, verb = "", argument = ""] = /^(\w+)(?: (?:FROM:|TO:)?(.*))?$/isu.exec(line) ?? [];
    const state = this.#state;
    switch (verb.toUpperCase()) {
      case "EHLO":
        await this.#answer("ehlo", argument, ["250-peer.test", ...this.#capabilities()].join("\n250-"));
        return;
      case "HELO":
        await this.#answer("helo", argument, "250 peer.test");
        return;
      case "STARTTLS":
        return this.#startTls(argument);
      case "MAIL":
        if ((await this.#answer("mail", argument, "250 2.1.0 sender ok")) !== 2) return;
        state.mail = argument;
        state.rcptTo = [];
        return;
      case "RCPT":
        if ((await this.#answer("rcpt", argument, this.#rcptReply())) === 2) state.rcptTo.push(addressOf(argument));
        return;
      case "DATA":
        state.content = Buffer.alloc(0);
        this.#content = new GrowingBytes();
        this.#inContent =
          (await this.#answer("data", argument, state.rcptTo.length > 0 ? "354 go on" : "503 5.5.1 no recipients")) ===
          3;
        return;
      case "RSET":
        if ((await this.#answer("rset", argument, "250 2.0.0 reset")) === 2) this.#forget();
        return;
      case "QUIT":
        if ((await this.#answer("quit", argument, "221 2.0.0 bye")) === 2) this.#socket.end();
        return;
      default:
        return this.#reply("500 5.5.2 unknown command");
    }
  }

  async #takeContent(): Promise<boolean> {
    const state = this.#state;
    const before = state.content.length;
    const all = this.#content.append(this.#received);
    // The end may have begun in earlier input.
    const at = all.subarray(0, 3).equals(DOT) ? 0 : all.indexOf(CONTENT_END, Math.max(0, before - 4)) + 2;
    const complete = at !== 1;
    state.content = complete ? all.subarray(0, at + 3) : all;
    this.#received = complete ? all.subarray(at + 3) : Buffer.alloc(0);
    if (complete) {
      await this.#endContent(all.subarray(0, at));
      return true;
    }
    if (state.content.length > before) await this.#perform(await this.#options.script?.content?.("", state));
    return this.#received.length > 0;
  }

  async #endContent(stuffed: Buffer): Promise<void> {
    const state = this.#state;
    const message = Buffer.from(stuffed.toString("latin1").replace(/(^|\r\n)\./gu, "$1"), "latin1");
    this.#inContent = false;
    this.#peer.transactions.push({
      connection: state.connection,
      secure: state.secure,
      mailFrom: addressOf(state.mail ?? ""),
      mail: state.mail ?? "",
      rcptTo: state.rcptTo,
      raw: state.content,
      message,
    });
    await this.#answer("dot", message.toString("latin1"), "250 2.0.0 queued");
    this.#forget();
  }

  #forget(): void {
    this.#state.mail = null;
    this.#state.rcptTo = [];
  }

  async #startTls(argument: string): Promise<void> {
    const plain = this.#socket;
    if ((await this.#answer("starttls", argument, this.#options.tls ? "220 go on" : "502 5.5.1 no TLS")) !== 2) return;
    if (this.#options.tls === undefined) {
      this.#awaitsHello = true;
      return;
    }
    plain.off("data", this.#onData);
    this.#state.secure = true;
    this.#forget();
    const secured = new TLSSocket(plain, { isServer: true, ...this.#options.tls, ...this.#options.tlsOptions });
    secured.on("secure", () => {
      this.#state.serverName = secured.servername || null;
    });
    this.#socket = secured;
    this.#attach(secured);
  }

  #rcptReply(): string {
    return this.#state.mail === null ? "503 5.5.1 MAIL first" : "250 2.1.5 recipient ok";
  }

  #capabilities(): string[] {
    const offered = this.#options.capabilities ?? CAPABILITIES;
    return this.#options.tls !== undefined && !this.#state.secure ? [...offered, "STARTTLS"] : offered;
  }

  /** The first digit of the reply; null if nothing that counts as a reply was sent. */
  async #answer(name: keyof Script, argument: string, standard: string): Promise<number | null> {
    const step = (await this.#options.script?.[name]?.(argument, this.#state)) ?? standard;
    return this.#perform(step);
  }

  async #perform(step: Step | undefined): Promise<number | null> {
    if (step === undefined) return null;
    if (typeof step === "string") {
      this.#reply(step);
      return Number(step[0]);
    }
    if ("delayMs" in step) {
      await new Promise((resolve) => setTimeout(resolve, step.delayMs));
      return this.#perform(step.then);
    }
    const raw = "raw" in step && step.raw !== undefined ? Buffer.from(step.raw as string) : null;
    const packetBytes = "byteByByte" in step && step.byteByByte ? 1 : Number.POSITIVE_INFINITY;
    for (let at = 0; raw !== null && at < raw.length; at += packetBytes) {
      this.say(raw.subarray(at, at + packetBytes));
      if (packetBytes === 1) await setImmediate();
    }
    if ("drop" in step) this.#socket.end(() => this.drop());
    if ("pause" in step) this.#socket.pause();
    return raw === null || "drop" in step ? null : Number(raw.toString("latin1").trimEnd().split("\n").at(-1)?.[0]);
  }

  #reply(text: string): void {
    const lines = text.split(/\r?\n/u);
    // The last line gets a space even if all lines were written with "250-".
    const last = lines[lines.length - 1]?.replace(/^(\d{3})-/u, "$1 ");
    this.say(`${[...lines.slice(0, -1), last].join("\r\n")}\r\n`);
  }
}

function addressOf(argument: string): string {
  return /^<(.*)>/u.exec(argument)?.[1] ?? argument;
}
