/**
 * The tables that both databases have, in SQL with types that each database translates: `ident` is a text that is compared by its bytes,
 * `identity` the key of a table that numbers its rows. Tables of only one database are in sqlite.ts and postgres.ts. Statements that
 * use the tables are in the files of their purpose.
 *
 * Times are milliseconds since the epoch. Columns named `checks`, `refusals`, `detail`, `types`, `keys` and `domains` are JSON.
 *
 * - accounts.deleted_at_ms: when a deletion's grace period began, during which the account's keys are suspended; emptied_at_ms: its end.
 * - users.role: 'owner' | 'developer' | 'viewer'. Email addresses of users are compared without regard to the case of ASCII letters.
 * - api_keys.permissions, domains, networks: as in records/key-access.ts, which also defines the hash of a key with restrictions.
 * - domains_due has removed_at_ms, though always NULL there: due domains are chosen only from the index.
 * - refused_addresses: addresses with refusals. suppressed_addresses: those that are suppressed for another cause; message_id: the message
 *   that the feedback is about, NULL for a suppression that was added.
 * - incoming.domain: that of the recipient, in lower case; octets: the length of the whole content, because what counts or orders mails
 *   must not read their contents; network: of the ip, as lib/client-address.ts counts clients; turn_ms: as SIZE_DELAY_MAX_MS in port/incoming.ts
 *   says. due_at_ms is negative for a mail that was set aside, and NULL while parts of its content are missing. incoming_parts: what follows
 *   incoming.content, from part 1 on.
 * - feedback: of each kind, at most one row of a recipient.
 * - quarantined has no reference to a message, whose pages may be damaged.
 * - events_pruned.number: the greatest number of an event of the account that retention has deleted.
 * - In endpoint_retries, the events of `seq` from next_number to last_number wait. A settlement from before
 *   endpoints.position_version, the version of the last replay or edit, does not move the position. endpoints.attempts is the number of
 *   the last attempt.
 * - endpoint_attempts has no reference to an endpoint, so that damage of it does not keep an endpoint from being removed. Its long columns
 *   are the last, because on SQLite they may be on an overflow page.
 * - A row of return_paths is a return path that is on, of a name that the account has bound.
 * - secrets: sealed under the master key, for the whole service.
 * - dmarc_reports.id and tls_reports.id are made of what makes a report unique. dmarc_report_sources.ours: 'address' | 'signature' | 'no'.
 * - request_answers: of changes by the management interface; status and sealed are NULL while a request is in progress.
 * - requests.account_id is '' for requests without a valid key.
 * - tls_sessions counts our own sessions with recipients' servers by UTC day; result_type is '' for those with TLS as required.
 */
