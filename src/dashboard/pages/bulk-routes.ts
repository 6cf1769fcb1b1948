/**
 * Routes of the actions on all recipients of a search, or of messages that were selected one by one. Each POST runs one step, and its page has the form of the next one. The form
 * says what was counted, so that the action is about nothing else.
 */
import type { Context } from "koa";
import {
  add,
  type BulkAction,
  type BulkFilter,
  type BulkScope,
  type BulkTotals,
  countBulk,
  isBulkAction,
  NO_TOTALS,
  runBulkStep,
} from "../../app/decide/bulk-actions.ts";
import { SELECTED_MAX } from "../../app/decide/selected-messages.ts";
import { isMessageId } from "../../message/ids.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field, fields } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type BulkState, confirmationPage, outcomePage, progressPage } from "./bulk-pages.tsx";
import { readSearch, SEARCH_FIELDS, type Search } from "./message-search.ts";
import type { Pages } from "./routes.ts";
import { SelectedPages } from "./selected-pages.tsx";

export function createBulkRoutes(parts: DashboardParts): Pages {
  const pages = new BulkPages(parts);
  return {
    "GET /bulk/:action": (ctx, auth) => pages.confirm(ctx, auth),
    "POST /bulk/:action": (ctx, auth) => pages.step(ctx, auth),
  };
}

class BulkPages {
  readonly #parts: DashboardParts;
  readonly #selected: SelectedPages;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#selected = new SelectedPages(parts);
  }

  async confirm(ctx: Context, auth: AuthContext): Promise<string> {
    const { reports, registry, clock } = this.#parts;
    const action = actionOf(ctx);
    const selected = [ctx.query.message ?? []].flat();
    if (selected.length > 0) return this.#selected.confirm(auth, { action, messageIds: soundIds(selected) });
    const search = soundSearch(readSearch(ctx.query));
    const times = { nowMs: clock.now(), monotonicMs: () => clock.monotonicMs(), withDomains: true };
    const count = await countBulk(reports, { action, filter: filterOf(auth, search) }, times);
    const keys = search.fields.key === "" ? [] : await registry.keys(auth.account.id);
    return confirmationPage(auth, { action, search, scope: count }, { count, keys });
  }

  async step(ctx: Context, auth: AuthContext): Promise<string> {
    const { spool, reports, clock, sending } = this.#parts;
    const action = actionOf(ctx);
    const selected = fields(ctx, "message");
    if (selected.length > 0) {
      const [counted, atMs] = [wholeNumber(field(ctx, "counted")), wholeNumber(field(ctx, "at"))];
      if (counted === undefined || atMs === undefined) throw notFound();
      return this.#selected.act(auth, { action, messageIds: soundIds(selected), counted, atMs });
    }
    const search = soundSearch(readSearch(Object.fromEntries(SEARCH_FIELDS.map((name) => [name, field(ctx, name)]))));
    const state: BulkState = { action, search, scope: scopeOf(ctx) };
    const after = field(ctx, "after");
    const { totals, next } = await runBulkStep(
      { spool, reports, monotonicMs: () => clock.monotonicMs() },
      {
        action,
        filter: filterOf(auth, search),
        scope: state.scope,
        by: auth.user.email,
        nowMs: clock.now(),
        after: isMessageId(after) ? after : "",
        maxAgeMs: sending.maxAgeMs,
      },
    );
    const total = { ...totalsOf(ctx) };
    add(total, totals);
    return next === null ? outcomePage(auth, state, total) : progressPage(auth, state, { totals: total, after: next });
  }
}

function actionOf(ctx: Context): BulkAction {
  const name = ctx.params.action ?? "";
  if (!isBulkAction(name)) throw notFound();
  return name;
}

/** Ids that no message can have, and more than a page of them, are in no form of ours. */
function soundIds(ids: string[]): string[] {
  if (ids.length > SELECTED_MAX || !ids.every(isMessageId)) throw notFound();
  return ids;
}

/** A search for one id is no search for many. */
function soundSearch(search: Search): Search {
  if (search.id !== null) throw notFound();
  return search;
}

const filterOf = ({ account }: AuthContext, { filter }: Search): BulkFilter => ({ ...filter, accountId: account.id });

/** What the confirmation counted. Throws the 404 error for a form that no page has. */
function scopeOf(ctx: Context): BulkScope {
  const [recipients, atMs] = [wholeNumber(field(ctx, "counted")), wholeNumber(field(ctx, "at"))];
  const least = field(ctx, "least");
  const sinceMs = least === "" ? null : wholeNumber(least);
  if (recipients === undefined || atMs === undefined || sinceMs === undefined) throw notFound();
  return { recipients, atMs, sinceMs };
}

/** The totals of the steps before, which are only shown. */
function totalsOf(ctx: Context): BulkTotals {
  const text = field(ctx, "totals");
  if (text === "") return NO_TOTALS;
  try {
    const stored = JSON.parse(text) as Partial<Record<string, unknown>>;
    const counts = Object.keys(NO_TOTALS).map((name) => [name, wholeNumber(String(stored[name])) ?? 0]);
    return Object.fromEntries(counts) as BulkTotals;
  } catch {
    return NO_TOTALS;
  }
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
