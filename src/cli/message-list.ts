/** `messages list`: a search as a table, and with --follow the messages that are accepted or change from now on. */
import { setTimeout } from "node:timers/promises";
import { MessageFeed } from "../app/send/message-feed.ts";
import { rfc3339 } from "../lib/clock.ts";
import { RESULTS, type Result } from "../message/result/outcome.ts";
import type { FoundMessage, MessageFilter } from "../spool/port/reports.ts";
import {
  type CommandContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  pluralize,
  UsageError,
} from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { parseSince } from "./since.ts";
import { type Cell, table } from "./table.ts";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1000;
/** Messages of one search of the spool. */
const PAGE_MAX = 100;
/** How often the spool is asked for what follows. */
const LOOK_EVERY_MS = 500;

type Filter = Omit<MessageFilter, "limit" | "cursor">;

export const listMessages: Implementation = {
  async run(context, { options }) {
    const { store, nowMs } = context;
    const filter = { ...filterOf(options, nowMs), accountId: context.account.id };
    const limit = limitOf(options);
    if (options.follow === true) return follow(context, { filter, limit });
    const { messages, isMore } = await findAll(store.reports, filter, limit);
    const more = isMore ? `\nOnly the newest ${limit} are shown: --limit shows up to ${LIMIT_MAX}.` : "";
    const heading = messages.some((message) => reasonOf(message) !== "") ? HEADING_WITH_REASON : HEADING;
    const rows = messages.map((message) => rowOf(message, heading));
    return { json: messages.map(messageJson), text: table(heading, rows, "No messages.") + more };
  },
};

function filterOf({ to, result, tag, subject, since }: ParsedArguments["options"], nowMs: number) {
  return {
    ...(typeof to === "string" ? { recipient: to } : {}),
    ...(typeof result === "string" ? { result: result as Result } : {}),
    ...(typeof tag === "string" ? { tag } : {}),
    ...(typeof subject === "string" ? { subject } : {}),
    ...(typeof since === "string" ? { sinceMs: parseSince(since, nowMs) } : {}),
  };
}

function limitOf({ limit = String(LIMIT_DEFAULT) }: ParsedArguments["options"]): number {
  const number = /^\d{1,9}$/.test(String(limit)) ? Number(limit) : 0;
  if (number >= 1 && number <= LIMIT_MAX) return number;
  throw new UsageError(`--limit '${limit}' is not a whole number from 1 to ${LIMIT_MAX}`);
}

/** Searches until the limit is reached or nothing is left: one search of the spool looks at a bounded number of messages. */
async function findAll(reports: CommandContext["store"]["reports"], filter: Filter, limit: number) {
  const messages: FoundMessage[] = [];
  let position: { cursor?: string; untilMs?: number } = {};
  for (;;) {
    const found = await reports.find({ ...filter, ...position, limit: Math.min(PAGE_MAX, limit - messages.length) });
    messages.push(...found.messages);
    const { cursor, searchedBackToMs } = found;
    if (cursor === null && searchedBackToMs === null) return { messages, isMore: false };
    if (messages.length >= limit) return { messages, isMore: true };
    position = cursor === null ? { untilMs: searchedBackToMs as number } : { cursor };
  }
}

/** Ends when standard output is closed, or with Ctrl-C. */
async function follow(context: CommandContext, { filter, limit }: { filter: Filter; limit: number }) {
  const { store, print } = context;
  const feed = await MessageFeed.begin(store, filter);
  const { messages } = await findAll(store.reports, filter, limit);
  const stopped = context.untilStopped();
  for (const message of messages.reverse()) print(followed(message));
  while (!stopped.aborted) {
    const { messages: changed, isEnd } = await feed.next();
    for (const message of changed) print(followed(message));
    if (isEnd) await setTimeout(LOOK_EVERY_MS, null, { signal: stopped }).catch(() => {});
  }
  return null;
}

/** One line: columns of a fixed width, because the rows that follow are not known. */
function followed(message: FoundMessage): CommandResult {
  return { json: messageJson(message), text: table(null, [rowOf(message, FOLLOWED)], "", FOLLOWED_WIDTHS) };
}

const HEADING = ["ACCEPTED", "MESSAGE", "RESULT", "TO", "SUBJECT"] as const;
const HEADING_WITH_REASON = ["ACCEPTED", "MESSAGE", "RESULT", "REASON", "TO", "SUBJECT"] as const;
/** The reason comes last, because few rows have one. */
const FOLLOWED = [...HEADING, "REASON"] as const;
const FOLLOWED_WIDTHS = [24, 28, 9, 30, 30];

type Column = (typeof FOLLOWED)[number];

function rowOf(message: FoundMessage, columns: readonly Column[]): Cell[] {
  const { createdAtMs, id, to, recipients, subject, test } = message;
  const others = recipients > 1 ? ` and ${pluralize(recipients - 1, "other")}` : "";
  const cells: Record<Column, Cell> = {
    ACCEPTED: rfc3339(createdAtMs),
    MESSAGE: id,
    RESULT: resultOf(message),
    REASON: reasonOf(message),
    TO: `${to}${others}`,
    SUBJECT: `${test ? "[test] " : ""}${subject}`,
  };
  return columns.map((column) => cells[column]);
}

/** Why a recipient failed, is unknown or waits, with the category; "" if none does. */
function reasonOf({ obstacle }: FoundMessage): string {
  if (obstacle === undefined) return "";
  const { reason, category } = obstacle;
  return category === null ? reason : `${reason} (${category})`;
}

/** One result of all recipients, or how many have each. */
function resultOf({ results }: FoundMessage) {
  const present = RESULTS.filter((result) => results[result] > 0);
  const [only] = present;
  if (present.length === 1 && only !== undefined) return resultCell(only);
  const worst = (["failed", "unknown", "pending"] as const).find((result) => results[result] > 0) ?? "pending";
  return resultCell(worst, present.map((result) => `${results[result]} ${result}`).join(", "));
}

function messageJson(message: FoundMessage) {
  const { id, createdAtMs, from, to, subject, recipients, results, categories, tags, test } = message;
  return {
    id,
    created_at: rfc3339(createdAtMs),
    from,
    to,
    subject,
    recipients,
    results,
    categories,
    tags,
    test,
    feedback: message.feedback ?? [],
    obstacle: message.obstacle === undefined ? null : obstacleJson(message.obstacle),
  };
}

function obstacleJson({ attempt, ...obstacle }: NonNullable<FoundMessage["obstacle"]>) {
  return { ...obstacle, ...(attempt === undefined ? {} : { attempt: { at: rfc3339(attempt.atMs), mx: attempt.mx } }) };
}
