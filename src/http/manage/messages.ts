/** Decisions about messages: cancel, retry, resolve, discard; of one recipient, of a message, or of all that a filter selects. */
import {
  ACTED_RESULTS,
  add,
  type BulkAction,
  type BulkFilter,
  countBulk,
  NO_TOTALS,
  runBulkStep,
} from "../../app/decide/bulk-actions.ts";
import { changedSince } from "../../app/decide/bulk-outcome-text.ts";
import { cancelRecipients, recipientsWith, resolveRecipients } from "../../app/decide/decide-recipients.ts";
import { discardMessage, quarantinedName } from "../../app/decide/discard-message.ts";
import { retryFailed } from "../../app/decide/retry-failed.ts";
import { messageView } from "../../app/send/message-view.ts";
import { mailboxKey, parseMailbox } from "../../message/address.ts";
import { CATEGORIES } from "../../message/result/category.ts";
import { RESULTS, type Result } from "../../message/result/outcome.ts";
import { REASONS } from "../../message/result/reasons.ts";
import { RESOLUTIONS } from "../../spool/port/operations.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import { Problem } from "../response/problems.ts";
import { flag, object, oneOf, someOf, text, time } from "../response/schema.ts";
import { invalidBody } from "./body.ts";
import { found } from "./found.ts";
import type { ManageRequest, Operation } from "./operation.ts";

const SHARED = { permission: "manage", tag: "actions" } as const;

/** Throws the 404 problem. */
async function messageOf({ parts: { store }, account, params }: ManageRequest): Promise<MessageReport> {
  return found(await store.report(params.id ?? "", account.id), "message");
}

/** The address of the recipient that the request names, as it was sent; undefined for all. Throws the 404 problem. */
function recipientOf({ body }: ManageRequest, { recipients }: MessageReport): string | undefined {
  if (body.recipient === undefined) return undefined;
  const wanted = keyOf(body.recipient);
  const named = recipients.find(({ email }) => wanted !== null && keyOf(email) === wanted);
  return found(named, "recipient of the message").email;
}

function keyOf(email: string): string | null {
  const mailbox = parseMailbox(email);
  return mailbox.type === "valid" ? mailboxKey(mailbox.local, mailbox.domain) : null;
}

const view = async (request: ManageRequest): Promise<unknown> => messageView(await messageOf(request));

const decision = ({ account, by, nowMs }: ManageRequest) => ({ accountId: account.id, by, nowMs });

async function cancel(request: ManageRequest): Promise<unknown> {
  const message = await messageOf(request);
  const recipients = recipientsWith(message, "pending", recipientOf(request, message));
  const done = await cancelRecipients(request.parts.store, { ...decision(request), recipients });
  if (done.cancelled + done.unknown > 0) return view(request);
  const isAtDot = done.atDot > 0;
  const why = isAtDot ? "It waits for the server's reply to the final dot." : "Nothing of it is pending.";
  throw new Problem("not_cancellable", `The message cannot be cancelled. ${why}`);
}

async function resolve(request: ManageRequest): Promise<unknown> {
  const message = await messageOf(request);
  const recipients = recipientsWith(message, "unknown", recipientOf(request, message));
  const { as } = request.body;
  const { resolved } = await resolveRecipients(request.parts.store, { ...decision(request), recipients, as });
  if (resolved > 0) return view(request);
  throw new Problem("not_possible", "Nothing can be marked: no recipient of the message is unknown.");
}

/** The results of the recipients that are sent again unless the request names others. A second attempt at an unknown recipient may deliver the message twice. */
const RETRIED: readonly Result[] = ["pending", "failed"];

async function retry(request: ManageRequest): Promise<unknown> {
  const { parts, account, by, nowMs } = request;
  const message = await messageOf(request);
  const email = recipientOf(request, message);
  const results: readonly string[] = request.body.results ?? RETRIED;
  let retried = 0;
  for (const result of ["pending", "unknown"] as const) {
    if (!results.includes(result)) continue;
    for (const { messageId, positions } of recipientsWith(message, result, email))
      retried += await parts.store.retry({ accountId: account.id, messageId, positions, result, by, nowMs });
  }
  if (results.includes("failed")) {
    const filter = { accountId: account.id, messageId: message.id, ...(email === undefined ? {} : { email }) };
    const { maxAgeMs } = parts.sending;
    retried += (await retryFailed(parts.store, { filter, by, nowMs, maxAgeMs, dryRun: false })).count;
  }
  if (retried > 0) return view(request);
  throw new Problem("not_possible", `The message has no recipient to send to again that is ${results.join(" or ")}.`);
}

