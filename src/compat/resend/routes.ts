/**
 * The endpoints of Resend's API: sending one message or a batch, looking one up, listing those that a key may read, cancelling one and
 * changing its time. What protects them, and
 * how messages are accepted, is the same as in Postrider's API (http/guarded-endpoints.ts, http/send-message.ts).
 */
import { setImmediate } from "node:timers/promises";
import type Router from "@koa/router";
import type { Context, Middleware } from "koa";
import { readableMessages, readsMessage } from "../../app/send/key-access.ts";
import { isSecretContent } from "../../app/send/link-message.ts";
import { invalidQuery, type QuerySchema, queryReader } from "../../http/request/query.ts";
import { Problem } from "../../http/response/problems.ts";
import { SerialQueues } from "../../lib/serial-queues.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { FoundMessage, Reports } from "../../spool/port/reports.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { RESEND } from "./dialect.ts";
import { emailEntry, emailView } from "./email-view.ts";
import { addEndpoint } from "./endpoints.ts";

type Endpoint = (ctx: Context, key: ApiKey) => Promise<void>;

export interface ResendParts {
  spool: Pick<Spool, "report"> & { reports: Pick<Reports, "find" | "bodiesOf"> };
  /** Put the protection of sends, and of large responses, before an endpoint. */
  sending: (endpoint: Endpoint) => Middleware;
  listing: (endpoint: Endpoint) => Middleware;
  /** Put the protection of changes before an endpoint. */
  changing: (endpoint: Endpoint) => Middleware;
  /** Accepts the message of a request. Returns its id. */
  send: (ctx: Context, key: ApiKey) => Promise<{ id: string }>;
  /** Accepts the messages of a request. Returns what became of each. */
  sendBatch: (
    ctx: Context,
    key: ApiKey,
    options: { isStrict: boolean },
  ) => Promise<({ id: string } | { problem: Problem })[]>;
  /** Cancels the pending recipients of a message. */
  cancel: (id: string, key: ApiKey) => Promise<void>;
  /** Sends a message at the time that the request's body has in a field. */
  changeTime: (ctx: Context, key: ApiKey, target: { id: string; field: string }) => Promise<void>;
  /** Throws the 404 problem for a message that the key may not read. */
  lookUp: (id: string, key: ApiKey) => Promise<MessageReport>;
}

/** Lookups of an account that wait for each other. */
const WAITING_MAX = 200;

/** Second segments of paths that Resend has and that are not ids. */
const RESERVED: ReadonlySet<string> = new Set(["batch", "metrics", "receiving"]);

export function addResendRoutes(router: Router, parts: ResendParts): void {
  const { sending, listing, send, sendBatch } = parts;
  const toSend: Endpoint = async (ctx, key) => {
    const { id } = await send(ctx, key);
    ctx.body = { id };
  };
  const toSendBatch: Endpoint = async (ctx, key) => {
    const isStrict = readIsStrict(ctx);
    const entries = await sendBatch(ctx, key, { isStrict });
    const data = entries.flatMap((entry) => ("id" in entry ? [{ id: entry.id }] : []));
    const errors = entries.flatMap((entry, index) =>
      "problem" in entry ? [{ index, message: entry.problem.message }] : [],
    );
    ctx.body = isStrict ? { data } : { data, errors };
  };
  addEndpoint(router, "sendEmail", sending(toSend));
  addEndpoint(router, "sendEmails", sending(toSendBatch));
  addEndpoint(router, "listEmails", listing(createList(parts)));
  addEndpoint(router, "getEmail", listing(createLookup(parts)));
  addChanges(router, parts);
}

function addChanges(router: Router, { changing, cancel, changeTime }: ResendParts): void {
  const toChangeTime: Endpoint = async (ctx, key) => {
    const id: string = ctx.params.id ?? "";
    await changeTime(ctx, key, { id, field: "scheduled_at" });
    ctx.body = { object: "email", id };
  };
  const toCancel: Endpoint = async (ctx, key) => {
    const id: string = ctx.params.id ?? "";
    await cancel(id, key);
    ctx.body = { object: "email", id };
  };
  addEndpoint(router, "updateEmail", changing(toChangeTime));
  addEndpoint(router, "cancelEmail", changing(toCancel));
}

