/**
 * The tables on PostgreSQL, as an ordered list of migrations; schema_version counts those applied. A released migration is never edited: a
 * change is a new migration. Nodes of two successive versions use one database at the same time, so a migration may only add what the
 * version before it does not need to know. connection/schema-version.ts applies them.
 */
import {
  FOURTH_TABLES,
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
import { FIRST_VERSION } from "./version.ts";

/** "C" compares bytes. */
const TYPES: Types = {
  ident: 'text COLLATE "C"',
  identity: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  bigint: "bigint",
  integer: "integer",
  boolean: "boolean",
  bytea: "bytea",
  text: "text",
};

/*
 * messages.seq identifies a message in every table. It begins with the time of acceptance (see message-number.ts), so the
 * partitioned tables have a partition for each UTC day of acceptance (see partitions.ts). Their rows are only added; retention
 * drops whole partitions.
 *
 * A recipient is in exactly one place. In work: it waits for an attempt or is in one. In unknown_recipients: its result is
 * unknown. Otherwise it is final, with the result of its newest event.
 *
 * work is updated and deleted from for every message, so it is narrow, and an update of `mark` changes no index. `owner` is the
 * node that leases the row; it is NULL in rows that any node may claim. `mark` is the evidence that the final dot is about to be
 * sent, or was sent.
 *
 * messages.test is true for a message sent with a test key, messages.eight_bit for one whose body has bytes above 127.
 *
 * events.number rises with each transaction of an account, because a transaction takes the account's lock before it numbers its
 * events, and holds it until it has committed (see event-writer.ts). events.type is NULL for an entry that only belongs to the
 * recipient's history. history is a SpoolEvent in JSON. An event of a domain has its name in `domain`, and a seq made of its time.
 * account_events has the events of accounts in the form of both databases; an entry of a history is not shown.
 *
 * rate_buckets has the token buckets that several nodes use: `full_ms` is when one is full, in milliseconds since the epoch, and
 * `granted` what its last request got. It is not logged: after a crash of the server all buckets are full.
 *
 * A row of nodes is a registered process, or one that has ended and whose work is not recovered yet. Its number is the owner
 * in the other tables. An ended node has no slot. drained, leases and delivered_last_minute are what the node reported with its
 * last heartbeat. `sharing` counts how often the node began to share its destinations; it is NULL while the node is alone (see
 * destination-slots.ts). node_addresses keeps the sending addresses by the node's name, beyond the end of its row.
 *
 * Columns of identifiers have the collation "C": their order is that of their bytes, as in JavaScript for ASCII.
 */
const OWN_TABLES = `
CREATE TABLE node_values (
  node text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  text text NOT NULL,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (node, name)
);

CREATE TABLE sts_fetches (
  domain text COLLATE "C" PRIMARY KEY,
  failed boolean NOT NULL,
  until timestamptz NOT NULL
);
CREATE INDEX sts_fetches_expiry ON sts_fetches (until);

CREATE TABLE messages (
  seq bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  domain_id text COLLATE "C" NOT NULL,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL,
  deadline_ms bigint,
  sender text NOT NULL,
  subject text NOT NULL,
  message_id text NOT NULL,
  size_bytes bigint NOT NULL,
  tags text,
  metadata text,
  test boolean NOT NULL DEFAULT FALSE,
  eight_bit boolean NOT NULL DEFAULT FALSE,
  request_id text,
  idempotency_key text
) PARTITION BY RANGE (seq);
CREATE INDEX messages_id ON messages (id);
CREATE INDEX messages_account ON messages (account_id, seq);
CREATE INDEX messages_key ON messages (key_id, seq);

CREATE TABLE message_tags (
  seq bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, tag, seq)
) PARTITION BY RANGE (seq);

CREATE TABLE contents (
  seq bigint NOT NULL,
  part integer NOT NULL,
  crc32 bigint NOT NULL,
  later_parts integer,
  body_hash text,
  content bytea NOT NULL,
  PRIMARY KEY (seq, part)
) PARTITION BY RANGE (seq);
ALTER TABLE contents ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX contents_staged ON contents (seq) WHERE part = 1;

CREATE TABLE recipients (
  seq bigint NOT NULL,
  position integer NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  field text,
  PRIMARY KEY (seq, position)
) PARTITION BY RANGE (seq);
CREATE INDEX recipients_email ON recipients (account_id, lower(email));

CREATE TABLE events (
  seq bigint NOT NULL,
  number bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  id text NOT NULL,
  at_ms bigint NOT NULL,
  type text,
  position integer,
  result text,
  reason text,
  category text,
  attempts integer,
  smtp text,
  history text,
  domain text,
  PRIMARY KEY (seq, number)
) PARTITION BY RANGE (seq);
CREATE INDEX events_number ON events (account_id, number);
CREATE INDEX events_failed ON events (account_id, seq, position) WHERE result = 'failed';
CREATE INDEX events_of_domains ON events (account_id, number) WHERE domain IS NOT NULL;

CREATE TABLE messages_default PARTITION OF messages DEFAULT;

CREATE TABLE message_tags_default PARTITION OF message_tags DEFAULT;

CREATE TABLE contents_default PARTITION OF contents DEFAULT;

CREATE TABLE recipients_default PARTITION OF recipients DEFAULT;

CREATE TABLE events_default PARTITION OF events DEFAULT;
CREATE SEQUENCE event_numbers;

CREATE VIEW account_events AS
  SELECT account_id, number, CASE WHEN domain IS NULL THEN seq ELSE 0 END AS order_key, at_ms, type IS NOT NULL AS shown FROM events;

CREATE TABLE work (
  seq bigint NOT NULL,
  position integer NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  due_ms bigint NOT NULL,
  attempts integer NOT NULL,
  owner bigint,
  epoch bigint,
  mark text,
  PRIMARY KEY (seq, position),
  CHECK (mark IS NULL OR owner IS NOT NULL)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_cost_delay = 0);
CREATE INDEX work_unleased ON work (account_id, domain, due_ms, seq) WHERE owner IS NULL;
-- The recipients in an attempt, which lists and reports would otherwise find by reading all that wait. Its columns are those of the
-- primary key, so that a statement about known recipients costs the same by either.
CREATE INDEX work_leased ON work (seq, position) WHERE owner IS NOT NULL;
CREATE INDEX work_due ON work (due_ms) WHERE owner IS NULL;

CREATE TABLE unknown_recipients (
  seq bigint NOT NULL,
  position integer NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  at_ms bigint NOT NULL,
  owner bigint,
  epoch bigint,
  PRIMARY KEY (seq, position)
);
CREATE INDEX unknown_recipients_account ON unknown_recipients (account_id, seq);

CREATE TABLE quarantine_releases (
  seq bigint PRIMARY KEY,
  released_at_ms bigint NOT NULL
);


CREATE TABLE partitions (
  day integer PRIMARY KEY,
  contents_dropped boolean NOT NULL DEFAULT false,
  dropped boolean NOT NULL DEFAULT false
);

CREATE TABLE nodes (
  number bigint PRIMARY KEY,
  slot integer UNIQUE,
  name text NOT NULL,
  address text NOT NULL,
  version text NOT NULL,
  schema_version integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_until timestamptz NOT NULL,
  draining boolean NOT NULL DEFAULT false,
  sharing bigint,
  drained boolean NOT NULL DEFAULT false,
  leases integer NOT NULL DEFAULT 0,
  delivered_last_minute integer NOT NULL DEFAULT 0,
  ended_at timestamptz,
  CHECK ((slot IS NULL) = (ended_at IS NOT NULL))
) WITH (fillfactor = 20);

CREATE TABLE attempt_counters (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  failures integer NOT NULL,
  last_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (kind, name)
);

CREATE TABLE held_values (
  hash bytea PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  held_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX held_values_account ON held_values (account_id, held_at);

CREATE UNLOGGED TABLE rate_buckets (
  name text COLLATE "C" PRIMARY KEY,
  full_ms float8 NOT NULL,
  granted integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE node_addresses (
  node text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (node, address)
);

CREATE TABLE duties (
  name text COLLATE "C" PRIMARY KEY,
  owner bigint,
  epoch bigint NOT NULL,
  until timestamptz NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE destinations (
  name text COLLATE "C" PRIMARY KEY,
  state text,
  exchanged_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX destinations_age ON destinations (exchanged_at);

`;

// Rows that are updated often leave room for their next version on the same page.
const STORAGE = `
ALTER TABLE quota SET (fillfactor = 20);
ALTER TABLE activity SET (fillfactor = 50);
ALTER TABLE delivery_times SET (fillfactor = 50);
ALTER TABLE endpoints SET (fillfactor = 50);
`;

const DEFAULT_ACCOUNT =
  "INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_default', 'default', (extract(epoch FROM now()) * 1000)::bigint);";

const postgresTable = (definition: string): string => `${definition};`;

const THIRD_CHANGES = `
ALTER TABLE api_keys ADD COLUMN networks text, ADD COLUMN expires_at_ms bigint;
ALTER TABLE suppressed_addresses ALTER COLUMN message_id DROP NOT NULL, ADD COLUMN until_ms bigint;
DROP INDEX suppressed_addresses_newest;
${SUPPRESSED_INDEXES}`;

export const MIGRATIONS: readonly string[] = [
  [sharedTables(SHARED_TABLES, TYPES, postgresTable), OWN_TABLES, STORAGE, DEFAULT_ACCOUNT].join("\n"),
  `${sharedTables(SECOND_TABLES, TYPES, postgresTable)}ALTER TABLE warm_ups SET (fillfactor = 50);ALTER TABLE key_spans SET (fillfactor = 50);`,
  sharedTables(THIRD_TABLES, TYPES, postgresTable) + THIRD_CHANGES + SCHEDULED_MESSAGES,
  sharedTables(FOURTH_TABLES, TYPES, postgresTable) + PROVIDER_SESSIONS + REQUEST_FAULTS,
];

/** The version of the schema that this code writes. */
export const SCHEMA_VERSION = FIRST_VERSION + MIGRATIONS.length - 1;

/** All tables of the schema but schema_version, without the partitions of days. */
export const TABLES: readonly string[] = MIGRATIONS.flatMap((sql) =>
  [...sql.matchAll(/^ *CREATE (?:UNLOGGED )?TABLE (\w+)(?! PARTITION)\b/gm)].map(([, name = ""]) => name),
);
