/**
 * Metrics for Prometheus. Label values are from short fixed lists: there are no series of single accounts, domains or messages.
 * What passes through the spool is counted in spool-metrics.ts.
 */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { INCOMING_OUTCOMES, type IncomingOutcome } from "../app/incoming/incoming-decision.ts";
import { INCOMING_RECIPIENT_TYPES, type IncomingRecipientType } from "../app/incoming/incoming-recipients.ts";
import { REFUSAL_REASONS, type RefusalReason } from "../app/incoming/report-intake.ts";
import { noTotals } from "../delivery/dispatch/receiver-counts.ts";
import { PROBLEM_CODES } from "../http/response/problems.ts";
import { INBOUND_PROBLEMS } from "../inbound/reply.ts";
import type { Clock } from "../lib/clock.ts";
import { TtlCache } from "../lib/ttl-cache.ts";
import { receiversIn } from "../receivers/names.ts";
import { RECEIVER_LABELS, receiverLabel } from "../receivers/receiver.ts";
import type { Reports, WaitingMail } from "../spool/port/reports.ts";
import type { Spool } from "../spool/port/spool.ts";
import type { Store } from "../spool/port/store.ts";
import type { WebhookAttempt } from "../spool/port/webhooks.ts";
import type { DeliveryLoad } from "./delivery-parts.ts";
import { type NodeName, nodeGauges } from "./node-metrics.ts";
import { COMMIT_BUCKETS_S, observeSpool } from "./spool-metrics.ts";

/** How long a count of the queue is reused: it reads many rows. */
const QUEUE_TTL_MS = 5000;

const WEBHOOK_RESULTS: readonly WebhookAttempt["result"][] = ["sent", "deferred", "given_up"];

export interface Metrics {
  readonly contentType: string;
  /** The text of the exposition format. Rejects while the spool cannot be read. */
  text(): Promise<string>;
  /** Counts a request that was answered with this problem. */
  refused(code: string): void;
  /** Counts a message that came back, once for each type of its recipients. */
  incomingStored(type: IncomingRecipientType): void;
  /** Counts a connection, a command or a message that the inbound listener has rejected. */
  incomingRefused(code: string): void;
  /** Counts a message that came back, when it has had its effect. */
  incomingApplied(outcome: IncomingOutcome): void;
  reportRefused(reason: RefusalReason): void;
  /** Counts an attempt to send an event to an endpoint. */
  webhookAttempted(result: WebhookAttempt["result"]): void;
  /** Counts requests that are left out of the request log. */
  unrecorded(count: number): void;
  /** Reads `load` at each scrape from now on. */
  watchDelivery(load: () => DeliveryLoad): void;
  /** Reads at each scrape when the listener's certificate ends, milliseconds since the epoch; null where there is none. */
  watchCertificate(endsMs: () => number | null): void;
}

export interface MetricsOptions {
  clock: Clock;
  node: NodeName;
  /** Of each series, if those of several processes are joined. */
  labels?: Record<string, string>;
}

type ObservedStore = Spool & Pick<Store, "reports" | "onSync" | "nodes">;

