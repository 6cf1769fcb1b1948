/**
 * The state of recipients as of their newest event. Whether one waits or is unknown is in other tables (see schema.ts); this is
 * what is known about it beside that.
 */
import type { Category } from "../../../../message/result/category.ts";
import type { Result } from "../../../../message/result/outcome.ts";
import { isReply, soundJson } from "../../../records/stored-json.ts";
import type { RecipientKey } from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import type { EventState } from "../mail/event-writer.ts";

/** The newest event of a recipient. */
export interface NewestState extends RecipientKey, EventState {
  atMs: number;
}

interface StateRow extends RecipientKey {
  atMs: number;
  result: Result;
  reason: string | null;
  category: Category | null;
  attempts: number;
  smtp: string | null;
}

// Each message's events are read once, however many of its recipients are asked for.
const findNewest = statement<StateRow>(
  `SELECT e.* FROM (
     SELECT seq, array_agg(position) AS positions FROM unnest($1::bigint[], $2::int[]) AS k (seq, position) GROUP BY seq
   ) m, LATERAL (
     SELECT DISTINCT ON (position) seq, position, at_ms AS "atMs", result, reason, category, attempts, smtp FROM events
       WHERE seq = m.seq AND position = ANY (m.positions) ORDER BY position, number DESC
   ) e`,
);

/** The states of recipients, by `recipientName`. One without an event has had no attempt. */
export async function newestStates(
  session: Session,
  recipients: readonly RecipientKey[],
): Promise<Map<string, NewestState>> {
  if (recipients.length === 0) return new Map();
  const { rows } = await session.run(findNewest, keyColumns(recipients));
  return new Map(
    rows.map((row) => [recipientName(row), { ...row, smtp: row.smtp === null ? null : soundJson(row.smtp, isReply) }]),
  );
}

export const recipientName = ({ seq, position }: RecipientKey): string => `${seq} ${position}`;

/** The parameters `unnest($1::bigint[], $2::int[])`. */
export const keyColumns = (recipients: readonly RecipientKey[]): [number[], number[]] => [
  recipients.map(({ seq }) => seq),
  recipients.map(({ position }) => position),
];
