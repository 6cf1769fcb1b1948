/**
 * GET /api/sending/messages: the messages that a key may read, newest first, filtered and paged. The spool does the search.
 */
import type { Context } from "koa";
import { readableMessages, readsMessage } from "../app/send/key-access.ts";
import { rfc3339 } from "../lib/clock.ts";
import { CATEGORIES, type Category } from "../message/result/category.ts";
import { RESULTS, type Result } from "../message/result/outcome.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import type { FoundMessage, MessageFilter, Reports } from "../spool/port/reports.ts";
import type { Spool } from "../spool/port/spool.ts";
import {
  invalidQuery,
  LIMIT_DEFAULT,
  LIMIT_PARAMETER,
  type Query,
  type QuerySchema,
  queryReader,
} from "./request/query.ts";

const TEXT_LENGTH_MAX = 500;
/** RFC 5321 §4.5.3.1.3: a path has at most 256 octets, its angle brackets included. */
const ADDRESS_LENGTH_MAX = 254;
/** Longer than a time with nanoseconds and an offset. */
const TIME_LENGTH_MAX = 40;
const CURSOR_LENGTH = 28;

export const LIST_QUERY = {
  recipient: {
    type: "string",
    format: "email",
    maxLength: ADDRESS_LENGTH_MAX,
    description: "the whole address of a recipient, as it was sent",
  },
  from: {
    type: "string",
    format: "email",
    maxLength: ADDRESS_LENGTH_MAX,
    description: "the whole address of the sender",
  },
  result: {
    type: "string",
    enum: RESULTS,
    description: "the result of at least one recipient: delivered, failed, pending or unknown",
  },
  category: {
    type: "string",
    enum: CATEGORIES,
    description: `the category of at least one recipient (one with the result, where both are given): ${CATEGORIES.join(", ")}`,
  },
  tag: { type: "string", minLength: 1, maxLength: TEXT_LENGTH_MAX, description: "a tag of the message" },
  subject: { type: "string", minLength: 1, maxLength: TEXT_LENGTH_MAX, description: "any part of the subject" },
  since: {
    type: "string",
    format: "date-time",
    maxLength: TIME_LENGTH_MAX,
    description: "a time by RFC 3339; messages accepted then or later are shown",
  },
  until: {
    type: "string",
    format: "date-time",
    maxLength: TIME_LENGTH_MAX,
    description: "a time by RFC 3339; messages accepted before are shown",
  },
  limit: LIMIT_PARAMETER,
  cursor: {
    type: "string",
    maxLength: CURSOR_LENGTH,
    pattern: "^msg_[-0-9A-Z_a-z]{24}$",
    description: "the next_cursor of the page before, asked for with the same key",
  },
} as const satisfies QuerySchema;

const readQuery = queryReader(LIST_QUERY);

/** Creates the endpoint. It is called with the key of the request. */
export function createList(spool: Spool & { reports: Reports }): (ctx: Context, key: ApiKey) => Promise<void> {
  return async (ctx, key) => {
    const query = readQuery(ctx);
    if (query.cursor !== undefined) await requireOwnCursor(spool, query.cursor, key);
    const { messages, cursor } = await spool.reports.find(filterOf(query, key));
    ctx.body = { messages: messages.map(entryOf), next_cursor: cursor };
  };
}

/** A cursor is the last message of a page. A message that the key may not read would reveal when it was accepted. */
async function requireOwnCursor(spool: Spool, cursor: string, key: ApiKey): Promise<void> {
  const report = await spool.report(cursor, key.accountId);
  if (report !== null && readsMessage(key, report)) return;
  throw invalidQuery([{ field: "cursor", detail: `Must be ${LIST_QUERY.cursor.description}.` }]);
}

function filterOf(query: Query<typeof LIST_QUERY>, key: ApiKey): MessageFilter {
  const { recipient, from, result, category, tag, subject, since, until, limit = LIMIT_DEFAULT, cursor } = query;
  return {
    ...readableMessages(key),
    limit,
    ...(recipient === undefined ? {} : { recipientIs: recipient.trim() }),
    ...(from === undefined ? {} : { from: from.trim() }),
    ...(result === undefined ? {} : { result: result as Result }),
    ...(category === undefined ? {} : { category: category as Category }),
    ...(tag === undefined ? {} : { tag }),
    ...(subject === undefined ? {} : { subject }),
    ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
    ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function entryOf(message: FoundMessage) {
  return {
    id: message.id,
    state: "accepted",
    created_at: rfc3339(message.createdAtMs),
    from: message.from,
    to: message.to,
    subject: message.subject,
    message_id: message.messageId,
    tags: message.tags,
    test: message.test,
    recipients: message.recipients,
    results: message.results,
    categories: message.categories,
  };
}
