/**
 * Fills a spool with many messages directly in SQL, to test pages and searches. Messages are spread over the last 29 days,
 * the newest a minute old, so a chart of 30 days contains all of them at any time of day.
 */
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";

const DAY_MS = 86_400_000;

/** Messages that still have their content, the newest. */
const CONTENTS = 500;

const SMTP = {
  delivered: ["250", "2.0.0", "OK queued as 4F2A1"],
  failed: ["550", "5.1.1", "No such user here"],
  pending: ["451", "4.7.1", "Greylisted, try again in five minutes"],
  unknown: null,
} as const;

/** Fills the spool of a data directory that no service holds. Message n has the subject "Order n is on its way". */
export async function fillLargeSpool(dataDir: string, messages: number): Promise<void> {
  const onFatal = (error: Error): void => {
    throw error;
  };
  await (await openSqliteSpool({ dataDir, role: "client", onFatal })).close();
  const db = new Sqlite(join(dataDir, "postrider.db"));
  db.pragma("synchronous = OFF");
  const nowMs = Date.now();
  db.transaction(() => {
    addMessages(db, messages, nowMs);
    addRecipients(db, nowMs);
    addCounts(db);
  })();
  db.close();
}

function addMessages(db: Database, messages: number, nowMs: number): void {
  db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @messages)
     INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, sender,
         subject, message_id, size_bytes)
       SELECT i, printf('msg_%024d', i), 'acc_default', iif(i % 7, 'key_shop', 'key_app'), 'dom_shop', at,
         at + 172800000, 'hello@shop.example', 'Order ' || i || ' is on its way', '<' || i || '@shop.example>', 900
       FROM (SELECT i, CAST(@nowMs - 60000 - (@messages - i) * (29 * ${DAY_MS} - 60000.0) / @messages AS INTEGER) AS at FROM n)`,
  ).run({ messages, nowMs });
  db.prepare(
    `INSERT INTO contents (seq, content) SELECT seq, CAST('Subject: ' || subject || char(13, 10) || 'Content-Type: text/plain; charset=utf-8'
       || char(13, 10, 13, 10) || 'It is on its way.' || char(13, 10) AS BLOB) FROM messages WHERE seq > ?`,
  ).run(messages - CONTENTS);
}

/** 92 % are delivered. Pending recipients were accepted within the last two days. */
function addRecipients(db: Database, nowMs: number): void {
  const reply = (state: keyof typeof SMTP): string => {
    const said = SMTP[state];
    if (said === null) return "NULL";
    const [code, enhanced, message] = said;
    return `json_object('code', ${code}, 'enhanced_code', '${enhanced}', 'message', '${message}', 'mx', 'mx.' || domain,
      'ip', '192.0.2.7', 'tls', 'TLSv1.3')`;
  };
  db.prepare(
    `CREATE TEMP TABLE filled AS
       SELECT seq, 'customer' || seq || '@' || domain AS email, domain, state,
         CASE state WHEN 'failed' THEN 'recipient_refused' WHEN 'pending' THEN 'temporarily_refused'
           WHEN 'unknown' THEN 'no_reply_to_final_dot' END AS reason,
         iif(state = 'pending', @nowMs + 3600000 + seq % 1000 * 1000, NULL) AS due_ms,
         created_at_ms + 400 + (seq * 7919) % 4000 * iif(seq % 50, 1, 40) AS at_ms,
         CASE state WHEN 'delivered' THEN ${reply("delivered")} WHEN 'failed' THEN ${reply("failed")}
           WHEN 'pending' THEN ${reply("pending")} END AS smtp
       FROM (SELECT seq, created_at_ms,
           CASE seq * 31 % 9 WHEN 0 THEN 'example.org' WHEN 1 THEN 'mail.example.net' WHEN 2 THEN 'post.example' ELSE 'big.example' END AS domain,
           CASE WHEN seq % 1000 = 13 THEN 'unknown' WHEN seq % 23 = 5 THEN 'failed'
             WHEN seq % 11 = 3 AND created_at_ms > @nowMs - 2 * ${DAY_MS} THEN 'pending' ELSE 'delivered' END AS state
           FROM messages)`,
  ).run({ nowMs });
  db.exec(
    `INSERT INTO recipients (seq, position, account_id, email, domain) SELECT seq, 0, 'acc_default', email, domain FROM filled;
     INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
       SELECT seq, 0, 'acc_default', domain, due_ms, 1 FROM filled WHERE state = 'pending';
     INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms)
       SELECT seq, 0, 'acc_default', domain, 1, at_ms FROM filled WHERE state = 'unknown';
     INSERT INTO events (number, seq, account_id, id, at_ms, position, result, reason, attempts, smtp, history)
       SELECT seq, seq, 'acc_default', 'evt_' || seq, at_ms, 0, state, reason, 1, smtp, json_object('at_ms', at_ms, 'type', iif(state = 'pending', 'deferred', state),
         'attempt', 1, 'reason', reason, 'next_attempt_at_ms', due_ms, 'tries', json_array(json_object('mx', 'mx.' || domain,
         'ip', '192.0.2.7', 'tls', json_object('protocol', 'TLSv1.3', 'cipher', 'TLS_AES_256_GCM_SHA384', 'verified', json('true')),
         'stage', 'final_dot', 'reply', iif(smtp IS NULL, NULL, json_object('code', smtp ->> 'code', 'enhanced_code', smtp ->> 'enhanced_code',
           'message', smtp ->> 'message')), 'error', iif(smtp IS NULL, 'no reply within 10 minutes', NULL), 'note', NULL, 'policy', 'none')))
       FROM filled;
     DROP TABLE filled`,
  );
}

function addCounts(db: Database): void {
  db.exec(
    `INSERT INTO activity SELECT account_id, at_ms / 60000 * 60000, sum(m), sum(m), sum(d), sum(f), sum(u), sum(p) FROM (
       SELECT account_id, created_at_ms AS at_ms, 1 AS m, 0 AS d, 0 AS f, 0 AS u, 0 AS p FROM messages
       UNION ALL SELECT account_id, at_ms, 0, result = 'delivered', result = 'failed', result = 'unknown', result = 'pending' FROM recipient_states
     ) GROUP BY 1, 2;
     INSERT INTO delivery_times SELECT r.account_id, r.at_ms / 600000 * 600000,
       CAST(4 * log2(r.at_ms - m.created_at_ms) AS INTEGER), count(*)
       FROM recipient_states r JOIN messages m USING (seq) WHERE r.result = 'delivered' GROUP BY 1, 2, 3;`,
  );
}
