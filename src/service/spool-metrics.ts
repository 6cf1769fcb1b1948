/**
 * Metrics of what passes through the spool: acceptances, attempts, results, and how long commits take. They are counted where
 * the service calls the spool, after each call has succeeded. Test messages count only as commits, except that `recover` does not
 * tell them from others.
 */
import { Counter, Histogram, type Registry } from "prom-client";
import { CATEGORIES } from "../message/result/category.ts";
import { categoryOfReason } from "../message/result/classifier.ts";
import { isTestRoute } from "../message/test-route.ts";
import type { DeliveryJob, NewMessage, Settlement } from "../spool/port/mail.ts";
import type { Spool } from "../spool/port/spool.ts";

export const COMMIT_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DELIVERY_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 172_800];

const OUTCOMES = ["delivered", "failed", "deferred", "unknown"] as const;
const RESULTS = ["delivered", "failed", "unknown"] as const;
/** The category of a recipient that expired before its first attempt. */
const NO_CATEGORY = "none";
const OPERATIONS = ["accept", "mark", "settle"] as const;
type Operation = (typeof OPERATIONS)[number];

/** A message with claimed jobs. */
interface ClaimedMessage {
  beginsMs: number;
  /** How many of its jobs are claimed. */
  jobs: number;
  isTest: boolean;
}

class SpoolMetrics {
  readonly #messages: Counter;
  readonly #recipients: Counter;
  readonly #attempts: Counter<"outcome">;
  readonly #results: Counter<"result">;
  readonly #undelivered: Counter<"result" | "category">;
  readonly #commits: Histogram<"operation">;
  readonly #deliveries: Histogram;
  readonly #claimed = new Map<string, ClaimedMessage>();

  constructor(registers: Registry[]) {
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
      new Counter({ name, help, labelNames, registers });
    this.#messages = counter("postrider_messages_accepted_total", "Messages accepted.", []);
    this.#recipients = counter("postrider_recipients_accepted_total", "Recipients of accepted messages.", []);
    this.#attempts = counter("postrider_attempts_total", "Outcomes of attempts, by recipient.", ["outcome"]);
    this.#results = counter("postrider_results_total", "Final results, and unknown ones.", ["result"]);
    this.#undelivered = counter(
      "postrider_undelivered_total",
      "Attempts that did not deliver, and recipients that failed without one, by the recipient's result and category.",
      ["result", "category"],
    );
    this.#commits = new Histogram({
      name: "postrider_commit_seconds",
      help: "Time from a request to the spool to its commit, fsync included.",
      labelNames: ["operation"],
      buckets: COMMIT_BUCKETS_S,
      registers,
    });
    this.#deliveries = new Histogram({
      name: "postrider_delivery_seconds",
      help: "Time from acceptance, or from the time that a message is scheduled for, to delivery, by recipient.",
      buckets: DELIVERY_BUCKETS_S,
      registers,
    });
    this.#createSeries();
  }

  /** A series that begins with its first event hides that event from rates and alerts. */
  #createSeries(): void {
    for (const outcome of OUTCOMES) this.#attempts.inc({ outcome }, 0);
    for (const result of RESULTS) this.#results.inc({ result }, 0);
    for (const result of ["failed", "pending", "unknown"]) {
      for (const category of [...CATEGORIES, NO_CATEGORY]) this.#undelivered.inc({ result, category }, 0);
    }
    for (const operation of OPERATIONS) this.#commits.zero({ operation });
  }

  committed(operation: Operation, seconds: number): void {
    this.#commits.observe({ operation }, seconds);
  }

  accepted(message: NewMessage, suppressed: number): void {
    if (message.test) return;
    this.#messages.inc();
    this.#recipients.inc(message.recipients.length);
    if (suppressed === 0) return;
    this.#results.inc({ result: "failed" }, suppressed);
    this.#undelivered.inc({ result: "failed", category: categoryOfReason("suppressed") }, suppressed);
  }

  recovered(result: "unknown" | "pending", recipients: number): void {
    this.#undelivered.inc({ result, category: categoryOfReason("interrupted_after_final_dot") }, recipients);
    if (result === "unknown") this.#results.inc({ result }, recipients);
  }

  claimed(jobs: DeliveryJob[]): void {
    for (const { messageId, domain, createdAtMs, sendAtMs } of jobs) {
      const count = (this.#claimed.get(messageId)?.jobs ?? 0) + 1;
      this.#claimed.set(messageId, { beginsMs: sendAtMs ?? createdAtMs, jobs: count, isTest: isTestRoute(domain) });
    }
  }

  settled(messageId: string, atMs: number, settlements: Settlement[]): void {
    const message = this.#claimed.get(messageId);
    if (message?.isTest !== true) this.#count(atMs, settlements, message);
    this.released(messageId);
  }

  #count(atMs: number, settlements: Settlement[], message: ClaimedMessage | undefined): void {
    for (const { outcome, result, category, untried } of settlements) {
      if (!untried) this.#attempts.inc({ outcome });
      if (result !== "delivered") this.#undelivered.inc({ result, category: category ?? NO_CATEGORY });
      if (result !== "pending") this.#results.inc({ result });
      if (result === "delivered" && message !== undefined) {
        this.#deliveries.observe(Math.max(0, atMs - message.beginsMs) / 1000);
      }
    }
  }

  /** A job of the message is no longer claimed. */
  released(messageId: string): void {
    const message = this.#claimed.get(messageId);
    if (message === undefined) return;
    message.jobs -= 1;
    if (message.jobs === 0) this.#claimed.delete(messageId);
  }
}

