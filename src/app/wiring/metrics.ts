/**
 * What Prometheus is told: what was accepted and refused, what attempts came to, how long it took, and what waits. Label
 * values are from short fixed lists; nothing is told of single accounts, domains or messages.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { PROBLEM_CODES } from "../../http/response/problems.ts";
import type { Clock } from "../../lib/clock.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import { CATEGORIES } from "../../message/category.ts";
import { categoryOfReason } from "../../message/classify.ts";
import type { DeliveryJob, NewMessage, Settlement } from "../../spool/port/mail.ts";
import type { Reports, WaitingMail } from "../../spool/port/reports.ts";
import type { Spool } from "../../spool/port/spool.ts";

/** How long one look at the queue holds: it is over many rows. */
const QUEUE_KEPT_MS = 5000;
const COMMIT_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const DELIVERY_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 172_800];

const OUTCOMES = ["delivered", "failed", "deferred", "unknown"] as const;
const RESULTS = ["delivered", "failed", "unknown"] as const;
/** A recipient whose time was over before the first attempt met no obstacle. */
const NO_CATEGORY = "none";
const OPERATIONS = ["accept", "mark", "settle"] as const;
type Operation = (typeof OPERATIONS)[number];

/** What delivery has under way. */
export interface DeliveryLoad {
  attempts: number;
  openDestinations: number;
  deadDestinations: number;
  closedDestinations: number;
}

export interface Metrics {
  readonly contentType: string;
  /** The exposition format's text. Rejects while the spool cannot be read. */
  text(): Promise<string>;
  /** A request was answered with this problem. */
  refused(code: string): void;
  /** Asks `load` from now on, at each scrape. */
  watchDelivery(load: () => DeliveryLoad): void;
  /** The same for when our own certificate ends, milliseconds since the epoch; null where there is none. */
  watchCertificate(endsMs: () => number | null): void;
}

/** Metrics of a spool, and the same spool with every use of it counted. */
export function createMetrics<S extends Spool & { reports: Reports; onSync(told: (ms: number) => void): void }>(
  spool: S,
  clock: Clock,
): { metrics: Metrics; observed: S } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const refused = new Counter({
    name: "postrider_requests_refused_total",
    help: "Requests answered with a problem.",
    labelNames: ["code"],
    registers,
  });
  // A series that begins with its first event hides that event from rates and alarms.
  for (const code of PROBLEM_CODES) refused.inc({ code }, 0);
  const queue = queueGauges(spool, clock, registers);
  const syncs = new Histogram({
    name: "postrider_fsync_seconds",
    help: "A commit of the spool's file, in which its log is written and synced; many messages may share one.",
    buckets: COMMIT_BUCKETS_S,
    registers,
  });
  spool.onSync((ms) => syncs.observe(ms / 1000));
  return {
    observed: observe(spool, usesOf(registers)),
    metrics: {
      contentType: registry.contentType,
      refused: (code) => refused.inc({ code }),
      watchDelivery: (load) => deliveryGauges(load, registers),
      watchCertificate: (endsMs) => certificateGauge(endsMs, registers),
      async text() {
        await queue();
        return registry.metrics();
      },
    },
  };
}

/** Sets the gauges of what waits, at most every few seconds. */
function queueGauges(
  spool: Pick<Spool, "quarantined"> & { reports: Reports },
  clock: Clock,
  registers: Registry[],
): () => Promise<void> {
  const recipients = new Gauge({
    name: "postrider_queue_recipients",
    help: "Recipients that wait or are in an attempt (pending), and those in doubt (unknown).",
    labelNames: ["state"],
    registers,
  });
  const oldest = new Gauge({
    name: "postrider_queue_oldest_seconds",
    help: "Age of the oldest message with a pending recipient; 0 without one.",
    registers,
  });
  const quarantined = new Gauge({
    name: "postrider_quarantined_messages",
    help: "Messages that are not delivered because something stored of them cannot be read.",
    registers,
  });
  const looks = new TtlCache<WaitingMail>({ clock, keptMs: QUEUE_KEPT_MS, max: 1, worthKeeping: () => true });
  const { reports } = spool;
  return async () => {
    const nowMs = clock.now();
    const waiting = await looks.get("queue", () => reports.waiting({ accountId: null, nowMs, limit: 0 }));
    recipients.set({ state: "pending" }, waiting.waiting);
    recipients.set({ state: "unknown" }, waiting.unknown);
    quarantined.set((await spool.quarantined(0)).count);
    oldest.set(waiting.oldestAtMs === null ? 0 : Math.max(0, nowMs - waiting.oldestAtMs) / 1000);
  };
}

function deliveryGauges(load: () => DeliveryLoad, registers: Registry[]): void {
  new Gauge({
    name: "postrider_attempts_under_way",
    help: "Attempts under way; each is one message at one recipient domain.",
    registers,
    collect() {
      this.set(load().attempts);
    },
  });
  new Gauge({
    name: "postrider_destinations",
    help: "Operators of mail hosts with attempts under way (open) or that refuse all mail (closed), and addresses that take no connection (dead). Closed and dead ones are only probed.",
    labelNames: ["state"],
    registers,
    collect() {
      const { openDestinations, deadDestinations, closedDestinations } = load();
      this.set({ state: "open" }, openDestinations);
      this.set({ state: "dead" }, deadDestinations);
      this.set({ state: "closed" }, closedDestinations);
    },
  });
}

function certificateGauge(endsMs: () => number | null, registers: Registry[]): void {
  if (endsMs() === null) return;
  new Gauge({
    name: "postrider_certificate_not_after_seconds",
    help: "When the certificate of the HTTPS listener ends, in seconds since the epoch; not there over plain HTTP.",
    registers,
    collect() {
      this.set((endsMs() ?? 0) / 1000);
    },
  });
}

