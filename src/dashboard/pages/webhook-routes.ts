/**
 * Routes for webhook endpoints and their deliveries. What the actions do is decided in app/webhooks/webhook-endpoints.ts. An endpoint of
 * another account is reported as not found.
 */
import type { Context } from "koa";
import type { EndpointName } from "../../app/webhooks/webhook-endpoints.ts";
import type { EndpointInput, InvalidInput } from "../../app/webhooks/webhook-filter.ts";
import { endpointState } from "../../app/webhooks/webhook-state.ts";
import type { WebhookResponse } from "../../app/webhooks/webhook-test-event.ts";
import type { Endpoint, EndpointStore, WebhookAttempt } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { noticeText, plural } from "../views/labels.ts";
import { type AttemptPage, latestAttempts, pathOf } from "../views/webhook-deliveries.tsx";
import { EMPTY_INPUT, type EndpointForm, readEndpointForm } from "../views/webhook-form.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";
import { timeOf } from "./message-search.ts";
import type { Page, Pages } from "./routes.ts";
import { deliveryPage } from "./webhook-delivery-page.tsx";
import { editEndpointPage, removeEndpointPage, rotateSecretPage } from "./webhook-forms.tsx";
import {
  type NewSecret,
  secretAlreadyShownPage,
  secretPage,
  type WebhookListState,
  webhookListPage,
} from "./webhook-list.tsx";
import { type EndpointState, endpointPage, endpointVersion, REPLAY_PERIODS } from "./webhook-page.tsx";

const PAGE_ATTEMPTS = 20;
/** Newer attempts that are compared with the shown ones, where the page shows others than the newest. */
const COMPARED_ATTEMPTS = 200;

const NOTICES: Record<string, string> = { removed: "Endpoint removed." };

export function createWebhookRoutes(parts: DashboardParts): Pages {
  const pages = new WebhookPages(parts);
  return {
    "GET /webhooks": (ctx, auth) => pages.list(ctx, auth),
    "POST /webhooks": (ctx, auth) => pages.create(ctx, auth),
    "GET /webhooks/secret/:ticket": (ctx, auth) => pages.showSecret(ctx, auth),
    "GET /webhooks/:id": (ctx, auth) => pages.show(ctx, auth),
    "GET /webhooks/:id/state": (ctx, auth) => pages.state(ctx, auth),
    "GET /webhooks/:id/edit": (ctx, auth) => pages.showEdit(ctx, auth),
    "POST /webhooks/:id/edit": (ctx, auth) => pages.edit(ctx, auth),
    "POST /webhooks/:id/pause": (ctx, auth) => pages.pause(ctx, auth),
    "POST /webhooks/:id/resume": (ctx, auth) => pages.resume(ctx, auth),
    "GET /webhooks/:id/rotate": (ctx, auth) => pages.confirmRotation(ctx, auth),
    "POST /webhooks/:id/rotate": (ctx, auth) => pages.rotate(ctx, auth),
    "GET /webhooks/:id/remove": (ctx, auth) => pages.confirmRemoval(ctx, auth),
    "POST /webhooks/:id/remove": (ctx, auth) => pages.remove(ctx, auth),
    "POST /webhooks/:id/test": (ctx, auth) => pages.test(ctx, auth),
    "POST /webhooks/:id/replay": (ctx, auth) => pages.replay(ctx, auth),
    ...deliveryRoutes(parts, pages),
  };
}

