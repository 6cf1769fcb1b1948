/** Many messages in the tables of a spool on PostgreSQL that wait for an attempt, stored at once. */
import type { Client } from "pg";

export interface DueRows {
  accountId?: string;
  /** Each message is for all of these. */
  domains: readonly string[];
  messages?: number;
  /** Recipients of a message at each of its domains. */
  recipients?: number;
  dueMs: number;
  /** The node that leases them; none if absent. */
  owner?: number;
}

const ADD = `
  WITH added AS (
    INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, sender, subject, message_id,
        size_bytes)
      SELECT seq, 'msg_' || seq, $1, 'key_a', 'dom_a', $5::bigint, $5::bigint + 86400000, 'news@shop.example', 'Hello',
             '<m@shop.example>', 100
        FROM (SELECT coalesce(max(seq), 0) AS last FROM messages) AS stored, generate_series(last + 1, last + $3::int) AS seq
      RETURNING seq
  ), placed AS (
    SELECT seq, (row_number() OVER (PARTITION BY seq ORDER BY domain, r))::int - 1 AS position, domain
      FROM added, unnest($2::text[]) AS domain, generate_series(1, $4::int) AS r
  ), recipients_added AS (
    INSERT INTO recipients (seq, position, account_id, email, domain)
      SELECT seq, position, $1, 'user' || position || '@' || domain, domain FROM placed
  )
  INSERT INTO work (seq, position, account_id, domain, due_ms, attempts, owner, epoch)
    SELECT seq, position, $1, domain, $5::bigint, 0, $6::bigint, $6::bigint FROM placed`;

/** Stores the messages; their numbers follow on those that are stored already. */
export async function addDueRows(client: Client, rows: DueRows): Promise<void> {
  const { accountId = "acc_default", domains, messages = 1, recipients = 1, dueMs, owner } = rows;
  await client.query(ADD, [accountId, domains, messages, recipients, dueMs, owner ?? null]);
}