/** Reads the header field x-batch-validation. Its name and its values are Resend's. */
function readIsStrict(ctx: Context): boolean {
  const mode = ctx.get("x-batch-validation").toLowerCase();
  if (mode === "" || mode === "strict") return true;
  if (mode === "permissive") return false;
  throw new Problem("invalid_request", "The header field x-batch-validation must be strict or permissive.");
}

function createLookup({ spool, lookUp }: ResendParts): Endpoint {
  const turns = new SerialQueues(WAITING_MAX);
  return async (ctx, key) => {
    const id: string = ctx.params.id ?? "";
    if (RESERVED.has(id)) throw RESEND.noSuchPath(ctx.method, ctx.path);
    // The spool rejects an account's eleventh report that waits, and a website may look up many messages at once.
    const view = turns.run(key.accountId, async () => {
      const report = await lookUp(id, key);
      // A key that reads the messages of all keys must not read the links of invitations and password resets.
      const bodies = isSecretContent(report.keyId) ? null : await spool.reports.bodiesOf(key.accountId, id);
      return emailView(report, bodies);
    });
    if (view === null) throw tooManyLookups();
    ctx.body = await view;
  };
}

const tooManyLookups = (): Problem =>
  new Problem("rate_limit_exceeded", "Too many lookups of this account are waiting.", { retryAfterS: 1 });

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const CURSOR = { type: "string", pattern: "^msg_[-0-9A-Z_a-z]{24}$" } as const;
const CURSOR_TEXT = "the id of a message that the key may read";

/** The parameters of a list of messages. */
export const EMAILS_QUERY = {
  limit: {
    type: "integer",
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: `a whole number from 1 to ${LIMIT_MAX}`,
  },
  after: { ...CURSOR, description: CURSOR_TEXT },
  before: { ...CURSOR, description: CURSOR_TEXT },
} as const satisfies QuerySchema;

const readQuery = queryReader(EMAILS_QUERY);

/** `after` is followed by older messages, `before` by newer ones, each page the newest first. */
function createList(parts: ResendParts): Endpoint {
  const { reports } = parts.spool;
  return async (ctx, key) => {
    const { accountId } = key;
    const { limit = LIMIT_DEFAULT, after, before } = readQuery(ctx);
    if (after !== undefined && before !== undefined) {
      throw invalidQuery([{ field: "before", detail: "Must not be given together with after." }]);
    }
    await requireOwnCursor(parts, { after, before }, key);
    const { messages, cursor } = await reports.find({
      ...readableMessages(key),
      limit,
      ...(after === undefined ? {} : { cursor: after }),
      ...(before === undefined ? {} : { after: before }),
    });
    ctx.body = { object: "list", has_more: cursor !== null, data: await entriesOf(parts, accountId, messages) };
  };
}

/** A message that the key may not read, as a cursor, would reveal when it was accepted. */
async function requireOwnCursor(
  { spool }: ResendParts,
  cursors: { after: string | undefined; before: string | undefined },
  key: ApiKey,
): Promise<void> {
  for (const [field, id] of Object.entries(cursors)) {
    if (id === undefined) continue;
    const report = await spool.report(id, key.accountId);
    if (report === null || !readsMessage(key, report))
      throw invalidQuery([{ field, detail: `Must be ${CURSOR_TEXT}.` }]);
  }
}

/** Reads one report after the other: a hundred at once would hold up other requests, and their events take memory. */
async function entriesOf({ spool }: ResendParts, accountId: string, messages: readonly FoundMessage[]) {
  const entries: ReturnType<typeof emailEntry>[] = [];
  for (const { id } of messages) {
    const report = await spool.report(id, accountId).catch(nullIfDamaged);
    if (report !== null) entries.push(emailEntry(report));
    await setImmediate();
  }
  return entries;
}

/** The list goes on without a message that cannot be read. */
function nullIfDamaged(error: unknown): null {
  if (error instanceof MessageDamaged) return null;
  throw error;
}
