/**
 * The tables on SQLite, as an ordered list of migrations; PRAGMA user_version counts those applied. A released migration is never edited: a
 * change is a new migration.
 */
import type { Database } from "better-sqlite3";
import { NEWEST_EVENT } from "./newest-event.ts";
import {
  FOURTH_TABLES,
  MEMBERSHIPS,
  PROVIDER_SESSIONS,
  REQUEST_FAULTS,
  SCHEDULED_MESSAGES,
  SECOND_TABLES,
  SHARED_TABLES,
  SUPPRESSED_INDEXES,
  sharedTables,
  THIRD_TABLES,
  type Types,
} from "./tables.ts";
import { FIRST_VERSION, outdatedSchema } from "./version.ts";

const TYPES: Types = {
  ident: "TEXT",
  identity: "INTEGER PRIMARY KEY",
  bigint: "INTEGER",
  integer: "INTEGER",
  boolean: "INTEGER",
  bytea: "BLOB",
  text: "TEXT",
};

/** A table that numbers its rows has them in the order of their numbers; another one has them in its primary key. */
const sqliteTable = (definition: string): string =>
  `${definition} STRICT${definition.includes("INTEGER PRIMARY KEY") ? "" : ", WITHOUT ROWID"};`;

/*
 * messages.seq is the clustering key: in each table a message's rows are adjacent, and new rows are at the end.
 * contents is separate from messages, so reading results does not load contents into the page cache.
 *
 * A recipient is in exactly one place. In work: it waits for an attempt or is in one. In unknown_recipients: its result is unknown.
 * Otherwise it is final, with the result of its newest event. work.mark is the evidence that the final dot is about to be sent, or was
 * sent: what a restart must not simply retry. See docs/STATES.md. unknown_recipients has its own result, and what belongs to
 * it, if there is one after all whose event could not be written, because the table of events is damaged. recipient_states has the state of each recipient;
 * at_ms is the time of its result, NULL before the first one.
 *
 * work_waiting has `mark`, and unknown_recipients_account `result`, although they are NULL there: so SQLite reads only the index.
 * recipients.field: 'cc' | 'bcc', NULL for 'to'. messages.tags is for reading a message, message_tags for searches.
 * messages.test: sent with a test key; eight_bit: the body has bytes above 127.
 * Large contents in parts: later part p of the content with tail t is row 1024 t + p of content_parts. tail and later_parts are NULL
 * without later parts. A tail in staged belongs to no message.
 * events.number rises with each event of any account. seq is 0 for the event of a domain, which has its name in `domain`. type is NULL for
 * an entry that only belongs to the recipient's history. The other columns of a recipient are as of the event; history is a SpoolEvent in
 * JSON. It is the last column because it may be on an overflow page.
 * account_events has the events of accounts in the form of both databases; an entry of a history is not shown.
 */
const OWN_TABLES = `
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  domain_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  sender TEXT NOT NULL,
  subject TEXT NOT NULL,
  message_id TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  deadline_ms INTEGER,
  tags TEXT,
  metadata TEXT,
  test INTEGER NOT NULL DEFAULT 0,
  eight_bit INTEGER NOT NULL DEFAULT 0,
  request_id TEXT,
  idempotency_key TEXT
) STRICT;
CREATE INDEX messages_by_time ON messages (account_id, created_at_ms);
CREATE INDEX messages_by_key ON messages (account_id, key_id, created_at_ms);

CREATE TABLE contents (
  seq INTEGER PRIMARY KEY REFERENCES messages (seq),
  content BLOB NOT NULL,
  crc32 INTEGER,
  body_hash TEXT,
  tail INTEGER,
  later_parts INTEGER
) STRICT;

CREATE TABLE recipients (
  seq INTEGER NOT NULL REFERENCES messages (seq),
  position INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  email TEXT NOT NULL,
  domain TEXT NOT NULL,
  field TEXT,
  PRIMARY KEY (seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX recipients_by_email ON recipients (account_id, email COLLATE NOCASE);

CREATE TABLE work (
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  due_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  mark TEXT,
  PRIMARY KEY (seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_waiting ON work (account_id, domain, due_ms, seq, position, mark) WHERE mark IS NULL;
CREATE INDEX work_marked ON work (seq) WHERE mark IS NOT NULL;

CREATE TABLE unknown_recipients (
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  result TEXT,
  reason TEXT,
  category TEXT,
  smtp TEXT,
  PRIMARY KEY (seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX unknown_recipients_account ON unknown_recipients (account_id, seq, position, domain, result) WHERE result IS NULL;

CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  type TEXT,
  position INTEGER,
  result TEXT,
  reason TEXT,
  category TEXT,
  attempts INTEGER,
  smtp TEXT,
  domain TEXT,
  history TEXT
) STRICT;
CREATE INDEX events_account ON events (account_id);
CREATE INDEX events_message ON events (seq, position);
CREATE INDEX events_failed ON events (account_id, seq, position) WHERE result = 'failed';
CREATE INDEX events_of_domains ON events (account_id) WHERE domain IS NOT NULL;

CREATE TABLE message_tags (
  account_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (account_id, tag, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE content_parts (
  number INTEGER PRIMARY KEY,
  content BLOB NOT NULL,
  crc32 INTEGER NOT NULL
) STRICT;

CREATE TABLE staged (
  tail INTEGER PRIMARY KEY
) STRICT;

CREATE VIEW recipient_states AS
  SELECT r.seq, r.position, r.account_id, r.email, r.domain, r.field,
         CASE WHEN w.seq IS NOT NULL THEN 'pending' WHEN u.seq IS NOT NULL THEN coalesce(u.result, 'unknown')
              WHEN e.result = 'delivered' OR e.result = 'failed' THEN e.result ELSE 'unknown' END AS result,
         iif(u.result IS NULL, e.reason, u.reason) AS reason,
         iif(u.result IS NULL, e.category, u.category) AS category,
         coalesce(w.attempts, u.attempts, e.attempts, 0) AS attempts, w.due_ms, w.mark, coalesce(u.at_ms, e.at_ms) AS at_ms,
         iif(u.result IS NULL, e.smtp, u.smtp) AS smtp
    FROM recipients r
    LEFT JOIN work w ON w.seq = r.seq AND w.position = r.position
    LEFT JOIN unknown_recipients u ON u.seq = r.seq AND u.position = r.position
    ${NEWEST_EVENT};

CREATE VIEW account_events AS
  SELECT account_id, number, seq AS order_key, at_ms, type IS NOT NULL AS shown FROM events;
`;

