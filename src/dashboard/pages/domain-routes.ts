/**
 * Routes for sending domains: add, verify, turn the return path on or off, rotate the DKIM key, remove. The checks themselves are in domains/.
 */
import type { Context } from "koa";
import type { BindResult } from "../../app/domains/bind-domain.ts";
import type { Domain, Rotation } from "../../spool/port/domains.ts";
import type { ReturnPath } from "../../spool/port/return-paths.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { noticeText, plural } from "../views/labels.ts";
import { recordsOf } from "../views/published-records.ts";
import { zoneLine } from "../views/zone-lines.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { AccountLimits, DashboardParts } from "../web/parts.ts";
import { domainListPage } from "./domain-list.tsx";
import { domainPage, domainVersion, removeDomainPage } from "./domain-page.tsx";
import type { Pages } from "./routes.ts";

const HISTORY_MAX = 50;

const NOTICES: Record<string, string> = {
  removed: "Domain removed. Messages accepted before are still delivered.",
  rotating: "New key created. Publish its record; the current key signs until the record is seen.",
  "took-over":
    "The record of the new DKIM key is published: the new key signs from now on. Keep the old record for a week, for messages in transit.",
  "rotation-cancelled": "New key discarded.",
  "return-path-on": "Return path turned on. Publish its two records; they are checked automatically.",
  "return-path-off":
    "Return path turned off. Keep its records for a week: bounces of messages sent until now arrive there.",
};

export function createDomainRoutes(parts: DashboardParts): Pages {
  const pages = new DomainPages(parts);
  return {
    "GET /domains": (ctx, auth) => pages.list(ctx, auth),
    "POST /domains": (ctx, auth) => pages.add(ctx, auth),
    "GET /domains/:name": (ctx, auth) => pages.show(ctx, auth),
    "GET /domains/:name/state": (ctx, auth) => pages.state(ctx, auth),
    "GET /domains/:name/zone": (ctx, auth) => pages.zoneFile(ctx, auth),
    "POST /domains/:name/verify": (ctx, auth) => pages.verify(ctx, auth),
    "POST /domains/:name/return-path": (ctx, auth) => pages.setReturnPath(ctx, auth),
    "POST /domains/:name/rotate": (ctx, auth) => pages.rotate(ctx, auth),
    "POST /domains/:name/rotate/cancel": (ctx, auth) => pages.cancelRotation(ctx, auth),
    "GET /domains/:name/remove": (ctx, auth) => pages.confirmRemoval(ctx, auth),
    "POST /domains/:name/remove": (ctx, auth) => pages.remove(ctx, auth),
  };
}

const pathOf = (domain: Pick<Domain, "name">): string => `/dashboard/domains/${domain.name}`;

class DomainPages {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async list(ctx: Context, auth: AuthContext): Promise<string> {
    const domains = await this.#parts.registry.domains(auth.account.id);
    return domainListPage(auth, { domains, notice: noticeText(NOTICES, ctx.query.done) });
  }

  async add(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { registry, domains, limits } = this.#parts;
    const typed = field(ctx, "name").slice(0, 1000);
    const bound = await domains.bind(auth.account.id, typed);
    if (bound.type === "bound") return ctx.redirect(pathOf(bound.domain));
    ctx.status = 400;
    return domainListPage(auth, {
      domains: await registry.domains(auth.account.id),
      typed,
      error: bindError(bound, limits),
    });
  }

