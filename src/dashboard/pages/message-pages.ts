/**
 * Messages: found again, looked at, tried now, sent again. A message of another account is not there.
 */
import type { Context } from "koa";
import { isMessageId } from "../../message/ids.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { FoundMessages } from "../../spool/port/reports.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { Visit } from "../auth/sessions.ts";
import { sendHtmlFrame } from "../views/html-frame.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { listPage, listVersion } from "./message-list.tsx";
import { messagePage, sendAgainPage, versionOf } from "./message-page.tsx";
import { readSearch, type Search } from "./message-search.ts";
import type { Pages } from "./routes.ts";

export function createMessagePages(parts: DashboardParts): Pages {
  const { spool, registry, reports, sending, clock } = parts;

  async function reportOf(ctx: Context, visit: Visit): Promise<MessageReport> {
    const id = ctx.params.id ?? "";
    const report = isMessageId(id) ? await spool.report(id) : null;
    if (report === null || report.accountId !== visit.account.id) throw notFound();
    return report;
  }

  const find = (visit: Visit, search: Search): Promise<FoundMessages> =>
    search.id === null
      ? reports.find({ ...search.filter, accountId: visit.account.id })
      : Promise.resolve({ messages: [], cursor: null, searchedBackToMs: null });

  return {
    "GET /messages": async (ctx, visit) => {
      const search = readSearch(ctx.query);
      if (search.id !== null && (await spool.report(search.id))?.accountId === visit.account.id) {
        return ctx.redirect(`/dashboard/messages/${search.id}`);
      }
      const keys = await registry.keys(visit.account.id);
      const domains = await registry.domains(visit.account.id);
      return listPage(visit, { search, found: await find(visit, search), keys, domains, nowMs: clock.now() });
    },

    "GET /data/messages": async (ctx, visit) => {
      ctx.body = { version: listVersion(await find(visit, readSearch(ctx.query))) };
    },

    "GET /messages/:id": async (ctx, visit) => {
      const report = await reportOf(ctx, visit);
      const shown = await reports.viewOf(visit.account.id, report.id);
      const key = (await registry.keys(visit.account.id)).find(({ id }) => id === report.keyId) ?? null;
      const paused = new Set((await spool.pausedDomains()).map(({ domain }) => domain));
      return messagePage(visit, { report, shown, key, paused, nowMs: clock.now(), done: String(ctx.query.done ?? "") });
    },

    "GET /messages/:id/state": async (ctx, visit) => {
      const report = await reportOf(ctx, visit);
      ctx.body = { version: versionOf(report) };
    },

    "GET /messages/:id/html": async (ctx, visit) => {
      const html = await reports.htmlOf(visit.account.id, ctx.params.id ?? "");
      if (html === null) throw notFound();
      sendHtmlFrame(ctx, html);
    },

    "GET /messages/:id/source": async (ctx, visit) => {
      const content = await reports.contentOf(visit.account.id, ctx.params.id ?? "");
      if (content === null) throw notFound();
      ctx.set("Content-Type", "message/rfc822");
      ctx.set("Content-Disposition", `attachment; filename="${ctx.params.id}.eml"`);
      ctx.body = content;
    },

    "POST /messages/:id/try-now": async (ctx, visit) => {
      const report = await reportOf(ctx, visit);
      const email = field(ctx, "email");
      ctx.redirect(`/dashboard/messages/${report.id}?done=${await retry(report, email, "pending")}`);
    },

    "POST /messages/:id/retry-failed": async (ctx, visit) => {
      const report = await reportOf(ctx, visit);
      ctx.redirect(`/dashboard/messages/${report.id}?done=${await retryFailed(report, field(ctx, "email"))}`);
    },

    "GET /messages/:id/send-again": async (ctx, visit) => {
      const report = await reportOf(ctx, visit);
      const recipient = report.recipients.find((r) => r.email === ctx.query.email && r.result === "unknown");
      if (recipient === undefined) throw notFound();
      return sendAgainPage(visit, report, recipient);
    },

    "POST /messages/:id/send-again": async (ctx, visit) => {
      const report = await reportOf(ctx, visit);
      const email = field(ctx, "email");
      ctx.redirect(`/dashboard/messages/${report.id}?done=${await retry(report, email, "unknown")}`);
    },
  };

  /** Makes a recipient of this result due; returns the name of what is then to be said. */
  async function retry(report: MessageReport, email: string, result: "pending" | "unknown"): Promise<string> {
    const { id: messageId, accountId } = report;
    const recipient = report.recipients.find((r) => r.email === email && r.result === result);
    if (recipient === undefined) return "nothing";
    try {
      if ((await spool.retry({ accountId, messageId, email, nowMs: clock.now() })) === 0) return "nothing";
    } catch (error) {
      if (error instanceof MessageDamaged) return "damaged";
      throw error;
    }
    return `${result === "pending" ? "tried" : "sent-again"}${await pausedSuffix(recipient)}`;
  }

  /** Likewise for a failed recipient. */
  async function retryFailed({ id: messageId, accountId, recipients }: MessageReport, email: string): Promise<string> {
    const nowMs = clock.now();
    const only = { accountId, messageId, email, limit: recipients.length, after: null, dryRun: false };
    const retried = await spool.retryFailed({ ...only, nowMs, expiresAtMs: nowMs + sending.maxAgeMs });
    const recipient = recipients.find((r) => r.email === email);
    if (retried.unreadable > 0 && retried.recipients.length === 0) return "damaged";
    if (retried.recipients.length === 0 || recipient === undefined) return "nothing";
    return `failed${await pausedSuffix(recipient)}`;
  }

  async function pausedSuffix(recipient: RecipientReport): Promise<"" | "-paused"> {
    return (await spool.pausedDomains()).some(({ domain }) => domain === recipient.domain) ? "-paused" : "";
  }
}