export const SHARED_TABLES = `
CREATE TABLE accounts (
  id ident PRIMARY KEY,
  name ident NOT NULL UNIQUE,
  created_at_ms bigint NOT NULL,
  quota_daily bigint,
  deleted_at_ms bigint,
  emptied_at_ms bigint
);

CREATE TABLE users (
  id ident PRIMARY KEY,
  email ident NOT NULL,
  account_id ident NOT NULL REFERENCES accounts (id),
  password_hash text NOT NULL,
  operator boolean NOT NULL,
  role text NOT NULL DEFAULT 'owner',
  created_at_ms bigint NOT NULL,
  sealed_totp bytea,
  totp_step bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX users_email ON users (lower(email));
CREATE INDEX users_account ON users (account_id);

CREATE TABLE recovery_codes (
  user_id ident NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  hash bytea NOT NULL,
  PRIMARY KEY (user_id, hash)
);

CREATE TABLE sessions (
  hash bytea PRIMARY KEY,
  user_id ident NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id ident NOT NULL REFERENCES accounts (id),
  created_at_ms bigint NOT NULL,
  seen_at_ms bigint NOT NULL,
  agent text NOT NULL,
  ip text NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE password_resets (
  hash bytea PRIMARY KEY,
  user_id ident NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at_ms bigint NOT NULL
);
CREATE INDEX password_resets_user ON password_resets (user_id);

CREATE TABLE invitations (
  id ident PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  account_id ident NOT NULL REFERENCES accounts (id),
  email ident NOT NULL,
  role text NOT NULL,
  invited_by ident NOT NULL,
  created_at_ms bigint NOT NULL
);
CREATE UNIQUE INDEX invitations_email ON invitations (account_id, lower(email));

CREATE TABLE api_keys (
  id ident PRIMARY KEY,
  account_id ident NOT NULL REFERENCES accounts (id),
  name text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  last_four text NOT NULL,
  permissions text NOT NULL DEFAULT 'send,read',
  domains text,
  test boolean NOT NULL DEFAULT FALSE,
  created_at_ms bigint NOT NULL,
  last_used_at_ms bigint,
  revoked_at_ms bigint,
  suspended boolean NOT NULL DEFAULT FALSE,
  messages_sent bigint NOT NULL DEFAULT 0
);
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE domains (
  id ident PRIMARY KEY,
  account_id ident NOT NULL REFERENCES accounts (id),
  name ident NOT NULL,
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
CREATE INDEX domains_due ON domains (next_check_at_ms, account_id, removed_at_ms) WHERE removed_at_ms IS NULL;

CREATE TABLE rotations (
  domain_id ident PRIMARY KEY REFERENCES domains (id),
  selector text NOT NULL,
  public_key text NOT NULL,
  sealed_private_key bytea NOT NULL,
  started_at_ms bigint NOT NULL
);

CREATE TABLE check_changes (
  number identity,
  account_id ident NOT NULL,
  domain ident NOT NULL,
  check_name text NOT NULL,
  state text NOT NULL,
  detail text NOT NULL,
  at_ms bigint NOT NULL
);
CREATE INDEX check_changes_domain ON check_changes (account_id, domain, number);

CREATE TABLE return_paths (
  account_id ident NOT NULL,
  domain ident NOT NULL,
  checks text NOT NULL,
  active boolean NOT NULL,
  since_ms bigint NOT NULL,
  PRIMARY KEY (domain, account_id)
);

CREATE TABLE paused_domains (
  domain ident PRIMARY KEY,
  at_ms bigint NOT NULL
);

CREATE TABLE sts_policies (
  domain ident PRIMARY KEY,
  id text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('enforce', 'testing', 'none')),
  mx text NOT NULL,
  fetched_at_ms bigint NOT NULL,
  expires_at_ms bigint NOT NULL
);
CREATE INDEX sts_policies_expiry ON sts_policies (expires_at_ms);

CREATE TABLE key_values (
  name ident PRIMARY KEY,
  text text NOT NULL
);

CREATE TABLE secrets (
  name ident PRIMARY KEY,
  sealed bytea NOT NULL
);

CREATE TABLE quota (
  account_id ident NOT NULL,
  day integer NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (account_id, day)
);

CREATE TABLE idempotency (
  account_id ident NOT NULL,
  key ident NOT NULL,
  payload_hash text NOT NULL,
  message_id ident NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at_ms);

CREATE TABLE activity (
  account_id ident NOT NULL,
  minute_ms bigint NOT NULL,
  messages bigint NOT NULL,
  recipients bigint NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  unknown bigint NOT NULL,
  deferred bigint NOT NULL,
  PRIMARY KEY (account_id, minute_ms)
);

CREATE TABLE delivery_times (
  account_id ident NOT NULL,
  slot_ms bigint NOT NULL,
  bucket integer NOT NULL,
  recipients bigint NOT NULL,
  PRIMARY KEY (account_id, slot_ms, bucket)
);

CREATE TABLE requests (
  number identity,
  account_id ident NOT NULL,
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

CREATE TABLE quarantined (
  seq bigint PRIMARY KEY,
  message_id ident,
  account_id ident,
  found_at_ms bigint NOT NULL,
  part text NOT NULL,
  error text NOT NULL
);

CREATE TABLE events_pruned (
  account_id ident PRIMARY KEY,
  number bigint NOT NULL
);
CREATE INDEX events_pruned_number ON events_pruned (number);

CREATE TABLE endpoints (
  id ident PRIMARY KEY,
  account_id ident NOT NULL REFERENCES accounts (id),
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
  position_version bigint NOT NULL DEFAULT 0,
  attempts bigint NOT NULL DEFAULT 0
);
CREATE INDEX endpoints_account ON endpoints (account_id, created_at_ms);

CREATE TABLE endpoint_retries (
  endpoint_id ident NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  next_number bigint NOT NULL,
  last_number bigint NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at_ms bigint NOT NULL,
  PRIMARY KEY (endpoint_id, seq)
);
CREATE INDEX endpoint_retries_due ON endpoint_retries (endpoint_id, next_attempt_at_ms, next_number);

CREATE TABLE endpoint_attempts (
  endpoint_id ident NOT NULL,
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

CREATE TABLE incoming (
  number identity,
  id ident NOT NULL UNIQUE,
  recipient text NOT NULL,
  domain ident NOT NULL,
  envelope_sender text NOT NULL,
  ip text NOT NULL,
  network ident NOT NULL,
  received_at_ms bigint NOT NULL,
  turn_ms bigint NOT NULL,
  due_at_ms bigint,
  octets bigint NOT NULL,
  content bytea NOT NULL
);
CREATE INDEX incoming_due ON incoming (due_at_ms);
CREATE INDEX incoming_networks ON incoming (network, octets);
CREATE INDEX incoming_turns ON incoming (domain, turn_ms, number, due_at_ms);

CREATE TABLE incoming_parts (
  incoming_id ident NOT NULL REFERENCES incoming (id) ON DELETE CASCADE,
  part integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (incoming_id, part)
);

CREATE TABLE feedback (
  seq bigint NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  at_ms bigint NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (seq, position, kind)
);

CREATE TABLE refused_addresses (
  account_id ident NOT NULL,
  address ident NOT NULL,
  newest_at_ms bigint NOT NULL,
  refusals text NOT NULL,
  PRIMARY KEY (account_id, address)
);
CREATE INDEX refused_addresses_newest ON refused_addresses (account_id, newest_at_ms);

CREATE TABLE suppressed_addresses (
  account_id ident NOT NULL,
  address ident NOT NULL,
  cause text NOT NULL,
  at_ms bigint NOT NULL,
  message_id text NOT NULL,
  PRIMARY KEY (account_id, address)
);
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, at_ms);

CREATE TABLE dmarc_reports (
  id ident PRIMARY KEY,
  account_id ident NOT NULL,
  domain ident NOT NULL,
  week_ms bigint NOT NULL,
  org ident NOT NULL,
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
  report ident NOT NULL REFERENCES dmarc_reports (id) ON DELETE CASCADE,
  position integer NOT NULL,
  ip ident NOT NULL,
  ours ident NOT NULL,
  messages bigint NOT NULL,
  disposition text NOT NULL,
  dkim boolean NOT NULL,
  spf boolean NOT NULL,
  header_from ident NOT NULL,
  PRIMARY KEY (report, position)
);

CREATE TABLE tls_reports (
  id ident PRIMARY KEY,
  account_id ident NOT NULL,
  domain ident NOT NULL,
  week_ms bigint NOT NULL,
  org ident NOT NULL,
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
  report ident NOT NULL REFERENCES tls_reports (id) ON DELETE CASCADE,
  position integer NOT NULL,
  policy_type ident NOT NULL,
  result_type ident NOT NULL,
  mx ident NOT NULL,
  sessions bigint NOT NULL,
  PRIMARY KEY (report, position)
);

CREATE TABLE tls_sessions (
  day integer NOT NULL,
  domain ident NOT NULL,
  policy_type ident NOT NULL,
  result_type ident NOT NULL,
  mx ident NOT NULL,
  sending_ip ident NOT NULL,
  receiving_ip ident NOT NULL,
  sessions bigint NOT NULL,
  PRIMARY KEY (day, domain, policy_type, result_type, mx, sending_ip, receiving_ip)
);
`;

