/**
 * The API reference, rendered from the OpenAPI document: a page of contents with a search (api-contents.tsx), a page for each group of
 * operations (api-group.tsx), and the errors (api-errors.tsx). The pages are public; without a session they contain no account data.
 */
import type { Context } from "koa";
import type { Domain } from "../../spool/port/domains.ts";
import { SEARCH_MAX } from "../views/api-frame.tsx";
import type { Target } from "../views/example-request.ts";
import type { PageProps } from "../views/layout.tsx";
import { groupsOf } from "../web/api-document.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { contentsPage } from "./api-contents.tsx";
import { apiErrorsPage } from "./api-errors.tsx";
import { groupPage } from "./api-group.tsx";
import { type KeptPages, showOpenPage } from "./open-page.ts";

/** The pages with the dashboard's navigation for a session; else the public ones, which are rendered once each. */
export function createApiPages(parts: DashboardParts): Record<string, (ctx: Context) => Promise<unknown>> {
  const { api, problems, registry, publicUrl: url } = parts;
  const kept: KeptPages = new Map();
  const show = (ctx: Context, name: string | null, page: (target: Target) => PageProps): Promise<unknown> =>
    showOpenPage(ctx, parts, kept, {
      at: "/api",
      name,
      async render(auth) {
        const domain = auth === null ? null : ownDomain(await registry.domains(auth.account.id));
        return page({ url, domain });
      },
    });

  return {
    "GET /api": (ctx) => {
      const search = searchOf(ctx);
      return show(ctx, search === "" ? "contents" : null, () => contentsPage({ api, problems, url, search }));
    },
    "GET /api/errors": (ctx) => show(ctx, "errors", () => apiErrorsPage(api, problems)),
    "GET /api/:group": (ctx) => {
      const group = groupsOf(api).find(({ name }) => name === ctx.params.group);
      if (group === undefined) throw notFound();
      return show(ctx, `group ${group.name}`, (target) => groupPage(api, target, group));
    },
  };
}

function searchOf({ query: { q } }: Context): string {
  return typeof q === "string" ? q.trim().slice(0, SEARCH_MAX) : "";
}

/** The first verified domain, else the first one; null without any. */
const ownDomain = (domains: readonly Domain[]): string | null =>
  (domains.find(({ verified }) => verified) ?? domains[0])?.name ?? null;
