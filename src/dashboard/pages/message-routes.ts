/**
 * Routes of one message: its page, and retries. A message of another account is reported as not found.
 * message-content-routes.ts has those of a message's content.
 */
import type { Context } from "koa";
import { cancelRecipients, recipientsWith, resolveRecipients } from "../../app/decide/decide-recipients.ts";
import { askProbes } from "../../app/decide/destinations.ts";
import { closedAmong } from "../../app/reports/queue-report.ts";
import { isMessageId } from "../../message/ids.ts";
import type { ClosedDestination } from "../../message/result/closed-destination.ts";
import type { Result } from "../../message/result/outcome.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import { RESOLUTIONS, type RecipientsDecision, type Resolution } from "../../spool/port/operations.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { cancelPage, resolvePage, sendAgainPage } from "./message-confirmations.tsx";
import { createMessageContentRoutes } from "./message-content-routes.ts";
import { messagePage, versionOf } from "./message-page.tsx";
import { messagePath, readPlace } from "./message-state.ts";
import type { Pages } from "./routes.ts";

export function createMessageRoutes(parts: DashboardParts): Pages {
  const pages = new MessagePages(parts);
  return {
    "GET /messages/:id": (ctx, auth) => pages.show(ctx, auth),
    "GET /messages/:id/state": (ctx, auth) => pages.state(ctx, auth),
    ...createMessageContentRoutes(parts),
    "POST /messages/:id/try-now": (ctx, auth) => pages.retry(ctx, auth, "pending"),
    "POST /messages/:id/retry-failed": (ctx, auth) => pages.retryFailed(ctx, auth),
    "GET /messages/:id/send-again": (ctx, auth) => pages.confirmSendAgain(ctx, auth),
    "POST /messages/:id/send-again": (ctx, auth) => pages.retry(ctx, auth, "unknown"),
    "GET /messages/:id/resolve": (ctx, auth) => pages.confirmResolve(ctx, auth),
    "POST /messages/:id/resolve": (ctx, auth) => pages.resolve(ctx, auth),
    "GET /messages/:id/cancel": (ctx, auth) => pages.confirmCancel(ctx, auth),
    "POST /messages/:id/cancel": (ctx, auth) => pages.cancel(ctx, auth),
  };
}

class MessagePages {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async show(ctx: Context, auth: AuthContext): Promise<string> {
    const { spool, registry, reports, clock } = this.#parts;
    const report = await this.#reportOf(ctx, auth);
    const content = await reports.viewOf(auth.account.id, report.id);
    const key = (await registry.keys(auth.account.id)).find(({ id }) => id === report.keyId) ?? null;
    const paused = new Set((await spool.pausedDomains()).map(({ domain }) => domain));
    const done = String(ctx.query.done ?? "");
    const closed = await this.#closedOf(report, auth);
    return messagePage(auth, { report, content, key, paused, closed, nowMs: clock.now(), done, ...placeOf(ctx) });
  }

