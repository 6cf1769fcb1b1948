/**
 * The whole service: main.ts runs it, the demo shows it and the tests drive it. This file decides only the order in which parts
 * start and stop.
 */
import type { Config } from "../../config.ts";
import { deliveryStopLimitMs } from "../../delivery/dispatch/shutdown.ts";
import { createResolver } from "../../dns/node-resolver.ts";
import { createSecureResolver } from "../../dns/secure-resolver.ts";
import { runChecks } from "../../doctor/checks.ts";
import { dnssecResolvers, resolversByServer } from "../../doctor/dns.ts";
import type { CheckContext } from "../../domains/check.ts";
import { RecheckScheduler } from "../../domains/recheck-scheduler.ts";
import { DRAIN_MS } from "../../http/server.ts";
import type { Logger } from "../../lib/log.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { People } from "../../spool/port/people.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { AcceptBackpressure } from "../accept-backpressure.ts";
import { createCheckContext } from "../check-context.ts";
import { HostWatch } from "../host-watch.ts";
import { type Readiness, watchReadiness } from "../readiness.ts";
import { spoolExamination } from "../spool-examination.ts";
import type { PostWebhook } from "../webhook-test-event.ts";
import { type Delivery, startDelivery } from "./delivery.ts";
import { type HttpFront, startHttp } from "./http.ts";
import { startMaintenance } from "./maintenance.ts";
import { openCore, type ServiceCore, type ServiceHost } from "./service-core.ts";
import { startPoster, startWebhooks } from "./webhook-sender.ts";
import { wireWebhooks } from "./webhooks.ts";

export type { ServiceHost } from "./service-core.ts";

/** How long domain checks in progress may take when the service stops. A check that is not stored stays due at the next start. */
const CHECKS_STOP_LIMIT_MS = 1000;

export interface Service {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  port: number;
  spool: Spool;
  registry: Registry;
  people: People;
  /** A one-time link that creates the first user; null if there is a user. */
  setupUrl: string | null;
  /** Refuses new sends, ends what is in progress within `stopLimitMs`, and closes everything. */
  stop(): Promise<void>;
}

/** How long a stop takes at most if the disk works. A supervisor must wait longer before it kills the service. */
export function stopLimitMs({ stopReplyWaitMs }: Pick<Config, "stopReplyWaitMs">): number {
  return deliveryStopLimitMs(stopReplyWaitMs) + DRAIN_MS;
}

/** Starts the service. Rejects with one line when it cannot. Calls `onFatal` when it cannot continue. */
export async function startService(config: Config, log: Logger, host: ServiceHost): Promise<Service> {
  const core = await openCore(config, log, host);
  const { spool, clock } = core;
  const context = await createCheckContext(config, createResolver({ servers: config.dnsServers }));
  if (context.sendingIps.length === 0)
    log.warn("no public IP address found: set SENDING_IPS, or SPF records cannot be checked");
  const rechecks = new RecheckScheduler({ registry: spool, context, clock, log });
  rechecks.start();

  const backpressure = new AcceptBackpressure(clock);
  const delivery = await wireDelivery(core, context, backpressure);
  core.metrics.watchDelivery(delivery.load);
  const hostWatch = watchHost(core, context);
  const readiness = await watchReadiness(spool, clock, { hostReasons: () => hostWatch.reasons() });
  const poster = startPoster(core, context);
  const post: PostWebhook = (request) => poster.post(request);
  const webhooks = wireWebhooks({ ...core, vault: () => core.vault, post });
  const http = await startHttp(core, { delivery, backpressure, readiness, hostWatch, webhooks, context });
  const stopWebhooks = startWebhooks(core, { poster, ...http });
  const stopMaintenance = await startMaintenance(core, { context, hostWatch });
  const setupUrl = await http.dashboard.setupUrl();
  if (setupUrl !== null) log.warn({ setupUrl }, "no user yet: this one-time link creates the first one");
  const parts = { rechecks, delivery, hostWatch, readiness, http, stopWebhooks, stopMaintenance };
  return {
    url: http.url,
    port: http.listener.port,
    spool,
    registry: spool,
    people: spool.people,
    setupUrl,
    stop: () => stopService(core, parts),
  };
}

function wireDelivery(
  { config, spool, vault, clock, log, onFatal }: ServiceCore,
  { resolver, sendingIps }: CheckContext,
  backpressure: AcceptBackpressure,
): Promise<Delivery> {
  const { hostname, smtpPort, sink, smtpAllowPrivate: allowPrivate, retrySchedule, unknownPolicy } = config;
  return startDelivery({
    ...{ spool, vault, resolver, clock, log, hostname, sendingIps, smtpPort, sink, allowPrivate, onFatal },
    secureResolver: createSecureResolver({ servers: config.dnsServers, trustAd: config.dnsTrustAd }),
    retry: { retrySchedule, unknownPolicy },
    acceptLoad: backpressure,
  });
}

function watchHost(core: ServiceCore, { resolver, sendingIps }: CheckContext): HostWatch {
  const { config, installation, spool, clock, log } = core;
  const secure = dnssecResolvers(config);
  const servers = resolversByServer(config);
  // Domains are left out: the pages of an account show its own.
  const input = { config, resolver, servers, secure, sendingIps, domains: [], clock };
  return new HostWatch({
    ...{ clock, log, atStart: [core.masterKey] },
    examine: () => runChecks({ ...input, ...spoolExamination(installation, spool) }),
  });
}

interface RunningParts {
  rechecks: RecheckScheduler;
  delivery: Delivery;
  hostWatch: HostWatch;
  readiness: Readiness;
  http: HttpFront;
  stopWebhooks: () => Promise<void>;
  stopMaintenance: () => void;
}

async function stopService({ config, spool, log }: ServiceCore, parts: RunningParts): Promise<void> {
  const { rechecks, delivery, hostWatch, readiness, http, stopWebhooks, stopMaintenance } = parts;
  readiness.stop();
  hostWatch.stop();
  stopMaintenance();
  // Lookups are answered until then, because the results they wait for may still arrive.
  const [stopped] = await Promise.all([
    delivery.stop(config.stopReplyWaitMs),
    rechecks.stop(CHECKS_STOP_LIMIT_MS),
    stopWebhooks(),
  ]);
  const isClean = stopped.recipientsAtFinalDot === 0 && stopped.attemptsNotStored === 0;
  log[isClean ? "info" : "warn"](stopped, "delivery stopped");
  readiness.endLongPolls();
  await http.listener.close();
  await http.recorder.stop();
  await spool.close();
}
