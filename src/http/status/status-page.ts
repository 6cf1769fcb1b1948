/**
 * GET /status/{token}: what happened to one message, for its recipient, as HTML or as JSON. The token of the link is the whole proof. Links
 * that are not valid, that have ended and that their account does not want get the same response, so nothing can be probed.
 */
import type { Context, Middleware } from "koa";
import { maskedAddress } from "../../app/status/masked-address.ts";
import { type RecipientStatus, recipientStatus } from "../../app/status/recipient-status.ts";
import { languageOf, PLAIN, statusDetail } from "../../app/status/status-detail.ts";
import type { Language } from "../../app/status/status-texts.ts";
import type { AddressLimiter } from "../../lib/address-limiter.ts";
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import type { MemoryStatus } from "../../lib/memory-guard.ts";
import { SharedBudget } from "../../lib/shared-budget.ts";
import { readStatusToken, type StatusTarget } from "../../message/status-token.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { LongPolls, WAIT_PARAMETER } from "../long-poll.ts";
import { PAGE_WAITS } from "../overload/concurrency-limiter.ts";
import { type QuerySchema, queryReader } from "../request/query.ts";
import { engineUnavailable, Problem, problemFor, problemHeaders } from "../response/problems.ts";
import { STATUS_POLICY, statusFaultHtml, statusHtml } from "./status-html.ts";

export const STATUS_QUERY = {
  wait: WAIT_PARAMETER,
  lang: {
    type: "string",
    maxLength: 35,
    description: "a language such as `de`; any other than those of the page stands for that of `Accept-Language`",
  },
} as const satisfies QuerySchema;

const readQuery = queryReader(STATUS_QUERY);

export interface StatusPageParts {
  /** The key of the tokens. */
  statusKey: Buffer;
  spool: Pick<Spool, "report" | "watch">;
  registry: Pick<Registry, "hasStatusPages">;
  addresses: Pick<AddressLimiter, "take">;
  memory: Pick<MemoryStatus, "isExhausted">;
  clock: Clock;
  readiness: { longPollsEnd: AbortSignal };
  metrics: { refused(code: string): void };
}

/** Held requests for one message. */
const WAITS_OF_MESSAGE = 10;
const RETRY_S = 5;

interface Shown {
  status: RecipientStatus;
  address: string;
  accountId: string;
}

/** Characters of Accept and Accept-Language; longer ones than browsers send are ignored, because reading them takes time. */
const PREFERENCES_LENGTH_MAX = 500;

export function createStatusPage(parts: StatusPageParts): Middleware {
  const pages = new StatusPages(parts);
  return async (ctx) => {
    setHeaders(ctx);
    const { lang } = ctx.query;
    for (const name of ["accept", "accept-language"] as const)
      if ((ctx.req.headers[name]?.length ?? 0) > PREFERENCES_LENGTH_MAX) delete ctx.req.headers[name];
    const language = languageOf(typeof lang === "string" ? lang : undefined, (offered) =>
      ctx.acceptsLanguages(...offered),
    );
    const isJson = ctx.accepts("text/html", "application/json") === "application/json";
    ctx.set("Content-Language", language);
    if (isJson) return pages.respondJson(ctx, language);
    ctx.set("Content-Security-Policy", STATUS_POLICY);
    try {
      await pages.respondHtml(ctx, language);
    } catch (error) {
      const problem = problemFor(error, ctx.method);
      if (problem.code === "internal_error") throw error;
      parts.metrics.refused(problem.code);
      ctx.state.problem = problem;
      ctx.status = problem.status;
      ctx.set(problemHeaders(problem));
      ctx.type = "html";
      ctx.body = statusFaultHtml(language, problem.code === "not_found" ? "gone" : "busy");
    }
  };
}

/** Any site's page may read the response, without credentials: whoever has the link may see all of it. */
function setHeaders(ctx: Context): void {
  ctx.set({
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Retry-After",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
  });
  ctx.vary("Accept");
  ctx.vary("Accept-Language");
}

class StatusPages {
  readonly #parts: StatusPageParts;
  readonly #polls: LongPolls;
  readonly #waits = new SharedBudget({
    max: PAGE_WAITS.requests,
    share: WAITS_OF_MESSAGE / PAGE_WAITS.requests,
  });

  constructor(parts: StatusPageParts) {
    this.#parts = parts;
    const { clock, readiness } = parts;
    this.#polls = new LongPolls({ clock, longPollsEnd: readiness.longPollsEnd }, PAGE_WAITS);
  }

  async respondHtml(ctx: Context, language: Language): Promise<void> {
    const { status, address } = await this.#shown(this.#target(ctx));
    ctx.type = "html";
    ctx.body = statusHtml({ status, address, language, nowMs: this.#parts.clock.now() });
  }

  async respondJson(ctx: Context, language: Language): Promise<void> {
    const target = this.#target(ctx);
    const { wait: waitS = 0 } = readQuery(ctx);
    let shown = await this.#shown(target);
    if (waitS > 0 && shown.status.state === "pending") {
      await this.#hold(ctx, { target, accountId: shown.accountId, waitS });
      shown = await this.#shown(target);
    }
    const { status, address } = shown;
    const nowMs = this.#parts.clock.now();
    ctx.body = {
      state: status.state,
      detail: statusDetail(status, address, { language, nowMs, markup: PLAIN }),
      updated_at: rfc3339(status.updatedAtMs),
      recipient: address,
    };
  }

  /** Returns what the link of a request names. */
  #target(ctx: Context): StatusTarget {
    const { addresses, memory, statusKey } = this.#parts;
    const taken = addresses.take(ctx.req);
    if (!taken.allowed) {
      const { retryAfterS } = taken;
      throw new Problem("rate_limit_exceeded", "Too many requests from this address.", { retryAfterS });
    }
    if (memory.isExhausted) throw engineUnavailable("The service is short of memory.");
    const target = readStatusToken(ctx.params.token ?? "", statusKey);
    if (target === null) throw gone();
    return target;
  }

  async #shown({ messageId, position }: StatusTarget): Promise<Shown> {
    const { spool, registry } = this.#parts;
    const report = await spool.report(messageId);
    const recipient = report?.recipients.find((each) => each.position === position);
    if (report == null || recipient === undefined || !(await registry.hasStatusPages(report.accountId))) throw gone();
    const { accountId } = report;
    return { status: recipientStatus(recipient, report), address: maskedAddress(recipient.email), accountId };
  }

  /** Resolves once the recipient is not pending, or the time is over. */
  async #hold(
    ctx: Context,
    { target, accountId, waitS }: { target: StatusTarget; accountId: string; waitS: number },
  ): Promise<void> {
    const { messageId } = target;
    if (this.#waits.reserve(messageId, 1) !== "reserved") {
      throw new Problem("rate_limit_exceeded", "Too many requests wait for this message.", { retryAfterS: RETRY_S });
    }
    try {
      await this.#polls.hold(ctx, {
        accountId,
        waitS,
        watch: (changed) => this.#parts.spool.watch(messageId, changed),
        look: async () => ((await this.#shown(target)).status.state === "pending" ? "nothing" : "found"),
        pauseMs: () => 0,
      });
    } finally {
      this.#waits.release(messageId, 1);
    }
  }
}

const gone = (): Problem => new Problem("not_found", "This link is not valid, or it has expired.");
