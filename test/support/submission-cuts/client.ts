/**
 * A client that submits one message, loses its connections as planned, and tries again as real clients do: with the same Message-ID,
 * envelope and content, or with an idempotency key. Several attempts may be in progress at a time.
 */
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { ConnectionLost, Rejected, type SubmissionConnection } from "./connection.ts";
import { type CutMessage, octetsOf } from "./message.ts";
import { type Cut, FINAL_OCTETS, octetsBefore, type Plan } from "./plan.ts";

export interface ClientParts {
  /** Opens a connection for an attempt; they count from 0. Rejects with ConnectionLost or Rejected. */
  connect(attempt: number, onAccepted: (id: string) => void): Promise<SubmissionConnection>;
  /** Counts what happens, by its name. */
  count(name: string): void;
  /** After an attempt that has failed otherwise than planned. */
  retryAfterMs: number;
  /** Aborts when the client has to give up. */
  signal: AbortSignal;
}

export class CutClient {
  readonly message: CutMessage;
  readonly plan: Plan;
  /** The id of each 250 that has arrived, also where the client did not wait for it. */
  readonly ids: string[] = [];
  /** Permanent rejections. */
  readonly rejections: string[] = [];
  readonly #parts: ClientParts;
  /** What ends the connections that are still open. */
  readonly #open: (() => Promise<void> | void)[] = [];
  #attempts = 0;
  #isConfirmed = false;

  constructor(message: CutMessage, plan: Plan, parts: ClientParts) {
    this.message = message;
    this.plan = plan;
    this.#parts = parts;
  }

  /** Resolves when the message was accepted, or is given up, and all connections have ended. */
  async run(): Promise<void> {
    const { cuts, isAbandoned, together, pauseMs } = this.plan;
    for (const cut of cuts) {
      await this.#tolerate(() => this.#cutAttempt(cut));
      if (pauseMs > 0) await delay(pauseMs);
    }
    if (!isAbandoned && together > 1) await this.#attemptTogether(together);
    while (!isAbandoned && this.#mayRetry) {
      if (!(await this.#tolerate(() => this.#attempt()))) await delay(this.#parts.retryAfterMs);
    }
    for (const end of this.#open) await end();
  }

  get #mayRetry(): boolean {
    return !this.#isConfirmed && this.rejections.length === 0 && !this.#parts.signal.aborted;
  }

  /** Returns whether `attempt` has gone as planned. */
  async #tolerate(attempt: () => Promise<void>): Promise<boolean> {
    try {
      await attempt();
      return true;
    } catch (error) {
      if (error instanceof Rejected && !error.isTemporary) this.rejections.push(error.message);
      else if (error instanceof Rejected) this.#parts.count(`rejected for the moment: ${error.message.slice(0, 9)}`);
      else if (error instanceof ConnectionLost) this.#parts.count("lost");
      else throw error;
      return false;
    }
  }

  async #cutAttempt(cut: Cut): Promise<void> {
    const { connection, octets } = await this.#begin();
    const { point, way } = cut;
    const sent = octetsBefore(cut, octets.length);
    // A client that hangs reads nothing.
    if (point === "reply unread" || (point !== "reply begun" && isHeld(cut))) connection.pause();
    connection.write(octets.subarray(0, sent));
    if (point === "reply begun") await connection.untilReplyBegins();
    else if (cut.waitMs > 0) await delay(cut.waitMs);
    this.#parts.count(`${point}, ${way}`);
    if (way === "reset") connection.reset();
    else if (way === "half-open") this.#open.push(() => connection.reset());
    else if (way === "resumed") this.#open.push(() => this.#resume(connection, octets.subarray(sent)));
    else if (point === "reply unread") connection.close();
    else {
      connection.finish();
      this.#open.push(() => connection.closed);
    }
  }

  /** The client of a connection that hung goes on. */
  async #resume(connection: SubmissionConnection, rest: Buffer): Promise<void> {
    if (this.plan.isAbandoned) return connection.reset();
    await this.#tolerate(async () => {
      connection.resume();
      connection.write(rest);
      await connection.expect("250");
      connection.close();
    });
  }

  async #attempt(): Promise<void> {
    const { connection, octets } = await this.#begin();
    connection.write(octets);
    await this.#confirm(connection);
  }

  /** Attempts whose final dots are sent at the same time. */
  async #attemptTogether(count: number): Promise<void> {
    const begun: Attempt[] = [];
    const begin = async (): Promise<void> => void begun.push(await this.#begin());
    await Promise.all(Array.from({ length: count }, () => this.#tolerate(begin)));
    for (const { connection, octets } of begun) connection.write(octets.subarray(0, -FINAL_OCTETS));
    await nextTurn();
    for (const { connection, octets } of begun) connection.write(octets.subarray(-FINAL_OCTETS));
    if (begun.length === count) this.#parts.count(`${count} attempts at once`);
    await Promise.all(begun.map(({ connection }) => this.#tolerate(() => this.#confirm(connection))));
  }

  /** Awaits the 250, and closes the connection. */
  async #confirm(connection: SubmissionConnection): Promise<void> {
    await connection.expect("250");
    this.#isConfirmed = true;
    connection.close();
  }

  /** Opens a connection, up to the content. */
  async #begin(): Promise<Attempt> {
    const attempt = this.#attempts;
    this.#attempts += 1;
    const connection = await this.#parts.connect(attempt, (id) => this.ids.push(id));
    await connection.begin(this.message.recipients);
    return { connection, octets: octetsOf(this.message, attempt) };
  }
}

interface Attempt {
  connection: SubmissionConnection;
  /** The message with its final dot. */
  octets: Buffer;
}

const isHeld = ({ way }: Cut): boolean => way === "half-open" || way === "resumed";