const DEFAULT_ACCOUNT =
  "INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_default', 'default', CAST(unixepoch('subsec') * 1000 AS INTEGER));";

/** SQLite drops no NOT NULL: the table is made anew. */
const THIRD_CHANGES = `
ALTER TABLE api_keys ADD COLUMN networks TEXT;
ALTER TABLE api_keys ADD COLUMN expires_at_ms INTEGER;
ALTER TABLE suppressed_addresses RENAME TO former_suppressed_addresses;
DROP INDEX suppressed_addresses_newest;
CREATE TABLE suppressed_addresses (
  account_id TEXT NOT NULL,
  address TEXT NOT NULL,
  cause TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  message_id TEXT,
  until_ms INTEGER,
  PRIMARY KEY (account_id, address)
) STRICT, WITHOUT ROWID;
INSERT INTO suppressed_addresses (account_id, address, cause, at_ms, message_id)
  SELECT account_id, address, cause, at_ms, message_id FROM former_suppressed_addresses;
DROP TABLE former_suppressed_addresses;
${SUPPRESSED_INDEXES}`;

export const MIGRATIONS: readonly string[] = [
  [sharedTables(SHARED_TABLES, TYPES, sqliteTable), OWN_TABLES, DEFAULT_ACCOUNT].join("\n"),
  sharedTables(SECOND_TABLES, TYPES, sqliteTable),
  sharedTables(THIRD_TABLES, TYPES, sqliteTable) + THIRD_CHANGES + SCHEDULED_MESSAGES.replace("bigint", "INTEGER"),
  [
    sharedTables(FOURTH_TABLES, TYPES, sqliteTable),
    PROVIDER_SESSIONS.replace("bigint", "INTEGER"),
    REQUEST_FAULTS,
    MEMBERSHIPS.replace("bigint", "INTEGER").replace("boolean", "INTEGER"),
  ].join("\n"),
];

/** The version of the schema that this code reads and writes. */
export const SCHEMA_VERSION = FIRST_VERSION + MIGRATIONS.length - 1;

/**
 * Migrates the database to the newest schema, each step in its own transaction. Throws one line if a newer Postrider made it, or one from
 * before the first release. `migrations` are those of this code, except in tests.
 */
export function migrate(db: Database, migrations: readonly string[] = MIGRATIONS): void {
  const newest = FIRST_VERSION + migrations.length - 1;
  for (;;) {
    // The version is read under the write lock: two processes that start at once must not apply a step twice.
    const step = db.transaction(() => {
      const version = db.pragma("user_version", { simple: true }) as number;
      if (version > 0 && version < FIRST_VERSION) throw new Error(outdatedSchema(version));
      if (version > newest) {
        throw new Error(
          `the spool has schema ${version}, this Postrider knows schemas up to ${newest}: run the newer version again, or restore the backup from before the upgrade`,
        );
      }
      const next = version === 0 ? FIRST_VERSION : version + 1;
      const sql = migrations[next - FIRST_VERSION];
      if (sql === undefined) return false;
      db.exec(sql);
      db.pragma(`user_version = ${next}`);
      return true;
    });
    if (!step.immediate()) return;
  }
}
