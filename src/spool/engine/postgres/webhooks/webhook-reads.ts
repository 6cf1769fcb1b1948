/**
 * The events that the sender of webhooks reads.
 */
import type { Webhooks } from "../../../port/webhooks.ts";
import { type Session, statement } from "../connection/statement.ts";
import { EVENT_PAGE, type NoPageRow, type PageRow, pageOf, pageValues } from "./event-page.ts";
import { readEvent } from "./event-reads.ts";

type FreshRow = PageRow & { waitingThrough: number | null };

// One snapshot: the waiting events are those at the time of the events read, and none after a replay, which changes the version and deletes them.
const readFresh = statement<FreshRow | (NoPageRow & { waitingThrough: null })>(
  `SELECT page.*, (SELECT last_number FROM endpoint_retries WHERE endpoint_id = endpoints.id AND seq = page."orderKey")
            AS "waitingThrough"
     FROM endpoints LEFT JOIN (${EVENT_PAGE}) AS page ON true
     WHERE endpoints.id = $8 AND endpoints.version = $9
     ORDER BY page.number`,
);

export function webhookReads(database: Session): Pick<Webhooks, "event" | "freshEvents"> {
  return {
    async freshEvents({ id, version, accountId, ...endpoint }, afterNumber, limit) {
      const query = { accountId, afterNumber, filter: endpoint, withDomains: true, limit };
      const { rows } = await database.run(readFresh, [...pageValues(query), id, version]);
      if (rows.length === 0) return { events: [], throughNumber: afterNumber, isEnd: true };
      return pageOf(rows, afterNumber, (event, { waitingThrough }: FreshRow) => {
        return { event, isBlocked: waitingThrough !== null, isCovered: event.number <= (waitingThrough ?? 0) };
      });
    },

    event: (accountId, eventNumber) => readEvent(database, { accountId, number: eventNumber }),
  };
}
