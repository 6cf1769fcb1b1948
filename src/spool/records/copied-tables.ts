/**
 * The tables that both forms of the spool have with the same rows, as a copy from SQLite to PostgreSQL needs them. The tables of
 * messages differ, and are in copied-message.ts. Sessions and links for a new password are not copied.
 */

/**
 * Types of columns by PostgreSQL's names. SQLite stores a bool as 0 or 1. A timestamptz is given in milliseconds since the epoch.
 * With `?`, values may be NULL.
 */
export type ColumnType = `${"text" | "bytea" | "int" | "bigint" | "bool" | "timestamptz"}${"" | "?"}`;

export type Columns = Readonly<Record<string, ColumnType>>;

export interface CopiedTable {
  /** The table in PostgreSQL. */
  name: string;
  /** The table in SQLite, which has columns of the same names. */
  source: string;
  columns: Columns;
  /** The primary key in SQLite. */
  key: readonly string[];
  /** A condition on the rows of `source` that are copied. */
  where?: string;
}

/** A row's values in the order of the columns, as SQLite returns them. */
export type Row = readonly unknown[];

const sameName = (name: string, table: Omit<CopiedTable, "name" | "source">): CopiedTable => ({
  name,
  source: name,
  ...table,
});

const REGISTRY: readonly CopiedTable[] = [
  sameName("accounts", {
    columns: {
      id: "text",
      name: "text",
      created_at_ms: "bigint",
      quota_daily: "bigint?",
      deleted_at_ms: "bigint?",
      emptied_at_ms: "bigint?",
    },
    key: ["id"],
  }),
  sameName("users", {
    columns: {
      id: "text",
      email: "text",
      account_id: "text",
      password_hash: "text",
      operator: "bool",
      created_at_ms: "bigint",
      sealed_totp: "bytea?",
      totp_step: "bigint",
      role: "text",
    },
    key: ["id"],
  }),
  sameName("recovery_codes", { columns: { user_id: "text", hash: "bytea" }, key: ["user_id", "hash"] }),
  sameName("api_keys", {
    columns: {
      id: "text",
      account_id: "text",
      name: "text",
      hash: "bytea",
      last_four: "text",
      created_at_ms: "bigint",

      last_used_at_ms: "bigint?",
      revoked_at_ms: "bigint?",
      messages_sent: "bigint",
      test: "bool",
      suspended: "bool",
      permissions: "text",
      domains: "text?",
    },
    key: ["id"],
  }),
  sameName("invitations", {
    columns: {
      id: "text",
      hash: "bytea",
      account_id: "text",
      email: "text",
      role: "text",
      invited_by: "text",
      created_at_ms: "bigint",
    },
    key: ["id"],
  }),
  sameName("domains", {
    columns: {
      id: "text",
      account_id: "text",
      name: "text",
      token: "text",
      created_at_ms: "bigint",
      removed_at_ms: "bigint?",
      verified: "bool",
      checks: "text",
      next_check_at_ms: "bigint",
      selector: "text",
      public_key: "text",
      sealed_private_key: "bytea",
    },
    key: ["id"],
  }),
  sameName("rotations", {
    columns: {
      domain_id: "text",
      selector: "text",
      public_key: "text",
      sealed_private_key: "bytea",
      started_at_ms: "bigint",
    },
    key: ["domain_id"],
  }),
  sameName("check_changes", {
    columns: {
      number: "bigint",
      account_id: "text",
      domain: "text",
      check_name: "text",
      state: "text",
      detail: "text",
      at_ms: "bigint",
    },
    key: ["number"],
  }),
  sameName("return_paths", {
    columns: { account_id: "text", domain: "text", checks: "text", active: "bool", since_ms: "bigint" },
    key: ["domain", "account_id"],
  }),
  sameName("secrets", { columns: { name: "text", sealed: "bytea" }, key: ["name"] }),
];

