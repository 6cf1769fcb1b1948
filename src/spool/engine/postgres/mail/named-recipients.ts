/** Recipients that a caller names by message and position: finds them, and locks their messages. */
import type { RecipientsRef } from "../../../port/mail.ts";
import type { RecipientKey } from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";

const findSeqs = statement<{ place: number; seq: number }>(
  `SELECT k.place, m.seq FROM unnest($1::text[]) WITH ORDINALITY AS k (id, place),
     LATERAL (SELECT seq FROM messages WHERE id = k.id AND account_id = $2 LIMIT 1) m`,
);

/*
 * Each node that retries or decides about recipients of a message, and each that deletes a message or its content, holds this lock
 * meanwhile. A subquery for each row is a probe of one partition; the planner prefers to read all partitions for a join.
 */
export const lockMessages = statement(
  `SELECT m.seq FROM (SELECT DISTINCT seq FROM unnest($1::bigint[]) AS k (seq) ORDER BY seq) k,
     LATERAL (SELECT seq FROM messages WHERE seq = k.seq FOR NO KEY UPDATE) m`,
);

/** The recipients of the account's messages, each once, in the order of their numbers. */
export async function namedRecipients(
  session: Session,
  { accountId, recipients }: { accountId: string; recipients: readonly RecipientsRef[] },
): Promise<RecipientKey[]> {
  const ids = recipients.map(({ messageId }) => storedText(messageId));
  const { rows } = await session.run(findSeqs, [ids, accountId]);
  const positions = new Map<number, Set<number>>();
  for (const { place, seq } of rows) {
    const known = positions.get(seq) ?? new Set();
    for (const position of recipients[place - 1]?.positions ?? []) known.add(position);
    positions.set(seq, known);
  }
  const keys = [...positions].flatMap(([seq, own]) => [...own].map((position) => ({ seq, position })));
  return keys.sort((a, b) => a.seq - b.seq || a.position - b.position);
}
