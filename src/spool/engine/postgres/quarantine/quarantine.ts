/**
 * The quarantine: messages of which something stored cannot be read. A message with a row here is in no claim, whatever its
 * recipients' state, until it is released. PostgreSQL verifies its pages, so what is found damaged is a content that does not
 * match its checksum, or a page that the server cannot read. quarantine-rechecks.ts releases messages that can be read again.
 */
import type { QuarantinedMessage, QuarantineReport } from "../../../port/quarantine.ts";
import { IN_QUARANTINE } from "../../../records/quarantined.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";

/** A message that could not be read. */
export interface DamagedMessage {
  seq: number;
  part: QuarantinedMessage["part"];
  error: Error;
}

const adding = (name: string) =>
  statement(
    `INSERT INTO quarantined (seq, message_id, account_id, found_at_ms, part, error)
       SELECT d.seq, m.id, m.account_id, $4, d.part, d.error
         FROM unnest($1::bigint[], $2::text[], $3::text[]) AS d (seq, part, error) LEFT JOIN LATERAL (${name}) m ON true
         ORDER BY d.seq
       ON CONFLICT (seq) DO NOTHING`,
  );

const add = adding("SELECT id, account_id FROM messages WHERE seq = d.seq LIMIT 1");
const addUnnamed = adding("SELECT NULL AS id, NULL AS account_id");

const remove = statement("DELETE FROM quarantined WHERE seq = ANY ($1::bigint[])");

const isIn = statement("SELECT 1 FROM quarantined WHERE seq = $1");

const list = statement<QuarantinedMessage>(
  `SELECT seq, message_id AS "messageId", account_id AS "accountId", found_at_ms AS "foundAtMs", part, error
     FROM quarantined WHERE ${IN_QUARANTINE} ORDER BY found_at_ms DESC, seq DESC LIMIT $1`,
);

const countAll = statement<{ count: number }>(`SELECT count(*) AS count FROM quarantined WHERE ${IN_QUARANTINE}`);

/** Excludes messages from claims, without their names if those cannot be read. The caller ends their leases. */
export async function addToQuarantine(
  database: Database,
  found: readonly DamagedMessage[],
  nowMs: number,
): Promise<void> {
  const errors = found.map(({ error }) => storedText(error.message));
  const values = [found.map(({ seq }) => seq), found.map(({ part }) => part), errors, nowMs];
  try {
    await database.run(add, values);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    await database.run(addUnnamed, values);
  }
}

/** Lets claims return these messages again. Those that are not in quarantine stay as they are. */
export async function releaseQuarantined(session: Session, seqs: readonly number[]): Promise<void> {
  await session.run(remove, [seqs]);
}

export async function isQuarantined(session: Session, seq: number): Promise<boolean> {
  return (await session.run(isIn, [seq])).count > 0;
}

/** The newest messages in quarantine. There are no other damaged places: the server reports those in its log. */
export async function quarantineReport(session: Session, limit: number): Promise<QuarantineReport> {
  const [counted] = (await session.run(countAll)).rows;
  const { rows } = await session.run(list, [limit]);
  return { count: counted?.count ?? 0, messages: rows, places: [] };
}
