/**
 * Wires the service like src/service/service.ts, for one process incarnation. The spool, delivery, readiness and
 * HTTP handlers and the sending of webhooks are real; the disk, network, DNS, clock, randomness, signer thread and poster of
 * webhooks are simulated.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { startQuarantineRechecks } from "../src/app/decide/quarantine-rechecks.ts";
import { WaitShortener } from "../src/app/decide/wait-shortener.ts";
import { startIncomingMail } from "../src/app/incoming/incoming-mail.ts";
import { incomingRecipients } from "../src/app/incoming/incoming-recipients.ts";
import { ClockWatch } from "../src/app/installation/clock-watch.ts";
import { isAheadOfLastRun } from "../src/app/installation/last-run-time.ts";
import { watchReadiness } from "../src/app/installation/readiness.ts";
import { CLOCK_TRUSTED_AFTER_MS, startRetention } from "../src/app/installation/retention-passes.ts";
import { AcceptBackpressure } from "../src/app/send/accept-backpressure.ts";
import { AcceptBatch } from "../src/app/send/accept-batch.ts";
import { AcceptMessage } from "../src/app/send/accept-message.ts";
import { SendRate } from "../src/app/send/send-rate.ts";
import { UnsubscribeLinks } from "../src/app/send/unsubscribe-links.ts";
import { StatusLinks } from "../src/app/status/status-links.ts";
import type { Connect } from "../src/delivery/smtp/connect.ts";
import type { Resolver } from "../src/dns/resolver.ts";
import { ROUTINE_INTERVAL_MS } from "../src/domains/verification-state.ts";
import { createApi } from "../src/http/api.ts";
import { createDialects } from "../src/http/dialects.ts";
import { Drafts } from "../src/http/drafts.ts";
import { AddressLimiter } from "../src/lib/address-limiter.ts";
import { type Logger, silentLog } from "../src/lib/log.ts";
import { ResponsePacer } from "../src/lib/response-pacer.ts";
import { SharedBudget } from "../src/lib/shared-budget.ts";
import { readFeedback } from "../src/message/feedback/feedback.ts";
import { type Stopped, startDelivery } from "../src/service/delivery-parts.ts";
import type { Metrics } from "../src/service/metrics.ts";
import type { SqliteStore } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import { LocalBuckets } from "../src/spool/records/local-buckets.ts";
import { WebhookDispatcher } from "../src/webhooks/dispatcher.ts";
import type { Poster } from "../src/webhooks/poster.ts";
import { nonValidatingResolver, SERVICE_HOSTNAME } from "./dns.ts";
import type { Incarnation } from "./incarnation.ts";
import { FEEDBACK_KEY, VAULT } from "./initial-spool.ts";
import type { Prng } from "./prng.ts";

/** Precedes every message; the simulation does not compute RSA signatures. */
const SIGNATURE = "DKIM-Signature: v=1; a=none; simulated\r\n";

/** The backlog never comes near its limit here, and checks at the usual interval would be a third of all events. */
const BACKLOG_INTERVAL_MS = 600_000;
/** One process stores all mail, so it need not look for that of others. */
const INCOMING_POLL_MS = 60_000;
/** As the service's. */
const WEBHOOKS_STOP_LIMIT_MS = 2000;
const RESULTS_MS = 365 * 86_400_000;

/** Prometheus's registry measures the real event loop. */
const noMetrics: Metrics = {
  contentType: "text/plain",
  text: async () => "",
  refused() {},
  incomingStored() {},
  incomingRefused() {},
  incomingApplied() {},
  reportRefused() {},
  unrecorded() {},
  webhookAttempted() {},
  watchDelivery() {},
  watchCertificate() {},
};

export interface Settings {
  retrySchedule: number[];
  maxAgeMs: number;
  unknownPolicy: "hold" | "retry";
  /** How long contents are kept once they are not needed; results outlast every run. */
  contentsMs: number;
}

/** The fields of an attempt's log line that the simulator checks. */
export interface AttemptLine {
  messageId: string;
  /** Undefined if no attempt was made. */
  attempt?: number;
  durationMs: number;
  outcome: string;
  reason?: string;
}