class WebhookPages {
  readonly #parts: DashboardParts;
  readonly #secrets: ShownOnce<NewSecret>;
  readonly #tested: ShownOnce<WebhookResponse>;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#secrets = new ShownOnce(parts, "webhook secret");
    this.#tested = new ShownOnce(parts, "webhook test");
  }

  async list(ctx: Context, auth: AuthContext): Promise<string> {
    return this.#list(auth, EMPTY_INPUT, { notice: noticeText(NOTICES, ctx.query.done) });
  }

  async create(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { webhooks, limits } = this.#parts;
    const input = readEndpointForm(ctx);
    const created = await webhooks.create(auth.account.id, input);
    if (created.type === "created") {
      const { id: endpointId, url, secret } = created;
      return this.#redirectToSecret(ctx, auth, { endpointId, url, secret, isRotation: false });
    }
    ctx.status = 400;
    if (created.type === "invalid") return this.#list(auth, input, { fault: created });
    const limit = plural(limits.webhooksMax, "webhook endpoint");
    const error = `This account has reached its limit of ${limit} (WEBHOOKS_MAX). Remove one first.`;
    return this.#list(auth, input, { error });
  }

  async showSecret(ctx: Context, auth: AuthContext): Promise<string> {
    const secret = await this.#secrets.take(auth.account.id, ctx.params.ticket ?? "");
    return secret === null ? secretAlreadyShownPage(auth) : secretPage(auth, secret);
  }

  async show(ctx: Context, auth: AuthContext): Promise<string> {
    const endpoint = await this.endpointOf(ctx, auth);
    const ticket = ctx.query.tested;
    const tested = typeof ticket === "string" ? await this.#tested.take(auth.account.id, ticket) : null;
    return endpointPage(auth, await this.#stateOf(ctx, endpoint, { tested }));
  }

  async state(ctx: Context, auth: AuthContext): Promise<void> {
    ctx.body = { version: endpointVersion(await this.#stateOf(ctx, await this.endpointOf(ctx, auth))) };
  }

  async showEdit(ctx: Context, auth: AuthContext): Promise<string> {
    const endpoint = await this.endpointOf(ctx, auth);
    return editEndpointPage(auth, endpoint, await this.#form(auth, endpoint));
  }

  async edit(ctx: Context, auth: AuthContext): Promise<unknown> {
    const endpoint = await this.endpointOf(ctx, auth);
    const input = readEndpointForm(ctx);
    const edited = await this.#parts.webhooks.edit(nameOf(endpoint), input);
    if (edited.type === "not_found") throw notFound();
    if (edited.type === "edited") return ctx.redirect(`${pathOf(endpoint)}?done=edited`);
    ctx.status = 400;
    return editEndpointPage(auth, endpoint, await this.#form(auth, input, edited));
  }

  async pause(ctx: Context, auth: AuthContext): Promise<void> {
    const endpoint = await this.endpointOf(ctx, auth);
    requireFound(await this.#parts.webhooks.pause(nameOf(endpoint)));
    ctx.redirect(pathOf(endpoint));
  }

  async resume(ctx: Context, auth: AuthContext): Promise<void> {
    const endpoint = await this.endpointOf(ctx, auth);
    requireFound(await this.#parts.webhooks.resume(nameOf(endpoint)));
    ctx.redirect(`${pathOf(endpoint)}?done=resumed`);
  }

  async confirmRotation(ctx: Context, auth: AuthContext): Promise<string> {
    return rotateSecretPage(auth, await this.endpointOf(ctx, auth), this.#parts.clock.now());
  }

  async rotate(ctx: Context, auth: AuthContext): Promise<void> {
    const endpoint = await this.endpointOf(ctx, auth);
    const secret = await this.#parts.webhooks.rotate(nameOf(endpoint));
    if (secret === null) throw notFound();
    await this.#redirectToSecret(ctx, auth, { endpointId: endpoint.id, url: endpoint.url, secret, isRotation: true });
  }

  async confirmRemoval(ctx: Context, auth: AuthContext): Promise<string> {
    return removeEndpointPage(auth, await this.endpointOf(ctx, auth));
  }

  async remove(ctx: Context, auth: AuthContext): Promise<void> {
    const endpoint = await this.endpointOf(ctx, auth);
    requireFound(await this.#parts.webhooks.remove(nameOf(endpoint)));
    ctx.redirect("/dashboard/webhooks?done=removed");
  }

  async test(ctx: Context, auth: AuthContext): Promise<void> {
    const endpoint = await this.endpointOf(ctx, auth);
    const tested = await this.#parts.sendTestEvent(nameOf(endpoint));
    if (tested === null) throw notFound();
    ctx.redirect(`${pathOf(endpoint)}?tested=${await this.#tested.hold(auth.account.id, tested)}`);
  }

  async replay(ctx: Context, auth: AuthContext): Promise<unknown> {
    const endpoint = await this.endpointOf(ctx, auth);
    const typed = field(ctx, "since").slice(0, 100);
    const sinceMs = typed === "" ? this.#periodStartMs(field(ctx, "period")) : timeOf(typed);
    const result = sinceMs === null ? "invalid" : await this.#parts.webhooks.replay(nameOf(endpoint), sinceMs);
    if (result === "invalid" || result === "in_future") {
      ctx.status = 400;
      const error = result === "invalid" ? "Enter a time such as 2026-03-14 09:05." : "Enter a time in the past.";
      return endpointPage(auth, await this.#stateOf(ctx, endpoint, { replay: { typed, error } }));
    }
    requireFound(result === "replayed");
    const state = stoppedState(endpoint);
    ctx.redirect(`${pathOf(endpoint)}?done=${state === null ? "replayed" : `replayed-${state}`}`);
  }

  async endpointOf(ctx: Context, auth: AuthContext): Promise<Endpoint> {
    const endpointId = ctx.params.id ?? "";
    const endpoint = await this.#parts.webhooks.find({ accountId: auth.account.id, endpointId });
    if (endpoint === null) throw notFound();
    return endpoint;
  }

  #periodStartMs(name: string): number | null {
    const period = REPLAY_PERIODS.find(([value]) => value === name);
    return period === undefined ? null : this.#parts.clock.now() - period[2];
  }

  async #redirectToSecret(ctx: Context, auth: AuthContext, secret: NewSecret): Promise<void> {
    ctx.redirect(`/dashboard/webhooks/secret/${await this.#secrets.hold(auth.account.id, secret)}`);
  }

  async #list(
    auth: AuthContext,
    input: EndpointInput,
    { fault, ...changes }: Pick<WebhookListState, "notice" | "error"> & { fault?: InvalidInput },
  ): Promise<string> {
    const { webhooks, clock } = this.#parts;
    const endpoints = await webhooks.list(auth.account.id);
    return webhookListPage(auth, {
      endpoints,
      nowMs: clock.now(),
      ...changes,
      form: await this.#form(auth, input, fault),
    });
  }

  async #form({ account }: AuthContext, input: EndpointInput, fault?: InvalidInput): Promise<EndpointForm> {
    const { registry } = this.#parts;
    const keys = await registry.keys(account.id);
    return { input, keys, domains: (await registry.domains(account.id)).map(({ name }) => name), fault };
  }

  async #stateOf(
    ctx: Context,
    endpoint: Endpoint,
    { tested = null, ...changes }: Partial<Pick<EndpointState, "tested" | "replay">> = {},
  ): Promise<EndpointState> {
    const { spool, registry, clock, resultsKeptMs } = this.#parts;
    return {
      endpoint,
      keys: await registry.keys(endpoint.accountId),
      waiting: await spool.waitingAt(endpoint.id),
      attempts: await this.#attemptsOf(ctx, endpoint),
      nowMs: clock.now(),
      resultsKeptMs,
      tested,
      done: ctx.query.done,
      ...changes,
    };
  }

  async #attemptsOf(ctx: Context, { id: endpointId }: Endpoint): Promise<AttemptPage> {
    const failedOnly = ctx.query.failed === "1";
    const before = numberOf(ctx.query.before);
    const filter = { endpointId, beforeNumber: before, failedOnly, limit: PAGE_ATTEMPTS + 1 };
    const found = await this.#parts.spool.attempts(filter);
    const attempts = found.slice(0, PAGE_ATTEMPTS);
    const hasAllNewer = before === null && !failedOnly;
    const latest = hasAllNewer ? latestAttempts(attempts) : await latestOf(this.#parts.spool, endpointId, attempts);
    return { attempts, latest, failedOnly, before, hasOlder: found.length > PAGE_ATTEMPTS };
  }
}

function deliveryRoutes({ spool, webhooks, clock }: DashboardParts, pages: WebhookPages): Pages {
  async function deliveryOf(ctx: Context, auth: AuthContext): Promise<{ endpoint: Endpoint; attempt: WebhookAttempt }> {
    const endpoint = await pages.endpointOf(ctx, auth);
    const number = numberOf(ctx.params.number);
    if (number === null) throw notFound();
    const filter = { endpointId: endpoint.id, beforeNumber: number + 1, failedOnly: false, limit: 1 };
    const [attempt] = await spool.attempts(filter);
    if (attempt?.number !== number) throw notFound();
    return { endpoint, attempt };
  }

  const show: Page = async (ctx, auth) => {
    const { endpoint, attempt } = await deliveryOf(ctx, auth);
    const event = await spool.event(auth.account.id, attempt.eventNumber);
    const latest = await latestOf(spool, endpoint.id, [attempt]);
    const { retries } = await spool.waitingAt(endpoint.id);
    const plan = { endpoint, latest, hasRetries: retries > 0 };
    return deliveryPage(auth, { endpoint, attempt, event, plan, nowMs: clock.now(), done: ctx.query.done });
  };

  const sendAgain: Page = async (ctx, auth) => {
    const { endpoint, attempt } = await deliveryOf(ctx, auth);
    const result = await webhooks.replayOne(nameOf(endpoint), attempt.eventNumber);
    requireFound(result !== "not_found");
    const state = stoppedState(endpoint);
    const sent = state === null ? "sent-again" : `waits-${state}`;
    const done = result === "filtered" ? "left-out" : sent;
    ctx.redirect(`${pathOf(endpoint)}/deliveries/${attempt.number}?done=${done}`);
  };

  return {
    "GET /webhooks/:id/deliveries/:number": show,
    "POST /webhooks/:id/deliveries/:number/send-again": sendAgain,
  };
}

/** As latestAttempts, for attempts beside the endpoint's newest ones. */
async function latestOf(
  spool: Pick<EndpointStore, "attempts">,
  endpointId: string,
  attempts: readonly WebhookAttempt[],
): Promise<ReadonlySet<number>> {
  const filter = { endpointId, beforeNumber: null, failedOnly: false, limit: COMPARED_ATTEMPTS };
  return latestAttempts([...(await spool.attempts(filter)), ...attempts].toSorted((a, b) => b.number - a.number));
}

/** Null for an endpoint to which events are sent. */
function stoppedState(endpoint: Endpoint): "paused" | "disabled" | null {
  const state = endpointState(endpoint);
  return state === "paused" || state === "disabled" ? state : null;
}

const nameOf = ({ accountId, id }: Endpoint): EndpointName => ({ accountId, endpointId: id });

/** Throws `not_found` for an endpoint or event that was removed in the meantime. */
function requireFound(isFound: boolean): void {
  if (!isFound) throw notFound();
}

function numberOf(text: unknown): number | null {
  return typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
