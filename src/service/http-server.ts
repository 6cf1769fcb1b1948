/** The HTTP listener with the API and the dashboard behind it, and the limits that both share. */

import type { HostWatch } from "../app/installation/host-watch.ts";
import type { Readiness } from "../app/installation/readiness.ts";
import type { OperatorsWebhook } from "../app/notices/operators-webhook.ts";
import type { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import { AcceptBatch } from "../app/send/accept-batch.ts";
import { AcceptMessage } from "../app/send/accept-message.ts";
import { RequestRecorder } from "../app/send/request-recorder.ts";
import { SendRate } from "../app/send/send-rate.ts";
import { UnsubscribeLinks } from "../app/send/unsubscribe-links.ts";
import { StatusLinks } from "../app/status/status-links.ts";
import type { WebhookEndpoints } from "../app/webhooks/webhook-endpoints.ts";
import { createContact } from "../dashboard/contact.ts";
import type { Dashboard } from "../dashboard/dashboard.ts";
import { createErrors } from "../dashboard/errors.ts";
import { createUnsubscribe } from "../dashboard/unsubscribe.ts";
import type { CheckContext } from "../domains/check.ts";
import { createApi } from "../http/api.ts";
import { createDialects } from "../http/dialects.ts";
import { Drafts } from "../http/drafts.ts";
import type { ManageParts } from "../http/manage/parts.ts";
import type { DialectOf } from "../http/response/dialect.ts";
import { problemCatalog } from "../http/response/problem-catalog.ts";
import { requestFault } from "../http/response/request-fault.ts";
import { type AutomaticCertificate, type Listener, listen } from "../http/server.ts";
import { AddressLimiter } from "../lib/address-limiter.ts";
import { ResponsePacer } from "../lib/response-pacer.ts";
import { SharedBudget } from "../lib/shared-budget.ts";
import { MIB } from "../lib/units.ts";
import type { NodeTraffic } from "../spool/port/node-traffic.ts";
import { acceptLimits } from "./accept-limits.ts";
import { wireChanges } from "./changing-parts.ts";
import { type Answer, type Mounted, mount, wireDashboard } from "./dashboard-parts.ts";
import type { Delivery } from "./delivery-parts.ts";
import { wireManagement } from "./manage-parts.ts";
import type { ServiceCore } from "./service-core.ts";

/** Bytes of responses that clients have not read yet; more where messages are larger, because their source can be downloaded. */
const RESPONSES_BYTES = 32 * MIB;
/** The share of these bytes for one account or one address: at least a message's source. */
const RESPONSES_SHARE = 0.5;

export interface HttpParts {
  delivery: Pick<Delivery, "signAhead">;
  backpressure: AcceptBackpressure;
  readiness: Readiness;
  hostWatch: HostWatch;
  webhooks: WebhookEndpoints;
  operatorsWebhook: OperatorsWebhook;
  traffic: () => Promise<NodeTraffic[]>;
  /** The certificate by ACME; null without one for HTTP. */
  automatic: AutomaticCertificate | null;
  /** For the checks of domains from the dashboard. */
  context: CheckContext;
}

export interface HttpFront {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  url: string;
  listener: Listener;
  dashboard: Dashboard;
  acceptMessage: AcceptMessage;
  /** Requests without a valid key, over any protocol. */
  addresses: AddressLimiter;
  /** Where browsers reach it. */
  publicUrl: string;
  /** To be stopped when the listener is closed. */
  recorder: RequestRecorder;
}

/** Starts listening. Rejects when the address cannot be used or the certificate is invalid. */
export async function startHttp(core: ServiceCore, parts: HttpParts): Promise<HttpFront> {
  const { config } = core;
  // Until the listener knows its port and certificate, nothing is accepted.
  let publicUrl = config.publicUrl;
  const shared = { ...sharedLimits(core), ...wireAcceptance(core, parts, () => publicUrl) };
  const recorder = new RequestRecorder(core);
  const changes = wireChanges({ ...core, ...parts, ...shared, registry: core.spool, publicUrl: () => publicUrl });
  const manage = wireManagement(core, { ...parts, ...shared, changes });
  const dialectOf = createDialects(() => publicUrl);
  let answer: Answer = wireApi(core, parts, { ...shared, recorder, manage, dialectOf });
  const listener = await startListener(core, {
    recorder,
    dialectOf,
    automatic: parts.automatic,
    answer: (req, res) => answer(req, res),
  });
  core.metrics.watchCertificate(listener.certificateEndsMs);
  const url = urlOf(config.host, listener);
  publicUrl = publicUrlOf(config, { url, secure: listener.secure });
  const secure = listener.secure || publicUrl.startsWith("https:");
  const dashboard = wireDashboard(
    { ...core, ...parts, ...shared, changes, registry: core.spool },
    { publicUrl, secure },
  );
  const unsubscribe = createUnsubscribe({ ...core, ...shared, key: core.feedbackKey });
  answer = mount({
    dashboard: dashboard.app.callback(),
    unsubscribe: unsubscribe.callback(),
    contact: contactOf(core),
    errors: createErrors(problemCatalog(), core.log).callback(),
    api: answer,
  });
  const { acceptMessage, addresses } = shared;
  return { url, listener, dashboard, acceptMessage, addresses, publicUrl, recorder };
}

function contactOf({ config: { hostname, contactPage: text }, log }: ServiceCore): Mounted["contact"] {
  return text === null ? null : { hostname, answer: createContact({ hostname, text, log }).callback() };
}

/** Limits that the API and the dashboard share. */
function sharedLimits({ config, clock }: ServiceCore) {
  return {
    addresses: new AddressLimiter({
      rate: { perSecond: config.addressRatePerSecond, burst: config.addressRateBurst },
      trustedProxies: config.trustProxy,
      clock,
      healthPath: "/healthz",
    }),
    pace: new ResponsePacer(),
    responses: new SharedBudget({
      max: Math.max(RESPONSES_BYTES, config.messageBytesMax / RESPONSES_SHARE),
      share: RESPONSES_SHARE,
    }),
  };
}

function wireAcceptance(
  { config, spool, clock, feedbackKey }: ServiceCore,
  { delivery, backpressure, readiness }: HttpParts,
  publicUrl: () => string,
): { rate: SendRate; acceptMessage: AcceptMessage; acceptBatch: AcceptBatch; statusLinks: StatusLinks } {
  const links = { key: feedbackKey, publicUrl, isPublicUrlSet: config.isPublicUrlSet };
  const statusLinks = new StatusLinks(links);
  const rate = new SendRate({ perSecond: config.ratePerSecond, burst: config.rateBurst }, spool);
  const acceptMessage = new AcceptMessage({
    spool,
    registry: spool,
    accounts: spool,
    rate,
    backpressure,
    clock,
    signAhead: delivery.signAhead,
    unsubscribe: new UnsubscribeLinks(links),
    statusLinks,
    feedbackSenderId: config.feedbackSenderId,
    limits: acceptLimits(config),
    unavailableReason: () => readiness.refusal(),
  });
  const acceptBatch = new AcceptBatch({ acceptMessage, rate, messageBytesMax: config.messageBytesMax });
  return { rate, acceptMessage, acceptBatch, statusLinks };
}

function wireApi(
  { config, spool, clock, log, memory, metrics, feedbackKey: statusKey }: ServiceCore,
  { backpressure, readiness }: HttpParts,
  shared: ReturnType<typeof sharedLimits> &
    ReturnType<typeof wireAcceptance> & { recorder: RequestRecorder; manage: ManageParts; dialectOf: DialectOf },
): Answer {
  const { messageBytesMax, recipientsMax } = config;
  const drafts = new Drafts({ contentBytesMax: messageBytesMax });
  memory.onLow(() => drafts.stopIfIdle());
  return createApi({
    spool,
    registry: spool,
    clock,
    log,
    memory,
    metrics,
    backpressure,
    readiness,
    drafts,
    statusKey,
    ...shared,
    limits: { recipientsMax, messageBytesMax },
  });
}

interface ListenerParts extends Pick<HttpParts, "automatic"> {
  recorder: RequestRecorder;
  dialectOf: DialectOf;
  answer: Answer;
}

function startListener(
  { config, clock, log, metrics }: ServiceCore,
  { recorder, dialectOf, automatic, answer }: ListenerParts,
): Promise<Listener> {
  const { host, port, certsDir, publicUrl } = config;
  return listen({
    host,
    port,
    certsDir,
    automatic,
    clock,
    log,
    answer,
    dialectOf,
    publicHttps: publicUrl.startsWith("https:"),
    rejected({ requestId, method, path, status, problem }) {
      const { code } = problem;
      metrics.refused(code);
      log.info({ requestId, status, problem: code }, "request");
      const request = {
        id: requestId,
        atMs: clock.now(),
        accountId: null,
        keyId: null,
        method,
        path,
        status,
        code,
        durationMs: 0,
        messageId: null,
      };
      recorder.record(request, () => requestFault(problem));
    },
  });
}

function urlOf(configuredHost: string, { secure, port }: Listener): string {
  const host = configuredHost.includes(":") ? `[${configuredHost}]` : configuredHost;
  return `${secure ? "https" : "http"}://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
}

/** Completes a default PUBLIC_URL: only the listener knows a free port that it was given, and whether there is a certificate. */
function publicUrlOf(
  { port, publicUrl }: { port: number; publicUrl: string },
  listener: { url: string; secure: boolean },
): string {
  if (port === 0 && publicUrl === "http://localhost:0") return listener.url;
  const isDefault = publicUrl === `http://localhost:${port}`;
  return isDefault && listener.secure ? `https://localhost:${port}` : publicUrl;
}