async function discard({ parts: { store }, params, by, nowMs }: ManageRequest): Promise<unknown> {
  const discarded = await discardMessage(store, { message: quarantinedName(params.id ?? ""), by, nowMs });
  if (discarded.type === "unknown") throw new Problem("not_found", "No such message.");
  if (discarded.type === "not_quarantined")
    throw new Problem("not_possible", "The message is not quarantined. Cancel it.");
  const { messageId, failed } = discarded.message;
  return { id: messageId, failed };
}

/** How long one request acts. Repeating the same request covers the rest. */
const ACT_MS = 20_000;

async function actOnAll(request: ManageRequest): Promise<unknown> {
  const { parts, account, by, body } = request;
  const { store, clock, sending } = parts;
  const action = actionOf(body);
  const bulk = { action, filter: filterOf(account.id, body.filter ?? {}) };
  const monotonicMs = () => clock.monotonicMs();
  const scope = await countBulk(store.reports, bulk, { nowMs: request.nowMs, monotonicMs });
  const counted = { action: body.action, recipients: scope.recipients, messages: scope.messages };
  if (body.dry_run === true)
    return { ...counted, dry_run: true, done: 0, unchanged: 0, complete: scope.sinceMs === null };
  const endMs = monotonicMs() + ACT_MS;
  const totals = { ...NO_TOTALS };
  let next: string | null = "";
  while (next !== null && monotonicMs() < endMs) {
    const step = { ...bulk, scope, after: next, by, nowMs: clock.now(), maxAgeMs: sending.maxAgeMs };
    const ran: Awaited<ReturnType<typeof runBulkStep>> = await runBulkStep(
      { spool: store, reports: store.reports, monotonicMs },
      step,
    );
    add(totals, ran.totals);
    next = ran.next;
  }
  const complete = next === null && scope.sinceMs === null;
  const unchanged = totals.seen - totals.done + (next === null ? changedSince(scope.recipients, totals) : 0);
  return { ...counted, dry_run: false, done: totals.done, unchanged: Math.max(0, unchanged), complete };
}

interface ActionBody {
  action: "cancel" | "retry" | "resolve";
  result?: "pending" | "failed" | "unknown";
  as?: (typeof RESOLUTIONS)[number];
}

const RETRIES = { pending: "try-now", failed: "send-failed-again", unknown: "send-unknown-again" } as const;

/** Throws the 400 problem. */
function actionOf({ action, result, as }: ActionBody): BulkAction {
  if (action === "resolve" && as === undefined)
    throw invalidBody([{ field: "as", detail: "This field is required with the action resolve." }]);
  const wanted: BulkAction =
    action === "cancel"
      ? "cancel"
      : action === "retry"
        ? RETRIES[result ?? "pending"]
        : as === "delivered"
          ? "mark-delivered"
          : "mark-failed";
  if (result !== undefined && ACTED_RESULTS[wanted] !== result) {
    const detail = `The action ${action} is about recipients that are ${ACTED_RESULTS[wanted]}.`;
    throw invalidBody([{ field: "result", detail }]);
  }
  return wanted;
}

interface FilterBody {
  recipient?: string;
  from?: string;
  tag?: string;
  subject?: string;
  key?: string;
  reason?: string;
  category?: BulkFilter["category"];
  since?: string;
  until?: string;
  test?: boolean;
}

function filterOf(accountId: string, body: FilterBody): BulkFilter {
  const { recipient, from, tag, subject, key: keyId, reason, category, since, until, test } = body;
  return {
    accountId,
    ...(recipient === undefined ? {} : { recipient }),
    ...(from === undefined ? {} : { from }),
    ...(tag === undefined ? {} : { tag }),
    ...(subject === undefined ? {} : { subject }),
    ...(keyId === undefined ? {} : { keyId }),
    ...(reason === undefined ? {} : { reason }),
    ...(category === undefined ? {} : { category }),
    ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
    ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
    test: test ?? false,
  };
}

