/** Which event has the result of a recipient. */

/** The condition that an event has given its recipient a result. Those of what comes back later repeat it. */
export const GIVES_RESULT =
  "coalesce(type, '') NOT IN ('recipient.bounced', 'recipient.complained', 'recipient.unsubscribed')";

/** On SQLite: joins the newest event `e` that gave the recipient `r` a result, or left it pending. */
export const NEWEST_EVENT = `LEFT JOIN events e ON e.number = (
      SELECT n.number FROM events n INDEXED BY events_message
        WHERE n.seq = r.seq AND n.position = r.position AND ${GIVES_RESULT} ORDER BY n.number DESC LIMIT 1)`;
