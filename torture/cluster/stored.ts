/** What the database holds of all messages, read from the tables directly, to be independent of the code under test. */
import type { HistoryEntry } from "../../simulate/invariants.ts";
import type { Cluster } from "./cluster.ts";

interface StoredMessage {
  seq: string;
  id: string;
  accountId: string;
  subject: string;
  /** The value of the Message-ID header field. */
  messageId: string;
}

export interface StoredRecipient {
  seq: string;
  position: number;
  email: string;
  domain: string;
  state: "pending" | "marked" | "unknown" | "delivered" | "failed" | null;
  reason: string | null;
  /** Of the work that waits or is in an attempt. */
  work: string | null;
  message: StoredMessage;
  /** Its own events, in their order. */
  events: StoredEvent[];
}

export interface StoredEvent {
  seq: string;
  accountId: string;
  id: string;
  /** Null for an entry that belongs to the recipient's history alone. */
  type: string | null;
  position: number | null;
  result: string | null;
  reason: string | null;
  attempts: number | null;
  history: HistoryEntry | null;
}

export interface Stored {
  messages: StoredMessage[];
  recipients: StoredRecipient[];
  /** Of messages, in the order of their numbers. */
  events: StoredEvent[];
}

const MESSAGES =
  'SELECT seq, id, account_id AS "accountId", subject, message_id AS "messageId" FROM messages ORDER BY seq';

const RECIPIENTS = `
  SELECT r.seq, r.position, r.email, r.domain, newest.reason, to_json(w)::text AS work,
         CASE WHEN w.mark IS NOT NULL THEN 'marked' WHEN w.seq IS NOT NULL THEN 'pending'
              WHEN u.seq IS NOT NULL THEN 'unknown' ELSE newest.result END AS state
    FROM recipients r LEFT JOIN work w USING (seq, position) LEFT JOIN unknown_recipients u USING (seq, position)
    LEFT JOIN LATERAL (SELECT result, reason FROM events e WHERE e.seq = r.seq AND e.position = r.position
                         ORDER BY number DESC LIMIT 1) AS newest ON true
   ORDER BY r.seq, r.position`;

const EVENTS = `
  SELECT seq, account_id AS "accountId", id, type, position, result, reason, attempts, history
    FROM events WHERE domain IS NULL ORDER BY number`;

export async function readStored(cluster: Cluster): Promise<Stored> {
  const messages = await cluster.query<StoredMessage>(MESSAGES);
  const bySeq = new Map(messages.map((message) => [message.seq, message]));
  const rows = await cluster.query<Omit<StoredEvent, "history"> & { history: string | null }>(EVENTS);
  const events = rows.map((row) => ({ ...row, history: row.history === null ? null : JSON.parse(row.history) }));
  const byRecipient = new Map<string, StoredEvent[]>();
  for (const event of events) {
    const key = `${event.seq} ${event.position}`;
    const known = byRecipient.get(key);
    if (known === undefined) byRecipient.set(key, [event]);
    else known.push(event);
  }
  const recipients = await cluster.query<Omit<StoredRecipient, "message" | "events">>(RECIPIENTS);
  return {
    messages,
    events,
    recipients: recipients.map((recipient) => {
      const { seq, position } = recipient;
      const message = bySeq.get(seq);
      if (message === undefined) throw new Error(`the recipients of message ${seq} have no message`);
      return { ...recipient, message, events: byRecipient.get(`${seq} ${position}`) ?? [] };
    }),
  };
}
