/**
 * The whole service: main.ts runs it, the demo shows it and the tests drive it. This file decides only the order in which parts
 * start and stop.
 */

import { actOnHeld } from "../app/decide/held-keys.ts";
import { createCheckContext } from "../app/domains/check-context.ts";
import { RefusedDomainChecks } from "../app/domains/refused-domain-checks.ts";
import { ownSendingIps, SendingAddresses } from "../app/domains/sending-addresses.ts";
import { HostWatch } from "../app/installation/host-watch.ts";
import { type Readiness, watchReadiness } from "../app/installation/readiness.ts";
import { absentAddresses, spoolExamination } from "../app/installation/spool-examination.ts";
import { TrafficBoard } from "../app/reports/traffic-board.ts";
import { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import type { PostWebhook } from "../app/webhooks/webhook-test-event.ts";
import type { Config } from "../config.ts";
import { StoredReturnPaths } from "../delivery/dispatch/return-paths.ts";
import { deliveryStopLimitMs } from "../delivery/dispatch/shutdown.ts";
import type { Resolver } from "../dns/resolver.ts";
import { createSecureResolver } from "../dns/secure-resolver.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import { runChecks } from "../doctor/checks.ts";
import { dnssecResolvers, resolversByServer } from "../doctor/dns.ts";
import type { CheckContext } from "../domains/check.ts";
import { DRAIN_MS } from "../http/server.ts";
import type { Logger } from "../lib/log.ts";
import type { SigningKey } from "../message/dkim.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { People } from "../spool/port/people.ts";
import type { Spool } from "../spool/port/spool.ts";
import type { SubmissionListener } from "../submission/listener.ts";
import type { Poster } from "../webhooks/poster.ts";
import { type Acme, wireAcme } from "./acme-parts.ts";
import { type Delivery, type DeliveryParts, startDelivery } from "./delivery-parts.ts";
import { type HttpFront, type HttpParts, startHttp } from "./http-server.ts";
import { type IncomingFront, type IncomingParts, startIncoming, storeBounces } from "./incoming-parts.ts";
import { type NoticeWiring, startNotices, wireNotices } from "./notice-parts.ts";
import { type ReceiverWiring, startReceiverWatch } from "./receiver-parts.ts";
import { type MaintenanceWiring, startMaintenance } from "./recurring-work.ts";
import { openCore, type ServiceCore, type ServiceHost } from "./service-core.ts";
import { startSubmission } from "./submission-parts.ts";
import { type TlsReports, wireTlsReports } from "./tls-report-parts.ts";
import { wireWebhooks } from "./webhook-parts.ts";
import { type SenderWiring, startPoster, startWebhooks } from "./webhook-sender.ts";

export type { ServiceHost } from "./service-core.ts";

export interface Service {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  port: number;
  /** The ports of SMTP submission, with STARTTLS and under TLS; null where it is off. */
  submissionPort: number | null;
  submissionsPort: number | null;
  /** The port for what comes back; null where it is off. */
  inboundPort: number | null;
  spool: Spool;
  registry: Registry;
  people: People;
  /** The URL of the database without its password; null where the spool is in files. */
  database: string | null;
  /** A one-time link that creates the first user; null if there is a user, or another worker has the link. */
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
  const resolver = createResolver({ servers: config.dnsServers });
  const addresses = await startAddresses(core, resolver);
  const context = createCheckContext(config, resolver, { sendingIps: () => addresses.all, plan: () => addresses.plan });
  const ownHost: SendingHost = { resolver, sendingIps: addresses.own };
  const backpressure = new AcceptBackpressure(clock);
  const tlsReports = wireTlsReports(core, ownHost);
  const hostWatch = watchHost(core, ownHost, addresses);
  const alarms = refusalAlarms(core, context, hostWatch);
  const sessionCounts = tlsReports?.sessionCounts ?? null;
  const delivery = await wireDelivery(
    core,
    { ...ownHost, ...alarms.listeners, addresses, sessionCounts },
    backpressure,
  );
  core.metrics.watchDelivery(delivery.load);
  const trafficBoard = wireTraffic(core, delivery);
  const traffic = () => trafficBoard.all();
  const readiness = await watchReadiness(spool, clock, {
    node: spool.nodes?.own ?? null,
    hostReasons: () => hostWatch.reasons(),
  });
  const poster = startPoster(core, ownHost);
  const hooks = wireHooks(core, poster);
  const listeners = await startListeners(core, {
    delivery,
    backpressure,
    readiness,
    hostWatch,
    ...hooks,
    context,
    traffic,
    addresses,
    resolver,
  });
  const { http, acme } = listeners;
  tlsReports?.start(http.acceptMessage);
  const isFirst = host.worker?.isFirst !== false;
  const stopTasks = await startTasks(core, {
    ...http,
    poster,
    ...hooks,
    traffic,
    addresses,
    isFirst,
    context,
    hostWatch,
  });
  if (acme !== null) stopTasks.push(acme.start());
  const setupUrl = isFirst ? await http.dashboard.setupUrl() : null;
  if (setupUrl !== null) log.warn({ setupUrl }, "no user yet: this one-time link creates the first one");
  const parts = {
    addresses,
    delivery,
    trafficBoard,
    hostWatch,
    alarms,
    readiness,
    ...listeners,
    tlsReports,
    stopTasks,
  };
  return runningService(core, parts, setupUrl);
}

function runningService(core: ServiceCore, parts: RunningParts, setupUrl: string | null): Service {
  const { http, submission, incoming } = parts;
  const { spool } = core;
  return {
    url: http.url,
    port: http.listener.port,
    submissionPort: submission?.port ?? null,
    submissionsPort: submission?.tlsPort ?? null,
    inboundPort: incoming.listener?.port ?? null,
    spool,
    registry: spool,
    people: spool.people,
    database: databaseOf(core),
    setupUrl,
    stop: () => stopService(core, parts),
  };
}

type Listeners = Pick<RunningParts, "http" | "submission" | "incoming" | "acme">;

/** Rejects if a port, or a certificate of files, cannot be used. */
async function startListeners(
  core: ServiceCore,
  parts: Omit<HttpParts, "automatic"> & Omit<IncomingParts, "acceptMessage" | "obtained">,
): Promise<Listeners> {
  const acme = await wireAcme(core);
  const obtained = acme?.obtained;
  const http = await startHttp(core, { ...parts, automatic: acme?.http ?? null });
  const submission = await startSubmission(core, { ...parts, ...http, obtained });
  const incoming = await startIncoming(core, { ...parts, acceptMessage: http.acceptMessage, obtained });
  return { http, submission, incoming, acme };
}

/** Starts the work beside requests and delivery. Returns how to stop each part of it. */
async function startTasks(
  core: ServiceCore,
  wiring: SenderWiring & ReceiverWiring & MaintenanceWiring & NoticeWiring,
): Promise<(() => Promise<void>)[]> {
  const { board, endpointDisabled, stop } = startNotices(core, wiring);
  return [
    stop,
    startWebhooks(core, { ...wiring, disabled: endpointDisabled }),
    startReceiverWatch(core, { ...wiring, board }),
    await startMaintenance(core, wiring),
  ];
}

/** What concerns only this server, not the other nodes. */
type SendingHost = Pick<CheckContext, "resolver" | "sendingIps">;

async function startAddresses(
  { config, spool, clock, log }: ServiceCore,
  resolver: Resolver,
): Promise<SendingAddresses> {
  const own = await ownSendingIps(config, resolver);
  if (own.length === 0) log.warn("no public IP address found: set SENDING_IPS, or SPF records cannot be checked");
  const addresses = new SendingAddresses(own, { nodes: spool.nodes, clock, log });
  await addresses.start();
  return addresses;
}

function databaseOf({ installation: { spool } }: ServiceCore): string | null {
  const { setting, value } = spool.location;
  return setting === "DATABASE_URL" ? value : null;
}

/** The webhooks of accounts, and the operators' one. */
function wireHooks(core: ServiceCore, poster: Poster) {
  const post: PostWebhook = (request) => poster.post(request);
  return { webhooks: wireWebhooks({ ...core, vault: async () => core.vault, post }), ...wireNotices(core, post) };
}

interface RefusalAlarms {
  listeners: Required<Pick<DeliveryParts, "onBlocked" | "onUnauthenticated">>;
  stop: () => void;
}

/** What refusals of this server, and of sending domains, start: an examination of the host, and checks of the domains' records. */
function refusalAlarms(
  { spool: registry, clock, log }: ServiceCore,
  context: CheckContext,
  hostWatch: HostWatch,
): RefusalAlarms {
  const checks = new RefusedDomainChecks({ registry, context, clock, log });
  return {
    listeners: { onBlocked: () => void hostWatch.examine(), onUnauthenticated: (job) => checks.check(job) },
    stop: () => checks.stop(),
  };
}

function wireDelivery(
  core: ServiceCore,
  {
    resolver,
    sendingIps,
    ...outside
  }: SendingHost & Pick<DeliveryParts, "addresses" | "sessionCounts" | "onBlocked" | "onUnauthenticated">,
  backpressure: AcceptBackpressure,
): Promise<Delivery> {
  const { config, spool, vault, clock, log, feedbackKey: key, onFatal } = core;
  const { hostname, smtpPort, sink, smtpAllowPrivate: allowPrivate, destinationLimits, tlsRules } = config;
  const { retrySchedule, unknownPolicy, retryMaxAgeMs: maxAgeMs } = config;
  const acted = { spool, reports: spool.reports, monotonicMs: () => clock.monotonicMs() };
  return startDelivery({
    spool,
    vault,
    hostKey: hostKeyOf(config),
    resolver,
    clock,
    log,
    hostname,
    sendingIps,
    smtpPort,
    sink,
    allowPrivate,
    onFatal,
    secureResolver: createSecureResolver({ servers: config.dnsServers, trustAd: config.dnsTrustAd }),
    destinationLimits,
    tlsRules,
    retry: { retrySchedule, unknownPolicy },
    suppressAfter: config.suppressAfter,
    ...outside,
    acceptLoad: backpressure,
    returnPaths: new StoredReturnPaths({ store: spool, key, clock, log }),
    onBounce: storeBounces(core),
    async onKeyReleased(released) {
      await actOnHeld(acted, "try-now", { ...released, by: "release of the key", maxAgeMs }, () => clock.now());
    },
  });
}

/** The key of HOST_DKIM_KEY_FILE, which the start has read. */
function hostKeyOf({ hostDkim }: Config): SigningKey | null {
  if (hostDkim === null || hostDkim.privateKey === null) return null;
  const { domain, selector, privateKey } = hostDkim;
  return { domain, selector, privateKey };
}

function wireTraffic({ config, spool, clock }: ServiceCore, delivery: Delivery): TrafficBoard {
  const { nodes } = spool;
  const node = nodes?.own?.name ?? config.hostname;
  const board = new TrafficBoard({ spool, clock, node, isShared: nodes !== null, own: delivery.traffic });
  board.start();
  return board;
}

function watchHost(
  core: ServiceCore,
  { resolver }: SendingHost,
  addresses: Pick<SendingAddresses, "checked">,
): HostWatch {
  const { config, installation, spool, clock, log } = core;
  const secure = dnssecResolvers(config);
  const servers = resolversByServer(config);
  // Domains are left out: the pages of an account show its own.
  const input = { config, resolver, servers, secure, domains: [], clock };
  return new HostWatch({
    clock,
    log,
    atStart: [core.masterKey],
    examine: async () => {
      const absent = await absentAddresses(spool, spool.nodes).catch(() => []);
      const examined = { ...addresses.checked, ...spoolExamination(installation, spool, clock) };
      return runChecks({ ...input, ...examined, absentAddresses: absent });
    },
  });
}

interface RunningParts {
  addresses: SendingAddresses;
  delivery: Delivery;
  trafficBoard: TrafficBoard;
  hostWatch: HostWatch;
  alarms: RefusalAlarms;
  readiness: Readiness;
  http: HttpFront;
  submission: SubmissionListener | null;
  incoming: IncomingFront;
  tlsReports: TlsReports | null;
  acme: Acme | null;
  stopTasks: (() => Promise<void>)[];
}

async function stopService({ config, spool, log }: ServiceCore, parts: RunningParts): Promise<void> {
  const { addresses, delivery, hostWatch, readiness, http, submission, incoming, tlsReports } = parts;
  readiness.stop();
  addresses.stop();
  hostWatch.stop();
  parts.alarms.stop();
  // Other nodes take the duties over while this one ends its attempts.
  const tasks = [...parts.stopTasks.map((stop) => stop()), incoming.stopReading(), tlsReports?.stopSending()];
  const tasksEnded = Promise.all(tasks).then(() => spool.duties.resign());
  // Lookups are answered until then, because the results they wait for may still arrive.
  const [stopped] = await Promise.all([delivery.stop(config.stopReplyWaitMs), tasksEnded]);
  const isClean = stopped.recipientsAtFinalDot === 0 && stopped.attemptsNotStored === 0;
  log[isClean ? "info" : "warn"](stopped, "delivery stopped");
  readiness.endLongPolls();
  await Promise.all([http.listener.close(), submission?.close(), incoming.listener?.close(), parts.acme?.close()]);
  await http.recorder.stop();
  await tlsReports?.sessionCounts.stop();
  await parts.trafficBoard.stop();
  await spool.close();
}
