/**
 * The service as src/app/wiring/service.ts wires it, in one life of the simulated process: real spool, delivery, readiness and HTTP
 * handlers; simulated are the disk, the network, DNS, the clock, chance and the signer's thread.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { AcceptBackpressure } from "../src/app/accept-backpressure.ts";
import { AcceptMessage } from "../src/app/accept-message.ts";
import { ClockWatch } from "../src/app/clock-watch.ts";
import { isAheadOfLastRun } from "../src/app/last-run-time.ts";
import { startQuarantineRechecks } from "../src/app/quarantine-rechecks.ts";
import { watchReadiness } from "../src/app/readiness.ts";
import { CLOCK_TRUSTED_AFTER_MS, startRetention } from "../src/app/retention.ts";
import { SendRate } from "../src/app/send-rate.ts";
import { WaitShortener } from "../src/app/wait-shortener.ts";
import { type Stopped, startDelivery } from "../src/app/wiring/delivery.ts";
import type { Metrics } from "../src/app/wiring/metrics.ts";
import type { Connect } from "../src/delivery/smtp/connection.ts";
import type { Resolver } from "../src/dns/resolver.ts";
import { ROUTINE_INTERVAL_MS } from "../src/domains/verification-state.ts";
import { createApi } from "../src/http/api.ts";
import { Drafts } from "../src/http/drafts.ts";
import { AddressLimiter } from "../src/lib/address-limiter.ts";
import { type Logger, silentLog } from "../src/lib/log.ts";
import { ResponsePacer } from "../src/lib/response-pacer.ts";
import { SharedBudget } from "../src/lib/shared-budget.ts";
import { Vault } from "../src/security/vault.ts";
import type { SqliteStore } from "../src/spool/sqlite/sqlite-spool.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import { OUR_NAME, untrusted } from "./names.ts";

/** What stands before every message: the simulation does not wait for RSA. */
export const SIGNATURE = "DKIM-Signature: v=1; a=none; simulated\r\n";

/** The backlog never comes near its limit here, and the usual looks would be a third of all events. */
const BACKLOG_INTERVAL_MS = 600_000;
const RESULTS_MS = 365 * 86_400_000;

/** Prometheus's registry watches the real event loop. */
const noMetrics: Metrics = {
  contentType: "text/plain",
  text: async () => "",
  refused() {},
  watchDelivery() {},
  watchCertificate() {},
};

export interface Settings {
  retrySchedule: number[];
  maxAgeMs: number;
  unknownPolicy: "hold" | "retry";
  /** How long contents are kept once they are of no more use; results always outlast a run. */
  contentsMs: number;
}

/** What of an attempt's line is looked at. */
export interface AttemptLine {
  messageId: string;
  /** Not set where nothing was tried. */
  attempt?: number;
  durationMs: number;
  outcome: string;
  reason?: string;
}

export interface PostriderParts {
  life: Life;
  chance: Chance;
  spool: SqliteStore;
  resolver: Resolver;
  connect: Connect;
  settings: Settings;
  /** Each attempt's line of the log, for each recipient. */
  onAttempt: (line: AttemptLine) => void;
  onFatal: (error: Error) => void;
  /** Delivery has stopped, and the spool is still open. */
  onStopped: (stopped: Stopped) => void;
}

export interface Running {
  handler: (req: IncomingMessage, res: ServerResponse) => unknown;
  spool: SqliteStore;
  /** As the service stops, where STOP_REPLY_WAIT is `replyWaitMs`. */
  stop(replyWaitMs: number): Promise<void>;
}

/** A log that passes on the attempts' lines alone. */
function attemptLog(onAttempt: (line: AttemptLine) => void): Logger {
  const log: Logger = Object.create(silentLog);
  const info = (line: AttemptLine, message: string): void => {
    if (message === "attempt") onAttempt(line);
  };
  return Object.assign(log, { info, child: () => log });
}

/** Starts the service; rejects when the disk does not let it, as the real start does. */
export async function startPostrider(parts: PostriderParts): Promise<Running> {
  const { life, chance, spool, resolver, connect, settings, onAttempt, onFatal } = parts;
  const log = attemptLog(onAttempt);
  const { clock } = life;
  const result = settings.unknownPolicy === "hold" ? "unknown" : "pending";
  await spool.recover(clock.now(), result);
  const signature = Buffer.from(SIGNATURE);
  const signer = { sign: async () => signature, signAhead: () => {}, close: async () => {} };
  const backpressure = new AcceptBackpressure(clock);
  const delivery = await startDelivery(
    {
      ...{ spool, resolver, clock, onFatal, log, hostname: OUR_NAME, secureResolver: untrusted },
      ...{ vault: new Vault(Buffer.alloc(32)), smtpPort: 25, sendingIps: [], sink: null, allowPrivate: false },
      retry: settings,
      sendsWaiting: () => backpressure.waiting,
    },
    { random: chance.next, signer, connect },
  );
  const readiness = await watchReadiness(spool, clock, { backlogIntervalMs: BACKLOG_INTERVAL_MS });
  const limits = { recipientsMax: 50, messageBytesMax: 1_000_000, quotaDaily: 0, suppressAfter: 0 };
  const rate = new SendRate({ perSecond: 5, burst: 20 });
  const acceptMessage = new AcceptMessage({
    ...{ spool, registry: spool, clock, rate, backpressure },
    signAhead: { prepare: delivery.storing },
    limits: { ...limits, maxAgeMs: settings.maxAgeMs },
    unavailableReason: () => readiness.refusal(),
  });
  const api = createApi({
    ...{ spool, registry: spool, clock, log: silentLog, readiness, acceptMessage, rate, backpressure },
    metrics: noMetrics,
    // On no thread: threads keep no virtual time.
    drafts: new Drafts({ contentBytesMax: limits.messageBytesMax, shortBytesMax: Number.POSITIVE_INFINITY }),
    addresses: new AddressLimiter({ rate: { perSecond: 0, burst: 1 }, trustedProxies: 0, clock }),
    pace: new ResponsePacer(),
    memory: { isLow: false, isExhausted: false },
    responses: new SharedBudget({ max: 1_000_000, share: 1 }),
    limits,
  });
  const periods = { contentsMs: settings.contentsMs, resultsMs: RESULTS_MS };
  const overlongWaits = new WaitShortener({
    ...{ spool, registry: spool, clock, log: silentLog },
    retrySchedule: settings.retrySchedule,
    checkGapMs: ROUTINE_INTERVAL_MS,
  });
  overlongWaits.run();
  const onStep = (stepMs: number): void => {
    if (stepMs < 0) overlongWaits.run();
  };
  const clockWatch = new ClockWatch({
    ...{ clock, log: silentLog, onStep },
    isAheadAtStart: await isAheadOfLastRun({ spool, clock, log: silentLog }),
  });
  const stopRetention = startRetention({
    ...{ spool, clock, log: silentLog, periods },
    isClockTrusted: () => !clockWatch.wasSetForwardWithin(CLOCK_TRUSTED_AFTER_MS),
  });
  const stopRechecks = startQuarantineRechecks({ spool, clock, log: silentLog, result });
  return {
    handler: api,
    spool,
    async stop(replyWaitMs) {
      readiness.stop();
      stopRetention();
      stopRechecks();
      clockWatch.stop();
      overlongWaits.stop();
      parts.onStopped(await delivery.stop(replyWaitMs));
      readiness.endLongPolls();
      await spool.close();
    },
  };
}
