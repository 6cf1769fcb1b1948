/**
 * GET /api/sending/messages/{id}: the results of a message, for the key that sent it and no other. An unknown id, a malformed
 * one and another key's get the same response, so ids cannot be probed.
 */
import { setMaxListeners } from "node:events";
import type { Context } from "koa";
import { type Clock, rfc3339 } from "../lib/clock.ts";
import { explain } from "../message/explanation.ts";
import { sentenceFor } from "../message/reasons.ts";
import type { ApiKey } from "../spool/port/accounts.ts";
import {
  MessageDamaged,
  type MessageReport,
  type RecipientReport,
  type Spool,
  type SpoolEvent,
} from "../spool/port/mail.ts";
import { ConcurrencyLimiter, WAITS } from "./overload/concurrency-limiter.ts";
import { type QuerySchema, queryReader } from "./query.ts";
import { Problem } from "./response/problems.ts";

const WAIT_MAX_S = 60;

export const LOOKUP_QUERY = {
  wait: {
    type: "integer",
    minimum: 0,
    maximum: WAIT_MAX_S,
    default: 0,
    description: `a whole number of seconds from 0 to ${WAIT_MAX_S}`,
  },
} as const satisfies QuerySchema;

const readQuery = queryReader(LOOKUP_QUERY);

export interface LookupParts {
  spool: Spool;
  clock: Clock;
  /** Aborts shortly before the service stops; held lookups then respond with the results so far. */
  waitsEnd: AbortSignal;
}

/** Creates the endpoint. It is called with the key of the request. */
export function createLookup(parts: LookupParts): (ctx: Context, key: ApiKey, id: string) => Promise<void> {
  const { spool } = parts;
  const waits = new ConcurrencyLimiter(WAITS);
  // The limiter bounds the number of waiting lookups.
  setMaxListeners(0, parts.waitsEnd);
  return async (ctx, key, id) => {
    const { wait: waitS = 0 } = readQuery(ctx);
    let report = await owned(spool, id, key);
    if (waitS > 0 && isPending(report)) {
      await waits.run(ctx, key.accountId, () => untilSettled(ctx, { ...parts, id, waitS }));
      report = await owned(spool, id, key);
    }
    ctx.body = lookupBody(report);
  };
}

async function owned(spool: Spool, id: string, key: ApiKey): Promise<MessageReport> {
  const report = await spool.report(id).catch((error: unknown) => {
    if (!(error instanceof MessageDamaged)) throw error;
    throw new Problem(
      "internal_error",
      `The stored message ${id} is damaged and cannot be read. The operator of this service sees it in "postrider doctor".`,
    );
  });
  if (report === null || report.keyId !== key.id) throw new Problem("not_found", "No such message for this key.");
  return report;
}

const isPending = (report: MessageReport): boolean => report.recipients.some((r) => r.result === "pending");

interface Wait extends LookupParts {
  id: string;
  waitS: number;
}

/** Resolves when no recipient is pending, the time is over, the service stops or the client disconnects. */
function untilSettled(ctx: Context, { spool, clock, waitsEnd, id, waitS }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      unwatch();
      cancel();
      ctx.req.socket.off("close", done);
      waitsEnd.removeEventListener("abort", done);
      resolve();
    };
    const look = (): void => {
      spool.report(id).then(
        (report) => {
          if (report === null || !isPending(report)) done();
        },
        (error) => {
          reject(error);
          done();
        },
      );
    };
    const unwatch = spool.watch(id, look);
    const cancel = clock.after(waitS * 1000, done);
    setMaxListeners(0, ctx.req.socket);
    ctx.req.socket.once("close", done);
    waitsEnd.addEventListener("abort", done);
    if (waitsEnd.aborted) done();
    // The last recipient may have been settled between the first reading and the watch.
    look();
  });
}

/** A message with its results, as the lookup and the command line show it. */
export function lookupBody(report: MessageReport) {
  return {
    id: report.id,
    state: "accepted",
    created_at: rfc3339(report.createdAtMs),
    updated_at: rfc3339(report.updatedAtMs),
    from: report.from,
    subject: report.subject,
    message_id: report.messageId,
    tags: report.tags,
    metadata: report.metadata,
    expires_at: rfc3339(report.expiresAtMs),
    recipients: report.recipients.map(recipientBody),
  };
}

function recipientBody(recipient: RecipientReport) {
  return {
    email: recipient.email,
    field: recipient.field,
    result: recipient.result,
    reason: recipient.reason,
    category: recipient.category,
    attempts: recipient.attempts,
    next_attempt_at: recipient.nextAttemptAtMs === null ? null : rfc3339(recipient.nextAttemptAtMs),
    updated_at: rfc3339(recipient.updatedAtMs),
    smtp: recipient.smtp,
    events: recipient.events.map(eventBody),
    ...(recipient.eventsOmitted === undefined ? {} : { events_omitted: recipient.eventsOmitted }),
  };
}

function eventBody(event: SpoolEvent) {
  const at = rfc3339(event.at_ms);
  if (event.type === "accepted") return { at, type: event.type };
  if (event.type === "suppressed") {
    const refusals = event.refusals.map(({ at_ms, ...said }) => ({ at: rfc3339(at_ms), ...said }));
    const lasts = { since: rfc3339(event.since_ms), until: rfc3339(event.until_ms) };
    return { at, type: event.type, detail: sentenceFor("suppressed"), ...lasts, refusals };
  }
  const { type, attempt, reason, category = null, tries, next_attempt_at_ms } = event;
  const detail = reason === null ? null : explain(reason, category);
  const next = next_attempt_at_ms === null ? null : rfc3339(next_attempt_at_ms);
  return { at, type, attempt, reason, category, detail, tries, next_attempt_at: next };
}
