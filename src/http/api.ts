/**
 * The API as one Koa application: its routes and its middleware in their order. A request to send passes the same middleware without
 * Koa's context and router (send-context.ts), because sends are the most frequent requests. Each endpoint has its own file, and so have the
 * routes of other services' APIs that it is compatible with (compat/).
 */
import type { IncomingMessage, RequestListener } from "node:http";
import { Readable } from "node:stream";
import Router from "@koa/router";
import Koa, { type Middleware } from "koa";
import type { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import { networkRejection } from "../app/send/key-access.ts";
import type { RequestRecorder } from "../app/send/request-recorder.ts";
import type { SendRate } from "../app/send/send-rate.ts";
import { STATUS_PATH, type StatusLinks } from "../app/status/status-links.ts";
import { addManagementRoutes } from "../compat/resend/manage-routes.ts";
import { addResendRoutes } from "../compat/resend/routes.ts";
import type { AddressLimiter } from "../lib/address-limiter.ts";
import { compressResponses } from "../lib/compression.ts";
import type { Logger } from "../lib/log.ts";
import type { MemoryStatus } from "../lib/memory-guard.ts";
import { newRequestId } from "../lib/request-id.ts";
import { reserveForResponse } from "../lib/response-memory.ts";
import type { ResponsePacer } from "../lib/response-pacer.ts";
import type { SharedBudget } from "../lib/shared-budget.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import type { Events } from "../spool/port/events.ts";
import type { Reports } from "../spool/port/reports.ts";
import type { Spool } from "../spool/port/spool.ts";
import { authenticate } from "./authenticate.ts";
import { createCancel, createChangeEndpoints, createChangeTime } from "./change-message.ts";
import { BATCH_PATH, SEND_PATH } from "./dialects.ts";
import { GuardedEndpoints, UNREAD_RETRY_S } from "./guarded-endpoints.ts";
import { createFeed } from "./list-events.ts";
import { createList } from "./list-messages.ts";
import { logRequest } from "./log-request.ts";
import { LongPolls } from "./long-poll.ts";
import { createLookup, ownReport } from "./lookup-message.ts";
import type { ManageParts } from "./manage/parts.ts";
import { addManageRoutes, type ManageRoutes } from "./manage/routes.ts";
import { openApiDocument } from "./openapi.ts";
import { KnownKeys, overloaded, shedLoad, tooManyFromAddress } from "./overload/load-shedder.ts";
import { markKnown } from "./overload/parser-feed.ts";
import { readJsonBytes } from "./request-body.ts";
import type { DialectOf } from "./response/dialect.ts";
import { answerProblem, engineUnavailable, Problem, problemFor, rejectionProblem } from "./response/problems.ts";
import { type BatchParts, createBatchEndpoint, createSendBatch } from "./send-batch.ts";
import { sendListener } from "./send-context.ts";
import { createSend, createSendEndpoint, type SendParts } from "./send-message.ts";
import { createStatusLink } from "./status/status-link.ts";
import { createStatusPage, type StatusPageParts } from "./status/status-page.ts";

export interface ApiParts extends SendParts, Pick<BatchParts, "acceptBatch">, Pick<StatusPageParts, "statusKey"> {
  spool: Spool & Events & { reports: Reports };
  registry: Registry;
  statusLinks: StatusLinks;
  rate: SendRate;
  backpressure: AcceptBackpressure;
  memory: Pick<MemoryStatus, "isLow" | "isExhausted">;
  addresses: AddressLimiter;
  pace: ResponsePacer;
  /** Memory that unread responses may hold. */
  responses: SharedBudget;
  recorder: Pick<RequestRecorder, "record">;
  /** Null where there is no management interface. */
  manage: ManageParts | null;
  dialectOf: DialectOf;
  log: Logger;
  readiness: {
    /** Why the service neither accepts nor delivers now; empty when it does. */
    reasons(): Promise<string[]>;
    /** Aborts shortly before the service ends. */
    longPollsEnd: AbortSignal;
  };
  metrics: {
    contentType: string;
    text(): Promise<string>;
    refused(code: string): void;
  };
}

/** Creates the Koa application behind the load shedder. It does not listen. */
export function createApi(parts: ApiParts): RequestListener {
  const known = new KnownKeys(parts.clock);
  const rateState = (key: ApiKey) => parts.rate.state(key);
  const router = new Router();
  const endpoints = new GuardedEndpoints({ ...parts, ends: parts.readiness.longPollsEnd });
  const sending = endpoints.sending(createSendEndpoint(parts));
  router.post(SEND_PATH, sending);
  router.post(BATCH_PATH, endpoints.sending(createBatchEndpoint(parts)));
  addOwnRoutes(router, endpoints, parts);
  addResendRoutes(router, {
    spool: parts.spool,
    sending: (endpoint) => endpoints.sending(endpoint),
    listing: (endpoint) => endpoints.listing(endpoint),
    send: createSend(parts, "resend"),
    changing: (endpoint) => endpoints.changing(endpoint),
    sendBatch: createSendBatch(parts, "resend_batch"),
    cancel: createCancel(parts),
    changeTime: createChangeTime(parts),
    lookUp: (id, key) => ownReport(parts.spool, id, key),
  });
  if (parts.manage !== null) {
    const manage: ManageRoutes = {
      parts: parts.manage,
      guarded: (operation, endpoint) => endpoints.managing(operation, endpoint),
      readBytes: (ctx, bytesMax) => readJsonBytes(ctx, { bytesMax, clock: parts.clock }),
    };
    addManageRoutes(router, manage);
    addManagementRoutes(router, manage);
  }
  addServiceRoutes(router, parts);
  const app = new Koa();
  app.silent = true;
  const ofAll = [
    compressResponses(),
    nameRequest,
    logRequest(parts),
    setRateHeaders(parts),
    catchProblems(parts),
    boundResponses(parts),
    identify(parts, known),
  ];
  for (const middleware of ofAll) app.use(middleware);
  app.use(router.routes());
  app.use(rejectOtherMethods(router));
  app.use(({ method, path }) => {
    throw parts.dialectOf(path).noSuchPath(method, path);
  });
  const send = sendListener(app, [...ofAll, sending]);
  const other = app.callback();
  const api: RequestListener = (req, res) => (isPlainSend(req) ? send : other)(req, res);
  return shedLoad(api, { ...parts, known, rateState });
}

/** A request to send that has no query. */
const isPlainSend = ({ method, url }: IncomingMessage): boolean => method === "POST" && url === SEND_PATH;

function addOwnRoutes(router: Router, endpoints: GuardedEndpoints, parts: ApiParts): void {
  const { spool, clock, readiness, rate } = parts;
  const polls = new LongPolls({ clock, longPollsEnd: readiness.longPollsEnd });
  const lookUp = createLookup({ spool, polls });
  router.get("/api/sending/messages", endpoints.listing(createList(spool)));
  router.get(
    "/api/sending/messages/:id",
    endpoints.reading((ctx, key) => lookUp(ctx, key, ctx.params.id ?? "")),
  );
  const changes = createChangeEndpoints({ spool, clock, rate });
  router.patch("/api/sending/messages/:id", endpoints.changing(changes.changeTime));
  router.post("/api/sending/messages/:id/cancel", endpoints.changing(changes.cancel));
  router.post("/api/sending/messages/:id/status-link", endpoints.reading(createStatusLink(parts)));
  router.get("/api/sending/events", endpoints.listing(createFeed({ spool, polls, clock })));
}

/** Endpoints without a key. */
function addServiceRoutes(router: Router, parts: ApiParts): void {
  const { readiness, metrics } = parts;
  router.get(`${STATUS_PATH}:token`, createStatusPage(parts));
  const document = JSON.stringify(openApiDocument());
  router.get("/openapi.json", (ctx) => {
    ctx.body = document;
    ctx.type = "application/json";
  });
  router.get("/metrics", async (ctx) => {
    ctx.body = await metrics.text();
    ctx.set("Content-Type", metrics.contentType);
  });
  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok" };
  });
  router.get("/readyz", async (ctx) => {
    const reasons = await readiness.reasons();
    ctx.status = reasons.length === 0 ? 200 : 503;
    ctx.body = { status: reasons.length === 0 ? "ready" : "not_ready", reasons };
  });
}

