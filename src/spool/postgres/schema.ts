/**
 * The tables, as an ordered list of migrations; schema_version counts those applied. A released migration is never edited: a
 * change is a new migration. Nodes of two successive versions use one database at the same time, so a migration may only add
 * what the version before it does not need to know. schema-version.ts applies them. Statements that use the tables are in the
 * files of their purpose.
 */

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
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    created_at_ms bigint NOT NULL,
    quota_daily bigint
  );
  INSERT INTO accounts VALUES ('acc_default', 'default', (extract(epoch FROM now()) * 1000)::bigint, NULL);

  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    email text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    password_hash text NOT NULL,
    operator boolean NOT NULL,
    created_at_ms bigint NOT NULL,
    sealed_totp bytea,
    totp_step bigint NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX users_email ON users (lower(email));

  CREATE TABLE recovery_codes (
    user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash bytea NOT NULL,
    PRIMARY KEY (user_id, hash)
  );

  CREATE TABLE sessions (
    hash bytea PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    created_at_ms bigint NOT NULL,
    seen_at_ms bigint NOT NULL,
    agent text NOT NULL,
    ip text NOT NULL
  );
  CREATE INDEX sessions_user ON sessions (user_id);

  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    last_four text NOT NULL,
    created_at_ms bigint NOT NULL,
    last_used_at_ms bigint,
    revoked_at_ms bigint,
    messages_sent bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX api_keys_account ON api_keys (account_id);

  CREATE TABLE domains (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    name text COLLATE "C" NOT NULL,
    token text NOT NULL,
    created_at_ms bigint NOT NULL,
    removed_at_ms bigint,
    verified boolean NOT NULL,
    checks text NOT NULL,
    next_check_at_ms bigint NOT NULL,
    selector text NOT NULL,
    public_key text NOT NULL,
    sealed_private_key bytea NOT NULL
  );
  CREATE UNIQUE INDEX domains_bound ON domains (account_id, name) WHERE removed_at_ms IS NULL;
  CREATE INDEX domains_due ON domains (next_check_at_ms) WHERE removed_at_ms IS NULL;

  CREATE TABLE rotations (
    domain_id text COLLATE "C" PRIMARY KEY REFERENCES domains (id),
    selector text NOT NULL,
    public_key text NOT NULL,
    sealed_private_key bytea NOT NULL,
    started_at_ms bigint NOT NULL
  );

  CREATE TABLE check_changes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    domain text COLLATE "C" NOT NULL,
    check_name text NOT NULL,
    state text NOT NULL,
    detail text NOT NULL,
    at_ms bigint NOT NULL
  );
  CREATE INDEX check_changes_domain ON check_changes (account_id, domain, number);

  CREATE TABLE key_values (
    name text COLLATE "C" PRIMARY KEY,
    text text NOT NULL
  );

  CREATE TABLE node_values (
    node text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    text text NOT NULL,
    written_at timestamptz NOT NULL,
    PRIMARY KEY (node, name)
  );

  CREATE TABLE sts_policies (
    domain text COLLATE "C" PRIMARY KEY,
    id text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('enforce', 'testing', 'none')),
    mx text NOT NULL,
    fetched_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL
  );
  CREATE INDEX sts_policies_expiry ON sts_policies (expires_at_ms);

  CREATE TABLE sts_fetches (
    domain text COLLATE "C" PRIMARY KEY,
    failed boolean NOT NULL,
    until timestamptz NOT NULL
  );
  CREATE INDEX sts_fetches_expiry ON sts_fetches (until);

  CREATE TABLE paused_domains (
    domain text COLLATE "C" PRIMARY KEY,
    at_ms bigint NOT NULL
  );

  CREATE TABLE refused_addresses (
    account_id text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    newest_at_ms bigint NOT NULL,
    refusals text NOT NULL,
    PRIMARY KEY (account_id, address)
  );
  CREATE INDEX refused_addresses_newest ON refused_addresses (account_id, newest_at_ms);

  CREATE TABLE quota (
    account_id text COLLATE "C" NOT NULL,
    day integer NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (account_id, day)
  ) WITH (fillfactor = 20);

  CREATE TABLE idempotency (
    account_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    payload_hash text NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    created_at_ms bigint NOT NULL,
    PRIMARY KEY (account_id, key)
  );
  CREATE INDEX idempotency_age ON idempotency (created_at_ms);

  CREATE TABLE activity (
    account_id text COLLATE "C" NOT NULL,
    minute_ms bigint NOT NULL,
    messages bigint NOT NULL,
    recipients bigint NOT NULL,
    delivered bigint NOT NULL,
    failed bigint NOT NULL,
    unknown bigint NOT NULL,
    deferred bigint NOT NULL,
    PRIMARY KEY (account_id, minute_ms)
  ) WITH (fillfactor = 50);

  CREATE TABLE delivery_times (
    account_id text COLLATE "C" NOT NULL,
    slot_ms bigint NOT NULL,
    bucket integer NOT NULL,
    recipients bigint NOT NULL,
    PRIMARY KEY (account_id, slot_ms, bucket)
  ) WITH (fillfactor = 50);

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
    metadata text
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

  CREATE TABLE events_pruned (
    account_id text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL
  );

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

  CREATE TABLE quarantined (
    seq bigint PRIMARY KEY,
    message_id text COLLATE "C",
    account_id text COLLATE "C",
    found_at_ms bigint NOT NULL,
    part text NOT NULL,
    error text NOT NULL
  );

  CREATE TABLE quarantine_releases (
    seq bigint PRIMARY KEY,
    released_at_ms bigint NOT NULL
  );

  CREATE TABLE endpoints (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    url text NOT NULL,
    types text,
    keys text,
    domains text,
    created_at_ms bigint NOT NULL,
    sealed_secret bytea NOT NULL,
    former_sealed_secret bytea,
    former_until_ms bigint,
    paused_at_ms bigint,
    disabled_at_ms bigint,
    disabled_reason text,
    notified_at_ms bigint,
    failing_since_ms bigint,
    position bigint NOT NULL,
    version bigint NOT NULL,
    position_version bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE INDEX endpoints_account ON endpoints (account_id, created_at_ms);

  CREATE TABLE endpoint_retries (
    endpoint_id text COLLATE "C" NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    next_number bigint NOT NULL,
    last_number bigint NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at_ms bigint NOT NULL,
    PRIMARY KEY (endpoint_id, seq)
  );
  CREATE INDEX endpoint_retries_due ON endpoint_retries (endpoint_id, next_attempt_at_ms, next_number);

  CREATE TABLE endpoint_attempts (
    endpoint_id text COLLATE "C" NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
    number bigint NOT NULL,
    event_number bigint NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    message_id text,
    at_ms bigint NOT NULL,
    duration_ms bigint NOT NULL,
    attempt integer NOT NULL,
    result text NOT NULL,
    status integer,
    next_attempt_at_ms bigint,
    error text,
    response text NOT NULL,
    PRIMARY KEY (endpoint_id, number)
  );

  CREATE TABLE requests (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id text COLLATE "C",
    failed boolean NOT NULL,
    id text NOT NULL,
    at_ms bigint NOT NULL,
    key_id text,
    method text NOT NULL,
    path text NOT NULL,
    status integer NOT NULL,
    code text,
    duration_ms bigint NOT NULL,
    message_id text
  );
  CREATE INDEX requests_by_account ON requests (account_id, failed, number);
  CREATE INDEX requests_by_time ON requests (at_ms);

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
  `,
  // The lock on messages waits behind a long read, such as that of pg_dump, and every other statement waits behind the lock.
  `
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE messages ADD COLUMN test boolean NOT NULL DEFAULT false, ADD COLUMN eight_bit boolean NOT NULL DEFAULT false;
  ALTER TABLE api_keys ADD COLUMN test boolean NOT NULL DEFAULT false;
  SET LOCAL lock_timeout = DEFAULT;
  `,
  // Of each kind, a recipient has one row of feedback at most. suppressed_addresses has those without refusals.
  // A row of return_paths is a return path that is on, of a name that the account has bound: an older node that exchanges a DKIM key
  // or saves checks leaves it as it is. Its checks are JSON, as in domains. secrets: sealed under the master key, for all nodes.
  // As in the SQLite form.
  `
  CREATE TABLE incoming (
    id text COLLATE "C" PRIMARY KEY,
    recipient text NOT NULL,
    envelope_sender text NOT NULL,
    ip text NOT NULL,
    received_at_ms bigint NOT NULL,
    due_at_ms bigint NOT NULL,
    content bytea NOT NULL
  );
  CREATE INDEX incoming_due ON incoming (due_at_ms);

  CREATE TABLE feedback (
    seq bigint NOT NULL,
    position integer NOT NULL,
    kind text NOT NULL,
    at_ms bigint NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (seq, position, kind)
  );

  CREATE TABLE suppressed_addresses (
    account_id text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    cause text NOT NULL,
    at_ms bigint NOT NULL,
    message_id text NOT NULL,
    PRIMARY KEY (account_id, address)
  );
  CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, at_ms);

  CREATE TABLE return_paths (
    account_id text COLLATE "C" NOT NULL,
    domain text COLLATE "C" NOT NULL,
    checks text NOT NULL,
    active boolean NOT NULL,
    since_ms bigint NOT NULL,
    PRIMARY KEY (domain, account_id)
  );

  CREATE TABLE secrets (
    name text COLLATE "C" PRIMARY KEY,
    sealed bytea NOT NULL
  );

  CREATE TABLE dmarc_reports (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    domain text COLLATE "C" NOT NULL,
    week_ms bigint NOT NULL,
    org text COLLATE "C" NOT NULL,
    report_id text NOT NULL,
    begin_ms bigint NOT NULL,
    end_ms bigint NOT NULL,
    received_at_ms bigint NOT NULL,
    policy text NOT NULL,
    messages bigint NOT NULL,
    failed bigint NOT NULL,
    failed_ours bigint NOT NULL
  );
  CREATE INDEX dmarc_reports_domain ON dmarc_reports (account_id, domain, received_at_ms);
  CREATE INDEX dmarc_reports_age ON dmarc_reports (received_at_ms);

  CREATE TABLE dmarc_report_sources (
    report text COLLATE "C" NOT NULL REFERENCES dmarc_reports (id) ON DELETE CASCADE,
    position integer NOT NULL,
    ip text COLLATE "C" NOT NULL,
    ours text COLLATE "C" NOT NULL,
    messages bigint NOT NULL,
    disposition text NOT NULL,
    dkim boolean NOT NULL,
    spf boolean NOT NULL,
    header_from text COLLATE "C" NOT NULL,
    PRIMARY KEY (report, position)
  );

  CREATE TABLE tls_reports (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    domain text COLLATE "C" NOT NULL,
    week_ms bigint NOT NULL,
    org text COLLATE "C" NOT NULL,
    report_id text NOT NULL,
    begin_ms bigint NOT NULL,
    end_ms bigint NOT NULL,
    received_at_ms bigint NOT NULL,
    succeeded bigint NOT NULL,
    failed bigint NOT NULL
  );
  CREATE INDEX tls_reports_domain ON tls_reports (account_id, domain, received_at_ms);
  CREATE INDEX tls_reports_age ON tls_reports (received_at_ms);

  CREATE TABLE tls_report_failures (
    report text COLLATE "C" NOT NULL REFERENCES tls_reports (id) ON DELETE CASCADE,
    position integer NOT NULL,
    policy_type text COLLATE "C" NOT NULL,
    result_type text COLLATE "C" NOT NULL,
    mx text COLLATE "C" NOT NULL,
    sessions bigint NOT NULL,
    PRIMARY KEY (report, position)
  );

  CREATE TABLE tls_sessions (
    day integer NOT NULL,
    domain text COLLATE "C" NOT NULL,
    policy_type text COLLATE "C" NOT NULL,
    result_type text COLLATE "C" NOT NULL,
    mx text COLLATE "C" NOT NULL,
    sending_ip text COLLATE "C" NOT NULL,
    receiving_ip text COLLATE "C" NOT NULL,
    sessions bigint NOT NULL,
    PRIMARY KEY (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip)
  );
  `, // users.role: 'owner' | 'developer' | 'viewer'. accounts.deleted_at_ms: the beginning of the grace period of a deletion, during
  // which its keys are suspended: revoked until the account is restored, so that nodes of the version before refuse them too.
  // accounts.emptied_at_ms: its end. The limit of the wait: see version 2.
  // api_keys: as in the SQLite form. A node of an older version does not find the hash of a key with restrictions.
  `
  SET LOCAL lock_timeout = '5s';
  ALTER TABLE users ADD COLUMN role text NOT NULL DEFAULT 'owner';
  ALTER TABLE accounts ADD COLUMN deleted_at_ms bigint;
  ALTER TABLE accounts ADD COLUMN emptied_at_ms bigint;
  ALTER TABLE api_keys ADD COLUMN suspended boolean NOT NULL DEFAULT false;
  ALTER TABLE api_keys ADD COLUMN permissions text NOT NULL DEFAULT 'send,read', ADD COLUMN domains text;

  CREATE TABLE invitations (
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
    email text COLLATE "C" NOT NULL,
    role text NOT NULL,
    invited_by text NOT NULL,
    created_at_ms bigint NOT NULL
  );
  CREATE UNIQUE INDEX invitations_email ON invitations (account_id, lower(email));

  CREATE TABLE password_resets (
    hash bytea PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at_ms bigint NOT NULL
  );
  CREATE INDEX password_resets_user ON password_resets (user_id);

  ALTER TABLE messages ADD COLUMN request_id text, ADD COLUMN idempotency_key text;
  SET LOCAL lock_timeout = DEFAULT;
  `,
];

/** The version of the schema that this code writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** All tables of the schema but schema_version, without the partitions of days. */
export const TABLES: readonly string[] = MIGRATIONS.flatMap((sql) =>
  [...sql.matchAll(/^ *CREATE TABLE (\w+)/gm)].map(([, name = ""]) => name),
);
