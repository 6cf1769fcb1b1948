/**
 * The whole service, wired: what main.ts runs, the demo shows and the tests drive. No decisions of its own beyond
 * which part knows which.
 */

import type { Config } from "../../config.ts";
import { deliveryStopLimitMs } from "../../delivery/dispatch/shutdown.ts";
import { createResolver } from "../../dns/node-resolver.ts";
import { createSecureResolver } from "../../dns/secure-query.ts";
import { examine } from "../../doctor/examine.ts";
import { masterKeyFinding } from "../../doctor/master-key.ts";
import { secureQuestions, serversAlone } from "../../doctor/names.ts";
import { Rechecks } from "../../domains/recheck.ts";
import { discoverSendingIps } from "../../domains/sending-ips.ts";
import { ROUTINE_MS } from "../../domains/standing.ts";
import { createApi } from "../../http/api.ts";
import { Drafts } from "../../http/drafts.ts";
import { DRAIN_MS, listen } from "../../http/server.ts";
import { AddressLimiter } from "../../lib/address-limiter.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { type Memory, unlimitedMemory } from "../../lib/memory-guard.ts";
import { ResponsePace } from "../../lib/response-pace.ts";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { hashPassword } from "../../security/passwords.ts";
import type { Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { deliveryPause, pauseSentence } from "../../spool/port/delivery-pause.ts";
import type { Spool } from "../../spool/port/mail.ts";
import type { People } from "../../spool/port/people.ts";
import { quickCheck } from "../../spool/sqlite/quick-check.ts";
import { openSqliteSpool } from "../../spool/sqlite/sqlite-spool.ts";
import { AcceptBackpressure } from "../accept-backpressure.ts";
import { AcceptMessage } from "../accept-message.ts";
import { ClockWatch } from "../clock-watch.ts";
import { HostWatch } from "../host-watch.ts";
import { startsAhead } from "../last-time.ts";
import { OverlongWaits } from "../overlong-waits.ts";
import { startQuarantineRechecks } from "../quarantine-rechecks.ts";
import { watchReadiness } from "../readiness.ts";
import { CLOCK_TRUSTED_AFTER_MS, startRetention } from "../retention.ts";
import { SendRate } from "../send-rate.ts";
import { type Answer, mount, watchRotations, wireDashboard } from "./dashboard.ts";
import { startDelivery } from "./delivery.ts";
import { masterKeyState, openVaultFor } from "./master-key.ts";
import { createMetrics } from "./metrics.ts";

/** How long domain checks under way may take when the service stops: what is not stored is still due at the next start. */
const CHECKS_STOP_LIMIT_MS = 1000;

/** Bytes of responses that are not read yet; more where messages are larger, whose source can be downloaded. */
const RESPONSES_BYTES = 32 * 1024 * 1024;
/** The part of it that one account, or one address, may have: a message's source at least. */
const RESPONSES_SHARE = 0.5;

/** Quarantined messages that the doctor may name. */
const QUARANTINED_SHOWN = 10;

/** The process that a service runs in. */
export interface ServiceHost {
  onFatal: (error: Error) => void;
  /** Of a process that is the service's alone; unlimited without it. */
  memory?: Memory;
}

export interface Service {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  port: number;
  spool: Spool;
  registry: Registry;
  people: People;
  /** A link that makes the first user, once; null when there is one already. */
  setupUrl: string | null;
  /** Refuses new sends, ends what is under way within `stopLimitMs`, and closes everything. */
  stop(): Promise<void>;
}

/** How long a stop takes at most, where the disk works. Whatever kills the service must wait longer. */
export function stopLimitMs({ stopReplyWaitMs }: Pick<Config, "stopReplyWaitMs">): number {
  return deliveryStopLimitMs(stopReplyWaitMs) + DRAIN_MS;
}

/** Starts the service. Rejects with one clear line when it cannot. `onFatal` is called when it cannot go on. */
export async function startService(
  config: Config,
  log: Logger,
  { onFatal, memory = unlimitedMemory }: ServiceHost,
): Promise<Service> {
  const clock = systemClock;
  const store = await openSqliteSpool({ dataDir: config.dataDir, role: "service", onFatal });
  store.onDamage((damage) => log.error(damage, "spool damage"));
  // Not before the spool is held: until then the key can be exchanged.
  const vault = await vaultOf(config, store);
  const keyFinding = masterKeyFinding(masterKeyState(config));
  if (keyFinding.state !== "ok")
    log[keyFinding.state === "problem" ? "error" : "warn"](keyFinding, "master key check failed");
  const { metrics, observed: spool } = createMetrics(store, clock);
  const inDoubtResult = config.unknownPolicy === "hold" ? "unknown" : "pending";
  const inDoubt = await spool.recover(clock.now(), inDoubtResult);
  if (inDoubt > 0) log.warn({ recipients: inDoubt }, "deliveries were in doubt when the last run ended");
  const pause = await deliveryPause(spool);
  if (pause !== null) log.warn(pauseSentence(pause));
  await createFirstUser(config, spool, clock);

  const resolver = createResolver({ servers: config.dnsServers });
  const sendingIps = config.sendingIps ?? (await discoverSendingIps(config.hostname, resolver));
  if (sendingIps.length === 0) log.warn("no public address found: set SENDING_IPS, so that SPF can be checked");
  const context = { resolver, hostname: config.hostname, sendingIps, allowPrivate: config.smtpAllowPrivate };
  const rechecks = new Rechecks({ registry: spool, context, clock, log });
  rechecks.start();

  const backpressure = new AcceptBackpressure(clock);
  const addresses = new AddressLimiter({
    rate: { perSecond: config.addressRatePerSecond, burst: config.addressRateBurst },
    trustedProxies: config.trustProxy,
    clock,
  });
  const drafts = new Drafts({ contentBytesMax: config.messageBytesMax });
  memory.onLow(() => drafts.stopIfIdle());
  const pace = new ResponsePace();
  const responses = new SharedBudget({
    most: Math.max(RESPONSES_BYTES, config.messageBytesMax / RESPONSES_SHARE),
    share: RESPONSES_SHARE,
  });
  const delivery = await startDelivery({
    spool,
    vault,
    resolver,
    secureResolver: createSecureResolver({ servers: config.dnsServers, trustAd: config.dnsTrustAd }),
    clock,
    log,
    hostname: config.hostname,
    sendingIps,
    smtpPort: config.smtpPort,
    sink: config.sink,
    allowPrivate: config.smtpAllowPrivate,
    retry: { retrySchedule: config.retrySchedule, unknownPolicy: config.unknownPolicy },
    sendsWaiting: () => backpressure.waiting,
    onFatal,
  });
  metrics.watchDelivery(delivery.load);
  const questions = secureQuestions(config);
  const servers = serversAlone(config);
  const spoolChecks = {
    checkFile: () => quickCheck(config.dataDir),
    quarantined: () => spool.quarantined(QUARANTINED_SHOWN),
    masterKey: () => masterKeyState(config),
  };
  const hostWatch = new HostWatch({
    ...{ clock, log },
    atStart: [keyFinding],
    // Domains are their accounts' affair: each page shows those that its visitor may see.
    examine: () =>
      examine({ config, resolver, servers, secure: questions, sendingIps, domains: [], clock, ...spoolChecks }),
  });
  const readiness = await watchReadiness(spool, clock, { hostReasons: () => hostWatch.reasons() });
  const rate = new SendRate({ perSecond: config.ratePerSecond, burst: config.rateBurst });
  const acceptMessage = new AcceptMessage({
    ...{ spool, registry: spool, rate, backpressure, clock },
    signAhead: { prepare: delivery.storing },
    limits: {
      messageBytesMax: config.messageBytesMax,
      quotaDaily: config.quotaDaily,
      suppressAfter: config.suppressAfter,
      maxAgeMs: config.retryMaxAgeMs,
    },
    unavailableReason: () => readiness.refusal(),
  });
  const api = createApi({
    acceptMessage,
    rate,
    spool,
    registry: spool,
    clock,
    backpressure,
    addresses,
    memory,
    pace,
    responses,
    drafts,
    log,
    limits: { recipientsMax: config.recipientsMax, messageBytesMax: config.messageBytesMax },
    readiness,
    metrics,
  });
  let answer: Answer = api;
  const listener = await listen({
    host: config.host,
    port: config.port,
    certsDir: config.certsDir,
    publicHttps: config.publicUrl.startsWith("https:"),
    clock,
    log,
    answer: (req, res) => answer(req, res),
    rejected({ requestId, status, code }) {
      metrics.refused(code);
      log.info({ requestId, status, problem: code }, "request");
    },
  });
  metrics.watchCertificate(listener.certificateEndsMs);

  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `${listener.secure ? "https" : "http"}://${host === "0.0.0.0" ? "127.0.0.1" : host}:${listener.port}`;
  const wiring = {
    config,
    registry: spool,
    vault,
    context,
    clock,
    log,
    readiness,
    hostWatch,
    addresses,
    responses,
    memory,
    pace,
    acceptMessage,
  };
  const publicUrl = publicUrlOf(config, { url, secure: listener.secure });
  const secure = listener.secure || publicUrl.startsWith("https:");
  const dashboard = wireDashboard(wiring, { publicUrl, secure });
  answer = mount(dashboard.app.callback(), answer);
  const stopRotations = watchRotations(wiring);
  const overlongWaits = new OverlongWaits({
    ...{ spool, registry: spool, clock, log },
    retrySchedule: config.retrySchedule,
    checkGapMs: ROUTINE_MS,
  });
  overlongWaits.look();
  const onStep = (stepMs: number): void => {
    if (stepMs < 0) overlongWaits.look();
    // Whether the clock is right is the doctor's to say.
    void hostWatch.examine();
  };
  const clockWatch = new ClockWatch({
    ...{ clock, log, onStep },
    startsAhead: await startsAhead({ spool, clock, log }),
  });
  const stopRetention = startRetention({
    ...{ spool, clock, log, kept: config.retention },
    isClockTrusted: () => !clockWatch.wasSetForwardWithin(CLOCK_TRUSTED_AFTER_MS),
  });
  const stopRechecks = startQuarantineRechecks({ spool, clock, log, result: inDoubtResult });
  const setupUrl = await dashboard.setupUrl();
  if (setupUrl !== null) log.warn({ setupUrl }, "there is no user yet: this link creates the first one, once");
  return {
    url,
    port: listener.port,
    spool,
    registry: spool,
    people: spool.people,
    setupUrl,
    async stop() {
      readiness.stop();
      hostWatch.stop();
      stopRotations();
      clockWatch.stop();
      overlongWaits.stop();
      stopRetention();
      stopRechecks();
      // Until then the results that websites wait for may still come, so lookups are answered.
      const [stopped] = await Promise.all([delivery.stop(config.stopReplyWaitMs), rechecks.stop(CHECKS_STOP_LIMIT_MS)]);
      const isClean = stopped.recipientsAtFinalDot === 0 && stopped.attemptsNotStored === 0;
      log[isClean ? "info" : "warn"](stopped, "delivery stopped");
      readiness.endWaits();
      await listener.close();
      await spool.close();
    },
  };
}

/** Closes the spool where there is no vault for it. */
async function vaultOf(config: Config, store: { close(): Promise<void> }): Promise<Vault> {
  try {
    return openVaultFor(config);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Any free port, and whether there is a certificate, are known only to the listener. */
function publicUrlOf({ port, publicUrl }: Config, listener: { url: string; secure: boolean }): string {
  if (port === 0 && publicUrl === "http://localhost:0") return listener.url;
  const isDefault = publicUrl === `http://localhost:${port}`;
  return isDefault && listener.secure ? `https://localhost:${port}` : publicUrl;
}

async function createFirstUser(config: Config, spool: Registry, clock: Clock): Promise<void> {
  if (config.admin === null || (await spool.hasUsers())) return;
  const account = await spool.accountNamed("default");
  if (account === null) throw new Error("the spool has no default account");
  const passwordHash = await hashPassword(config.admin.password);
  const { email } = config.admin;
  const { usersMax } = config;
  const user = { email, accountId: account.id, passwordHash, operator: true, createdAtMs: clock.now(), usersMax };
  await spool.createUser(user);
}
