/**
 * The API front: every middleware in its order, every route. What an endpoint does is in its own file.
 */
import type { RequestListener } from "node:http";
import Router from "@koa/router";
import Koa, { type Context, type Middleware } from "koa";
import type { AcceptBackpressure } from "../app/accept-backpressure.ts";
import type { AddressLimiter } from "../lib/address-limiter.ts";
import { holdResponse } from "../lib/held-response.ts";
import { frequentLines, type Logger } from "../lib/log.ts";
import type { Memory } from "../lib/memory-guard.ts";
import { newRequestId } from "../lib/request-id.ts";
import type { ResponsePace } from "../lib/response-pace.ts";
import type { SharedBudget } from "../lib/shared-budget.ts";
import type { ApiKey } from "../spool/port/accounts.ts";
import type { Reports } from "../spool/port/reports.ts";
import type { Spool } from "../spool/port/spool.ts";
import { authenticate } from "./authenticate.ts";
import { createList } from "./list-messages.ts";
import { createLookup } from "./lookup-message.ts";
import { openApiDocument } from "./openapi.ts";
import { ConcurrencyLimiter, LONG_SENDS, SENDS } from "./overload/concurrency-limiter.ts";
import { KnownKeys, SEND_PATH, tooManyFromAddress, tooMuch, withFront } from "./overload/load-shedder.ts";
import { markKnown } from "./overload/parser-feed.ts";
import { answerProblem, engineUnavailable, Problem, problemFor } from "./response/problems.ts";
import { createSend, isShort, type SendParts } from "./send-message.ts";

export interface ApiParts extends Omit<SendParts, "refusal"> {
  spool: Spool & { reports: Reports };
  backpressure: AcceptBackpressure;
  memory: Pick<Memory, "isLow" | "isExhausted">;
  addresses: AddressLimiter;
  pace: ResponsePace;
  /** Memory that responses may hold until they are read. */
  responses: SharedBudget;
  log: Logger;
  readiness: {
    refusal(): string | null;
    /** Why the service neither accepts nor delivers now; empty when it does. */
    reasons(): Promise<string[]>;
    /** Aborts shortly before the service ends. */
    waitsEnd: AbortSignal;
  };
  metrics: {
    contentType: string;
    text(): Promise<string>;
    refused(code: string): void;
  };
}

const LOGGED_PATH_MAX = 200;
/** How soon to come back when too many responses are unread. */
const UNREAD_RETRY_S = 5;

/** What answers requests: the Koa application behind its front door. It listens nowhere by itself. */
export function createApi(parts: ApiParts): RequestListener {
  const { spool, clock, backpressure, readiness, metrics } = parts;
  const known = new KnownKeys(clock);
  const send = createSend({ ...parts, spool: counted(spool, backpressure), refusal: () => readiness.refusal() });
  const list = createList(spool);
  const lookUp = createLookup({ spool, clock, waitsEnd: readiness.waitsEnd });
  const document = JSON.stringify(openApiDocument());
  const sends = new ConcurrencyLimiter(SENDS);
  const longSends = new ConcurrencyLimiter(LONG_SENDS);
  const router = new Router();

  router.post(SEND_PATH, (ctx) => {
    const key = keyOf(ctx);
    if (backpressure.refuses(key.accountId)) throw tooMuch;
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

  const app = new Koa();
  app.silent = true;
  app.use(nameRequest);
  app.use(logRequest(parts.log));
  app.use(tellRate(parts));
  app.use(catchProblems(parts));
  app.use(boundResponses(parts));
  app.use(identify(parts, known));
  app.use(router.routes());
  app.use(refuseOtherMethods(router));
  app.use(() => {
    throw new Problem("not_found", "There is nothing at this path.");
  });
  return withFront(app.callback(), { ...parts, backpressure, known });
}

/** What a send asks of the spool, acceptances counted. */
function counted(spool: Spool, backpressure: AcceptBackpressure): SendParts["spool"] {
  return {
    accept: (message) => backpressure.wait(message.accountId, () => spool.accept(message)),
    idempotencyRecord: (accountId, idempotencyKey, nowMs) => spool.idempotencyRecord(accountId, idempotencyKey, nowMs),
  };
}

/** The key, once its account's turn has come. */
async function paced(pace: ResponsePace, key: ApiKey): Promise<ApiKey> {
  if (await pace.ready(key.accountId)) return key;
  throw new Problem("rate_limit_exceeded", "Too many large responses of this account wait to be made.", {
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

/** A stranger's path may be long, and a key belongs in no path and in no log. */
function loggedPath(path: string): string {
  const shown = path.length > LOGGED_PATH_MAX ? `${path.slice(0, LOGGED_PATH_MAX)}…` : path;
  return shown.includes("svc_live_") ? shown.replace(/svc_live_[^/]*/g, "svc_live_…") : shown;
}

function logRequest(log: Logger): Middleware {
  const lines = frequentLines(log);
  return async (ctx, next) => {
    const startMs = performance.now();
    await next();
    const { requestId, keyId, messageId, problem } = ctx.state;
    const durationMs = Math.round((performance.now() - startMs) * 10) / 10;
    lines.info(
      {
        requestId,
        method: ctx.method,
        path: loggedPath(ctx.path),
        status: ctx.status,
        durationMs,
        keyId,
        messageId,
        problem,
      },
      "request",
    );
  };
}

/** Every answer to a valid key says how its rate stands, this request included. */
function tellRate({ rate, clock }: ApiParts): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.state.key !== undefined) ctx.set(rate.headers(ctx.state.key, clock.monotonicMs()));
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
      else if (problem.status >= 500 && problem !== tooMuch)
        log.warn({ requestId, reason: problem.message }, "request refused");
      answerProblem(ctx, problem);
    }
  };
}

/** A response that is not read yet holds memory of its account's, or of its address's, share. */
function boundResponses({ responses, addresses, pace }: ApiParts): Middleware {
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    const key: ApiKey | undefined = ctx.state.key;
    if (typeof body === "object" && body !== null && !Buffer.isBuffer(body)) ctx.body = JSON.stringify(body);
    if (key !== undefined) pace.responded(key.accountId, ctx.length ?? 0);
    const holder = key?.accountId ?? addresses.nameOf(ctx.req);
    const held = holdResponse(responses, ctx.res, { holder, sizeBytes: ctx.length ?? 0 });
    if (held === "full") throw engineUnavailable("Too many responses wait to be read. Retry later.");
    if (held === "share_full") {
      const detail = "Too many responses to requests of yours wait to be read.";
      throw new Problem("rate_limit_exceeded", detail, { retryAfterS: UNREAD_RETRY_S });
    }
  };
}

/**
 * Finds whose key came with a request. Only endpoints insist on one: a wrong path or method is answered to anybody, at the
 * rate of the client's address (front.ts has taken a token already where there is no Authorization header).
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
      ctx.state.keyId = key.id;
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

/** The key of a request. Throws the 401 problem, or why the key could not be looked up. */
function keyOf({ state }: Context): ApiKey {
  if (state.key === undefined) throw state.keyFault;
  return state.key;
}

/** Answers 405 with Allow where the path is known and the method is not; requests that have a route do not come here. */
function refuseOtherMethods(router: Router): Middleware {
  return async (ctx, next) => {
    const matched = router.match(ctx.path, ctx.method);
    if (!matched.route && matched.path.length > 0) {
      const allow = [...new Set(matched.path.flatMap((layer) => layer.methods))].join(", ");
      throw new Problem("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } });
    }
    await next();
  };
}
