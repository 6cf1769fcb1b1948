/** The routes of the audit trail: that of the current account for its owners, and of all accounts and the installation for operators. */
import type { Context } from "koa";
import { type AuditRequest, type AuditSources, listAudit } from "../../app/audit/list-audit.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type AuditSearch, auditPage } from "./audit-page.tsx";
import type { Page, Pages } from "./routes.ts";
import { withShortUrl } from "./short-url.ts";

const PAGE_ENTRIES = 50;
const TEXT_LENGTH_MAX = 200;

export function createAuditRoutes(parts: DashboardParts): Pages {
  return {
    "GET /audit": withShortUrl(list(parts, "account")),
    "GET /operator/audit": withShortUrl(list(parts, "all")),
  };
}

function list({ spool, registry }: DashboardParts, scope: "account" | "all"): Page {
  return async (ctx, auth) => {
    const store: AuditSources = {
      auditEntries: (filter) => spool.auditEntries(filter),
      accounts: () => registry.accounts(),
    };
    const search = readSearch(ctx.query);
    const accountId = scope === "account" ? auth.account.id : await accountOf(search, registry);
    const request: AuditRequest = { accountId: accountId ?? null, ...search, limit: PAGE_ENTRIES };
    const found = accountId === undefined ? { entries: [], next: null } : await listAudit(store, request);
    return auditPage(auth, { scope, search, found });
  };
}

/** Null for all accounts, and undefined for an account that does not exist. */
async function accountOf(
  { account }: AuditSearch,
  registry: DashboardParts["registry"],
): Promise<string | null | undefined> {
  if (account === "") return null;
  return (await registry.accounts()).find(({ id, name }) => name === account || id === account)?.id;
}

/** Parses a query. Values that cannot be read are ignored, so a truncated link still shows a list. */
function readSearch(query: Context["query"]): AuditSearch {
  const textOf = (name: string): string => {
    const value = query[name];
    return typeof value === "string" ? value.trim().slice(0, TEXT_LENGTH_MAX) : "";
  };
  return { account: textOf("account"), by: textOf("by"), action: textOf("action"), after: textOf("after") };
}