export interface PostriderOptions {
  incarnation: Incarnation;
  prng: Prng;
  spool: SqliteStore;
  resolver: Resolver;
  connect: Connect;
  poster: Poster;
  settings: Settings;
  /** Whether mail comes back in this run. */
  hasReturnedMail: boolean;
  /** Called for each recipient with the log line of the attempt. */
  onAttempt: (line: AttemptLine) => void;
  onFatal: (error: Error) => void;
  /** Called when delivery has stopped, while the spool is still open. */
  onStopped: (stopped: Stopped) => void;
}

export interface RunningService {
  handler: (req: IncomingMessage, res: ServerResponse) => unknown;
  spool: SqliteStore;
  /** Stops the service with STOP_REPLY_WAIT set to `replyWaitMs`. */
  stop(replyWaitMs: number): Promise<void>;
}

/** A logger that passes on only the lines of attempts. */
function attemptLog(onAttempt: (line: AttemptLine) => void): Logger {
  const log: Logger = Object.create(silentLog);
  const info = (line: AttemptLine, message: string): void => {
    if (message === "attempt") onAttempt(line);
  };
  return Object.assign(log, { info, child: () => log });
}

/** Starts the service. Rejects on a disk error, like the real start. */
export async function startPostrider(parts: PostriderOptions): Promise<RunningService> {
  const { incarnation, prng, spool, resolver, connect, settings, onAttempt, onFatal } = parts;
  const log = attemptLog(onAttempt);
  const { clock } = incarnation;
  await spool.recover(clock.now(), resultAfterCrash(settings));
  const signature = Buffer.from(SIGNATURE);
  const signer = { sign: async () => signature, signAhead: () => {}, close: async () => {} };
  const backpressure = new AcceptBackpressure(clock);
  const delivery = await startDelivery(
    {
      spool,
      resolver,
      clock,
      onFatal,
      log,
      hostname: SERVICE_HOSTNAME,
      secureResolver: nonValidatingResolver,
      vault: VAULT,
      smtpPort: 25,
      sendingIps: [],
      sink: null,
      allowPrivate: false,
      destinationLimits: new Map(),
      tlsRules: new Map(),
      retry: settings,
      suppressAfter: 0,
      acceptLoad: backpressure,
    },
    { random: prng.next, signer, connect },
  );
  const readiness = await watchReadiness(spool, clock, { backlogIntervalMs: BACKLOG_INTERVAL_MS });
  const limits = { recipientsMax: 50, messageBytesMax: 1_000_000, quotaDaily: 0, suppressAfter: 0 };
  const rate = new SendRate({ perSecond: 5, burst: 20 }, { tokenBuckets: (_kind, of) => new LocalBuckets(of, clock) });
  const links = { key: Buffer.alloc(32), publicUrl: () => "https://mail.shop.example", isPublicUrlSet: true };
  const statusLinks = new StatusLinks(links);
  const acceptMessage = new AcceptMessage({
    spool,
    registry: spool,
    accounts: spool,
    clock,
    rate,
    backpressure,
    signAhead: delivery.signAhead,
    unsubscribe: new UnsubscribeLinks(links),
    statusLinks,
    limits: { ...limits, maxAgeMs: settings.maxAgeMs },
    unavailableReason: () => readiness.refusal(),
  });
  const api = createApi({
    spool,
    registry: spool,
    clock,
    log: silentLog,
    readiness,
    acceptMessage,
    rate,
    backpressure,
    acceptBatch: new AcceptBatch({ acceptMessage, rate, messageBytesMax: limits.messageBytesMax }),
    metrics: noMetrics,
    // The request log does not take part in what the simulator checks.
    recorder: { record() {} },
    // In the main thread, since worker threads do not use virtual time.
    drafts: new Drafts({ contentBytesMax: limits.messageBytesMax, shortBytesMax: Number.POSITIVE_INFINITY }),
    addresses: new AddressLimiter({ rate: { perSecond: 0, burst: 1 }, trustedProxies: 0, clock }),
    pace: new ResponsePacer(),
    memory: { isLow: false, isExhausted: false },
    responses: new SharedBudget({ max: 1_000_000, share: 1 }),
    statusLinks,
    statusKey: links.key,
    manage: null,
    dialectOf: createDialects(() => ""),
    limits,
  });
  const stopWebhooks = startWebhooks(parts);
  const stopIncoming = parts.hasReturnedMail ? startIncoming(parts) : async () => {};
  const stopMaintenance = await startMaintenance(parts);
  return {
    handler: api,
    spool,
    async stop(replyWaitMs) {
      readiness.stop();
      stopMaintenance();
      const [stopped] = await Promise.all([delivery.stop(replyWaitMs), stopWebhooks(), stopIncoming()]);
      parts.onStopped(stopped);
      readiness.endLongPolls();
      await spool.close();
    },
  };
}

