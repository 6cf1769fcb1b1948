/**
 * Compares the outbox with the messages, recipients and histories after a run. Each function checks one guarantee. Reads the
 * tables directly, to be independent of the code under test. Messages with a damaged row are left out.
 */
import type { Database } from "better-sqlite3";

/** The events that are shown, with the recipient's state in JSON as `detail`. Further conditions follow. */
export const SHOWN_EVENTS = `
  SELECT e.id, e.number, e.seq, row_number() OVER (PARTITION BY e.seq ORDER BY e.number) AS sequence, e.type,
         iif(e.position IS NULL, NULL,
             json_object('email', r.email, 'result', e.result, 'reason', e.reason, 'category', e.category, 'attempts', e.attempts,
                         'smtp', iif(json_valid(e.smtp), json(e.smtp), NULL))) AS detail,
         EXISTS (SELECT 1 FROM feedback f WHERE f.seq = e.seq AND f.position = e.position
                   AND f.kind = CASE e.type WHEN 'recipient.bounced' THEN 'bounce' WHEN 'recipient.complained' THEN 'complaint' END)
           AS hasFeedback,
         m.id AS messageId
    FROM events e LEFT JOIN messages m ON m.seq = e.seq LEFT JOIN recipients r ON r.seq = e.seq AND r.position = e.position
    WHERE e.type IS NOT NULL`;

export interface StoredEvent {
  id: string;
  messageId: string | null;
  /** 1 if the bounce or complaint that the event reports is stored. */
  hasFeedback: number;
  seq: number;
  number: number;
  sequence: number;
  type: string;
  detail: string | null;
}

/** The part of an event that equals its recipient's row. */
interface RecipientState {
  email: string;
  result: string;
  reason: string | null;
  category: string | null;
  attempts: number;
  smtp: unknown;
}

const TYPES: Record<string, string> = {
  delivered: "recipient.delivered",
  failed: "recipient.failed",
  pending: "recipient.deferred",
  unknown: "recipient.unknown",
};

/** Describes each violated invariant of the outbox in one sentence. `damaged` has the rows of damaged messages. */
export function outboxIsConsistent(db: Database, damaged: ReadonlyMap<number, unknown>): string[] {
  const events = db
    .prepare<[], StoredEvent>(`${SHOWN_EVENTS} AND e.seq <> 0 ORDER BY e.number`)
    .all()
    .filter(({ seq }) => !damaged.has(seq));
  const bySeq = groupBy(events, ({ seq }) => seq);
  const sound = db.prepare<[], number>("SELECT seq FROM messages").pluck().all();
  const messages = new Set(sound.filter((seq) => !damaged.has(seq)));
  return [
    ...[...bySeq.keys()].filter((seq) => !messages.has(seq)).map((seq) => `event of no message: row ${seq}`),
    ...[...messages].flatMap((seq) => messageHasItsEvents(db, seq, bySeq.get(seq) ?? [])),
  ];
}

export function groupBy<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** A message has `message.accepted` first, then one event for each change of a recipient, numbered without a gap. */
function messageHasItsEvents(db: Database, seq: number, events: StoredEvent[]): string[] {
  const broken: string[] = [];
  if (events[0]?.type !== "message.accepted") broken.push(`no message.accepted first: row ${seq}`);
  if (events.some(({ sequence }, i) => sequence !== i + 1))
    broken.push(`sequences of row ${seq} are ${events.map(({ sequence }) => sequence).join()}`);
  const ofRecipients = events.filter(({ detail }) => detail !== null);
  const changes = db.prepare<[number], number>("SELECT count(history) FROM events WHERE seq = ?").pluck().get(seq) ?? 0;
  // A complaint about an unknown recipient has an event of its own, and one of the late result.
  const late = ofRecipients.filter(
    ({ type }, i) => FEEDBACK_TYPES.includes(type) && ofRecipients[i - 1]?.type === "recipient.delivered",
  ).length;
  if (
    ofRecipients.length < changes ||
    ofRecipients.length > changes + late ||
    events.length !== ofRecipients.length + 1
  )
    broken.push(`row ${seq} has ${events.length} events after ${changes} changes of recipients`);
  return [...broken, ...recipientsHaveLastEvents(db, seq, ofRecipients)];
}

/** What comes back is told with the recipient's result, and does not change it. */
const FEEDBACK_TYPES = ["recipient.bounced", "recipient.complained", "recipient.unsubscribed"];

/** The last event of a recipient has what its row has; a recipient without an event was never attempted. */
function recipientsHaveLastEvents(db: Database, seq: number, events: StoredEvent[]): string[] {
  const last = new Map<string, { type: string; state: RecipientState }>();
  for (const { type, detail, hasFeedback } of events) {
    const state = JSON.parse(String(detail)) as RecipientState;
    const isFeedback = FEEDBACK_TYPES.includes(type) && hasFeedback === 1;
    last.set(state.email, { type: isFeedback ? (last.get(state.email)?.type ?? type) : type, state });
  }
  const recipients = db
    .prepare<[number], Omit<RecipientState, "smtp"> & { smtp: string | null }>(
      "SELECT email, result, reason, category, attempts, smtp FROM recipient_states WHERE seq = ?",
    )
    .all(seq);
  return recipients.flatMap(({ smtp, ...row }) => {
    const event = last.get(row.email);
    if (event === undefined)
      return row.result === "pending" && row.attempts === 0 ? [] : [`no event of ${row.email}, which is ${row.result}`];
    const expected = { ...row, smtp: smtp === null ? null : JSON.parse(smtp) };
    const isEqual = event.type === TYPES[row.result] && JSON.stringify(event.state) === JSON.stringify(expected);
    return isEqual ? [] : [`last event of ${row.email} is ${event.type} ${JSON.stringify(event.state)}: row ${seq}`];
  });
}