  async state(ctx: Context, auth: AuthContext): Promise<void> {
    const report = await this.#reportOf(ctx, auth);
    ctx.body = { version: versionOf(report, await this.#closedOf(report, auth)) };
  }

  async #closedOf({ recipients, test }: MessageReport, auth: AuthContext): Promise<Map<string, ClosedDestination>> {
    const pending = test ? [] : recipients.filter(({ result }) => result === "pending");
    if (pending.length === 0) return new Map();
    const domains = new Set(pending.map(({ domain }) => domain));
    return closedAmong(await this.#parts.traffic(), domains, { isOperator: auth.user.operator });
  }

  /** Makes a recipient with this result due now. */
  async retry(ctx: Context, auth: AuthContext, result: "pending" | "unknown"): Promise<void> {
    const report = await this.#reportOf(ctx, auth);
    const email = field(ctx, "email");
    const recipient = report.recipients.find((r) => r.email === email && r.result === result);
    showDone(ctx, report, recipient === undefined ? "nothing" : await this.#retry(report, recipient, auth));
  }

  async retryFailed(ctx: Context, auth: AuthContext): Promise<void> {
    const report = await this.#reportOf(ctx, auth);
    showDone(ctx, report, await this.#retryFailed(report, field(ctx, "email"), auth));
  }

  async confirmSendAgain(ctx: Context, auth: AuthContext): Promise<string> {
    const report = await this.#reportOf(ctx, auth);
    const recipient = recipientIn(report, ctx.query.email, "unknown");
    return sendAgainPage(auth, { report, recipient, tab: placeOf(ctx).tab });
  }

  async confirmResolve(ctx: Context, auth: AuthContext): Promise<string> {
    const report = await this.#reportOf(ctx, auth);
    const recipient = recipientIn(report, ctx.query.email, "unknown");
    return resolvePage(auth, { report, recipient, tab: placeOf(ctx).tab }, resolutionOf(ctx.query.as));
  }

  async confirmCancel(ctx: Context, auth: AuthContext): Promise<string> {
    const report = await this.#reportOf(ctx, auth);
    const recipient = recipientIn(report, ctx.query.email, "pending");
    return cancelPage(auth, { report, recipient, tab: placeOf(ctx).tab });
  }

  async resolve(ctx: Context, auth: AuthContext): Promise<void> {
    const { report, ...decision } = await this.#decision(ctx, auth, "unknown");
    const as = resolutionOf(field(ctx, "as"));
    const { resolved, unreadable } = await resolveRecipients(this.#parts.spool, { ...decision, as });
    showDone(ctx, report, unreadable > 0 ? "damaged" : resolved === 0 ? "nothing" : `resolved-${as}`);
  }

  async cancel(ctx: Context, auth: AuthContext): Promise<void> {
    const { report, ...decision } = await this.#decision(ctx, auth, "pending");
    const { cancelled, unknown, atDot, unreadable } = await cancelRecipients(this.#parts.spool, decision);
    const unchanged = unreadable > 0 ? "damaged" : atDot > 0 ? "at-dot" : "nothing";
    showDone(ctx, report, cancelled > 0 ? "cancelled" : unknown > 0 ? "cancelled-unknown" : unchanged);
  }

  /** The decision of the form about its recipient, if that still has this result. */
  async #decision(
    ctx: Context,
    auth: AuthContext,
    result: Result,
  ): Promise<RecipientsDecision & { report: MessageReport }> {
    const report = await this.#reportOf(ctx, auth);
    const recipients = recipientsWith(report, result, field(ctx, "email"));
    const nowMs = this.#parts.clock.now();
    return { report, accountId: report.accountId, recipients, by: auth.user.email, nowMs };
  }

  async #reportOf(ctx: Context, auth: AuthContext): Promise<MessageReport> {
    const id = ctx.params.id ?? "";
    const report = isMessageId(id) ? await this.#parts.spool.report(id, auth.account.id) : null;
    if (report === null || report.accountId !== auth.account.id) throw notFound();
    return report;
  }

  /** Returns the name of the notice to show. */
  async #retry(report: MessageReport, recipient: RecipientReport, auth: AuthContext): Promise<string> {
    const { spool, clock } = this.#parts;
    const { id: messageId, accountId } = report;
    const { position } = recipient;
    // Not one that has become unknown since: that may be a duplicate.
    const result = recipient.result === "pending" ? "pending" : "unknown";
    const only = { accountId, messageId, positions: [position], result, by: auth.user.email } as const;
    const suffix = await this.#askProbe(report, recipient);
    try {
      const due = await spool.retry({ ...only, nowMs: clock.now() });
      if (due === 0) return "nothing";
    } catch (error) {
      if (error instanceof MessageDamaged) return "damaged";
      throw error;
    }
    const done = recipient.result === "pending" ? "tried" : "sent-again";
    return `${done}${suffix}`;
  }

  /** Returns the name of the notice to show. */
  async #retryFailed(report: MessageReport, email: string, auth: AuthContext): Promise<string> {
    const { spool, clock, sending } = this.#parts;
    const { id: messageId, accountId, recipients } = report;
    const recipient = recipients.find((r) => r.email === email);
    if (recipient?.result !== "failed") return "nothing";
    const suffix = await this.#askProbe(report, recipient);
    const nowMs = clock.now();
    const only = {
      accountId,
      messageId,
      email,
      by: auth.user.email,
      limit: recipients.length,
      after: null,
      dryRun: false,
    };
    const retried = await spool.retryFailed({ ...only, nowMs, expiresAtMs: nowMs + sending.maxAgeMs });
    if (retried.unreadable > 0 && retried.recipients.length === 0) return "damaged";
    if (retried.recipients.length === 0) return "nothing";
    return `failed${suffix}`;
  }

  /**
   * Asks for a probe if the destination is closed, before the recipient is due. Returns the end of the notice's name. A test message
   * does not wait for its recipients' domains.
   */
  async #askProbe(
    { id, accountId, test }: MessageReport,
    { domain }: RecipientReport,
  ): Promise<"" | "-paused" | "-closed"> {
    if (test) return "";
    const request = { accountId, domains: [domain], messageId: id, nowMs: this.#parts.clock.now() };
    const hold = (await askProbes(this.#parts, request)).get(domain);
    return hold === undefined ? "" : `-${hold}`;
  }
}

/** Throws the 404 error if there is none. */
function recipientIn({ recipients }: MessageReport, email: unknown, result: Result): RecipientReport {
  const recipient = recipients.find((each) => each.email === email && each.result === result);
  if (recipient === undefined) throw notFound();
  return recipient;
}

/** The decision that a page or a form names. */
function resolutionOf(name: unknown): Resolution["as"] {
  const as = RESOLUTIONS.find((each) => each === name);
  if (as === undefined) throw notFound();
  return as;
}

const placeOf = (ctx: Context) => readPlace((name) => ctx.query[name]);

/** Leads back to the recipient that the form is about, with the notice of this name beside it. */
function showDone(ctx: Context, { id, recipients }: MessageReport, done: string): void {
  const email = field(ctx, "email");
  const opened = recipients.find((recipient) => recipient.email === email)?.position;
  const { tab } = readPlace((name) => field(ctx, name));
  ctx.redirect(messagePath(id, { tab, done, ...(opened === undefined ? {} : { opened }) }));
}
