/**
 * API clients of a cluster: they send at a constant rate, each message to any node that runs. After a 503, a lost connection or no
 * response they try another node, with the same Idempotency-Key if the message has one, so one key is often in flight at two.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { History, Intent } from "../../simulate/history.ts";
import type { Prng } from "../../simulate/prng.ts";
import { DOMAINS } from "../exchangers.ts";
import type { Sender } from "../sender.ts";
import type { ClusterNode } from "./cluster-node.ts";

const TICK_MS = 20;
/** A suspended node does not respond. */
const TIMEOUT_MS = 3000;
const RETRY_AFTER_MS = { min: 150, max: 1200 } as const;
/** While so many messages wait for their 202, no other is begun: a cluster that was unavailable for long must be able to recover. */
const UNDER_WAY_MAX = 500;
const KEY_PROBABILITY = 0.8;
/** A message without a key may have been accepted although there was no response. */
const KEYLESS_ATTEMPTS_MAX = 3;
const LARGE_PROBABILITY = 0.03;
const LARGE_LINES = 4000;

export interface ClientOptions {
  nodes: readonly ClusterNode[];
  senders: readonly Sender[];
  history: History;
  prng: Prng;
  /** Messages per second. */
  perSecond: number;
}

/** A message that got a 202. */
export interface Accepted {
  /** In milliseconds since the epoch. */
  atMs: number;
  /** How many it has. */
  recipients: number;
}

export class Clients {
  /** The messages that got a 202, in this order. */
  readonly accepted: Accepted[] = [];
  /** Counts by status and code. */
  readonly refused = new Map<string, number>();
  readonly #options: ClientOptions;
  readonly #underWay = new Set<Promise<void>>();
  #isSending = true;
  #mayRetry = true;
  #givenUp = 0;
  #loop: Promise<void>;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#loop = this.#send();
  }

  /** Messages per second that are sent for the first time. */
  get perSecond(): number {
    return this.#options.perSecond;
  }

  /** The account that sends a message. */
  senderOf({ number }: Intent): Sender {
    const { senders } = this.#options;
    return senders[number % senders.length] as Sender;
  }

  /**
   * Begins no new message. Resolves when each was accepted, or is given up because it has no key, or the time is over. Returns how
   * many were given up at the end.
   */
  async stop(limitMs: number): Promise<number> {
    this.#isSending = false;
    await this.#loop;
    const giveUp = setTimeout(() => {
      this.#mayRetry = false;
    }, limitMs);
    await Promise.all(this.#underWay);
    clearTimeout(giveUp);
    return this.#givenUp;
  }

  /** On a schedule, whatever the responses. */
  async #send(): Promise<void> {
    const { perSecond } = this.#options;
    let sent = 0;
    for (const startMs = performance.now(); this.#isSending; await delay(TICK_MS)) {
      for (const due = ((performance.now() - startMs) / 1000) * perSecond; sent < due; sent += 1) {
        if (this.#underWay.size >= UNDER_WAY_MAX) continue;
        const sending = this.#sendOne(this.#newIntent()).finally(() => this.#underWay.delete(sending));
        this.#underWay.add(sending);
      }
    }
  }

  #newIntent(): Intent {
    const { history, prng } = this.#options;
    const number = history.intents.length;
    const recipients = Array.from(
      { length: prng.integer(1, 3) },
      (_, i) => `u${number}-${i}@${DOMAINS[prng.integer(0, DOMAINS.length - 1)]}`,
    );
    const text = `Message ${number}\n.\n${prng.chance(LARGE_PROBABILITY) ? "A long line of text.\n".repeat(LARGE_LINES) : ""}`;
    const key = prng.chance(KEY_PROBABILITY) ? `order-${number}` : null;
    const intent: Intent = { number, key, recipients, text, expiresInS: null, isAccepted: false, attempts: 0 };
    history.intents.push(intent);
    return intent;
  }

  async #sendOne(intent: Intent): Promise<void> {
    const { min, max } = RETRY_AFTER_MS;
    let retryAfterMs: number = min;
    while (!intent.isAccepted && (intent.key !== null || intent.attempts < KEYLESS_ATTEMPTS_MAX)) {
      if (!this.#mayRetry) {
        this.#givenUp += 1;
        return;
      }
      const urls = this.#options.nodes.flatMap(({ url }) => url ?? []);
      const url = urls[this.#options.prng.integer(0, urls.length - 1)];
      if (url !== undefined) await this.#attempt(url, intent);
      if (!intent.isAccepted) await delay(retryAfterMs);
      retryAfterMs = Math.min(2 * retryAfterMs, max);
    }
  }

  async #attempt(url: string, intent: Intent): Promise<void> {
    const { number, key, recipients: to, text } = intent;
    const sender = this.senderOf(intent);
    intent.attempts += 1;
    const headers = { authorization: `Bearer ${sender.key}`, "content-type": "application/json" };
    try {
      const response = await fetch(`${url}/api/sending/send`, {
        method: "POST",
        headers: key === null ? headers : { ...headers, "idempotency-key": key },
        body: JSON.stringify({ from: `Shop <hello@${sender.domain}>`, to, subject: `Intent ${number}`, text }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      this.#record(intent, response.status, (await response.json()) as { id: string; code?: string });
    } catch {
      this.#count("no response");
    }
  }

  #record(intent: Intent, status: number, { id, code }: { id: string; code?: string }): void {
    const { history } = this.#options;
    if (status === 202) {
      intent.isAccepted = true;
      this.accepted.push({ atMs: Date.now(), recipients: intent.recipients.length });
      history.acceptedSends.push({ intent: intent.number, id });
      return;
    }
    this.#count(`${status} ${code}`);
    // 408: the node was suspended while it received the request. 503 and 429 say when to try again.
    if (status !== 503 && status !== 429 && status !== 408)
      history.violations.push(`intent ${intent.number} was answered ${status} ${code}`);
  }

  #count(name: string): void {
    this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
  }
}