const nameRequest: Middleware = async (ctx, next) => {
  ctx.state.requestId = newRequestId();
  ctx.set("X-Request-Id", ctx.state.requestId);
  ctx.set("Cache-Control", "no-store");
  ctx.set("X-Content-Type-Options", "nosniff");
  await next();
};

/** Sets the rate header fields of each response to a valid key; they count this request. */
function setRateHeaders({ rate, dialectOf }: ApiParts): Middleware {
  return async (ctx, next) => {
    await next();
    const { key } = ctx.state;
    if (key !== undefined) ctx.set(dialectOf(ctx.path).rateHeaders(rate.state(key)));
  };
}

function catchProblems({ log, metrics, dialectOf }: ApiParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const problem = problemFor(error, ctx.method);
      ctx.state.problem = problem;
      metrics.refused(problem.code);
      const { requestId } = ctx.state;
      const isExpected = error instanceof Problem || error instanceof SpoolUnavailable;
      if (!isExpected) log.error({ requestId, err: error }, "request failed");
      else if (problem.status >= 500 && problem !== overloaded)
        log.warn({ requestId, reason: error.message }, "request rejected");
      answerProblem(ctx, problem, dialectOf(ctx.path).errors);
    }
  };
}

/** Counts an unread response against the share of memory of its account, or of the client's address. */
function boundResponses({ responses, addresses, pace }: ApiParts): Middleware {
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    const key: ApiKey | undefined = ctx.state.key;
    // Of a response of parts, a part is in memory at a time.
    if (body instanceof Readable) return;
    if (typeof body === "object" && body !== null && !Buffer.isBuffer(body)) ctx.body = JSON.stringify(body);
    if (key !== undefined) pace.recordResponse(key.accountId, ctx.length ?? 0);
    const holder = key?.accountId ?? addresses.keyOf(ctx.req);
    const held = reserveForResponse(responses, ctx.res, { holder, sizeBytes: ctx.length ?? 0 });
    if (held === "full") throw engineUnavailable("Too many responses are unread. Retry later.");
    if (held === "share_full") {
      const detail = "Too many responses to your requests are unread.";
      throw new Problem("rate_limit_exceeded", detail, { retryAfterS: UNREAD_RETRY_S });
    }
  };
}