const RECIPIENT = { ...text("The address of one recipient; all of the message if absent."), maxLength: 320 };
const AS = oneOf(RESOLUTIONS, "What the recipients are from now on.");
const TEXT = (description: string) => ({ ...text(description), minLength: 1, maxLength: 500 });

const FILTER = object(
  {},
  { description: "What selects the recipients; all of the account if absent.", additionalProperties: false },
  {
    recipient: TEXT("An address, or `@example.com` for a whole domain."),
    from: TEXT("The sender's whole address."),
    tag: TEXT("A tag of the message."),
    subject: TEXT("Any part of the subject."),
    key: TEXT("The id of the API key that sent the message."),
    reason: oneOf(REASONS, "Why the recipient has its result."),
    category: oneOf(CATEGORIES, "The category."),
    since: time("Messages accepted then or later."),
    until: time("Messages accepted before."),
    test: flag("Whether test messages, instead of all others."),
  },
);

const MESSAGE = { schema: "Message" };
const ONE = ["not_found", "not_possible"] as const;

export const MESSAGE_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    id: "cancelRecipients",
    method: "POST",
    path: "/messages/{id}/cancel",
    summary: "Cancel the delivery to a message's pending recipients, or to one of them",
    body: object({}, {}, { recipient: RECIPIENT }),
    isBodyOptional: true,
    bodyExample: { recipient: "you@your-provider.example" },
    status: 200,
    response: MESSAGE,
    problems: ["not_found", "not_cancellable"],
    run: cancel,
  },
  {
    ...SHARED,
    id: "retryRecipients",
    method: "POST",
    path: "/messages/{id}/retry",
    summary: "Try a message's recipients now, or one of them",
    description:
      "Pending and failed ones, unless `results` says so. An unknown recipient may get the message twice, so it is sent again only if `results` has `unknown`.",
    body: object(
      {},
      {},
      {
        recipient: RECIPIENT,
        results: someOf(Object.keys(RETRIES), "Which recipients are tried."),
      },
    ),
    isBodyOptional: true,
    bodyExample: { results: ["failed"] },
    status: 200,
    response: MESSAGE,
    problems: ONE,
    run: retry,
  },
  {
    ...SHARED,
    id: "resolveRecipients",
    method: "POST",
    path: "/messages/{id}/resolve",
    summary: "Decide what a message's unknown recipients are, or one of them",
    body: object({ as: AS }, {}, { recipient: RECIPIENT }),
    bodyExample: { as: "delivered" },
    status: 200,
    response: MESSAGE,
    problems: ONE,
    run: resolve,
  },
  {
    ...SHARED,
    id: "discardMessage",
    permission: "operate",
    method: "POST",
    path: "/messages/{id}/discard",
    summary: "Discard a quarantined message: its recipients without a final result fail",
    status: 200,
    response: { schema: "DiscardedMessage", example: { id: "msg_-P6wKPyqgKf3C6ekSH_skV7I", failed: 1 } },
    problems: ONE,
    run: discard,
  },
  {
    ...SHARED,
    id: "actOnMessages",
    method: "POST",
    path: "/messages/actions",
    summary: "Cancel, send again or mark all recipients that a filter selects",
    description:
      "At most 25,000 recipients, the newest first, and for at most 20 seconds: while `complete` is false, the same request covers the rest. With `dry_run`, nothing changes.",
    body: object(
      { action: oneOf(["cancel", "retry", "resolve"], "The action to perform on each selected recipient.") },
      {},
      {
        filter: FILTER,
        result: oneOf(
          RESULTS.filter((result) => result !== "delivered"),
          "Of `retry`: which recipients. `pending` if absent. Unknown ones may get the message twice.",
        ),
        as: { ...AS, description: "Of `resolve`: what the recipients are from now on." },
        dry_run: flag("Whether the recipients are only counted."),
      },
    ),
    bodyExample: { action: "cancel", filter: { tag: "newsletter" }, dry_run: true },
    status: 200,
    response: {
      schema: "ActionOnMessages",
      example: {
        action: "cancel",
        recipients: 412,
        messages: 400,
        dry_run: true,
        done: 0,
        unchanged: 0,
        complete: true,
      },
    },
    run: actOnAll,
  },
];
