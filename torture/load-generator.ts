/**
 * A crowd of websites, as a program of its own so that it takes nothing from the event loop that plays the mail exchangers:
 * options as JSON in the first argument, what it saw as JSON on standard output. Either each sends its next mail when the last
 * is answered, which finds out what the service takes, or mails come on a schedule whatever becomes of those before.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Intent } from "../simulate/history.ts";
import type { Sender } from "./harness.ts";
import { HttpConnection, type HttpResponse, requestBytes } from "./http-connection.ts";
import { numberedIntent, senderOf } from "./numbered-intent.ts";

export interface LoadOptions {
  port: number;
  senders: Sender[];
  /** The number of the first mail. */
  first: number;
  connections: number;
  /** Mails a second; null: each connection's next when its last is answered. */
  perSecond: number | null;
  forMs: number;
}

export interface LoadReport {
  /** Mails that came due, and those of them for which no connection was left. */
  due: number;
  notSent: number;
  /** The number after the last mail's. */
  end: number;
  accepted: { mail: number; id: string }[];
  /** How often, by status and code. */
  refused: Record<string, number>;
  /** Mails refused once that came back when they were told to. */
  retried: number;
  /** Answers that must not be: of other kinds, or refusals that do not say when to come back. */
  invalidResponses: string[];
  /** Connections that ended without an answer. */
  unanswered: number;
  acceptedMs: Latency;
  refusedMs: Latency;
}

export interface Latency {
  p50: number;
  p99: number;
  most: number;
}

const TICK_MS = 5;
const OPEN_BATCH = 100;
/** For the last answers. */
const LAST_RESPONSES_MS = 30_000;
/** One refused mail in so many comes back; the others are dropped. */
const RETRY_EVERY = 2;

interface Attempt {
  mail: Intent;
  isSecond: boolean;
}

class LoadGenerator {
  readonly seen: Omit<LoadReport, "acceptedMs" | "refusedMs">;
  readonly acceptedMs: number[] = [];
  readonly refusedMs: number[] = [];
  readonly #options: LoadOptions;
  readonly #idleConnections: HttpConnection[] = [];
  readonly #retries: { atMs: number; mail: Intent }[] = [];
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.seen = {
      ...{ due: 0, notSent: 0, end: options.first, accepted: [], refused: {} },
      ...{ retried: 0, invalidResponses: [], unanswered: 0 },
    };
  }

  async runClosedLoop(): Promise<void> {
    const endMs = performance.now() + this.#options.forMs;
    const askOn = async (): Promise<void> => {
      const connection = await this.#openOne();
      while (performance.now() < endMs && connection?.isOpen) await this.#attempt(connection, this.#next());
    };
    await Promise.all(Array.from({ length: this.#options.connections }, askOn));
  }

  async runOnSchedule(perSecond: number): Promise<void> {
    await this.#openAll();
    const startMs = performance.now();
    const { forMs } = this.#options;
    for (let atMs = 0; atMs < forMs; atMs = performance.now() - startMs) {
      for (const due = (atMs / 1000) * perSecond; this.seen.due < due; ) this.#send(this.#next());
      await delay(TICK_MS);
    }
    await Promise.race([Promise.all(this.#inFlight), delay(LAST_RESPONSES_MS)]);
    this.seen.unanswered += this.#inFlight.size;
  }

  /** A mail that was told to come back by now, or a new one. */
  #next(): Attempt {
    this.seen.due += 1;
    const [back] = this.#retries;
    if (back !== undefined && back.atMs <= performance.now()) {
      this.#retries.shift();
      this.seen.retried += 1;
      return { mail: back.mail, isSecond: true };
    }
    const mail = numberedIntent(this.seen.end);
    this.seen.end += 1;
    return { mail, isSecond: false };
  }

  /** On the connection that has been free for longest. */
  #send(attempt: Attempt): void {
    const connection = this.#idleConnections.shift();
    if (connection === undefined) {
      this.seen.notSent += 1;
      return;
    }
    const asking = this.#sendOn(connection, attempt).finally(() => this.#inFlight.delete(asking));
    this.#inFlight.add(asking);
  }

  async #sendOn(connection: HttpConnection, attempt: Attempt): Promise<void> {
    await this.#attempt(connection, attempt);
    const next = connection.isOpen ? connection : await this.#openOne();
    if (next !== null) this.#idleConnections.push(next);
  }

  /** Connections that the service has taken and keeps: it takes one in each turn of its event loop, and that takes a while. */
  async #openAll(): Promise<void> {
    const { connections } = this.#options;
    while (this.#idleConnections.length < connections) {
      const count = Math.min(OPEN_BATCH, connections - this.#idleConnections.length);
      const some = await Promise.all(Array.from({ length: count }, () => this.#openOne()));
      this.#idleConnections.push(...some.filter((connection) => connection !== null));
    }
  }

  /** A connection on which a first request was answered; null when that cannot be had. */
  async #openOne(): Promise<HttpConnection | null> {
    const connection = await HttpConnection.open(this.#options.port);
    const answer = await connection?.request(requestBytes({ path: "/healthz", key: "" }));
    return answer?.status === 200 ? connection : null;
  }

  async #attempt(connection: HttpConnection, attempt: Attempt): Promise<void> {
    const { mail } = attempt;
    const { key, domain } = senderOf(mail, this.#options.senders);
    const { number, recipients: to, text } = mail;
    const body = JSON.stringify({ from: `Shop <hello@${domain}>`, to, subject: `Intent ${number}`, text });
    const headers = mail.key === null ? [] : [`Idempotency-Key: ${mail.key}`];
    const startMs = performance.now();
    const answer = await connection.request(requestBytes({ path: "/api/sending/send", key, body, headers }));
    if (answer === null) this.seen.unanswered += 1;
    else this.#record(answer, { ...attempt, tookMs: performance.now() - startMs });
  }

  #record({ status, body, retryAfter }: HttpResponse, { mail, isSecond, tookMs }: Attempt & { tookMs: number }): void {
    const { seen } = this;
    if (status === 202) {
      seen.accepted.push({ mail: mail.number, id: String(body.id) });
      this.acceptedMs.push(tookMs);
      return;
    }
    const retryS = Number(body.retry_after);
    const isRefusal = (status === 503 || status === 429) && Number.isInteger(body.retry_after) && retryS >= 1;
    if (!isRefusal || retryAfter !== String(body.retry_after)) {
      seen.invalidResponses.push(`answered ${status}, Retry-After ${retryAfter}, ${JSON.stringify(body)}`);
      return;
    }
    const name = `${status} ${body.code}`;
    seen.refused[name] = (seen.refused[name] ?? 0) + 1;
    this.refusedMs.push(tookMs);
    if (isSecond || mail.key === null || mail.number % RETRY_EVERY !== 0) return;
    this.#retries.push({ atMs: performance.now() + retryS * 1000, mail });
  }
}

function latencySummary(latenciesMs: number[]): Latency {
  const sorted = latenciesMs.sort((a, b) => a - b).map(Math.round);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

const crowd = JSON.parse(process.argv[2] ?? "") as LoadOptions;
const generator = new LoadGenerator(crowd);
if (crowd.perSecond === null) await generator.runClosedLoop();
else await generator.runOnSchedule(crowd.perSecond);
const seen: LoadReport = {
  ...generator.seen,
  acceptedMs: latencySummary(generator.acceptedMs),
  refusedMs: latencySummary(generator.refusedMs),
};
process.stdout.write(JSON.stringify(seen), () => process.exit(0));