/**
 * Authenticates a request. Only endpoints require a key: 404 and 405 are sent without one, at the rate of the client's
 * address. The load shedder has already counted requests without an Authorization header field.
 */
function identify({ registry, clock, addresses }: ApiParts, known: KnownKeys): Middleware {
  return async (ctx, next) => {
    try {
      const authorization = ctx.get("Authorization");
      const nowMs = clock.now();
      const key = await authenticate(authorization, registry, nowMs);
      const rejection = key.networks === null ? null : networkRejection(key, addresses.addressOf(ctx.req));
      if (rejection !== null) throw rejectionProblem(rejection);
      known.add(authorization, key);
      markKnown(ctx.req.socket, key.accountId);
      registry.touchKey(key.id, nowMs);
      ctx.state.key = key;
    } catch (error) {
      ctx.state.keyFault = error;
      if (error instanceof Problem && ctx.get("Authorization") !== "") {
        const taken = addresses.take(ctx.req);
        if (!taken.allowed) throw tooManyFromAddress(taken.retryAfterS);
      }
    }
    await next();
  };
}

/** Responds 405 with Allow where the path is known and the method is not. Requests with a route do not reach it. */
function rejectOtherMethods(router: Router): Middleware {
  return async (ctx, next) => {
    const matched = router.match(ctx.path, ctx.method);
    if (!matched.route && matched.path.length > 0) {
      const allow = [...new Set(matched.path.flatMap((layer) => layer.methods))].join(", ");
      throw new Problem("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } });
    }
    await next();
  };
}
