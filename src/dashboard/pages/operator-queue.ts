/**
 * The operator's routes for the queue of all accounts: show, pause and resume a recipient domain, try it now, discard a quarantined
 * message.
 */
import type { Context } from "koa";
import { pauseDestination, retryDestination } from "../../app/decide/destinations.ts";
import { discardMessage, quarantinedName } from "../../app/decide/discard-message.ts";
import { type QueueReport, readQueue } from "../../app/reports/queue-report.ts";
import type { QuarantineReport } from "../../spool/port/quarantine.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { discardPage, QUARANTINED_SHOWN } from "./quarantine.tsx";
import { type QueueState, queuePage, queueVersion } from "./queue-page.tsx";
import type { Pages } from "./routes.ts";

const DOMAINS_SHOWN = 200;
const NAME_LENGTH_MAX = 100;

export function createOperatorQueue(parts: DashboardParts): Pages {
  const pages = new OperatorQueue(parts);
  return {
    "GET /operator/queue": (ctx, auth) => pages.show(auth, { done: String(ctx.query.done) }),
    "GET /operator/queue/state": (ctx) => pages.state(ctx),
    "GET /operator/queue/discard": (ctx, auth) => pages.confirmDiscard(ctx, auth),
    "POST /operator/queue/discard": (ctx, auth) => pages.discard(ctx, auth),
    "POST /operator/queue/pause": (ctx, auth) => pages.pause(ctx, auth),
    "POST /operator/queue/resume": (ctx) => pages.resume(ctx),
    "POST /operator/queue/try-now": (ctx) => pages.tryNow(ctx),
  };
}

class OperatorQueue {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async show(auth: AuthContext, changes: Pick<QueueState, "done" | "typed" | "error">): Promise<string> {
    const [queue, quarantine] = await Promise.all([this.#queue(), this.#quarantine()]);
    return queuePage(auth, { queue, quarantine, nowMs: this.#parts.clock.now(), ...changes });
  }

  async state(ctx: Context): Promise<void> {
    const [queue, quarantine] = await Promise.all([this.#queue(), this.#quarantine()]);
    ctx.body = { version: queueVersion({ queue, quarantine }) };
  }

  async confirmDiscard(ctx: Context, auth: AuthContext): Promise<string> {
    const { message } = ctx.query;
    if (typeof message !== "string" || message === "" || message.length > NAME_LENGTH_MAX) throw notFound();
    return discardPage(auth, message);
  }

  async discard(ctx: Context, auth: AuthContext): Promise<void> {
    const { spool, clock } = this.#parts;
    const message = quarantinedName(field(ctx, "message"));
    const discarded = await discardMessage(spool, { message, by: auth.user.email, nowMs: clock.now() });
    if (discarded.type === "unknown") throw notFound();
    const done = discarded.type === "discarded" ? "discarded" : "not-quarantined";
    ctx.redirect(`/dashboard/operator/queue?done=${done}`);
  }

  async pause(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { spool, clock } = this.#parts;
    const typed = field(ctx, "domain").slice(0, 1000);
    if ((await pauseDestination(spool, typed, clock.now())) === null) {
      ctx.status = 400;
      const error = "This is not a valid recipient domain. Enter the part after the @, for example example.org.";
      return this.show(auth, { typed, error });
    }
    ctx.redirect("/dashboard/operator/queue?done=paused");
  }

  async resume(ctx: Context): Promise<void> {
    await this.#parts.spool.resumeDomain(field(ctx, "domain"));
    ctx.redirect("/dashboard/operator/queue?done=resumed");
  }

  async tryNow(ctx: Context): Promise<void> {
    const { clock } = this.#parts;
    const result = await retryDestination(this.#parts, field(ctx, "domain"), clock.now());
    ctx.redirect(`/dashboard/operator/queue?done=${doneOf(result)}`);
  }

  #quarantine(): Promise<QuarantineReport> {
    return this.#parts.spool.quarantined(QUARANTINED_SHOWN);
  }

  #queue(): Promise<QueueReport> {
    return readQueue(this.#parts, { accountId: null, nowMs: this.#parts.clock.now(), limit: DOMAINS_SHOWN });
  }
}

/** The name of the notice about a retry. */
function doneOf(result: Awaited<ReturnType<typeof retryDestination>>): string {
  if (result === null) return "none-due";
  const { hold, retried, waits } = result;
  if (hold === "paused") return "due-paused";
  if (hold === "closed") return waits ? "due-closed" : "none-closed";
  return retried === 0 ? "none-due" : "due";
}
