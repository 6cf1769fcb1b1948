/**
 * GET /api/sending/messages/{id}: the results of a message that the key may read (app/send/key-access.ts). An unknown id, a malformed
 * one and one that it may not read get the same response, so ids cannot be probed.
 */
import type { Context } from "koa";
import { readsMessage } from "../app/send/key-access.ts";
import { messageView } from "../app/send/message-view.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { MessageDamaged } from "../spool/port/errors.ts";
import type { MessageReport } from "../spool/port/results.ts";
import type { Spool } from "../spool/port/spool.ts";
import { type LongPolls, WAIT_PARAMETER } from "./long-poll.ts";
import { type QuerySchema, queryReader } from "./request/query.ts";
import { Problem } from "./response/problems.ts";

export const LOOKUP_QUERY = { wait: WAIT_PARAMETER } as const satisfies QuerySchema;

const readQuery = queryReader(LOOKUP_QUERY);

export interface LookupParts {
  spool: Spool;
  polls: LongPolls;
}

/** Creates the endpoint. It is called with the key of the request. */
export function createLookup({ spool, polls }: LookupParts): (ctx: Context, key: ApiKey, id: string) => Promise<void> {
  return async (ctx, key, id) => {
    const { wait: waitS = 0 } = readQuery(ctx);
    let report = await ownReport(spool, id, key);
    if (waitS > 0 && isPending(report)) {
      await polls.hold(ctx, {
        accountId: key.accountId,
        waitS,
        watch: (changed) => spool.watch(id, changed),
        look: async () => ((await isSettled(spool, id, key)) ? "found" : "nothing"),
        pauseMs: () => 0,
      });
      report = await ownReport(spool, id, key);
    }
    ctx.body = messageView(report);
  };
}

/** Throws the 404 problem for a message that the key may not read. */
export async function ownReport(spool: Pick<Spool, "report">, id: string, key: ApiKey): Promise<MessageReport> {
  const report = await spool.report(id, key.accountId).catch((error: unknown) => {
    if (!(error instanceof MessageDamaged)) throw error;
    throw new Problem(
      "internal_error",
      `The stored message ${id} is damaged and cannot be read. The operator of this service sees it in "postrider doctor".`,
    );
  });
  if (report === null || !readsMessage(key, report)) throw new Problem("not_found", "No such message for this key.");
  return report;
}

const isPending = (report: MessageReport): boolean => report.recipients.some((r) => r.result === "pending");

async function isSettled(spool: Spool, id: string, { accountId }: ApiKey): Promise<boolean> {
  const report = await spool.report(id, accountId);
  return report === null || !isPending(report);
}