const resultAfterCrash = ({ unknownPolicy }: Settings): "unknown" | "pending" =>
  unknownPolicy === "hold" ? "unknown" : "pending";

/** Starts sending events to endpoints. Returns how to stop. Messages about disabled endpoints are not simulated. */
function startWebhooks({ incarnation, prng, spool, poster }: PostriderOptions): () => Promise<void> {
  const dispatcher = new WebhookDispatcher({
    spool,
    vault: VAULT,
    poster,
    clock: incarnation.clock,
    log: silentLog,
    random: prng.next,
    attempted: () => {},
    disabled: () => {},
  });
  dispatcher.start();
  return async () => {
    await dispatcher.stop(WEBHOOKS_STOP_LIMIT_MS);
    await poster.close();
  };
}

/** Starts reading mail that has come back, in the main thread. Returns how to stop. */
function startIncoming({ incarnation, spool }: PostriderOptions): () => Promise<void> {
  const { clock } = incarnation;
  return startIncomingMail({
    spool,
    clock,
    key: FEEDBACK_KEY,
    log: silentLog,
    pollMs: INCOMING_POLL_MS,
    recipients: incomingRecipients({ key: FEEDBACK_KEY, domains: { returnPathOwner: async () => null } }),
    reader: {
      feedback: async (content) => readFeedback(content),
      report: async () => ({ type: "unread", reason: "no_report" }),
      canRead: () => true,
      isSignedByLoop: async () => false,
    },
    resolver: { txt: async () => ({ type: "nxdomain" }) },
    forward: { forward: async () => "forwarded" },
    places: { find: async () => ({ type: "none", because: "day_full" }) },
    intake: { refuse: async () => {} },
    countRefused: () => {},
    countComplaint: () => {},
    sendingIps: () => [],
    count: () => {},
  });
}

/** Starts retention, quarantine rechecks and the reactions to clock steps. Resolves with a function that stops them. */
async function startMaintenance({ incarnation, spool, settings }: PostriderOptions): Promise<() => void> {
  const { clock } = incarnation;
  const overlongWaits = new WaitShortener({
    spool,
    registry: spool,
    clock,
    log: silentLog,
    retrySchedule: settings.retrySchedule,
    checkGapMs: ROUTINE_INTERVAL_MS,
  });
  overlongWaits.run();
  const onStep = (stepMs: number): void => {
    if (stepMs < 0) overlongWaits.run();
  };
  const clockWatch = new ClockWatch({
    clock,
    log: silentLog,
    onStep,
    isAheadAtStart: await isAheadOfLastRun({ spool, clock, log: silentLog }),
  });
  const stopRetention = startRetention({
    spool,
    clock,
    log: silentLog,
    periods: { contentsMs: settings.contentsMs, resultsMs: RESULTS_MS },
    isClockTrusted: () => !clockWatch.wasSetForwardWithin(CLOCK_TRUSTED_AFTER_MS),
  });
  const stopRechecks = startQuarantineRechecks({ spool, clock, log: silentLog, result: resultAfterCrash(settings) });
  return () => {
    stopRetention();
    stopRechecks();
    clockWatch.stop();
    overlongWaits.stop();
  };
}
