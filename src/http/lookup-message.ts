/**
 * GET /api/sending/messages/{id}: the results of a message, for the key that sent it and no other. An unknown id, a
 * malformed one and another key's get the same answer, so that ids cannot be probed.
 */
import { setMaxListeners } from "node:events";
import type { Context } from "koa";
import { messageView } from "../app/message-view.ts";
import type { Clock } from "../lib/clock.ts";
import type { ApiKey } from "../spool/port/accounts.ts";
import { MessageDamaged, type MessageReport, type Spool } from "../spool/port/mail.ts";
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
  /** Aborts shortly before the service ends: held lookups are answered with the results as they are. */
  longPollsEnd: AbortSignal;
}

/** The endpoint, for a request whose key is known already. */
export function createLookup(parts: LookupParts): (ctx: Context, key: ApiKey, id: string) => Promise<void> {
  const { spool } = parts;
  const waits = new ConcurrencyLimiter(WAITS);
  // How many wait is bounded there.
  setMaxListeners(0, parts.longPollsEnd);
  return async (ctx, key, id) => {
    const { wait: waitS = 0 } = readQuery(ctx);
    let report = await owned(spool, id, key);
    if (waitS > 0 && isPending(report)) {
      await waits.run(ctx, key.accountId, () => settled(ctx, { ...parts, id, waitS }));
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
      `What is stored of the message ${id} is damaged and cannot be read. "postrider doctor" shows it to the operator of this service.`,
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

/** Resolves when no recipient is pending, when the time is over, the service ends, or the client has gone. */
function settled(ctx: Context, { spool, clock, longPollsEnd: waitsEnd, id, waitS }: Wait): Promise<void> {
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
    // The last settlement may have come between the first look and the watch.
    look();
  });
}