/** Metrics of a spool, and the same spool with its calls counted. */
export function createMetrics<S extends ObservedStore>(
  spool: S,
  { clock, node, labels = {} }: MetricsOptions,
): { metrics: Metrics; observed: S } {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const refused = refusedCounter(registers);
  const incoming = incomingCounters(registers);
  const webhooks = webhookCounter(registers);
  const unrecorded = new Counter({
    name: "postrider_requests_unrecorded_total",
    help: "Requests left out of the request log: beyond its limits of one second, or while the spool cannot be written.",
    registers,
  });
  nodeGauges(node, spool.nodes?.own ?? null, registers);
  const updateQueue = queueGauges(spool, clock, registers);
  const syncs = new Histogram({
    name: "postrider_fsync_seconds",
    help: "A commit of the spool, in which its log is written and synced; many messages may share one.",
    buckets: COMMIT_BUCKETS_S,
    registers,
  });
  spool.onSync((ms) => syncs.observe(ms / 1000));
  const metrics: Metrics = {
    contentType: registry.contentType,
    refused: (code) => refused.inc({ code }),
    incomingStored: (type) => incoming.stored.inc({ type }),
    incomingRefused: (code) => incoming.refused.inc({ code }),
    incomingApplied: (outcome) => incoming.applied.inc({ outcome }),
    reportRefused: (reason) => incoming.reports.inc({ reason }),
    webhookAttempted: (result) => webhooks.inc({ result }),
    unrecorded: (count) => unrecorded.inc(count),
    watchDelivery: (load) => deliveryGauges(load, registers),
    watchCertificate: (endsMs) => certificateGauge(endsMs, registers),
    async text() {
      await updateQueue();
      return registry.metrics();
    },
  };
  return { observed: observeSpool(spool, registers), metrics };
}

function refusedCounter(registers: Registry[]): Counter<"code"> {
  const refused = new Counter({
    name: "postrider_requests_refused_total",
    help: "Requests answered with a problem.",
    labelNames: ["code"],
    registers,
  });
  // A series that begins with its first event hides that event from rates and alerts.
  for (const code of PROBLEM_CODES) refused.inc({ code }, 0);
  return refused;
}

interface IncomingCounters {
  stored: Counter<"type">;
  refused: Counter<"code">;
  applied: Counter<"outcome">;
  reports: Counter<"reason">;
}