const RECORDS: readonly CopiedTable[] = [
  sameName("sts_policies", {
    columns: {
      domain: "text",
      id: "text",
      mode: "text",
      mx: "text",
      fetched_at_ms: "bigint",
      expires_at_ms: "bigint",
    },
    key: ["domain"],
  }),
  sameName("paused_domains", { columns: { domain: "text", at_ms: "bigint" }, key: ["domain"] }),
  sameName("refused_addresses", {
    columns: { account_id: "text", address: "text", newest_at_ms: "bigint", refusals: "text" },
    key: ["account_id", "address"],
  }),
  sameName("suppressed_addresses", {
    columns: { account_id: "text", address: "text", cause: "text", at_ms: "bigint", message_id: "text" },
    key: ["account_id", "address"],
  }),
  sameName("incoming", {
    columns: {
      id: "text",
      recipient: "text",
      domain: "text",
      envelope_sender: "text",
      ip: "text",
      network: "text",
      received_at_ms: "bigint",
      turn_ms: "bigint",
      due_at_ms: "bigint?",
      octets: "bigint",
      content: "bytea",
    },
    key: ["id"],
  }),
  sameName("incoming_parts", {
    columns: { incoming_id: "text", part: "int", content: "bytea" },
    key: ["incoming_id", "part"],
  }),
  sameName("quota", { columns: { account_id: "text", day: "int", used: "bigint" }, key: ["account_id", "day"] }),
  sameName("idempotency", {
    columns: { account_id: "text", key: "text", payload_hash: "text", message_id: "text", created_at_ms: "bigint" },
    key: ["account_id", "key"],
  }),
  sameName("activity", {
    columns: {
      account_id: "text",
      minute_ms: "bigint",
      messages: "bigint",
      recipients: "bigint",
      delivered: "bigint",
      failed: "bigint",
      unknown: "bigint",
      deferred: "bigint",
    },
    key: ["account_id", "minute_ms"],
  }),
  sameName("delivery_times", {
    columns: { account_id: "text", slot_ms: "bigint", bucket: "int", recipients: "bigint" },
    key: ["account_id", "slot_ms", "bucket"],
  }),
  sameName("requests", {
    columns: {
      number: "bigint",
      account_id: "text",
      failed: "bool",
      id: "text",
      at_ms: "bigint",
      key_id: "text?",
      method: "text",
      path: "text",
      status: "int",
      code: "text?",
      duration_ms: "bigint",
      message_id: "text?",
    },
    key: ["number"],
  }),
];

const REPORT_COLUMNS: Columns = {
  id: "text",
  account_id: "text",
  domain: "text",
  week_ms: "bigint",
  org: "text",
  report_id: "text",
  begin_ms: "bigint",
  end_ms: "bigint",
  received_at_ms: "bigint",
};

/** Rows may be left of reports that are damaged. */
const ofReports = (table: string): string => `+report IN (SELECT id FROM ${table} NOT INDEXED)`;

const SENDER_REPORTS: readonly CopiedTable[] = [
  sameName("dmarc_reports", {
    columns: { ...REPORT_COLUMNS, policy: "text", messages: "bigint", failed: "bigint", failed_ours: "bigint" },
    key: ["id"],
  }),
  sameName("dmarc_report_sources", {
    columns: {
      report: "text",
      position: "int",
      ip: "text",
      ours: "text",
      messages: "bigint",
      disposition: "text",
      dkim: "bool",
      spf: "bool",
      header_from: "text",
    },
    key: ["report", "position"],
    where: ofReports("dmarc_reports"),
  }),
  sameName("tls_reports", { columns: { ...REPORT_COLUMNS, succeeded: "bigint", failed: "bigint" }, key: ["id"] }),
  sameName("tls_report_failures", {
    columns: {
      report: "text",
      position: "int",
      policy_type: "text",
      result_type: "text",
      mx: "text",
      sessions: "bigint",
    },
    key: ["report", "position"],
    where: ofReports("tls_reports"),
  }),
  sameName("tls_sessions", {
    columns: {
      day: "int",
      domain: "text",
      policy_type: "text",
      result_type: "text",
      mx: "text",
      sending_ip: "text",
      receiving_ip: "text",
      sessions: "bigint",
    },
    key: ["day", "domain", "policy_type", "result_type", "mx", "sending_ip", "receiving_ip"],
  }),
];

