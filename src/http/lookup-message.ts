/**
 * GET /api/sending/messages/{id}: the results of a message, for the key that sent it and no other. An unknown id, a malformed
 * one and another key's get the same response, so ids cannot be probed.
 */
import { setMaxListeners } from "node:events";
import type { Context } from "koa";
import { messageView } from "../app/message-view.ts";
import type { Clock } from "../lib/clock.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { MessageDamaged } from "../spool/port/errors.ts";
import type { MessageReport } from "../spool/port/results.ts";
import type { Spool } from "../spool/port/spool.ts";
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
  longPollsEnd: AbortSignal;
}

/** Creates the endpoint. It is called with the key of the request. */
export function createLookup(parts: LookupParts): (ctx: Context, key: ApiKey, id: string) => Promise<void> {
  const { spool } = parts;
  const waits = new ConcurrencyLimiter(WAITS);
  // The limiter bounds the number of waiting lookups.
  setMaxListeners(0, parts.longPollsEnd);
  return async (ctx, key, id) => {
    const { wait: waitS = 0 } = readQuery(ctx);
    let report = await owned(spool, id, key);
    if (waitS > 0 && isPending(report)) {
      await waits.run(ctx, key.accountId, () => untilSettled(ctx, { ...parts, id, waitS }));
      report = await owned(spool, id, key);
    }
    ctx.body = messageView(report);
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
function untilSettled(ctx: Context, { spool, clock, longPollsEnd, id, waitS }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      unwatch();
      cancel();
      ctx.req.socket.off("close", done);
      longPollsEnd.removeEventListener("abort", done);
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
    longPollsEnd.addEventListener("abort", done);
    if (longPollsEnd.aborted) done();
    // The last recipient may have been settled between the first reading and the watch.
    look();
  });
}
