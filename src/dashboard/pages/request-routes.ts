/**
 * The routes of the API requests: the list with its search form's query, and one request. Users see the requests of their account; operators can also
 * see those without a valid key, which belong to no account.
 */
import type { Context } from "koa";
import type { RequestFilter } from "../../spool/port/request-log.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type RequestSearch, requestListPage } from "./request-list.tsx";
import { requestPage } from "./request-page.tsx";
import type { Pages } from "./routes.ts";
import { withShortUrl } from "./short-url.ts";

const PAGE_REQUESTS = 50;
const TEXT_LENGTH_MAX = 100;

export function createRequestRoutes({ spool, registry, publicUrl }: DashboardParts): Pages {
  return {
    "GET /requests": withShortUrl(async (ctx, auth) => {
      const search = readSearch(ctx.query);
      if (search.keyless && !auth.user.operator) throw notFound();
      const found = await spool.requests({ ...filterOf(search, auth), ...cursorOf(ctx.query.before) });
      return requestListPage(auth, { search, found, keys: await registry.keys(auth.account.id) });
    }),
    "GET /requests/:id": async (ctx, auth) => {
      const id = (ctx.params.id ?? "").slice(0, TEXT_LENGTH_MAX);
      const own = await spool.recordedRequest(auth.account.id, id);
      const request = own ?? (auth.user.operator ? await spool.recordedRequest(null, id) : null);
      if (request === null) throw notFound();
      const key = (await registry.keys(auth.account.id)).find((each) => each.id === request.keyId) ?? null;
      return requestPage(auth, { request, key, url: publicUrl });
    },
  };
}

/** Parses a query. Values that cannot be read are ignored, so a truncated link still shows a list. */
function readSearch(query: Context["query"]): RequestSearch {
  const textOf = (name: string): string => {
    const value = query[name];
    return typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : "";
  };
  const keyless = textOf("keyless") === "yes";
  return { id: textOf("id"), key: keyless ? "" : textOf("key"), failed: textOf("failed") === "yes", keyless };
}

function filterOf({ id, key, failed, keyless }: RequestSearch, auth: AuthContext): RequestFilter {
  return {
    accountId: keyless ? null : auth.account.id,
    failedOnly: failed,
    ...(id === "" ? {} : { id }),
    ...(key === "" ? {} : { keyId: key }),
    limit: PAGE_REQUESTS,
  };
}

function cursorOf(before: unknown): Pick<RequestFilter, "cursor"> {
  return typeof before === "string" && /^\d{1,15}$/.test(before) ? { cursor: Number(before) } : {};
}