function incomingCounters(registers: Registry[]): IncomingCounters {
  const stored = new Counter({
    name: "postrider_incoming_messages_total",
    help: "Messages that came back and were stored, by what they were sent to: envelope senders (bounces), report addresses, postmaster and abuse.",
    labelNames: ["type"],
    registers,
  });
  for (const type of INCOMING_RECIPIENT_TYPES) stored.inc({ type }, 0);
  const refused = new Counter({
    name: "postrider_incoming_refused_total",
    help: "Connections, recipients and messages that the inbound listener rejected.",
    labelNames: ["code"],
    registers,
  });
  for (const code of INBOUND_PROBLEMS) refused.inc({ code }, 0);
  const applied = new Counter({
    name: "postrider_incoming_applied_total",
    help: "Messages that came back and were read, by what they were.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of INCOMING_OUTCOMES) applied.inc({ outcome }, 0);
  const reports = new Counter({
    name: "postrider_reports_refused_total",
    help: "DMARC and TLS reports of receivers that were not stored, by reason.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of REFUSAL_REASONS) reports.inc({ reason }, 0);
  return { stored, refused, applied, reports };
}

function webhookCounter(registers: Registry[]): Counter<"result"> {
  const attempts = new Counter({
    name: "postrider_webhook_attempts_total",
    help: "Attempts to send an event to a webhook endpoint: sent, deferred (another follows) or given_up (the last one).",
    labelNames: ["result"],
    registers,
  });
  for (const result of WEBHOOK_RESULTS) attempts.inc({ result }, 0);
  return attempts;
}

/** Returns how to update the gauges of the queue, which reads the spool at most every few seconds. */
function queueGauges(
  spool: Pick<Spool, "quarantined"> & { reports: Reports },
  clock: Clock,
  registers: Registry[],
): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const recipients = new Gauge({
    name: "postrider_queue_recipients",
    help: "Recipients that are waiting or in an attempt (pending), and unknown ones.",
    labelNames: ["state"],
    registers,
  });
  const oldest = gauge(
    "postrider_queue_oldest_seconds",
    "Age of the oldest message with a pending recipient; 0 without one.",
  );
  const quarantined = gauge(
    "postrider_quarantined_messages",
    "Messages that are not delivered because their stored data cannot be read.",
  );
  const counts = new TtlCache<WaitingMail>({ clock, keptMs: QUEUE_TTL_MS, max: 1, worthKeeping: () => true });
  return async () => {
    const nowMs = clock.now();
    const waiting = await counts.get("queue", () => spool.reports.waiting({ accountId: null, nowMs, limit: 0 }));
    recipients.set({ state: "pending" }, waiting.waiting);
    recipients.set({ state: "unknown" }, waiting.unknown);
    quarantined.set((await spool.quarantined(0)).count);
    oldest.set(waiting.oldestAtMs === null ? 0 : Math.max(0, nowMs - waiting.oldestAtMs) / 1000);
  };
}

function deliveryGauges(load: () => DeliveryLoad, registers: Registry[]): void {
  new Gauge({
    name: "postrider_attempts_under_way",
    help: "Attempts in progress; each is one message at one recipient domain.",
    registers,
    collect() {
      this.set(load().attempts);
    },
  });
  new Gauge({
    name: "postrider_destinations",
    help: "Operators of mail hosts with attempts in progress (open) or that reject all mail (closed), those of them that reject this server's address or name (blocked), and IP addresses that accept no connection (dead). Closed and dead ones are only probed.",
    labelNames: ["state"],
    registers,
    collect() {
      const { openDestinations, deadDestinations, closedDestinations, blockedDestinations } = load();
      this.set({ state: "open" }, openDestinations);
      this.set({ state: "dead" }, deadDestinations);
      this.set({ state: "closed" }, closedDestinations);
      this.set({ state: "blocked" }, blockedDestinations.length);
    },
  });
  receiverMetrics(load, registers);
  new Gauge({
    name: "postrider_held_keys",
    help: "API keys of all accounts whose mail is held, because they send far above what they normally do.",
    registers,
    collect() {
      this.set(load().heldKeys);
    },
  });
  new Gauge({
    name: "postrider_paused_senders",
    help: "Sending domains whose mail pauses at a receiver that rejects it for their authentication or their rate, counted once for each destination.",
    registers,
    collect() {
      this.set(load().pausedSenders);
    },
  });
}

/** Series of receivers with a profile, and one of all others. */
function receiverMetrics(load: () => DeliveryLoad, registers: Registry[]): void {
  new Counter({
    name: "postrider_receiver_attempts_total",
    help: "Recipients in attempts, by receiver and by what came of it.",
    labelNames: ["receiver", "outcome"],
    registers,
    collect() {
      this.reset();
      const { receiverTotals } = load();
      for (const receiver of RECEIVER_LABELS) {
        const totals = receiverTotals.get(receiver) ?? noTotals();
        for (const [outcome, count] of Object.entries(totals)) this.inc({ receiver, outcome }, count);
      }
    },
  });
  new Counter({
    name: "postrider_sending_address_attempts_total",
    help: "Recipients in attempts from sending addresses that operators have added, by address, receiver and what came of it.",
    labelNames: ["address", "receiver", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const [address, receivers] of load().addressTotals)
        for (const [receiver, totals] of receivers)
          for (const [outcome, count] of Object.entries(totals)) this.inc({ address, receiver, outcome }, count);
    },
  });
  new Gauge({
    name: "postrider_receiver_blocked",
    help: "1 for a receiver that rejects this server's address or name; for those without a profile, how many do.",
    labelNames: ["receiver"],
    registers,
    collect() {
      const blocked = load().blockedDestinations.flatMap((name) => receiversIn(name).map(receiverLabel));
      for (const receiver of RECEIVER_LABELS)
        this.set({ receiver }, blocked.filter((each) => each === receiver).length);
    },
  });
}

function certificateGauge(endsMs: () => number | null, registers: Registry[]): void {
  if (endsMs() === null) return;
  new Gauge({
    name: "postrider_certificate_not_after_seconds",
    help: "When the certificate of the HTTPS listener ends, in seconds since the epoch; absent over plain HTTP.",
    registers,
    collect() {
      this.set((endsMs() ?? 0) / 1000);
    },
  });
}
