/**
 * A crowd of websites, as a program of its own so that it takes nothing from the event loop that plays the mail exchangers:
 * options as JSON in the first argument, what it saw as JSON on standard output. Either each sends its next mail when the last
 * is answered, which finds out what the service takes, or mails come on a schedule whatever becomes of those before.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Intent } from "../simulate/books.ts";
import { type Answer, Caller, requestBytes } from "./crowd.ts";
import type { Sender } from "./house.ts";
import { numberedIntent, senderOf } from "./numbered-mail.ts";

export interface Crowd {
  port: number;
  senders: Sender[];
  /** The number of the first mail. */
  first: number;
  connections: number;
  /** Mails a second; null: each connection's next when its last is answered. */
  perSecond: number | null;
  forMs: number;
}

export interface Seen {
  /** Mails that came due, and those of them for which no connection was left. */
  due: number;
  notOffered: number;
  /** The number after the last mail's. */
  end: number;
  accepted: { mail: number; id: string }[];
  /** How often, by status and code. */
  refused: Record<string, number>;
  /** Mails refused once that came back when they were told to. */
  cameBack: number;
  /** Answers that must not be: of other kinds, or refusals that do not say when to come back. */
  wrong: string[];
  /** Connections that ended without an answer. */
  broken: number;
  acceptedMs: Latency;
  refusedMs: Latency;
}

export interface Latency {
  p50: number;
  p99: number;
  most: number;
}

const TICK_MS = 5;
const OPENED_AT_ONCE = 100;
/** For the last answers. */
const PATIENCE_MS = 30_000;
/** One refused mail in so many comes back; the others are dropped. */
const COMES_BACK_EVERY = 2;

interface Tried {
  mail: Intent;
  isSecond: boolean;
}

class Website {
  readonly seen: Omit<Seen, "acceptedMs" | "refusedMs">;
  readonly acceptedMs: number[] = [];
  readonly refusedMs: number[] = [];
  readonly #crowd: Crowd;
  readonly #free: Caller[] = [];
  readonly #comingBack: { atMs: number; mail: Intent }[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(crowd: Crowd) {
    this.#crowd = crowd;
    this.seen = {
      ...{ due: 0, notOffered: 0, end: crowd.first, accepted: [], refused: {} },
      ...{ cameBack: 0, wrong: [], broken: 0 },
    };
  }

  async keepAsking(): Promise<void> {
    const endMs = performance.now() + this.#crowd.forMs;
    const askOn = async (): Promise<void> => {
      const caller = await this.#openOne();
      while (performance.now() < endMs && caller?.isOpen) await this.#ask(caller, this.#next());
    };
    await Promise.all(Array.from({ length: this.#crowd.connections }, askOn));
  }

  async arrive(perSecond: number): Promise<void> {
    await this.#openAll();
    const startMs = performance.now();
    const { forMs } = this.#crowd;
    for (let atMs = 0; atMs < forMs; atMs = performance.now() - startMs) {
      for (const due = (atMs / 1000) * perSecond; this.seen.due < due; ) this.#send(this.#next());
      await delay(TICK_MS);
    }
    await Promise.race([Promise.all(this.#underWay), delay(PATIENCE_MS)]);
    this.seen.broken += this.#underWay.size;
  }

  /** A mail that was told to come back by now, or a new one. */
  #next(): Tried {
    this.seen.due += 1;
    const [back] = this.#comingBack;
    if (back !== undefined && back.atMs <= performance.now()) {
      this.#comingBack.shift();
      this.seen.cameBack += 1;
      return { mail: back.mail, isSecond: true };
    }
    const mail = numberedIntent(this.seen.end);
    this.seen.end += 1;
    return { mail, isSecond: false };
  }

  /** On the connection that has been free for longest. */
  #send(tried: Tried): void {
    const caller = this.#free.shift();
    if (caller === undefined) {
      this.seen.notOffered += 1;
      return;
    }
    const asking = this.#sendOn(caller, tried).finally(() => this.#underWay.delete(asking));
    this.#underWay.add(asking);
  }

  async #sendOn(caller: Caller, tried: Tried): Promise<void> {
    await this.#ask(caller, tried);
    const next = caller.isOpen ? caller : await this.#openOne();
    if (next !== null) this.#free.push(next);
  }

  /** Connections that the service has taken and keeps: it takes one in each turn of its event loop, and that takes a while. */
  async #openAll(): Promise<void> {
    const { connections } = this.#crowd;
    while (this.#free.length < connections) {
      const count = Math.min(OPENED_AT_ONCE, connections - this.#free.length);
      const some = await Promise.all(Array.from({ length: count }, () => this.#openOne()));
      this.#free.push(...some.filter((caller) => caller !== null));
    }
  }

  /** A connection on which a first request was answered; null when that cannot be had. */
  async #openOne(): Promise<Caller | null> {
    const caller = await Caller.open(this.#crowd.port);
    const answer = await caller?.ask(requestBytes({ path: "/healthz", key: "" }));
    return answer?.status === 200 ? caller : null;
  }

  async #ask(caller: Caller, tried: Tried): Promise<void> {
    const { mail } = tried;
    const { key, domain } = senderOf(mail, this.#crowd.senders);
    const { number, recipients: to, text } = mail;
    const body = JSON.stringify({ from: `Shop <hello@${domain}>`, to, subject: `Intent ${number}`, text });
    const headers = mail.key === null ? [] : [`Idempotency-Key: ${mail.key}`];
    const startMs = performance.now();
    const answer = await caller.ask(requestBytes({ path: "/api/sending/send", key, body, headers }));
    if (answer === null) this.seen.broken += 1;
    else this.#note(answer, { ...tried, tookMs: performance.now() - startMs });
  }

  #note({ status, body, retryAfter }: Answer, { mail, isSecond, tookMs }: Tried & { tookMs: number }): void {
    const { seen } = this;
    if (status === 202) {
      seen.accepted.push({ mail: mail.number, id: String(body.id) });
      this.acceptedMs.push(tookMs);
      return;
    }
    const retryS = Number(body.retry_after);
    const isRefusal = (status === 503 || status === 429) && Number.isInteger(body.retry_after) && retryS >= 1;
    if (!isRefusal || retryAfter !== String(body.retry_after)) {
      seen.wrong.push(`answered ${status}, Retry-After ${retryAfter}, ${JSON.stringify(body)}`);
      return;
    }
    const name = `${status} ${body.code}`;
    seen.refused[name] = (seen.refused[name] ?? 0) + 1;
    this.refusedMs.push(tookMs);
    if (isSecond || mail.key === null || mail.number % COMES_BACK_EVERY !== 0) return;
    this.#comingBack.push({ atMs: performance.now() + retryS * 1000, mail });
  }
}

function latencyOf(latenciesMs: number[]): Latency {
  const sorted = latenciesMs.sort((a, b) => a - b).map(Math.round);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

const crowd = JSON.parse(process.argv[2] ?? "") as Crowd;
const website = new Website(crowd);
if (crowd.perSecond === null) await website.keepAsking();
else await website.arrive(crowd.perSecond);
const seen: Seen = {
  ...website.seen,
  acceptedMs: latencyOf(website.acceptedMs),
  refusedMs: latencyOf(website.refusedMs),
};
process.stdout.write(JSON.stringify(seen), () => process.exit(0));