/** The same spool, with its calls counted in `registers`. */
export function observeSpool<S extends Spool>(spool: S, registers: Registry[]): S {
  const metrics = new SpoolMetrics(registers);
  // A second `then` beside the caller's own: an async function around each call would cost more than the counting.
  const watch = <T>(call: Promise<T>, count: (value: T) => void): Promise<T> => {
    call.then(count, () => {});
    return call;
  };
  const timed = <T>(operation: Operation, run: () => Promise<T>, count?: (value: T) => void): Promise<T> => {
    const startMs = performance.now();
    return watch(run(), (value) => {
      metrics.committed(operation, (performance.now() - startMs) / 1000);
      count?.(value);
    });
  };
  const observed: Partial<Spool> = {
    accept: (message) =>
      timed(
        "accept",
        () => spool.accept(message),
        (acceptance) => {
          if (acceptance.type === "accepted") metrics.accepted(message, acceptance.suppressed ?? 0);
        },
      ),
    recover: (nowMs, result) => watch(spool.recover(nowMs, result), (count) => metrics.recovered(result, count)),
    mark: (mark) => timed("mark", () => spool.mark(mark)),
    claim: (request) => watch(spool.claim(request), ({ jobs }) => metrics.claimed(jobs)),
    claimExpired: (request) => watch(spool.claimExpired(request), (jobs) => metrics.claimed(jobs)),
    settle: (messageId, atMs, settlements, lease) =>
      timed(
        "settle",
        () => spool.settle(messageId, atMs, settlements, lease),
        (stored) => {
          if (stored === "settled") metrics.settled(messageId, atMs, settlements);
          else metrics.released(messageId);
        },
      ),
    release: (ref) => watch(spool.release(ref), () => metrics.released(ref.messageId)),
  };
  return { ...spool, ...methodsOf(spool), ...observed };
}

/** An object's methods, those of its class and of the classes it extends too, bound to it. */
function methodsOf<T extends object>(of: T): Partial<T> {
  const names = methodNames(Object.getPrototypeOf(of)).filter((name) => name !== "constructor");
  const methods = names.map((name) => [name, Reflect.get(of, name)] as const);
  return Object.fromEntries(
    methods.flatMap(([name, method]) => (typeof method === "function" ? [[name, method.bind(of)]] : [])),
  ) as Partial<T>;
}

function methodNames(prototype: object | null): (string | symbol)[] {
  if (prototype === null || prototype === Object.prototype) return [];
  return [...Reflect.ownKeys(prototype), ...methodNames(Object.getPrototypeOf(prototype))];
}
