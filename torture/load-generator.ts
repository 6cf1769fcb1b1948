/**
 * The load generator, a separate program, to leave the harness's event loop to the mail exchangers. Reads its options
 * as JSON from the first argument and prints its report as JSON. In the closed loop, each connection sends its next
 * message after a response, which measures capacity; otherwise messages are sent on a schedule, whatever the
 * responses.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Intent } from "../simulate/history.ts";
import { HttpConnection, type HttpResponse, requestBytes } from "./http-connection.ts";
import { numberedIntent, senderOf } from "./numbered-intent.ts";
import type { Sender } from "./sender.ts";

export interface LoadOptions {
  port: number;
  senders: Sender[];
  /** The number of the first message. */
  first: number;
  connections: number;
  /** Messages per second; null for a closed loop. */
  perSecond: number | null;
  forMs: number;
}

export interface LoadReport {
  /** Messages due, and those among them for which no connection was free. */
  due: number;
  notSent: number;
  /** One more than the number of the last message. */
  end: number;
  accepted: { intent: number; id: string }[];
  /** Counts by status and code. */
  refused: Record<string, number>;
  /** Messages that were retried after `retry_after`. */
  retried: number;
  /** Unexpected responses, and rejections without a valid `retry_after`. */
  invalidResponses: string[];
  /** Connections that closed without a response. */
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
/** How long to wait for the last responses. */
const LAST_RESPONSES_MS = 30_000;
/** Every second rejected message is retried; the others are dropped. */
const RETRY_EVERY = 2;

interface Attempt {
  intent: Intent;
  isSecond: boolean;
}

class LoadGenerator {
  readonly report: Omit<LoadReport, "acceptedMs" | "refusedMs">;
  readonly acceptedMs: number[] = [];
  readonly refusedMs: number[] = [];
  readonly #options: LoadOptions;
  readonly #idleConnections: HttpConnection[] = [];
  readonly #retries: { atMs: number; intent: Intent }[] = [];
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.report = {
      due: 0,
      notSent: 0,
      end: options.first,
      accepted: [],
      refused: {},
      retried: 0,
      invalidResponses: [],
      unanswered: 0,
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
      for (const due = (atMs / 1000) * perSecond; this.report.due < due; ) this.#send(this.#next());
      await delay(TICK_MS);
    }
    await Promise.race([Promise.all(this.#inFlight), delay(LAST_RESPONSES_MS)]);
    this.report.unanswered += this.#inFlight.size;
  }

  /** Returns a message whose retry is due, or a new one. */
  #next(): Attempt {
    this.report.due += 1;
    const [back] = this.#retries;
    if (back !== undefined && back.atMs <= performance.now()) {
      this.#retries.shift();
      this.report.retried += 1;
      return { intent: back.intent, isSecond: true };
    }
    const intent = numberedIntent(this.report.end);
    this.report.end += 1;
    return { intent, isSecond: false };
  }

  /** Uses the longest-idle connection. */
  #send(attempt: Attempt): void {
    const connection = this.#idleConnections.shift();
    if (connection === undefined) {
      this.report.notSent += 1;
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

  /** Opens connections in batches, because the service accepts one per event-loop iteration. */
  async #openAll(): Promise<void> {
    const { connections } = this.#options;
    while (this.#idleConnections.length < connections) {
      const count = Math.min(OPEN_BATCH, connections - this.#idleConnections.length);
      const some = await Promise.all(Array.from({ length: count }, () => this.#openOne()));
      this.#idleConnections.push(...some.filter((connection) => connection !== null));
    }
  }

  /** Opens a connection and sends a first request. Returns null if either fails. */
  async #openOne(): Promise<HttpConnection | null> {
    const connection = await HttpConnection.open(this.#options.port);
    const answer = await connection?.request(requestBytes({ path: "/healthz", key: "" }));
    return answer?.status === 200 ? connection : null;
  }

  async #attempt(connection: HttpConnection, attempt: Attempt): Promise<void> {
    const { intent } = attempt;
    const { key, domain } = senderOf(intent, this.#options.senders);
    const { number, recipients: to, text } = intent;
    const body = JSON.stringify({ from: `Shop <hello@${domain}>`, to, subject: `Intent ${number}`, text });
    const headers = intent.key === null ? [] : [`Idempotency-Key: ${intent.key}`];
    const startMs = performance.now();
    const answer = await connection.request(requestBytes({ path: "/api/sending/send", key, body, headers }));
    if (answer === null) this.report.unanswered += 1;
    else this.#record(answer, { ...attempt, tookMs: performance.now() - startMs });
  }

  #record(
    { status, body, retryAfter }: HttpResponse,
    { intent, isSecond, tookMs }: Attempt & { tookMs: number },
  ): void {
    const { report } = this;
    if (status === 202) {
      report.accepted.push({ intent: intent.number, id: String(body.id) });
      this.acceptedMs.push(tookMs);
      return;
    }
    const retryS = Number(body.retry_after);
    const isRefusal = (status === 503 || status === 429) && Number.isInteger(body.retry_after) && retryS >= 1;
    if (!isRefusal || retryAfter !== String(body.retry_after)) {
      report.invalidResponses.push(`answered ${status}, Retry-After ${retryAfter}, ${JSON.stringify(body)}`);
      return;
    }
    const name = `${status} ${body.code}`;
    report.refused[name] = (report.refused[name] ?? 0) + 1;
    this.refusedMs.push(tookMs);
    if (isSecond || intent.key === null || intent.number % RETRY_EVERY !== 0) return;
    this.#retries.push({ atMs: performance.now() + retryS * 1000, intent });
  }
}

function latencySummary(latenciesMs: number[]): Latency {
  const sorted = latenciesMs.sort((a, b) => a - b).map(Math.round);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

const options = JSON.parse(process.argv[2] ?? "") as LoadOptions;
const generator = new LoadGenerator(options);
if (options.perSecond === null) await generator.runClosedLoop();
else await generator.runOnSchedule(options.perSecond);
const report: LoadReport = {
  ...generator.report,
  acceptedMs: latencySummary(generator.acceptedMs),
  refusedMs: latencySummary(generator.refusedMs),
};
process.stdout.write(JSON.stringify(report), () => process.exit(0));