interface Uses {
  committed(operation: Operation, seconds: number): void;
  accepted(message: NewMessage, suppressed: number): void;
  recovered(result: "unknown" | "pending", recipients: number): void;
  claimed(works: DeliveryJob[]): void;
  settled(messageId: string, atMs: number, settlements: Settlement[]): void;
  released(messageId: string): void;
}

function usesOf(registers: Registry[]): Uses {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers });
  const messages = counter("postrider_messages_accepted_total", "Messages accepted.", []);
  const recipients = counter("postrider_recipients_accepted_total", "Recipients of accepted messages.", []);
  const attempts = counter("postrider_attempts_total", "What attempts came to, by recipient.", ["outcome"]);
  const results = counter("postrider_results_total", "Final results, and unknown ones.", ["result"]);
  const undelivered = counter(
    "postrider_undelivered_total",
    "Attempts that did not deliver, and recipients failed without one, by the recipient's result and obstacle.",
    ["result", "category"],
  );
  for (const outcome of OUTCOMES) attempts.inc({ outcome }, 0);
  for (const result of RESULTS) results.inc({ result }, 0);
  for (const result of ["failed", "pending", "unknown"]) {
    for (const category of [...CATEGORIES, NO_CATEGORY]) undelivered.inc({ result, category }, 0);
  }
  const commits = new Histogram({
    name: "postrider_commit_seconds",
    help: "From asking the spool to its commit, fsync included.",
    labelNames: ["operation"],
    buckets: COMMIT_BUCKETS_S,
    registers,
  });
  for (const operation of OPERATIONS) commits.zero({ operation });
  const deliveries = new Histogram({
    name: "postrider_delivery_seconds",
    help: "From acceptance to delivery, by recipient.",
    buckets: DELIVERY_BUCKETS_S,
    registers,
  });
  /** When the messages under way were accepted, and how many works each has. */
  const underWay = new Map<string, { createdAtMs: number; works: number }>();
  const left = (messageId: string): void => {
    const message = underWay.get(messageId);
    if (message === undefined) return;
    message.works -= 1;
    if (message.works === 0) underWay.delete(messageId);
  };
  return {
    committed: (operation, seconds) => commits.observe({ operation }, seconds),
    accepted(message, suppressed) {
      messages.inc();
      recipients.inc(message.recipients.length);
      if (suppressed === 0) return;
      results.inc({ result: "failed" }, suppressed);
      undelivered.inc({ result: "failed", category: categoryOfReason("suppressed") }, suppressed);
    },
    recovered(result, recipients) {
      undelivered.inc({ result, category: categoryOfReason("interrupted_after_final_dot") }, recipients);
      if (result === "unknown") results.inc({ result }, recipients);
    },
    claimed(works) {
      for (const { messageId, createdAtMs } of works) {
        const works = (underWay.get(messageId)?.works ?? 0) + 1;
        underWay.set(messageId, { createdAtMs, works });
      }
    },
    settled(messageId, atMs, settlements) {
      const message = underWay.get(messageId);
      for (const { outcome, result, category, untried } of settlements) {
        if (!untried) attempts.inc({ outcome });
        if (result !== "delivered") undelivered.inc({ result, category: category ?? NO_CATEGORY });
        if (result !== "pending") results.inc({ result });
        if (result === "delivered" && message !== undefined) {
          deliveries.observe(Math.max(0, atMs - message.createdAtMs) / 1000);
        }
      }
      left(messageId);
    },
    released: left,
  };
}

/** The spool with its uses told to `uses`, once each has succeeded. */
function observe<S extends Spool>(spool: S, uses: Uses): S {
  // Told beside the caller's own wait: an async function around each use would cost more than the telling.
  const watch = <T>(use: Promise<T>, tell: (value: T) => void): Promise<T> => {
    use.then(tell, () => {});
    return use;
  };
  const timed = <T>(operation: Operation, run: () => Promise<T>, tell?: (value: T) => void): Promise<T> => {
    const startMs = performance.now();
    return watch(run(), (value) => {
      uses.committed(operation, (performance.now() - startMs) / 1000);
      tell?.(value);
    });
  };
  const watched: Partial<Spool> = {
    accept: (message) =>
      timed(
        "accept",
        () => spool.accept(message),
        (acceptance) => {
          if (acceptance.type === "accepted") uses.accepted(message, acceptance.suppressed ?? 0);
        },
      ),
    recover: (nowMs, result) => watch(spool.recover(nowMs, result), (count) => uses.recovered(result, count)),
    mark: (mark) => timed("mark", () => spool.mark(mark)),
    claim: (request) => watch(spool.claim(request), ({ jobs: works }) => uses.claimed(works)),
    settle: (messageId, atMs, settlements) =>
      timed(
        "settle",
        () => spool.settle(messageId, atMs, settlements),
        () => uses.settled(messageId, atMs, settlements),
      ),
    release: (ref) => watch(spool.release(ref), () => uses.released(ref.messageId)),
  };
  return { ...spool, ...methodsOf(spool), ...watched };
}

/** An object's methods, its class's too, bound to it. */
function methodsOf<T extends object>(of: T): Partial<T> {
  const prototype = Object.getPrototypeOf(of) as object;
  const names = Reflect.ownKeys(prototype).filter((name) => name !== "constructor");
  const methods = names.map((name) => [name, Reflect.get(of, name)] as const);
  return Object.fromEntries(
    methods.flatMap(([name, method]) => (typeof method === "function" ? [[name, method.bind(of)]] : [])),
  ) as Partial<T>;
}
