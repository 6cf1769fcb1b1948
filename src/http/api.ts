/**
 * The API as one Koa application: its routes and its middleware in their order. Each endpoint has its own file.
 */
import type { RequestListener } from "node:http";
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import type { AcceptBackpressure } from "../app/accept-backpressure.ts";
import type { RequestRecorder } from "../app/request-recorder.ts";
import type { SendRate } from "../app/send-rate.ts";
import type { AddressLimiter } from "../lib/address-limiter.ts";
import type { Logger } from "../lib/log.ts";
import type { MemoryStatus } from "../lib/memory-guard.ts";
import { newRequestId } from "../lib/request-id.ts";
import { reserveForResponse } from "../lib/response-memory.ts";
import type { ResponsePacer } from "../lib/response-pacer.ts";
import type { SharedBudget } from "../lib/shared-budget.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import type { Events } from "../spool/port/events.ts";
import type { Reports } from "../spool/port/reports.ts";
import type { Spool } from "../spool/port/spool.ts";
import { authenticate } from "./authenticate.ts";
import { createFeed } from "./list-events.ts";
import { createList } from "./list-messages.ts";
import { logRequest } from "./log-request.ts";
import { LongPolls } from "./long-poll.ts";
import { createLookup } from "./lookup-message.ts";
import { openApiDocument } from "./openapi.ts";
import { ConcurrencyLimiter, SENDS } from "./overload/concurrency-limiter.ts";
import { KnownKeys, overloaded, SEND_PATH, shedLoad, tooManyFromAddress } from "./overload/load-shedder.ts";
import { LONG_SENDS, LongSendLimiter } from "./overload/long-send-limiter.ts";
import { markKnown } from "./overload/parser-feed.ts";
import { type RateHeaders, rateHeaders } from "./rate-headers.ts";
import { answerProblem, engineUnavailable, Problem, problemFor } from "./response/problems.ts";
import { createSend, isShort, type SendParts } from "./send-message.ts";

export interface ApiParts extends SendParts {
  spool: Spool & Events & { reports: Reports };
  registry: Registry;
  rate: SendRate;
  backpressure: AcceptBackpressure;
  memory: Pick<MemoryStatus, "isLow" | "isExhausted">;
  addresses: AddressLimiter;
  pace: ResponsePacer;
  /** Memory that unread responses may hold. */
  responses: SharedBudget;
  recorder: Pick<RequestRecorder, "record">;
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

/** Sent as Retry-After when too many responses are unread. */
const UNREAD_RETRY_S = 5;

/** Creates the Koa application behind the load shedder. It does not listen. */
export function createApi(parts: ApiParts): RequestListener {
  const { spool, clock, rate, backpressure, readiness, metrics } = parts;
  const known = new KnownKeys(clock);
  const send = createSend(parts);
  const list = createList(spool);
  const polls = new LongPolls({ clock, longPollsEnd: readiness.longPollsEnd });
  const lookUp = createLookup({ spool, polls });
  const feed = createFeed({ spool, polls, clock });
  const document = JSON.stringify(openApiDocument());
  const sends = new ConcurrencyLimiter(SENDS);
  const longSends = new LongSendLimiter(LONG_SENDS, clock);
  readiness.longPollsEnd.addEventListener("abort", () => longSends.clear(), { once: true });
  const router = new Router();

  router.post(SEND_PATH, (ctx) => {
    const key = keyOf(ctx);
    if (backpressure.rejects(key.accountId)) throw overloaded;
    if (parts.memory.isLow && (parts.memory.isExhausted || !isShort(ctx))) throw outOfMemory();
    return (isShort(ctx) ? sends : longSends).run(ctx, key.accountId, () => send(ctx, key));
  });
  router.get("/api/sending/messages", async (ctx) => {
    if (parts.memory.isExhausted) throw outOfMemory();
    await list(ctx, await paced(parts.pace, keyOf(ctx)));
  });
  router.get("/api/sending/messages/:id", async (ctx) => {
    await lookUp(ctx, await paced(parts.pace, keyOf(ctx)), ctx.params.id ?? "");
  });
  router.get("/api/sending/events", async (ctx) => {
    if (parts.memory.isExhausted) throw outOfMemory();
    await feed(ctx, await paced(parts.pace, keyOf(ctx)));
  });
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

  const headersOf = (key: ApiKey) => rateHeaders(rate.state(key, clock.monotonicMs()));
  const app = new Koa();
  app.silent = true;
  app.use(nameRequest);
  app.use(logRequest(parts));
  app.use(setRateHeaders(headersOf));
  app.use(catchProblems(parts));
  app.use(boundResponses(parts));
  app.use(identify(parts, known));
  app.use(router.routes());
  app.use(rejectOtherMethods(router));
  app.use(() => {
    throw new Problem("not_found", "Nothing is at this path.");
  });
  return shedLoad(app.callback(), { ...parts, backpressure, known, rateHeaders: headersOf });
}

/** Resolves with the key once its account may have another response built. */
async function paced(pace: ResponsePacer, key: ApiKey): Promise<ApiKey> {
  if (await pace.ready(key.accountId)) return key;
  throw new Problem("rate_limit_exceeded", "Too many large responses for this account are waiting to be built.", {
    retryAfterS: UNREAD_RETRY_S,
  });
}

const outOfMemory = (): Problem =>
  engineUnavailable("The service is short of memory. Retry with the same Idempotency-Key.");

const nameRequest: Middleware = async (ctx, next) => {
  ctx.state.requestId = newRequestId();
  ctx.set("X-Request-Id", ctx.state.requestId);
  ctx.set("Cache-Control", "no-store");
  ctx.set("X-Content-Type-Options", "nosniff");
  await next();
};

/** Sets the RateLimit header fields of each response to a valid key; they count this request. */
function setRateHeaders(headersOf: (key: ApiKey) => RateHeaders): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.state.key !== undefined) ctx.set(headersOf(ctx.state.key));
  };
}

function catchProblems({ log, metrics }: ApiParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const problem = problemFor(error);
      ctx.state.problem = problem.code;
      metrics.refused(problem.code);
      const { requestId } = ctx.state;
      if (!(error instanceof Problem)) log.error({ requestId, err: error }, "request failed");
      else if (problem.status >= 500 && problem !== overloaded)
        log.warn({ requestId, reason: problem.message }, "request rejected");
      answerProblem(ctx, problem);
    }
  };
}

/** Counts an unread response against the share of memory of its account, or of the client's address. */
function boundResponses({ responses, addresses, pace }: ApiParts): Middleware {
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    const key: ApiKey | undefined = ctx.state.key;
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
      const key = await authenticate(authorization, registry);
      known.add(authorization, key);
      markKnown(ctx.req.socket, key.accountId);
      registry.touchKey(key.id, clock.now());
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

/** Returns the key of a request. Throws the 401 problem, or the error of looking the key up. */
function keyOf({ state }: Context): ApiKey {
  if (state.key === undefined) throw state.keyFault;
  return state.key;
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
