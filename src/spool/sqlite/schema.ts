/**
 * The tables, as an ordered list of migrations; PRAGMA user_version counts those applied. A released migration is never
 * edited: a change is a new migration. Statements that use the tables are in the files of their purpose.
 */
import type { Database } from "better-sqlite3";

/*
 * messages.seq is the clustering key: in each table a message's rows are adjacent, and new rows are at the end.
 * contents is separate from messages, so reading results does not load contents into the page cache.
 * recipients.state: 'pending' | 'marked' | 'delivered' | 'failed' | 'unknown'. 'marked' is pending with the final dot about to
 * be sent, or sent: the one state that a restart must not simply retry. See docs/STATES.md.
 * recipients.field: 'cc' | 'bcc', NULL for 'to'. messages.tags is for reading a message, message_tags for searches.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO accounts VALUES ('acc_default', 'default', CAST(unixepoch('subsec') * 1000 AS INTEGER));

  CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    password_hash TEXT NOT NULL,
    operator INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    revoked_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE domains (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    token TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    removed_at_ms INTEGER,
    verified INTEGER NOT NULL,
    checks TEXT NOT NULL,
    next_check_at_ms INTEGER NOT NULL,
    selector TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sealed_private_key BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX domains_bound ON domains (account_id, name) WHERE removed_at_ms IS NULL;
  CREATE INDEX domains_due ON domains (next_check_at_ms) WHERE removed_at_ms IS NULL;

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    domain_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    sender TEXT NOT NULL,
    subject TEXT NOT NULL,
    message_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE contents (
    seq INTEGER PRIMARY KEY REFERENCES messages (seq),
    content BLOB NOT NULL
  ) STRICT;

  CREATE TABLE recipients (
    seq INTEGER NOT NULL REFERENCES messages (seq),
    position INTEGER NOT NULL,
    email TEXT NOT NULL,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at_ms INTEGER,
    updated_at_ms INTEGER NOT NULL,
    smtp TEXT,
    mark TEXT,
    PRIMARY KEY (seq, position),
    CHECK (state IN ('pending', 'marked', 'delivered', 'failed', 'unknown')),
    CHECK ((state = 'pending') = (next_attempt_at_ms IS NOT NULL)),
    CHECK ((state = 'marked') = (mark IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX recipients_waiting ON recipients (account_id, domain, next_attempt_at_ms, seq) WHERE state = 'pending';
  CREATE INDEX recipients_marked ON recipients (seq) WHERE state = 'marked';
  CREATE INDEX recipients_unknown ON recipients (account_id, seq) WHERE state = 'unknown';

  CREATE TABLE events (
    seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (seq, position, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotency (
    account_id TEXT NOT NULL,
    key TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    message_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_age ON idempotency (created_at_ms);

  CREATE TABLE quota (
    account_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE sts_policies (
    domain TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    mode TEXT NOT NULL,
    mx TEXT NOT NULL,
    fetched_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    CHECK (mode IN ('enforce', 'testing', 'none'))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sts_policies_expiry ON sts_policies (expires_at_ms);
  `,
  `
  CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE refused_addresses (
    account_id TEXT NOT NULL,
    address TEXT NOT NULL,
    newest_at_ms INTEGER NOT NULL,
    refusals TEXT NOT NULL,
    PRIMARY KEY (account_id, address)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX refused_addresses_newest ON refused_addresses (account_id, newest_at_ms);
  `,
  `
  ALTER TABLE accounts ADD COLUMN quota_daily INTEGER;
  ALTER TABLE users ADD COLUMN sealed_totp BLOB;
  ALTER TABLE users ADD COLUMN totp_step INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_keys ADD COLUMN messages_sent INTEGER NOT NULL DEFAULT 0;
  UPDATE api_keys SET messages_sent = counted.messages
    FROM (SELECT key_id, count(*) AS messages FROM messages GROUP BY key_id) AS counted WHERE counted.key_id = api_keys.id;

  CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at_ms INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    agent TEXT NOT NULL,
    ip TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_user ON sessions (user_id);

  CREATE TABLE check_changes (
    number INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    check_name TEXT NOT NULL,
    state TEXT NOT NULL,
    detail TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX check_changes_domain ON check_changes (account_id, domain);

  CREATE TABLE rotations (
    domain_id TEXT PRIMARY KEY REFERENCES domains (id),
    selector TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sealed_private_key BLOB NOT NULL,
    started_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE paused_domains (
    domain TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE activity (
    account_id TEXT NOT NULL,
    minute_ms INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    recipients INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    deferred INTEGER NOT NULL,
    PRIMARY KEY (account_id, minute_ms)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE delivery_times (
    account_id TEXT NOT NULL,
    slot_ms INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    recipients INTEGER NOT NULL,
    PRIMARY KEY (account_id, slot_ms, bucket)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX messages_by_time ON messages (account_id, created_at_ms);
  CREATE INDEX recipients_by_email ON recipients (account_id, email COLLATE NOCASE);
  CREATE INDEX recipients_failed ON recipients (account_id, seq) WHERE state = 'failed';

  INSERT INTO activity
    SELECT account_id, at_ms / 60000 * 60000, sum(m), sum(r), sum(d), sum(f), sum(u), 0 FROM (
      SELECT account_id, created_at_ms AS at_ms, 1 AS m, 0 AS r, 0 AS d, 0 AS f, 0 AS u FROM messages
      UNION ALL
      SELECT account_id, created_at_ms, 0, 1, 0, 0, 0 FROM recipients JOIN messages USING (seq, account_id)
      UNION ALL
      SELECT account_id, updated_at_ms, 0, 0, state = 'delivered', state = 'failed', state = 'unknown' FROM recipients
        WHERE state IN ('delivered', 'failed', 'unknown')
    ) GROUP BY 1, 2;
  INSERT INTO delivery_times
    SELECT r.account_id, r.updated_at_ms / 600000 * 600000,
           CAST(4 * log2(max(1, r.updated_at_ms - m.created_at_ms)) AS INTEGER), count(*)
      FROM recipients r JOIN messages m USING (seq) WHERE r.state = 'delivered' GROUP BY 1, 2, 3;
  `,
  `
  ALTER TABLE messages ADD COLUMN deadline_ms INTEGER;
  ALTER TABLE messages ADD COLUMN tags TEXT;
  ALTER TABLE messages ADD COLUMN metadata TEXT;
  ALTER TABLE recipients ADD COLUMN field TEXT;

  CREATE TABLE message_tags (
    account_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (account_id, tag, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX messages_by_key ON messages (account_id, key_id, created_at_ms);
  `,
  // The same CHECK in another form: for a list of more than two values, SQLite builds a temporary table for each row written,
  // three times a message, at 2 µs each. Edited in place, as sqlite.org/lang_altertable.html#otheralter allows.
  `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql,
      'state IN (''pending'', ''marked'', ''delivered'', ''failed'', ''unknown'')',
      'state = ''pending'' OR state = ''marked'' OR state = ''delivered'' OR state = ''failed'' OR state = ''unknown''')
    WHERE type = 'table' AND name = 'recipients';
  PRAGMA writable_schema = RESET;
  `,
  // With removed_at_ms, though always NULL here, due domains are chosen from the index alone.
  `
  CREATE INDEX domains_due_by_account ON domains (account_id, next_check_at_ms, removed_at_ms) WHERE removed_at_ms IS NULL;
  `,
  // The category beside the reason; older results have none. The same edit as ALTER TABLE, which reads every row of a STRICT
  // table first: slow in a large file, and in a file with a damaged page the start would fail.
  `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, 'mark TEXT, field TEXT,', 'mark TEXT, field TEXT, category TEXT,')
    WHERE type = 'table' AND name = 'recipients';
  PRAGMA writable_schema = RESET;
  SELECT category FROM recipients LIMIT 0;
  `,
  // A separate table, because the message's own pages may be damaged, and messages.id unreadable.
  `
  CREATE TABLE quarantined (
    seq INTEGER PRIMARY KEY,
    message_id TEXT,
    account_id TEXT,
    found_at_ms INTEGER NOT NULL,
    part TEXT NOT NULL,
    error TEXT NOT NULL
  ) STRICT;
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - length(') STRICT')) || ', crc32 INTEGER) STRICT'
    WHERE type = 'table' AND name = 'contents' AND sql LIKE '%) STRICT';
  PRAGMA writable_schema = RESET;
  SELECT crc32 FROM contents LIMIT 0;
  `,
  // Large contents in parts: later part p of the content with tail t is row 1024 t + p. A tail in staged belongs to no message.
  // body_hash is NULL in older rows; tail and later_parts are NULL without later parts. The same edit as above.
  `
  CREATE TABLE content_parts (
    number INTEGER PRIMARY KEY,
    content BLOB NOT NULL,
    crc32 INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE staged (
    tail INTEGER PRIMARY KEY
  ) STRICT;
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema
    SET sql = substr(sql, 1, length(sql) - length(') STRICT')) || ', body_hash TEXT, tail INTEGER, later_parts INTEGER) STRICT'
    WHERE type = 'table' AND name = 'contents' AND sql LIKE '%) STRICT';
  PRAGMA writable_schema = RESET;
  SELECT later_parts FROM contents LIMIT 0;
  `,
  // outbox.seq is 0 for the event of a domain, and sequence then equals number. detail is JSON: the recipient as of the event, or
  // the domain's name. An account's numbers go on after the greatest one, so retention keeps that row. outbox_pruned has the
  // greatest number deleted. Lists in endpoints are JSON, NULL for all. In endpoint_retries, the events of `seq` from
  // next_number to last_number wait. A settlement from before
  // position_version, the version of the last replay or edit, does not move the position. endpoint_attempts has no foreign key, so that damage of it does not keep an endpoint from
  // being removed; its long columns are the last, because they may be on an overflow page.
  // In requests, place counts an account's successes, or its failures, from 1 without a gap.
  `
  CREATE TABLE outbox (
    account_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    type TEXT NOT NULL,
    detail TEXT,
    PRIMARY KEY (account_id, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outbox_by_message ON outbox (seq, sequence);
  CREATE INDEX outbox_of_domains ON outbox (account_id, number) WHERE seq = 0;

  CREATE TABLE outbox_pruned (
    account_id TEXT PRIMARY KEY,
    number INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE endpoints (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    url TEXT NOT NULL,
    types TEXT,
    keys TEXT,
    domains TEXT,
    created_at_ms INTEGER NOT NULL,
    sealed_secret BLOB NOT NULL,
    former_sealed_secret BLOB,
    former_until_ms INTEGER,
    paused_at_ms INTEGER,
    disabled_at_ms INTEGER,
    disabled_reason TEXT,
    notified_at_ms INTEGER,
    failing_since_ms INTEGER,
    position INTEGER NOT NULL,
    version INTEGER NOT NULL,
    position_version INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX endpoints_account ON endpoints (account_id, created_at_ms);

  CREATE TABLE endpoint_retries (
    endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
    seq INTEGER NOT NULL,
    next_number INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at_ms INTEGER NOT NULL,
    PRIMARY KEY (endpoint_id, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX endpoint_retries_due ON endpoint_retries (endpoint_id, next_attempt_at_ms, next_number);

  CREATE TABLE endpoint_attempts (
    endpoint_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    event_number INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    message_id TEXT,
    at_ms INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    result TEXT NOT NULL,
    status INTEGER,
    next_attempt_at_ms INTEGER,
    error TEXT,
    response TEXT NOT NULL,
    PRIMARY KEY (endpoint_id, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE requests (
    number INTEGER PRIMARY KEY,
    account_id TEXT,
    failed INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    key_id TEXT,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER NOT NULL,
    code TEXT,
    duration_ms INTEGER NOT NULL,
    message_id TEXT
  ) STRICT;
  CREATE INDEX requests_by_account ON requests (account_id, failed);
  `,
  // test: a test key, and a message sent with one. eight_bit: the body has bytes above 127. The same edit as above.
  `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema
    SET sql = substr(sql, 1, length(sql) - length(') STRICT'))
      || ', test INTEGER NOT NULL DEFAULT 0, eight_bit INTEGER NOT NULL DEFAULT 0) STRICT'
    WHERE type = 'table' AND name = 'messages' AND sql LIKE '%) STRICT';
  UPDATE sqlite_schema
    SET sql = substr(sql, 1, length(sql) - length(') STRICT, WITHOUT ROWID'))
      || ', test INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID'
    WHERE type = 'table' AND name = 'api_keys' AND sql LIKE '%) STRICT, WITHOUT ROWID';
  PRAGMA writable_schema = RESET;
  SELECT test, eight_bit FROM messages LIMIT 0;
  SELECT test FROM api_keys LIMIT 0;
  `,
  // Of each kind, a recipient has one row of feedback at most. suppressed_addresses has those without refusals.
  // A row of return_paths is a return path that is on, of a name that the account has bound. Its checks are JSON, as in domains.
  // secrets: sealed under the master key, for the whole service.
  // Reports of receivers. `id` is made of what makes a report unique. ours: 'address' | 'signature' | 'no'. tls_sessions counts our
  // own sessions with recipients' servers by UTC day; result_type is '' for those with TLS as required.
  `
  CREATE TABLE incoming (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    recipient TEXT NOT NULL,
    envelope_sender TEXT NOT NULL,
    ip TEXT NOT NULL,
    received_at_ms INTEGER NOT NULL,
    due_at_ms INTEGER NOT NULL,
    content BLOB NOT NULL
  ) STRICT;
  CREATE INDEX incoming_due ON incoming (due_at_ms);

  CREATE TABLE feedback (
    seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (seq, position, kind)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE suppressed_addresses (
    account_id TEXT NOT NULL,
    address TEXT NOT NULL,
    cause TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (account_id, address)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, at_ms);

  CREATE TABLE return_paths (
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    checks TEXT NOT NULL,
    active INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    PRIMARY KEY (domain, account_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    sealed BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE dmarc_reports (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    week_ms INTEGER NOT NULL,
    org TEXT NOT NULL,
    report_id TEXT NOT NULL,
    begin_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    received_at_ms INTEGER NOT NULL,
    policy TEXT NOT NULL,
    messages INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    failed_ours INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dmarc_reports_domain ON dmarc_reports (account_id, domain, received_at_ms);
  CREATE INDEX dmarc_reports_age ON dmarc_reports (received_at_ms);

  CREATE TABLE dmarc_report_sources (
    report TEXT NOT NULL,
    position INTEGER NOT NULL,
    ip TEXT NOT NULL,
    ours TEXT NOT NULL,
    messages INTEGER NOT NULL,
    disposition TEXT NOT NULL,
    dkim INTEGER NOT NULL,
    spf INTEGER NOT NULL,
    header_from TEXT NOT NULL,
    PRIMARY KEY (report, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tls_reports (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    week_ms INTEGER NOT NULL,
    org TEXT NOT NULL,
    report_id TEXT NOT NULL,
    begin_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL,
    received_at_ms INTEGER NOT NULL,
    succeeded INTEGER NOT NULL,
    failed INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tls_reports_domain ON tls_reports (account_id, domain, received_at_ms);
  CREATE INDEX tls_reports_age ON tls_reports (received_at_ms);

  CREATE TABLE tls_report_failures (
    report TEXT NOT NULL,
    position INTEGER NOT NULL,
    policy_type TEXT NOT NULL,
    result_type TEXT NOT NULL,
    mx TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (report, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tls_sessions (
    day INTEGER NOT NULL,
    domain TEXT NOT NULL,
    policy_type TEXT NOT NULL,
    result_type TEXT NOT NULL,
    mx TEXT NOT NULL,
    sending_ip TEXT NOT NULL,
    receiving_ip TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip)
  ) STRICT, WITHOUT ROWID;
  `, // users.role: 'owner' | 'developer' | 'viewer'. accounts.deleted_at_ms: the beginning of the grace period of a deletion, during
  // which its keys are suspended: revoked until the account is restored. accounts.emptied_at_ms: its end.
  // api_keys: permissions and domains as in records/key-access.ts, which also says what `hash` is of a key with restrictions.
  `
  ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
  ALTER TABLE accounts ADD COLUMN deleted_at_ms INTEGER;
  ALTER TABLE accounts ADD COLUMN emptied_at_ms INTEGER;
  ALTER TABLE api_keys ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_keys ADD COLUMN permissions TEXT NOT NULL DEFAULT 'send,read';
  ALTER TABLE api_keys ADD COLUMN domains TEXT;

  CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    email TEXT NOT NULL COLLATE NOCASE,
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    UNIQUE (account_id, email)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE password_resets (
    hash BLOB PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX password_resets_user ON password_resets (user_id);

  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema
    SET sql = substr(sql, 1, length(sql) - length(') STRICT')) || ', request_id TEXT, idempotency_key TEXT) STRICT'
    WHERE type = 'table' AND name = 'messages' AND sql LIKE '%) STRICT';
  PRAGMA writable_schema = RESET;
  SELECT request_id, idempotency_key FROM messages LIMIT 0;
  `,
];

/** The version of the schema that this code reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Migrates the database to the newest schema, each step in its own transaction. Throws one line if a newer Postrider made it. */
export function migrate(db: Database): void {
  for (;;) {
    // The version is read under the write lock: two processes that start at once must not apply a step twice.
    const step = db.transaction(() => {
      const version = db.pragma("user_version", { simple: true }) as number;
      if (version > MIGRATIONS.length) {
        throw new Error(
          `the spool has schema ${version}, this Postrider knows schemas up to ${MIGRATIONS.length}: run the newer version again, or restore the backup from before the upgrade`,
        );
      }
      const sql = MIGRATIONS[version];
      if (sql === undefined) return false;
      // A step may edit sqlite_schema, which is forbidden otherwise.
      db.unsafeMode(true);
      db.exec(sql);
      db.unsafeMode(false);
      // Makes other connections notice an edited schema.
      db.pragma(`schema_version = ${(db.pragma("schema_version", { simple: true }) as number) + 1}`);
      db.pragma(`user_version = ${version + 1}`);
      return true;
    });
    if (!step.immediate()) return;
  }
}
