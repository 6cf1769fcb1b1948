/** The responses of the management interface as JSON Schema (2020-12), for OpenAPI and for the tests that validate every response. */
import { DMARC_ANSWERS } from "../../app/reports/dmarc-verdict.ts";
import { CATEGORIES } from "../../message/result/category.ts";
import { SUPPRESSION_CAUSES } from "../../message/result/suppression.ts";
import { PERMISSIONS } from "../../spool/port/api-keys.ts";
import { CHECK_NAMES, RETURN_PATH_CHECK_NAMES } from "../../spool/port/domains.ts";
import { EVENT_TYPES } from "../../spool/port/events.ts";
import { ROLES } from "../../spool/port/memberships.ts";
import {
  arrayOf,
  count,
  countOrNull,
  flag,
  object,
  oneOf,
  ref,
  refOrNull,
  type Schema,
  someOf,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "../response/schema.ts";

const listOf = (name: string): Schema =>
  object({
    data: arrayOf(ref(name), "The page. It may have fewer than `limit`."),
    next: textOrNull("For the next page, as `after`; null at the end."),
  });

const textsOrNull = (description: string): Schema => ({
  type: ["array", "null"],
  items: { type: "string" },
  description,
});

const STATE = oneOf(["pending", "verified", "failed", "temporary_failure"], "The result of the last check.");
const STATES = (names: readonly string[]) =>
  object(Object.fromEntries(names.map((name) => [name, STATE])), { description: "The state of each check." });
const CHECKS = (names: readonly string[]) =>
  object(Object.fromEntries(names.map((name) => [name, ref("DomainCheck", "A check.")])), {
    description: "The last result of each check.",
  });
const orNull = (schema: Schema, description: string): Schema => ({ anyOf: [schema, { type: "null" }], description });

const DOMAIN = {
  domain: text("In A-labels."),
  verified: flag("Whether it may send."),
  created_at: time("When the domain was added."),
  next_check_at: time("When its records are checked next."),
};

const DAY = text("The Monday of the week in UTC, such as `2026-03-02`.");
const ORG = text("Who reports it.");
const DMARC_TOTALS = {
  reports: count("Reports."),
  messages: count("Messages."),
  failed: count("Messages that failed DMARC."),
  failed_ours: count("Those of them that this service sent."),
};
const TLS_TOTALS = {
  reports: count("Reports."),
  succeeded: count("Sessions with TLS."),
  failed: count("Sessions that failed."),
};

const OURS = oneOf(
  ["address", "signature", "no"],
  "Whether they are this service's: `address` if it sends from the address, `signature` if they have a DKIM signature of the domain.",
);

const DOMAIN_SCHEMAS = {
  DomainCheck: object(
    {
      state: STATE,
      detail: text("What was seen, and what to change if anything."),
      expected: text("The value to publish; of a verified check, the published one."),
      found: arrayOf({ type: "string" }, "The records found, as text."),
    },
    {},
    {
      warnings: arrayOf({ type: "string" }, "What should be improved of a verified check."),
      found_at: text("The name that has the records found, if it is not the record's."),
      expected_at: text("The name that `expected` belongs to, if it is not the record's."),
    },
  ),
  DnsRecord: object({
    check: text("The check that looks for it."),
    type: text("The type of the record, such as `TXT`."),
    name: text("Its whole name."),
    value: text("Its value."),
  }),
  ManagedDomainEntry: object({
    ...DOMAIN,
    checks: STATES(CHECK_NAMES),
    return_path: orNull(
      object({
        active: flag("Whether it is the envelope sender of messages."),
        checks: STATES(RETURN_PATH_CHECK_NAMES),
      }),
      "The return path; null if it is off.",
    ),
  }),
  ManagedDomain: object({
    ...DOMAIN,
    checks: CHECKS(CHECK_NAMES),
    return_path: orNull(
      object({
        active: flag("Whether it is the envelope sender of messages."),
        checks: CHECKS(RETURN_PATH_CHECK_NAMES),
      }),
      "The return path; null if it is off.",
    ),
    records: arrayOf(ref("DnsRecord"), "The records to publish."),
    new_dkim_record: refOrNull("DnsRecord", "The record of a new DKIM key that waits for it; null without one."),
  }),
  ManagedDomainList: listOf("ManagedDomainEntry"),
  ManagedReturnPath: object({
    domain: text("In A-labels."),
    enabled: flag("Whether it is on."),
    records: arrayOf(ref("DnsRecord"), "The records to publish; empty if it is off."),
    warnings: arrayOf({ type: "string" }, "What keeps bounces from coming back."),
  }),
  CheckChange: object({
    check: text("The check."),
    state: STATE,
    detail: text("What was seen."),
    at: time("When it changed."),
  }),
  ManagedCheckChangeList: listOf("CheckChange"),
  DomainReports: object(
    {
      domain: text("In A-labels."),
      dmarc: orNull(
        object({
          answer: oneOf(
            DMARC_ANSWERS,
            "Whether the domain can publish the next stricter DMARC policy: `yes`; `check_sources` if none of the failing sources is yours; not yet: `own_failures`, `few_reports`; it has the strictest: `strictest`; the present policy is not known: `no_record`.",
          ),
          detail: text("The answer with its reason."),
          policy: textOrNull("The present policy: `none`, `quarantine` or `reject`; null if it is not known."),
          next_policy: textOrNull("The next stricter policy; null without one."),
          since: DAY,
          messages: count("Messages that receivers report since then."),
          failed: count("Those of them that failed DMARC."),
          sources: arrayOf(
            object({
              ip: text("The address that sent them."),
              ours: OURS,
              messages: count("Messages."),
              failed: count("Those that failed DMARC."),
              dkim_passed: count("Those with an aligned DKIM signature."),
              spf_passed: count("Those with an aligned SPF result."),
              last_seen: DAY,
            }),
            "The addresses that sent them; those that fail most first, at most 50.",
          ),
        }),
        "The answer to whether the DMARC policy can be stricter, by four weeks of reports; null without reports.",
      ),
      week: DAY,
      receivers: arrayOf(
        object({ org: ORG, ...DMARC_TOTALS }),
        "What each receiver reports about messages from the domain.",
      ),
      sources: arrayOf(
        object({
          org: ORG,
          ip: text("The address that sent them."),
          ours: OURS,
          messages: count("Messages."),
          failed: count("Those that failed DMARC."),
          quarantined: count("Those that were put into spam."),
          rejected: count("Those that were rejected."),
          dkim_passed: count("Those with an aligned DKIM signature."),
          spf_passed: count("Those with an aligned SPF result."),
          header_from: textOrNull("The domain of From; null if there were several."),
        }),
        "The addresses that sent messages from the domain, as receivers report them.",
      ),
      tls_senders: arrayOf(object({ org: ORG, ...TLS_TOTALS }), "What each sender reports about TLS to the domain."),
      tls_failures: arrayOf(
        object({
          org: ORG,
          policy_type: text("The policy, such as `sts`."),
          result_type: text("The cause (RFC 8460)."),
          mx: textOrNull("The host; null if it is not named."),
          sessions: count("Failed sessions."),
        }),
        "Sessions that failed.",
      ),
      weeks: arrayOf(
        object({
          week: DAY,
          dmarc: object(DMARC_TOTALS, { description: "Messages." }),
          tls: object(TLS_TOTALS, { description: "Sessions." }),
        }),
        "The weeks with reports, the newest first.",
      ),
      not_stored: object(
        {
          total: count("Reports of the last 35 days that were not stored."),
          reasons: {
            type: "object",
            additionalProperties: { type: "integer" },
            description: "How many by each reason.",
          },
          newest: arrayOf(
            object({
              at: time("When it arrived."),
              reason: text("Why it was not stored."),
              sender: text("The envelope sender; empty for the null sender."),
              ip: text("The address of the client."),
            }),
            "The newest of them.",
          ),
        },
        { description: "Reports that were not stored." },
      ),
    },
    { description: "What receivers and senders report about the domain." },
  ),
};

const KEY = {
  id: text("Opaque."),
  name: text("The app that uses it."),
  test: flag("Whether nothing that it sends leaves this server."),
  state: oneOf(["active", "expired", "revoked"], "Whether requests with it are accepted."),
  permissions: someOf(PERMISSIONS, "What it may do."),
  domains: textsOrNull("The domains that it is restricted to; null for all."),
  networks: textsOrNull("The networks that it may be used from; null for any."),
  expires_at: timeOrNull("When it stops being active; null for never."),
  last_four: text("Its last four characters."),
  created_at: time("When it was created."),
  last_used_at: timeOrNull("When it was last used; null for never."),
  revoked_at: timeOrNull("When it was revoked; null if it was not."),
  held_since: timeOrNull("Since when its mail is held; null if it is not."),
  held_because: textOrNull("Why its mail is held."),
  fuse: object(
    {
      limit: countOrNull("Recipients in ten minutes above which it is held; null if what it normally sends decides."),
      off: flag("Whether it is never held."),
    },
    { description: "When it is held." },
  ),
};

const KEY_SCHEMAS = {
  ManagedKey: object(KEY),
  CreatedKey: object({ ...KEY, key: text("The key. It is shown only this once.") }),
  ManagedKeyList: listOf("ManagedKey"),
  ActedKey: object({ id: text("The API key."), recipients: count("Number of recipients that waited.") }),
};

const ENDPOINT = {
  id: text("Opaque."),
  url: text("Where events are posted."),
  events: textsOrNull("The types of events; null for all."),
  keys: textsOrNull("Ids of API keys; null for all."),
  domains: textsOrNull("The account's domains; null for all."),
  created_at: time("When it was created."),
  state: oneOf(["active", "failing", "paused", "disabled"], "Whether events are posted to it."),
  paused_at: timeOrNull("When it was paused; null if it is not."),
  disabled_at: timeOrNull("When it was disabled; null if it is not."),
  disabled_reason: orNull(
    { type: "string", enum: ["gone", "failing"] },
    "`gone`: it responded 410. `failing`: for days.",
  ),
  failing_since: timeOrNull("The first failure since the last success; null without one."),
  last_failure: orNull(
    object({
      at: time("When it failed."),
      status: countOrNull("The status of the response; null without one."),
      error: textOrNull("Why there was none."),
    }),
    "The newest failure since the last success.",
  ),
  waiting: object(
    {
      retries: count("Number of messages whose events wait for another attempt."),
      events: count("Number of new events."),
    },
    { description: "What is still to be posted." },
  ),
};

const WEBHOOK_SCHEMAS = {
  ManagedWebhook: object(ENDPOINT),
  CreatedWebhook: object({ ...ENDPOINT, secret: text("The secret. It is shown only this once.") }),
  ManagedWebhookList: listOf("ManagedWebhook"),
  WebhookTest: object({
    status: countOrNull("The status of the response; null without one."),
    duration_ms: { ...text("How long it took."), type: "number" },
    error: textOrNull("Why there was no response."),
    response: text("The beginning of the response's body."),
  }),
  WebhookReplay: object({ id: text("The webhook endpoint."), since: time("From when on events are posted again.") }),
  WebhookEventReplay: object({ id: text("The webhook endpoint."), event_number: count("The event.") }),
  WebhookDelivery: object({
    number: count("Counts the attempts of the endpoint."),
    event_number: count("Names the event for `replay`."),
    event_id: text("The id of the event."),
    type: oneOf(EVENT_TYPES, "The type of the event."),
    message_id: textOrNull("The `id` of the message; null for an event of a domain."),
    at: time("When it was posted."),
    duration_ms: { ...text("How long it took."), type: "number" },
    attempt: count("Counts the attempts at this event from 1."),
    result: oneOf(["sent", "deferred", "given_up"], "What became of it."),
    status: countOrNull("The status of the response; null without one."),
    error: textOrNull("Why there was no response."),
    response: text("The beginning of the response's body."),
    next_attempt_at: timeOrNull("When the next attempt follows; null where none does."),
  }),
  WebhookDeliveryList: listOf("WebhookDelivery"),
};

const ADDED = {
  added: count("Number of addresses that are suppressed now and were not."),
  changed: count("Number of addresses whose cause or end has changed."),
  already: count("Number of addresses that were suppressed so already."),
  invalid: count("Number of texts that are no address."),
  faults: arrayOf(
    object({
      at: count("The position in the request from 0, or the line of a file from 1."),
      email: text("The text."),
      detail: text("What is wrong with it."),
    }),
    "The first invalid ones.",
  ),
};

const SUPPRESSION_SCHEMAS = {
  Suppression: object({
    email: text("The address."),
    cause: oneOf(SUPPRESSION_CAUSES, "Why messages to it are not attempted."),
    since: time("Since when it is suppressed."),
    until: timeOrNull("When the suppression ends; null: when it is removed."),
    refusals: arrayOf(
      { type: "object", additionalProperties: true },
      "The replies that rejected it, if they are the cause.",
    ),
  }),
  SuppressionList: listOf("Suppression"),
  AddedSuppressions: object(ADDED),
  ImportedSuppressions: object({
    ...ADDED,
    format: textOrNull("The format that was recognised; null where none was."),
    stopped: textOrNull("Why the file was not read to its end; null if it was."),
  }),
};

const NAMED = (description: string) =>
  object({ type: text("Its kind."), id: textOrNull("Its id."), name: textOrNull("Its name.") }, { description });

const AUDIT_SCHEMAS = {
  AuditEntry: object({
    id: text("Opaque."),
    at: time("When."),
    actor: NAMED("Who: a user, an API key, the command line or a visitor."),
    ip: textOrNull("From where; null for the command line."),
    action: text("What, such as `domain.added`."),
    target: NAMED("To what."),
    account: orNull(
      object({ id: text("The account."), name: textOrNull("Its name; null if it was removed.") }),
      "In which account; null for the installation.",
    ),
    before: orNull({ type: "object", additionalProperties: true }, "The fields that changed, as they were."),
    after: orNull({ type: "object", additionalProperties: true }, "The fields that changed, as they are now."),
  }),
  AuditList: listOf("AuditEntry"),
};

const MESSAGE_SCHEMAS = {
  DiscardedMessage: object({
    id: textOrNull("The message; null if its id cannot be read."),
    failed: count("Number of recipients that failed by it."),
  }),
  ActionOnMessages: object({
    action: oneOf(["cancel", "retry", "resolve"], "What was asked for."),
    recipients: count("Number of recipients that the filter selects."),
    messages: count("Number of their messages."),
    dry_run: flag("Whether they were only counted."),
    done: count("Number of recipients that were changed."),
    unchanged: count("Number of recipients that could not be changed, or had changed meanwhile."),
    complete: flag("Whether all were covered. If not, the same request covers the next ones."),
  }),
};

const SHARE = (what: string) =>
  object(
    { count: count(`Number of ${what}.`), max: count("Their limit.") },
    { description: `What the account has of ${what}.` },
  );

const ACCOUNT = {
  id: text("Opaque."),
  name: text("Its name."),
  created_at: time("When it was created."),
};
const DELETION = {
  deleted_at: time("When it was deleted."),
  restorable_until: time("Until when it can be restored."),
};
const INVITED = {
  email: text("The email address."),
  role: oneOf(ROLES, "What the user may do in the account."),
};

const ACCOUNT_SCHEMAS = {
  Usage: object({
    account: text("The account's name."),
    quota: object(
      {
        recipients_today: count("Recipients of messages accepted in this UTC day."),
        daily: countOrNull("The limit of a day; null without one."),
        resets_at: time("When the next UTC day begins."),
      },
      { description: "The quota of recipients." },
    ),
    domains: SHARE("domains"),
    keys: SHARE("active API keys"),
    webhooks: SHARE("webhook endpoints"),
    users: SHARE("users"),
  }),
  Account: object(
    {
      ...ACCOUNT,
      quota_daily: countOrNull("Recipients that it may address in a UTC day; 0 for no limit, null for QUOTA_DAILY."),
      effective_quota_daily: count("The limit that holds; 0 for none."),
      status_pages: flag("Whether its messages may have status pages."),
    },
    {},
    DELETION,
  ),
  DeletedAccount: object({ id: ACCOUNT.id, name: ACCOUNT.name, ...DELETION }),
  AccountList: listOf("Account"),
  User: object({
    id: text("Opaque."),
    email: INVITED.email,
    account: text("The name of the account: the one that is asked for, else the user's own."),
    operator: flag("Whether the user operates the service."),
    role: { ...INVITED.role, description: "What the user may do in the account." },
    memberships: arrayOf(
      object({
        account: text("The name of the account."),
        role: INVITED.role,
        by_group: flag("Whether a group at the identity provider gives it."),
      }),
      "Every account that the user belongs to, the user's own first.",
    ),
    second_factor: flag("Whether the user signs in with a code too."),
    created_at: time("When it was created."),
  }),
  UserList: listOf("User"),
  Invitation: object({
    id: text("Opaque."),
    ...INVITED,
    invited_by: text("Who invites."),
    created_at: time("When it was made."),
    valid_until: time("Until when its link is valid."),
  }),
  InvitationList: listOf("Invitation"),
  InvitedUser: object({
    ...INVITED,
    account: text("The name of the account."),
    link: text("The link of the invitation. It is shown only this once."),
    valid_until: time("Until when the link is valid."),
    sent_from: textOrNull("The domain that the link was sent from; null if it was not sent."),
  }),
};

const OPENNESS = {
  state: oneOf(["open", "paused", "closed", "blocked"], "Whether it accepts mail now."),
  since: timeOrNull("Since when it does not; null where it does."),
  reply: textOrNull("The last reply."),
  next_probe_at: timeOrNull("When the next attempt is made; null where it is open."),
  delisting_url: textOrNull("Where to ask for the removal of a block."),
};

const RECEIVER_SCHEMAS = {
  Receiver: object({
    name: text("Its name, or the organisational domain of its servers."),
    label: text("Its name for readers."),
    mx: arrayOf({ type: "string" }, "The domains of its servers."),
    limits: object(
      {
        connections: countOrNull("Connections at one time; null if its replies decide."),
        messages_per_connection: countOrNull("Messages before a connection is ended; null for the default."),
        messages_per_minute: countOrNull("Messages in a minute; null without a limit."),
        pause_seconds: countOrNull("The pause after a reply about the rate; null for that of its profile."),
      },
      { description: "What delivery keeps to." },
    ),
    overridden: arrayOf({ type: "string" }, "The limits that an operator has set."),
    ...OPENNESS,
    addresses: arrayOf(
      object({ address: textOrNull("The sending address; null if the system chooses it."), ...OPENNESS }),
      "Its state from each sending address.",
    ),
    attempts: count("Attempts in progress."),
    connections: count("Open connections."),
    preflight: arrayOf({ type: "object", additionalProperties: true }, "What the last preflights have found."),
    last_day: object(
      {
        delivered: count("Delivered recipients."),
        deferred: count("Deferred attempts."),
        failed: count("Failed recipients."),
        unknown: count("Recipients without a known result."),
      },
      { description: "What was counted in the last 24 hours." },
    ),
    requires_tls: flag("Whether it takes mail only over TLS."),
    senders_url: textOrNull("Its page for senders."),
    source: textOrNull("What its profile comes from; null without one."),
  }),
  ReceiverList: listOf("Receiver"),
  Queue: object({
    waiting: count("Number of recipients that wait."),
    unknown: count("Number of recipients without a known result."),
    oldest_at: timeOrNull("When the oldest that waits was accepted."),
    destinations: arrayOf(ref("QueueDestination"), "By recipient domain, at most 1,000."),
    delivery_paused: flag("Whether delivery waits after a restore."),
    closed_without_mail: arrayOf(
      { type: "object", additionalProperties: true },
      "Closed destinations for which nothing waits.",
    ),
  }),
  QueueDestination: object({
    domain: text("The recipient domain."),
    waiting: count("Recipients that wait."),
    due: count("Recipients that are due and in no attempt."),
    deferred: count("Recipients that wait for a later attempt."),
    in_flight: count("Recipients in an attempt."),
    oldest_at: timeOrNull("When the oldest was accepted."),
    next_attempt_at: timeOrNull("When the next attempt is made."),
    delivered_last_minute: countOrNull("Delivered in the last minute; null while no node reports."),
    mail_servers: orNull(
      { type: "object", additionalProperties: true },
      "The connections to its mail servers; null while nothing is known.",
    ),
    wait: object(
      { type: text("Why it waits, for programs."), text: text("Why it waits.") },
      { description: "Why it waits." },
    ),
    reason: textOrNull("The reason of the last attempt."),
    category: orNull({ type: "string", enum: CATEGORIES }, "The category."),
    smtp: orNull({ type: "object", additionalProperties: true }, "The last reply."),
    paused_at: timeOrNull("When an operator paused it; null if none has."),
  }),
  PausedDestination: object({ domain: text("The recipient domain."), paused: flag("Whether it is paused.") }),
  RetriedDestination: object({
    domain: text("The recipient domain."),
    recipients: count("Recipients that are due now and were not."),
    hold: orNull(
      { type: "string", enum: ["paused", "closed"] },
      "What keeps the next attempt from being made at once.",
    ),
  }),
};

const SENDING_ADDRESS = {
  address: text("The IP address as receivers see it."),
  name: text("The name for EHLO."),
  bind: textOrNull("The local address that connections leave from; null if it is the address itself."),
  pool: text("Its pool."),
  warm_up: flag("Whether it is being warmed up."),
  nodes: textsOrNull("The live nodes that have it; null where the spool belongs to one service."),
  state: oneOf(["active", "paused", "absent"], "`absent`: no running host has it."),
};

const SENDING_ADDRESS_SCHEMAS = {
  SendingAddressEntry: object(SENDING_ADDRESS),
  SendingAddressList: listOf("SendingAddressEntry"),
  SendingAddress: object({
    ...SENDING_ADDRESS,
    schedule: {
      ...text("Messages of each day at one receiver; null if it is not being warmed up."),
      type: ["array", "null"],
      items: { type: "integer" },
    },
    receivers: arrayOf(
      object({
        receiver: text("The receiver."),
        day: countOrNull("The day of the schedule, from 1 on; null after its end."),
        limit: countOrNull("Messages of that day; null without a limit."),
        sent_today: count("Messages of today that are sent or are about to be."),
        accepted_today: count("Messages that it accepted today."),
        blocked_today: flag("Whether it rejected the address today."),
      }),
      "How far it is warmed up, where something was sent from it.",
    ),
  }),
  SendingPool: object({
    name: text("Its name."),
    addresses: arrayOf({ type: "string" }, "Its addresses."),
    accounts: arrayOf({ type: "string" }, "Names of accounts whose mail leaves from them."),
    domains: arrayOf({ type: "string" }, "Sender domains whose mail leaves from them."),
    tags: arrayOf(
      object({ account: text("The name of the account."), tag: text("The tag.") }),
      "Tags of messages that leave from them.",
    ),
  }),
  SendingPoolList: listOf("SendingPool"),
};

const HOST_SCHEMAS = {
  Node: object({
    name: text("Its name."),
    version: text("The version that it runs."),
    address: text("Where its HTTP listener is reached."),
    state: oneOf(["live", "draining", "drained", "expired"], "What it does."),
    started_at: time("When it started."),
    heartbeat_at: time("Its last heartbeat."),
    draining: flag("Whether an operator has drained it."),
    leases: count("Recipients that it leases."),
    delivered_last_minute: count("Recipients that it delivered in the last minute."),
    sending_ips: arrayOf({ type: "string" }, "The addresses that it sends from."),
  }),
  NodeList: listOf("Node"),
  DrainedNode: object({ name: text("As asked for."), draining: arrayOf({ type: "string" }, "The nodes that drain.") }),
  ResumedNode: object({
    name: text("As asked for."),
    resumed: arrayOf({ type: "string" }, "The nodes that claim again."),
  }),
  Finding: object({
    check: text("What was checked."),
    state: oneOf(["ok", "warning", "problem", "unclear"], "`problem` stops delivery, `warning` hurts it."),
    detail: text("What was found, and how to fix it."),
  }),
  Findings: object({
    examined_at: timeOrNull("When; null if the examination has failed."),
    data: arrayOf(ref("Finding"), "One for each check."),
    next: textOrNull("Always null."),
  }),
  Preflight: object({
    addresses: arrayOf(
      object({
        address: textOrNull("The sending address; null if none was found."),
        bound: flag("Whether sessions left from it."),
        ptr: textOrNull("The name of its PTR record."),
        ptr_detail: text("What was found."),
        port_25: { ...text("Whether port 25 is open."), type: ["string", "boolean", "null"] },
        blocklists: arrayOf({ type: "object", additionalProperties: true }, "What blocklists say."),
        receivers: arrayOf(
          object(
            {
              name: text("The receiver."),
              verdict: oneOf(["accepted", "refused", "deferred", "unreachable", "not_tried"], "What it would do."),
              step: textOrNull("How far the session went."),
              reply: textOrNull("The last reply."),
              advice: textOrNull("What to do."),
              url: textOrNull("Where to ask."),
            },
            {},
            { at: time("Of a result of an earlier run: when.") },
          ),
          "What each receiver said.",
        ),
      }),
      "By sending address.",
    ),
    summary: text("In a sentence."),
    limits: text("What a preflight cannot tell."),
  }),
};

export const MANAGE_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...DOMAIN_SCHEMAS,
  ...KEY_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...SUPPRESSION_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...MESSAGE_SCHEMAS,
  ...ACCOUNT_SCHEMAS,
  ...RECEIVER_SCHEMAS,
  ...SENDING_ADDRESS_SCHEMAS,
  ...HOST_SCHEMAS,
};
