/** Examples of responses of the management interface. Tests validate each of them with its schema. */

const AT = "2026-03-02T08:30:00.000Z";
const VALUE = "v=spf1 ip4:192.0.2.10 -all";

const CHECK = {
  state: "verified",
  detail: "The record authorizes the sending addresses.",
  expected: VALUE,
  found: [VALUE],
};
const CHECKS = { ownership: CHECK, mx: CHECK, spf: CHECK, dkim: CHECK, dmarc: CHECK };
const STATES = { ownership: "verified", mx: "verified", spf: "verified", dkim: "verified", dmarc: "verified" };

export const DOMAIN_ENTRY = {
  domain: "example.com",
  verified: true,
  created_at: AT,
  next_check_at: "2026-03-02T14:30:00.000Z",
  checks: STATES,
  return_path: null,
};

export const DOMAIN_REPORTS = {
  domain: "example.com",
  dmarc: {
    answer: "check_sources",
    detail:
      "p=quarantine only if none of the failing sources below is yours: 92.4 % of 5,415 messages passed DMARC since 2026-03-02, and 412 messages from sources unknown to this service failed.",
    policy: "none",
    next_policy: "quarantine",
    since: "2026-03-02",
    messages: 5415,
    failed: 415,
    sources: [
      {
        ip: "203.0.113.7",
        ours: "no",
        messages: 412,
        failed: 412,
        dkim_passed: 0,
        spf_passed: 0,
        last_seen: "2026-03-08",
      },
    ],
  },
  week: "2026-03-02",
  receivers: [{ org: "mail.example", reports: 7, messages: 5415, failed: 415, failed_ours: 3 }],
  sources: [
    {
      org: "mail.example",
      ip: "203.0.113.7",
      ours: "no",
      messages: 412,
      failed: 412,
      quarantined: 12,
      rejected: 400,
      dkim_passed: 0,
      spf_passed: 0,
      header_from: "example.com",
    },
  ],
  tls_senders: [{ org: "mail.example", reports: 7, succeeded: 10, failed: 3 }],
  tls_failures: [
    { org: "mail.example", policy_type: "sts", result_type: "certificate-expired", mx: "mx1.example.com", sessions: 3 },
  ],
  weeks: [
    {
      week: "2026-03-02",
      dmarc: { reports: 7, messages: 5415, failed: 415, failed_ours: 3 },
      tls: { reports: 7, succeeded: 10, failed: 3 },
    },
  ],
  not_stored: { total: 0, reasons: {}, newest: [] },
} as const;

export const DOMAIN = {
  ...DOMAIN_ENTRY,
  checks: CHECKS,
  records: [{ check: "spf", type: "TXT", name: "example.com", value: VALUE }],
  new_dkim_record: null,
};

export const KEY = {
  id: "key_4xTqZ7Jm2c",
  name: "website",
  test: false,
  state: "active",
  permissions: ["send", "read"],
  domains: ["example.com"],
  networks: null,
  expires_at: null,
  last_four: "x7Qk",
  created_at: AT,
  last_used_at: null,
  revoked_at: null,
  held_since: null,
  held_because: null,
  fuse: { limit: null, off: false },
};

export const ENDPOINT = {
  id: "end_9sKd72Lm",
  url: "https://example.com/webhooks",
  events: ["recipient.failed", "recipient.bounced"],
  keys: null,
  domains: null,
  created_at: AT,
  state: "active",
  paused_at: null,
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  last_failure: null,
  waiting: { retries: 0, events: 0 },
};

export const DELIVERY = {
  number: 17,
  event_number: 4711,
  event_id: "evt_2bVcT5Xw",
  type: "recipient.failed",
  message_id: "msg_-P6wKPyqgKf3C6ekSH_skV7I",
  at: AT,
  duration_ms: 41.5,
  attempt: 1,
  result: "sent",
  status: 204,
  error: null,
  response: "",
  next_attempt_at: null,
};

const STATE = { state: "open", since: null, reply: null, next_probe_at: null, delisting_url: null };

export const RECEIVER = {
  name: "gmail",
  label: "Gmail",
  mx: ["google.com"],
  limits: { connections: 20, messages_per_connection: 100, messages_per_minute: null, pause_seconds: null },
  overridden: ["connections"],
  ...STATE,
  addresses: [{ address: "192.0.2.10", ...STATE }],
  attempts: 3,
  connections: 2,
  preflight: [],
  last_day: { delivered: 1204, deferred: 3, failed: 7, unknown: 0 },
  requires_tls: false,
  senders_url: "https://postmaster.google.com/",
  source: null,
};

export const DESTINATION = {
  domain: "example.org",
  waiting: 12,
  due: 2,
  deferred: 10,
  in_flight: 0,
  oldest_at: AT,
  next_attempt_at: "2026-03-02T08:45:00.000Z",
  delivered_last_minute: 0,
  mail_servers: null,
  wait: { type: "deferred", text: "The next attempt is at 2026-03-02T08:45:00.000Z." },
  reason: "connection_failed",
  category: null,
  smtp: null,
  paused_at: null,
};

export const SENDING_ADDRESS_ENTRY = {
  address: "192.0.2.10",
  name: "mail1.example.com",
  bind: null,
  pool: "default",
  warm_up: true,
  nodes: ["mail-1"],
  state: "active",
};

export const SENDING_ADDRESS = {
  ...SENDING_ADDRESS_ENTRY,
  schedule: [50, 100, 200],
  receivers: [{ receiver: "gmail", day: 2, limit: 100, sent_today: 60, accepted_today: 55, blocked_today: false }],
};

export const POOL = {
  name: "newsletters",
  addresses: ["192.0.2.11"],
  accounts: ["shop"],
  domains: ["news.example.com"],
  tags: [{ account: "shop", tag: "newsletter" }],
};

export const NODE = {
  name: "mail-1",
  version: "1.0.0",
  address: "http://10.0.0.11:8080",
  state: "live",
  started_at: AT,
  heartbeat_at: AT,
  draining: false,
  leases: 4,
  delivered_last_minute: 380,
  sending_ips: ["192.0.2.10"],
};

export const FINDING = {
  check: "ptr",
  state: "ok",
  detail: "192.0.2.10 has the name mta.example.com, which points back.",
};

export const PREFLIGHT = {
  addresses: [
    {
      address: "192.0.2.10",
      bound: true,
      ptr: "mta.example.com",
      ptr_detail: "192.0.2.10 has the name mta.example.com, which points back.",
      port_25: "open",
      blocklists: [],
      receivers: [{ name: "gmail", verdict: "accepted", step: "mail", reply: "250 2.1.0 OK", advice: null, url: null }],
    },
  ],
  summary: "1 of 1 receivers take mail from this server.",
  limits: "A receiver may still reject a message for its content, or later.",
};

export const SUPPRESSION = {
  email: "ann@example.org",
  cause: "manual",
  since: AT,
  until: null,
  refusals: [],
};

export const AUDIT_ENTRY = {
  id: "aud_4xTqZ7Jm2c",
  at: AT,
  actor: { type: "key", id: "key_4xTqZ7Jm2c", name: "terraform" },
  ip: "192.0.2.7",
  action: "domain.added",
  target: { type: "domain", id: null, name: "example.com" },
  account: { id: "acc_7Kq2mXwP", name: "shop" },
  before: null,
  after: null,
};