  async show(ctx: Context, auth: AuthContext): Promise<string> {
    const { registry, domains } = this.#parts;
    const domain = await this.#domainOf(ctx, auth);
    const [rotation, returnPath] = [await this.#rotationOf(domain), await this.#returnPathOf(domain)];
    const history = await registry.checkHistory(auth.account.id, domain.name, HISTORY_MAX);
    const { done } = ctx.query;
    const verified = done === "verify" || done === "took-over";
    const hasKey = (await registry.keys(auth.account.id)).some((key) => key.revokedAtMs === null);
    const pendingKey = verified && rotation !== null ? await domains.lookUpRotation(domain, rotation) : null;
    const changes = { notice: noticeText(NOTICES, done), verified, pendingKey, hasKey };
    return domainPage(auth, { parts: this.#parts, domain, rotation, returnPath, history, changes });
  }

  async state(ctx: Context, auth: AuthContext): Promise<void> {
    const domain = await this.#domainOf(ctx, auth);
    const [rotation, returnPath] = [await this.#rotationOf(domain), await this.#returnPathOf(domain)];
    ctx.body = { version: domainVersion({ domain, rotation, returnPath }) };
  }

  /** The records as lines of a zone file. */
  async zoneFile(ctx: Context, auth: AuthContext): Promise<void> {
    const domain = await this.#domainOf(ctx, auth);
    const [rotation, returnPath] = [await this.#rotationOf(domain), await this.#returnPathOf(domain)];
    const records = recordsOf({ domain, rotation, returnPath }, this.#parts.domains);
    ctx.type = "text/plain; charset=utf-8";
    ctx.set("Content-Disposition", `attachment; filename="${domain.name}.zone"`);
    const published = records.filter(({ record }) => record.value !== "");
    ctx.body = published.map(({ record }) => `${zoneLine(record)}\n`).join("");
  }

  async verify(ctx: Context, auth: AuthContext): Promise<void> {
    const domain = await this.#domainOf(ctx, auth);
    const rotation = await this.#rotationOf(domain);
    await this.#parts.domains.verify(domain);
    if (field(ctx, "from") === "start") return ctx.redirect("/dashboard/start");
    const tookOver = rotation !== null && (await this.#rotationOf(domain)) === null;
    ctx.redirect(`${pathOf(domain)}?done=${tookOver ? "took-over" : "verify"}`);
  }

  async setReturnPath(ctx: Context, auth: AuthContext): Promise<void> {
    const domain = await this.#domainOf(ctx, auth);
    const on = field(ctx, "state") === "on";
    // The page has no button where the name is too long.
    if ((await this.#parts.domains.setReturnPath(domain, on)) !== "done") throw notFound();
    ctx.redirect(`${pathOf(domain)}?done=return-path-${on ? "on" : "off"}#return-path`);
  }

  async rotate(ctx: Context, auth: AuthContext): Promise<void> {
    const domain = await this.#domainOf(ctx, auth);
    await this.#parts.domains.rotate(domain);
    ctx.redirect(`${pathOf(domain)}?done=rotating#rotation`);
  }

  async cancelRotation(ctx: Context, auth: AuthContext): Promise<void> {
    const domain = await this.#domainOf(ctx, auth);
    if (!(await this.#parts.registry.cancelRotation(domain.id))) throw notFound();
    ctx.redirect(`${pathOf(domain)}?done=rotation-cancelled`);
  }

  async confirmRemoval(ctx: Context, auth: AuthContext): Promise<string> {
    return removeDomainPage(auth, await this.#domainOf(ctx, auth));
  }

  async remove(ctx: Context, auth: AuthContext): Promise<void> {
    const { registry, clock } = this.#parts;
    const domain = await this.#domainOf(ctx, auth);
    await registry.removeDomain(auth.account.id, domain.name, clock.now());
    ctx.redirect("/dashboard/domains?done=removed");
  }

  async #domainOf(ctx: Context, auth: AuthContext): Promise<Domain> {
    const domain = await this.#parts.registry.domainNamed(auth.account.id, ctx.params.name ?? "");
    if (domain === null) throw notFound();
    return domain;
  }

  #returnPathOf({ accountId, name }: Domain): Promise<ReturnPath | null> {
    return this.#parts.registry.returnPathNamed(accountId, name);
  }

  async #rotationOf({ id }: Domain): Promise<Rotation | null> {
    return (await this.#parts.registry.rotations()).find(({ domainId }) => domainId === id) ?? null;
  }
}

/** Why a domain was not added. */
export function bindError(result: Exclude<BindResult, { type: "bound" }>, { domainsMax }: AccountLimits): string {
  switch (result.type) {
    case "exists":
      return "This domain has already been added.";
    case "too_many":
      return `This account has reached its limit of ${plural(domainsMax, "domain")} (DOMAINS_MAX). Remove one first.`;
    case "invalid":
      return result.detail;
  }
}
