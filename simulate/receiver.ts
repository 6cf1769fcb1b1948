/**
 * The account's receivers of webhooks: HTTP servers that refuse requests, hang, reset connections and respond late, as the
 * fault injector decides. They record every request that reaches them in the history, with the status that they respond.
 */
import type { PostRequest } from "../src/webhooks/poster.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { History, Receipt } from "./history.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface ReceiverOptions {
  time: VirtualTime;
  prng: Prng;
  faults: FaultInjector;
  history: History;
  /** Prints a line of the trace. */
  trace: (line: string) => void;
}

/** What the service gets; `status` is null if the connection broke. */
export interface ReceiverReply {
  status: number | null;
  retryAfterMs: number | null;
  /** Null if the request did not reach the receiver. */
  receipt: Receipt | null;
}

/** Calls `respond` at most once. */
type Respond = (reply: ReceiverReply) => void;

const LATENCY_MS = [0.2, 80] as const;
const REPLY_MS = [0.5, 800] as const;
/** A range around the service's limit of 15 s. */
const LATE_MS = [10_000, 60_000] as const;
const SUCCESSES = [200, 200, 201, 204] as const;
const REFUSALS = [500, 500, 503, 302, 404, 429] as const;
const GONE = 410;
const GONE_PROBABILITY = 0.03;
const RETRY_AFTER_MS = [null, 1000, 60_000, 1_800_000] as const;

export class Receiver {
  readonly #options: ReceiverOptions;
  #downUntilMs = 0;
  /** Webhook-ids that are answered with an error until the recovery phase. */
  readonly #rejected = new Set<string>();
  /** Endpoint and event of each request answered with success. */
  readonly #succeeded = new Set<string>();

  constructor(parts: ReceiverOptions) {
    this.#options = parts;
  }

  /** Refuses all connections until then. */
  takeDown(untilMs: number): void {
    this.#downUntilMs = untilMs;
  }

  bringUp(): void {
    this.#downUntilMs = 0;
    this.#rejected.clear();
  }

  /** Takes a request of a process incarnation, which arrives after the latency. */
  receive(request: PostRequest, incarnation: number, respond: Respond): void {
    const { time, prng } = this.#options;
    time.after(prng.logUniform(LATENCY_MS), () => this.#arrive(request, incarnation, respond));
  }

  #arrive(request: PostRequest, incarnation: number, respond: Respond): void {
    const { time, prng, faults } = this.#options;
    const respondLater = (reply: ReceiverReply, delayMs: readonly [number, number]): void => {
      time.after(prng.logUniform(delayMs), () => respond(reply));
    };
    if (faults.occurs("receiver_rejects")) this.#rejected.add(request.id);
    if (time.nowMs < this.#downUntilMs) {
      respondLater({ status: null, retryAfterMs: null, receipt: null }, LATENCY_MS);
    } else if (this.#rejected.has(request.id)) {
      const receipt = this.#record(request, incarnation, 500);
      respondLater({ status: receipt.status, retryAfterMs: null, receipt }, REPLY_MS);
    } else if (faults.occurs("receiver_resets")) {
      const receipt = prng.chance(0.5) ? this.#record(request, incarnation, null) : null;
      respondLater({ status: null, retryAfterMs: null, receipt }, REPLY_MS);
    } else if (faults.occurs("receiver_hangs")) {
      this.#record(request, incarnation, null);
    } else if (faults.occurs("receiver_refuses")) {
      const status = prng.chance(GONE_PROBABILITY) ? GONE : prng.pick(REFUSALS);
      if (status === GONE) faults.tally.add("receiver_gone");
      const retryAfterMs = status === 429 ? prng.pick(RETRY_AFTER_MS) : null;
      respondLater({ status, retryAfterMs, receipt: this.#record(request, incarnation, status) }, REPLY_MS);
    } else {
      const receipt = this.#record(request, incarnation, prng.pick(SUCCESSES));
      const delayMs = faults.occurs("receiver_late") ? LATE_MS : REPLY_MS;
      respondLater({ status: receipt.status, retryAfterMs: null, receipt }, delayMs);
    }
  }

  #record({ url, id, body, secrets }: PostRequest, incarnation: number, status: number | null): Receipt {
    const { history, faults, trace } = this.#options;
    const endpointId = new URL(url).pathname.slice(1);
    if (!secrets.some((secret) => history.secrets.get(endpointId)?.has(secret)))
      history.violations.push(`webhook not signed with a secret of ${endpointId}`);
    const name = `${endpointId} ${id}`;
    if (this.#succeeded.has(name)) faults.tally.add("webhook_repeated");
    if (status !== null && status < 300) this.#succeeded.add(name);
    const receipt: Receipt = { endpointId, eventId: id, body, incarnation, status, isSeen: false };
    history.receipts.push(receipt);
    const { sequence, message_id: messageId } = JSON.parse(body).data;
    trace(
      `webhook at ${endpointId}: event ${sequence} of ${messageId} of life ${incarnation}: ${status ?? "no response"}`,
    );
    return receipt;
  }
}
