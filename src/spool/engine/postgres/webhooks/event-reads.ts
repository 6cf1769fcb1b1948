/**
 * Reads the events of an account: pages for readers that continue after a number, and single events.
 */
import type { Events, OutboxEvent } from "../../../port/events.ts";
import { type Session, statement } from "../connection/statement.ts";
import { EVENT_PAGE, type NoPageRow, type PageRow, pageOf, pageValues } from "./event-page.ts";

// One snapshot: an event that retention deletes is on the page, or the query is expired.
const readPage = statement<(PageRow | NoPageRow) & { pruned: number | null; greatest: number }>(
  `SELECT state.pruned, state.greatest, page.*
     FROM (SELECT (SELECT number FROM events_pruned WHERE account_id = $1) AS pruned,
                  (SELECT last_value FROM event_numbers) AS greatest) AS state
     LEFT JOIN (${EVENT_PAGE}) AS page ON true
     ORDER BY page.number`,
);

export function eventReads(database: Session): Pick<Events, "events"> {
  return {
    async events(query) {
      const { rows } = await database.run(readPage, pageValues(query));
      const { afterNumber } = query;
      const { pruned = null, greatest = 0 } = rows[0] ?? {};
      if (afterNumber !== null && ((pruned ?? 0) > afterNumber || afterNumber > greatest)) return "expired";
      return pageOf(rows, afterNumber ?? 0, (event) => event);
    },
  };
}

const ALL = { types: null, keys: null, domains: null };

/** Returns null if the account has no such event. */
export async function readEvent(
  session: Session,
  { accountId, number }: { accountId: string; number: number },
): Promise<OutboxEvent | null> {
  const query = { accountId, afterNumber: number - 1, filter: ALL, withDomains: true, limit: 1 };
  const { rows } = await session.run(readPage, pageValues(query));
  const [event] = pageOf(rows, 0, (each) => each).events;
  return event?.number === number ? event : null;
}
