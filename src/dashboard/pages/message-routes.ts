/**
 * Routes of the message pages: search, one message, and retries. A message of another account is reported as not found.
 * message-content-routes.ts has those of a message's content.
 */
import type { Context } from "koa";
import { isMessageId } from "../../message/ids.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { FoundMessages } from "../../spool/port/reports.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { sendAgainPage } from "./message-actions.tsx";
import { createMessageContentRoutes } from "./message-content-routes.ts";
import { listPage, listVersion } from "./message-list.tsx";
import { messagePage, versionOf } from "./message-page.tsx";
import { readSearch, type Search } from "./message-search.ts";
import { messagePath, readPlace } from "./message-state.ts";
import type { Pages } from "./routes.ts";

export function createMessageRoutes(parts: DashboardParts): Pages {
  const pages = new MessagePages(parts);
  return {
    "GET /messages": (ctx, auth) => pages.list(ctx, auth),
    "GET /data/messages": (ctx, auth) => pages.listState(ctx, auth),
    "GET /messages/:id": (ctx, auth) => pages.show(ctx, auth),
    "GET /messages/:id/state": (ctx, auth) => pages.state(ctx, auth),
    ...createMessageContentRoutes(parts),
    "POST /messages/:id/try-now": (ctx, auth) => pages.retry(ctx, auth, "pending"),
    "POST /messages/:id/retry-failed": (ctx, auth) => pages.retryFailed(ctx, auth),
    "GET /messages/:id/send-again": (ctx, auth) => pages.confirmSendAgain(ctx, auth),
    "POST /messages/:id/send-again": (ctx, auth) => pages.retry(ctx, auth, "unknown"),
  };
}

class MessagePages {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async list(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { spool, registry, clock } = this.#parts;
    const search = readSearch(ctx.query);
    if (search.id !== null && (await spool.report(search.id, auth.account.id))?.accountId === auth.account.id) {
      return ctx.redirect(`/dashboard/messages/${search.id}`);
    }
    const keys = await registry.keys(auth.account.id);
    const domains = await registry.domains(auth.account.id);
    return listPage(auth, { search, found: await this.#find(auth, search), keys, domains, nowMs: clock.now() });
  }

  async listState(ctx: Context, auth: AuthContext): Promise<void> {
    ctx.body = { version: listVersion(await this.#find(auth, readSearch(ctx.query))) };
  }

  async show(ctx: Context, auth: AuthContext): Promise<string> {
    const { spool, registry, reports, clock } = this.#parts;
    const report = await this.#reportOf(ctx, auth);
    const content = await reports.viewOf(auth.account.id, report.id);
    const key = (await registry.keys(auth.account.id)).find(({ id }) => id === report.keyId) ?? null;
    const paused = new Set((await spool.pausedDomains()).map(({ domain }) => domain));
    const done = String(ctx.query.done ?? "");
    return messagePage(auth, { report, content, key, paused, nowMs: clock.now(), done, ...placeOf(ctx) });
  }

  async state(ctx: Context, auth: AuthContext): Promise<void> {
    ctx.body = { version: versionOf(await this.#reportOf(ctx, auth)) };
  }

  /** Makes a recipient with this result due now. */
  async retry(ctx: Context, auth: AuthContext, result: "pending" | "unknown"): Promise<void> {
    const report = await this.#reportOf(ctx, auth);
    const email = field(ctx, "email");
    const recipient = report.recipients.find((r) => r.email === email && r.result === result);
    showDone(ctx, report, recipient === undefined ? "nothing" : await this.#retry(report, recipient));
  }

  async retryFailed(ctx: Context, auth: AuthContext): Promise<void> {
    const report = await this.#reportOf(ctx, auth);
    showDone(ctx, report, await this.#retryFailed(report, field(ctx, "email")));
  }

  async confirmSendAgain(ctx: Context, auth: AuthContext): Promise<string> {
    const report = await this.#reportOf(ctx, auth);
    const recipient = report.recipients.find((r) => r.email === ctx.query.email && r.result === "unknown");
    if (recipient === undefined) throw notFound();
    return sendAgainPage(auth, { report, recipient, tab: placeOf(ctx).tab });
  }

  async #reportOf(ctx: Context, auth: AuthContext): Promise<MessageReport> {
    const id = ctx.params.id ?? "";
    const report = isMessageId(id) ? await this.#parts.spool.report(id, auth.account.id) : null;
    if (report === null || report.accountId !== auth.account.id) throw notFound();
    return report;
  }

  async #find(auth: AuthContext, search: Search): Promise<FoundMessages> {
    if (search.id !== null) return { messages: [], cursor: null, searchedBackToMs: null };
    return this.#parts.reports.find({ ...search.filter, accountId: auth.account.id });
  }

  /** Returns the name of the notice to show. */
  async #retry(report: MessageReport, recipient: RecipientReport): Promise<string> {
    const { spool, clock } = this.#parts;
    const { id: messageId, accountId } = report;
    try {
      const due = await spool.retry({ accountId, messageId, email: recipient.email, nowMs: clock.now() });
      if (due === 0) return "nothing";
    } catch (error) {
      if (error instanceof MessageDamaged) return "damaged";
      throw error;
    }
    const done = recipient.result === "pending" ? "tried" : "sent-again";
    return `${done}${await this.#pausedSuffix(report, recipient)}`;
  }

  /** Returns the name of the notice to show. */
  async #retryFailed(report: MessageReport, email: string): Promise<string> {
    const { spool, clock, sending } = this.#parts;
    const { id: messageId, accountId, recipients } = report;
    const nowMs = clock.now();
    const only = { accountId, messageId, email, limit: recipients.length, after: null, dryRun: false };
    const retried = await spool.retryFailed({ ...only, nowMs, expiresAtMs: nowMs + sending.maxAgeMs });
    const recipient = recipients.find((r) => r.email === email);
    if (retried.unreadable > 0 && retried.recipients.length === 0) return "damaged";
    if (retried.recipients.length === 0 || recipient === undefined) return "nothing";
    return `failed${await this.#pausedSuffix(report, recipient)}`;
  }

  /** A test message does not wait for its recipients' domains. */
  async #pausedSuffix({ test }: MessageReport, { domain }: RecipientReport): Promise<"" | "-paused"> {
    if (test) return "";
    return (await this.#parts.spool.pausedDomains()).some((paused) => paused.domain === domain) ? "-paused" : "";
  }
}

const placeOf = (ctx: Context) => readPlace((name) => ctx.query[name]);

/** Leads back to the recipient that the form is about, with the notice of this name beside it. */
function showDone(ctx: Context, { id, recipients }: MessageReport, done: string): void {
  const email = field(ctx, "email");
  const opened = recipients.find((recipient) => recipient.email === email)?.position;
  const { tab } = readPlace((name) => field(ctx, name));
  ctx.redirect(messagePath(id, { tab, done, ...(opened === undefined ? {} : { opened }) }));
}