/** Attempts may be left of endpoints that were removed. With `+`, SQLite reads the table in any case, and no damaged index. */
const OF_ENDPOINTS = "+endpoint_id IN (SELECT id FROM endpoints NOT INDEXED)";

const EVENTS: readonly CopiedTable[] = [
  sameName("events_pruned", {
    columns: { account_id: "text", number: "bigint" },
    key: ["account_id"],
  }),
  sameName("endpoints", {
    columns: {
      id: "text",
      account_id: "text",
      url: "text",
      types: "text?",
      keys: "text?",
      domains: "text?",

      created_at_ms: "bigint",
      sealed_secret: "bytea",
      former_sealed_secret: "bytea?",
      former_until_ms: "bigint?",
      paused_at_ms: "bigint?",
      disabled_at_ms: "bigint?",
      disabled_reason: "text?",
      notified_at_ms: "bigint?",
      failing_since_ms: "bigint?",
      position: "bigint",
      version: "bigint",
      position_version: "bigint",
      attempts: "bigint",
    },
    key: ["id"],
  }),
  sameName("endpoint_attempts", {
    columns: {
      endpoint_id: "text",
      number: "bigint",
      event_number: "bigint",
      event_id: "text",
      type: "text",
      message_id: "text?",
      at_ms: "bigint",
      duration_ms: "bigint",
      attempt: "int",
      result: "text",
      status: "int?",
      next_attempt_at_ms: "bigint?",
      error: "text?",
      response: "text",
    },
    key: ["endpoint_id", "number"],
    where: OF_ENDPOINTS,
  }),
];

/** In an order in which every row follows those that it refers to. */
export const COPIED_TABLES: readonly CopiedTable[] = [...REGISTRY, ...RECORDS, ...SENDER_REPORTS, ...EVENTS];

/** The tables below have a column seq, which the copy translates: each form of the spool numbers messages in its own way. */
export const ENDPOINT_RETRIES = sameName("endpoint_retries", {
  columns: {
    endpoint_id: "text",
    seq: "bigint",
    next_number: "bigint",
    last_number: "bigint",
    attempts: "int",
    next_attempt_at_ms: "bigint",
  },
  key: ["endpoint_id", "seq"],
  where: OF_ENDPOINTS,
});

export const FEEDBACK = sameName("feedback", {
  columns: { seq: "bigint", position: "int", kind: "text", at_ms: "bigint", detail: "text" },
  key: ["seq", "position", "kind"],
});

export const QUARANTINED = sameName("quarantined", {
  columns: {
    seq: "bigint",
    message_id: "text?",
    account_id: "text?",
    found_at_ms: "bigint",
    part: "text",
    error: "text",
  },
  key: ["seq"],
});

/** The key-value store. The entry of the delivery pause has a seq in its text. */
export const KEY_VALUES = sameName("key_values", { columns: { name: "text", text: "text" }, key: ["name"] });

/** The entries of the key-value store that each node has for itself. In SQLite they are among the others. */
export const NODE_VALUES: CopiedTable = {
  name: "node_values",
  source: "key_values",
  columns: { node: "text", name: "text", text: "text", written_at: "timestamptz" },
  key: ["name"],
};

const INT_MAX = 2 ** 31 - 1;

/** Whether the column can store the value. A damaged row may have others. */
export function fitsColumn(value: unknown, type: ColumnType): boolean {
  if (value === null) return type.endsWith("?");
  switch (type.replace("?", "")) {
    case "text":
      return typeof value === "string";
    case "bytea":
      return Buffer.isBuffer(value);
    case "bool":
      return value === 0 || value === 1;
    case "int":
      return Number.isInteger(value) && Math.abs(value as number) <= INT_MAX;
    default:
      return Number.isSafeInteger(value);
  }
}

/** Whether the columns can store the row. */
export function fitsColumns(row: Row, columns: Columns): boolean {
  return Object.values(columns).every((type, i) => fitsColumn(row[i], type));
}
