/**
 * One TCP or TLS connection to an SMTP server: writes commands and bytes, matches replies to commands in order, and ends the
 * connection as soon as that matching is uncertain. Which commands are sent is decided in session.ts and transaction.ts, as is the
 * meaning of the replies.
 */
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../../lib/clock.ts";
import { connectionErrorText } from "../../lib/error-text.ts";
import type { SmtpReply, TlsRecord } from "../../message/result/outcome.ts";
import { isLocalError } from "./local-error.ts";
import { ReplyParser } from "./reply.ts";
import { RFC_TIMEOUTS } from "./timeouts.ts";
import { handshake, tlsRecordOf, type UpgradeOptions } from "./tls.ts";

/** Why there is no reply. `error` is the description. */
export interface ConnectionFailure {
  type: "lost" | "timeout" | "protocol_error";
  error: string;
  /** Set where the error is this server's, not the peer's. */
  isLocal?: true;
}

export type CommandResult = { type: "reply"; reply: SmtpReply } | ConnectionFailure;

export interface Command {
  line: string;
  timeoutMs: number;
  /** A 3xx reply announces another one, which may come in the same packet; the next `expect` returns it. */
  announces?: true;
}

/** The reply to something already written, or about to be. Without `arm` it is awaited without a limit. */
export interface ExpectedReply {
  readonly result: Promise<CommandResult>;
  readonly settled: CommandResult | null;
  arm(timeoutMs: number): void;
}

export type UpgradeResult =
  | { type: "secured"; tls: TlsRecord }
  | { type: "handshake_failed"; error: string }
  /** The connection had ended before: by the peer, or because of plain text after the reply to STARTTLS. */
  | { type: "not_begun"; ended: CommandResult };

class Waiter implements ExpectedReply {
  readonly result: Promise<CommandResult>;
  settled: CommandResult | null = null;
  timeoutMs: number | null = null;
  announces = false;
  readonly #rearm: () => void;
  #resolve: (result: CommandResult) => void = () => {};

  constructor(rearm: () => void) {
    this.#rearm = rearm;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  arm(timeoutMs: number): void {
    this.timeoutMs = timeoutMs;
    this.#rearm();
  }

  settle(result: CommandResult): void {
    this.settled = result;
    this.#resolve(result);
  }
}

export class Connection {
  #socket: Socket | TLSSocket;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #parser = new ReplyParser();
  readonly #waiters: Waiter[] = [];
  #endListener: (() => void) | null = null;
  #announced: Waiter | null = null;
  #ended: CommandResult | null = null;
  #saidUnasked = false;
  #cancelTimer: () => void = () => {};
  readonly #rearm = (): void => this.#watchFirst();
  #detach: () => void = () => {};

  constructor(socket: Socket, host: string, clock: Clock) {
    this.#socket = socket;
    this.#host = host;
    this.#clock = clock;
    this.#attach(socket);
  }

  /** Why the connection ended: a 421 reply, or a failure; null while it is usable. */
  get ended(): CommandResult | null {
    return this.#ended;
  }

  /** Whether it ended by a reply without a command. */
  get hadUnsolicitedReply(): boolean {
    return this.#saidUnasked;
  }

  /** Calls `listener` once when the connection ends, for whatever reason. It replaces the one before; null removes it. */
  onEnd(listener: (() => void) | null): void {
    this.#endListener = listener;
  }

  /** Sends one command and awaits its reply. Throws on CR, LF or NUL in the line; never rejects because of the peer. */
  command(line: string, timeoutMs: number): Promise<CommandResult> {
    const [result] = this.pipeline([{ line, timeoutMs }]);
    if (result === undefined) throw new Error("a pipelined command without a result");
    return result;
  }

  /** Writes all commands at once (RFC 2920); the results come in their order, each timed from the reply before it. */
  pipeline(commands: Command[]): Promise<CommandResult>[] {
    for (const { line } of commands) assertOneLine(line);
    const results = commands.map(({ timeoutMs, announces = false }) => {
      const waiter = this.#wait();
      waiter.announces = announces;
      waiter.timeoutMs = timeoutMs;
      return waiter.result;
    });
    this.#watchFirst();
    if (commands.length > 0) this.send(Buffer.from(commands.map(({ line }) => `${line}\r\n`).join(""), "utf8"));
    return results;
  }

  /** Awaits the next reply that belongs to no command, such as the greeting or the reply to the final dot. */
  expect(): ExpectedReply {
    const announced = this.#announced;
    this.#announced = null;
    return announced ?? this.#wait();
  }

  #wait(): Waiter {
    const waiter = new Waiter(this.#rearm);
    if (this.#ended === null) this.#waiters.push(waiter);
    else waiter.settle(this.#ended);
    return waiter;
  }

  /** Hands bytes to the socket without waiting; the timer of the next reply covers them. */
  send(bytes: Buffer): void {
    if (this.#ended === null) this.#socket.write(bytes);
  }

  /** Writes bytes and waits until the socket accepts them; the timeout ends the connection of a peer that stops reading. */
  write(bytes: Buffer, timeoutMs: number): Promise<{ type: "written" } | CommandResult> {
    if (this.#ended !== null) return Promise.resolve(this.#ended);
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeoutMs, () =>
        this.#finish({ type: "timeout", error: `content not accepted within ${timeoutMs} ms` }),
      );
      this.#socket.write(bytes, (error) => {
        cancel();
        if (error) this.#finish(lossOf(error));
        resolve(this.#ended ?? { type: "written" });
      });
    });
  }

