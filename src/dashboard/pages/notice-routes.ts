/**
 * The routes of notices: those of the current account, those of all accounts and the installation for operators, and the operators' webhook.
 * Users choose which of them they get by email on the page of their profile.
 */
import type { Context } from "koa";
import { listNotices, type NoticeSources } from "../../app/notices/list-notices.ts";
import { noticeView, testNotice } from "../../app/notices/notice.ts";
import { DEFAULT_KINDS } from "../../app/notices/operators-webhook.ts";
import type { WebhookResponse } from "../../app/webhooks/webhook-test-event.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { noticeText } from "../views/labels.ts";
import { field, fields } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";
import { accountNoticesPage, type FormState, operatorNoticesPage } from "./notice-page.tsx";
import { operatorsSecretPage, operatorsSecretShownPage } from "./operators-webhook.tsx";
import type { Pages } from "./routes.ts";

const PAGE_NOTICES = 30;
const HOME = "/dashboard/operator/notices";

const NOTICES: Record<string, string> = {
  set: "Webhook changed. It gets the notices from now on.",
  removed: "Webhook removed.",
};

export function createNoticeRoutes(parts: DashboardParts): Pages {
  const pages = new NoticePages(parts);
  return {
    "GET /notices": async (ctx, auth) => accountNoticesPage(auth, await pages.list(ctx, auth.account.id)),
    "GET /operator/notices": (ctx, auth) => pages.showAll(ctx, auth, {}),
    "GET /operator/notices/secret/:ticket": (ctx, auth) => pages.showSecret(ctx, auth),
    "POST /operator/notices/webhook": (ctx, auth) => pages.setWebhook(ctx, auth),
    "POST /operator/notices/webhook/test": (ctx, auth) => pages.testWebhook(ctx, auth),
    "POST /operator/notices/webhook/remove": (ctx) => pages.removeWebhook(ctx),
  };
}

class NoticePages {
  readonly #parts: DashboardParts;
  readonly #secrets: ShownOnce<string>;
  readonly #tested: ShownOnce<WebhookResponse>;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#secrets = new ShownOnce(parts, "operators webhook secret");
    this.#tested = new ShownOnce(parts, "operators webhook test");
  }

  async list({ query: { after } }: Context, accountId: string | null) {
    const { spool, registry, clock } = this.#parts;
    const store: NoticeSources = { notices: (filter) => spool.notices(filter), accounts: () => registry.accounts() };
    const request = { accountId, after: typeof after === "string" ? after : null, limit: PAGE_NOTICES };
    return { found: await listNotices(store, request), nowMs: clock.now() };
  }

  async showAll(ctx: Context, auth: AuthContext, form: Partial<FormState>): Promise<string> {
    const settings = await this.#parts.operatorsWebhook.settings();
    const ticket = ctx.query.tested;
    const tested = typeof ticket === "string" ? await this.#tested.take(auth.account.id, ticket) : null;
    const { url = "", kinds = DEFAULT_KINDS } = settings ?? {};
    return operatorNoticesPage(auth, {
      ...(await this.list(ctx, null)),
      form: { url, kinds, isSet: settings !== null, done: noticeText(NOTICES, ctx.query.done), tested, ...form },
    });
  }

  async showSecret(ctx: Context, auth: AuthContext): Promise<string> {
    const secret = await this.#secrets.take(auth.account.id, ctx.params.ticket ?? "");
    return secret === null ? operatorsSecretShownPage(auth) : operatorsSecretPage(auth, secret);
  }

  async setWebhook(ctx: Context, auth: AuthContext): Promise<unknown> {
    const typed = { url: field(ctx, "url"), kinds: fields(ctx, "kinds") };
    const changed = await this.#parts.operatorsWebhook.set(typed);
    if (changed.type === "invalid") {
      ctx.status = 400;
      return this.showAll(ctx, auth, { ...typed, error: changed.detail });
    }
    if (changed.secret === null) return ctx.redirect(`${HOME}?done=set`);
    ctx.redirect(`${HOME}/secret/${await this.#secrets.hold(auth.account.id, changed.secret)}`);
  }

  async testWebhook(ctx: Context, auth: AuthContext): Promise<void> {
    const { operatorsWebhook, clock, publicUrl } = this.#parts;
    const settings = await operatorsWebhook.settings();
    if (settings === null) return ctx.redirect(HOME);
    const view = noticeView(testNotice(clock.now()), { publicUrl, nameOf: () => null });
    const tested = await operatorsWebhook.send(settings, view);
    ctx.redirect(`${HOME}?tested=${await this.#tested.hold(auth.account.id, tested)}`);
  }

  async removeWebhook(ctx: Context): Promise<void> {
    await this.#parts.operatorsWebhook.remove();
    ctx.redirect(`${HOME}?done=removed`);
  }
}