/**
 * Of the second schema. warm_ups: as receivers/warm-up.ts has it. key_spans and key_fuses: as message/key-fuse.ts has it, without references
 * to keys, because they are only for reports and limits. key_fuses.cause is JSON. audit has no reference to an account or an actor: its
 * entries outlive them. account_id is NULL for the installation; before_fields and after_fields are JSON.
 */
export const SECOND_TABLES = `
CREATE TABLE warm_ups (
  address ident NOT NULL,
  receiver ident NOT NULL,
  place integer NOT NULL,
  day integer NOT NULL,
  taken bigint NOT NULL,
  accepted bigint NOT NULL,
  is_blocked boolean NOT NULL,
  PRIMARY KEY (address, receiver)
);
CREATE INDEX warm_ups_age ON warm_ups (day);

CREATE TABLE key_spans (
  key_id ident NOT NULL,
  span integer NOT NULL,
  recipients bigint NOT NULL,
  unknown bigint NOT NULL,
  PRIMARY KEY (key_id, span)
);
CREATE INDEX key_spans_age ON key_spans (span);

CREATE TABLE key_fuses (
  key_id ident PRIMARY KEY,
  account_id ident NOT NULL,
  recipients_max bigint,
  is_off boolean NOT NULL,
  warned_at_ms bigint,
  held_at_ms bigint,
  cause text,
  released_at_ms bigint
);
`;

/** Of the third schema, which also adds columns to api_keys, and to suppressed_addresses, whose message_id may be NULL since then. */
export const THIRD_TABLES = `
CREATE TABLE request_answers (
  account_id ident NOT NULL,
  key ident NOT NULL,
  request_hash text NOT NULL,
  begun_at_ms bigint NOT NULL,
  status integer,
  sealed bytea,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX request_answers_age ON request_answers (begun_at_ms);

CREATE TABLE audit (
  number identity,
  id ident NOT NULL UNIQUE,
  at_ms bigint NOT NULL,
  account_id ident,
  actor_kind text NOT NULL,
  actor_id text,
  actor_name text,
  ip text,
  action text NOT NULL,
  target_kind text NOT NULL,
  target_id text,
  target_name text,
  before_fields text,
  after_fields text
);
CREATE INDEX audit_account ON audit (account_id, number);
CREATE INDEX audit_age ON audit (at_ms);
`;