  /**
   * The TLS handshake after a 2xx to STARTTLS, with the host as SNI. Plain text after that reply is a protocol error
   * (CVE-2011-0411). Every result but `secured` has ended the connection.
   */
  async upgradeTls(options: UpgradeOptions): Promise<UpgradeResult> {
    if (this.#parser.midReply) this.abort("plain text after the reply to STARTTLS");
    if (this.#ended !== null) return { type: "not_begun", ended: this.#ended };
    const plain = this.#socket;
    this.#detach();
    const result = await handshake(plain, { ...options, host: this.#host, clock: this.#clock });
    if (result.type === "failed") {
      this.#finish({ type: "lost", error: result.error });
      return { type: "handshake_failed", error: result.error };
    }
    this.#socket = result.socket;
    this.#attach(result.socket);
    return { type: "secured", tls: tlsRecordOf(result.socket) };
  }

  /** Ends the connection after this time, unless the returned function is called before. */
  limitDuration(timeoutMs: number): () => void {
    return this.#clock.after(timeoutMs, () =>
      this.#finish({ type: "timeout", error: `message not transferred within ${timeoutMs} ms` }),
    );
  }

  /** Ends the connection because of a protocol error. */
  abort(error: string): void {
    this.#finish({ type: "protocol_error", error });
  }

  /** The same for a reply that nothing sent can have; returns the error's text. */
  abortOnReply(reply: SmtpReply): string {
    const error = `unexpected reply ${reply.code} ${reply.message}`;
    this.abort(error);
    return error;
  }

  /** QUIT, at most `timeoutMs` for its reply, then the end (RFC 5321 §4.1.1.10). */
  async quit(timeoutMs: number): Promise<void> {
    const cancel = this.#clock.after(timeoutMs, () => this.destroy());
    if (this.#ended === null) await this.command("QUIT", timeoutMs);
    cancel();
    this.destroy();
  }

  /** Closes once everything written has left. */
  end(): void {
    if (this.#ended !== null) return;
    const socket = this.#socket;
    const cancel = this.#clock.after(RFC_TIMEOUTS.quit, () => socket.destroy());
    socket.once("close", cancel);
    this.#finish({ type: "lost", error: "closed by us" }, () => socket.destroySoon());
  }

  destroy(): void {
    this.#finish({ type: "lost", error: "closed by us" });
  }

  #attach(socket: Socket | TLSSocket): void {
    const lost = (error: string) => this.#finish({ type: "lost", error });
    const listeners = {
      data: (bytes: Buffer) => this.#receive(bytes),
      error: (error: Error) => this.#finish(lossOf(error)),
      end: () => lost("connection closed by the peer"),
      close: () => lost("connection closed"),
    };
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
    this.#detach = () => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
    };
  }

  #receive(bytes: Buffer): void {
    if (this.#ended !== null) return;
    const { replies, error } = this.#parser.push(bytes);
    for (const reply of replies) this.#deliver(reply);
    if (replies.length > 0) this.#watchFirst();
    if (error !== null) this.abort(error);
  }

  #deliver(reply: SmtpReply): void {
    if (this.#ended !== null) return;
    // 421 may be the reply to any command or to none (RFC 5321 §3.8): it answers everything still open.
    if (reply.code === 421) {
      this.#finish({ type: "reply", reply });
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter === undefined) {
      this.#saidUnasked = true;
      this.abort(`unsolicited reply: ${reply.code} ${reply.message}`);
      return;
    }
    if (waiter.announces && reply.code >= 300 && reply.code < 400) this.#announced = this.#wait();
    waiter.settle({ type: "reply", reply });
  }

  /** Only the first waiter is timed: replies come in order, so no other one can be late before it. */
  #watchFirst(): void {
    this.#cancelTimer();
    const timeoutMs = this.#waiters[0]?.timeoutMs ?? null;
    if (timeoutMs === null) return;
    this.#cancelTimer = this.#clock.after(timeoutMs, () =>
      this.#finish({ type: "timeout", error: `no reply within ${timeoutMs} ms` }),
    );
  }

  #finish(result: CommandResult, close: () => void = () => this.#socket.destroy()): void {
    if (this.#ended !== null) return;
    this.#ended = result;
    this.#cancelTimer();
    close();
    for (const waiter of this.#waiters.splice(0)) waiter.settle(result);
    this.#endListener?.();
  }
}

function lossOf(error: Error): ConnectionFailure {
  const loss: ConnectionFailure = { type: "lost", error: connectionErrorText(error) };
  return isLocalError(error) ? { ...loss, isLocal: true } : loss;
}

function assertOneLine(line: string): void {
  if (/[\r\n\0]/u.test(line)) throw new Error("CR, LF or NUL in an SMTP command");
}

/** A result as text: the reply, or the error. */
export function textOf(result: CommandResult): string {
  return result.type === "reply" ? `${result.reply.code} ${result.reply.message}` : result.error;
}
