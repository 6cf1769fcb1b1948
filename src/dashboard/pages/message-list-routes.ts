/** Routes of the list of messages: the page, its state for live updates, and the download of a search. */
import type { Context } from "koa";
import type { FoundMessages, MessageCount } from "../../spool/port/reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { MessageExports } from "./message-export.ts";
import { listPage, listVersion } from "./message-list.tsx";
import { isFirst, messagesPath, PAGE_MESSAGES, readSearch, type Search } from "./message-search.ts";
import type { Pages } from "./routes.ts";
import { withShortUrl } from "./short-url.ts";

export function createMessageListRoutes(parts: DashboardParts): Pages {
  const pages = new MessageListPages(parts);
  return {
    "GET /messages": withShortUrl((ctx, auth) => pages.list(ctx, auth)),
    "GET /messages.csv": (ctx, auth) => pages.export(ctx, auth),
    "GET /data/messages": (ctx, auth) => pages.listState(ctx, auth),
  };
}

/** Quarantined messages that a list recognizes, the newest. */
const QUARANTINED_MAX = 1000;

class MessageListPages {
  readonly #parts: DashboardParts;
  readonly #exports: MessageExports;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#exports = new MessageExports(parts);
  }

  async list(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { spool, registry, clock } = this.#parts;
    const search = readSearch(ctx.query);
    if (search.id !== null && (await spool.report(search.id, auth.account.id))?.accountId === auth.account.id) {
      return ctx.redirect(`/dashboard/messages/${search.id}`);
    }
    const found = await this.#find(auth, search);
    // A full page of the newest messages, instead of those few that are newer than an older page.
    if (search.position.after !== undefined && found.cursor === null) {
      return ctx.redirect(messagesPath(search));
    }
    const { messages } = await spool.quarantined(QUARANTINED_MAX);
    const quarantined = new Set(messages.flatMap(({ messageId }) => messageId ?? []));
    const keys = await registry.keys(auth.account.id);
    const domains = await registry.domains(auth.account.id);
    const count = await this.#count(auth, search, found);
    return listPage(auth, { search, found, quarantined, count, keys, domains, nowMs: clock.now() });
  }

  async listState(ctx: Context, auth: AuthContext): Promise<void> {
    const search = readSearch(ctx.query);
    const found = await this.#find(auth, search);
    const news = await this.#countNewer(auth, search, { found, newest: ctx.query.newest });
    ctx.body = { version: listVersion(found), news, isFirst: isFirst(search) };
  }

  async export(ctx: Context, auth: AuthContext): Promise<void> {
    const search = readSearch(ctx.query);
    if (search.id !== null) throw notFound();
    await this.#exports.send(ctx, auth, search);
  }

  async #find(
    auth: AuthContext,
    { id, filter, position }: Pick<Search, "id" | "filter" | "position">,
  ): Promise<FoundMessages> {
    if (id !== null) return { messages: [], cursor: null, searchedBackToMs: null };
    return this.#parts.reports.find({ ...filter, ...position, accountId: auth.account.id, limit: PAGE_MESSAGES });
  }

  /** Counts the messages of all pages. The first page knows them unless it is full. */
  async #count(auth: AuthContext, { id, filter, position }: Search, found: FoundMessages): Promise<MessageCount> {
    const { messages, cursor, searchedBackToMs } = found;
    if (id !== null || (isFirst({ position }) && (cursor === null || searchedBackToMs !== null))) {
      return { messages: messages.length, isExact: cursor === null, newest: messages[0]?.id ?? null };
    }
    return this.#parts.reports.count({ ...filter, accountId: auth.account.id });
  }

  /** Counts the messages that were accepted since the page was made, at most a page of them. */
  async #countNewer(
    auth: AuthContext,
    { id, filter, position }: Search,
    { found, newest }: { found: FoundMessages; newest: unknown },
  ): Promise<number> {
    const at = found.messages.findIndex((message) => message.id === newest);
    if (isFirst({ position }) && (at >= 0 || newest === undefined)) return at >= 0 ? at : found.messages.length;
    const since = typeof newest === "string" ? { after: newest } : {};
    return (await this.#find(auth, { id, filter, position: since })).messages.length;
  }
}