/** In the order of lists, and for the removal of what has ended. */
export const SUPPRESSED_INDEXES = `
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, at_ms, address);
CREATE INDEX suppressed_addresses_ends ON suppressed_addresses (until_ms) WHERE until_ms IS NOT NULL;
`;

/**
 * Of the third schema too. messages.send_at_ms: when delivery of a scheduled message begins; NULL for any other. It is not among the columns
 * that acceptance writes for each message. Its index has only the scheduled messages.
 */
export const SCHEDULED_MESSAGES = `
ALTER TABLE messages ADD COLUMN send_at_ms bigint;
CREATE INDEX messages_scheduled ON messages (send_at_ms, seq) WHERE send_at_ms IS NOT NULL;
`;

/**
 * Of the fourth schema. provider_identities: users at the identity provider. further_memberships: as MEMBERSHIPS says. notices as
 * port/notices.ts has them; account_id is NULL for the installation. notice_causes has no reference to a notice: it is only a limit.
 * notice_choices.choice: as app/notices/switches.ts has it.
 */
export const FOURTH_TABLES = `
CREATE TABLE provider_identities (
  issuer ident NOT NULL,
  subject ident NOT NULL,
  user_id ident NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX provider_identities_user ON provider_identities (user_id, issuer);

CREATE TABLE further_memberships (
  user_id ident NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id ident NOT NULL REFERENCES accounts (id),
  role text NOT NULL,
  by_group boolean NOT NULL,
  joined_at_ms bigint NOT NULL,
  PRIMARY KEY (user_id, account_id)
);
CREATE INDEX further_memberships_account ON further_memberships (account_id);

CREATE TABLE notices (
  number identity,
  id ident NOT NULL UNIQUE,
  at_ms bigint NOT NULL,
  account_id ident,
  kind text NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  link text NOT NULL,
  mailed_at_ms bigint,
  posted_at_ms bigint
);
CREATE INDEX notices_account ON notices (account_id, number);
CREATE INDEX notices_age ON notices (at_ms);
CREATE INDEX notices_to_mail ON notices (number) WHERE mailed_at_ms IS NULL;
CREATE INDEX notices_to_post ON notices (number) WHERE posted_at_ms IS NULL;

CREATE TABLE notice_causes (
  cause ident PRIMARY KEY,
  occurrence ident NOT NULL,
  at_ms bigint NOT NULL
);
CREATE INDEX notice_causes_age ON notice_causes (at_ms);

CREATE TABLE notice_choices (
  user_id ident NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name ident NOT NULL,
  choice text NOT NULL,
  PRIMARY KEY (user_id, name)
);
`;

/** Of the fourth schema too. sessions.provider_sid: NULL for a session that began with a password. */
export const PROVIDER_SESSIONS = `
ALTER TABLE sessions ADD COLUMN provider_sid text;
ALTER TABLE sessions ADD COLUMN provider_auth_at_ms bigint;
CREATE INDEX sessions_provider ON sessions (provider_sid) WHERE provider_sid IS NOT NULL;
`;

/** Of the fourth schema too. requests.fault: a RequestFault (port/request-log.ts) in JSON; NULL for a success. */
export const REQUEST_FAULTS = "ALTER TABLE requests ADD COLUMN fault text;\n";
/**
 * Of the fourth schema too: the memberships of users, in whichever account. A user's first one is in the row of the user, where nodes of the
 * former schema read and write it; so a user always has one, and none is stored twice. users.joined_at_ms: NULL for a first membership as
 * old as the user. by_group: a group at the identity provider gives it.
 */
export const MEMBERSHIPS = `
ALTER TABLE users ADD COLUMN by_group boolean NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN joined_at_ms bigint;
CREATE VIEW memberships AS
  SELECT id AS user_id, account_id, role, by_group, coalesce(joined_at_ms, created_at_ms) AS joined_at_ms, 0 AS place FROM users
  UNION ALL SELECT user_id, account_id, role, by_group, joined_at_ms, 1 AS place FROM further_memberships;
`;

/** A translation of the types in shared tables. */
export type Types = Record<"ident" | "identity" | "bigint" | "integer" | "boolean" | "bytea" | "text", string>;

/** Shared tables with the types of a database. `table` ends the definition of one, which is the text before. */
export function sharedTables(tables: string, types: Types, table: (definition: string) => string): string {
  const translated = tables.replace(/^( {2}\w+ )(\w+)/gm, (line, column: string, type: string) =>
    type in types ? column + types[type as keyof Types] : line,
  );
  return translated.replace(/CREATE TABLE [^;]*;/g, (definition) => table(definition.slice(0, -1)));
}
