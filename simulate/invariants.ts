/**
 * Compares the history of the outside with the spool after a run. Each function checks one guarantee of the product.
 * Reads the tables directly, to be independent of the code under test.
 */
import type { Database } from "better-sqlite3";
import type { SmtpReply } from "../src/message/result/outcome.ts";
import type { Delivery, History, LoadRefusal } from "./history.ts";
import { outboxIsConsistent } from "./outbox-invariants.ts";
import { localPartPrefix } from "./peers.ts";
import { returnedMailIsApplied } from "./reporters.ts";
import { webhooksMatchOutbox } from "./webhook-invariants.ts";

interface StoredRecipient {
  seq: number;
  position: number;
  email: string;
  domain: string;
  state: string;
  reason: string | null;
  /** The decisive reply, as JSON. */
  smtp: string | null;
  messageId: string;
  id: string;
  subject: string;
  createdAtMs: number;
  deadlineMs: number | null;
  expiresAtMs: number;
}

/** The part of a history's entry that shows whether a result was unknown. */
export interface HistoryEntry {
  at_ms: number;
  type: string;
  next_attempt_at_ms: number | null;
}

/** The shortest retry gap before a deadline, and the longest time that may remain after the last attempt. */
const DEADLINE_GAP_MS = 5000;
const DEADLINE_MARGIN_MAX_MS = 60_000;

export interface Expectations {
  /** Every recipient must have a final result. */
  expectEnd: boolean;
  /** Contents of messages that were final before this time must be deleted; 0 disables the check. */
  contentsDeletedBeforeMs: number;
}

/** Describes each violated invariant in one sentence. */
export function checkInvariants(
  db: Database,
  history: History,
  { expectEnd, contentsDeletedBeforeMs }: Expectations,
): string[] {
  const recipients = db
    .prepare<[], StoredRecipient>(
      `SELECT r.seq, r.position, r.email, r.domain, iif(r.mark IS NULL, r.result, 'marked') AS state, r.reason, iif(json_valid(r.smtp), r.smtp, NULL) AS smtp, m.message_id AS messageId, m.id, m.subject,
              m.created_at_ms AS createdAtMs, m.deadline_ms AS deadlineMs, m.expires_at_ms AS expiresAtMs
         FROM recipient_states r JOIN messages m USING (seq) ORDER BY r.seq, r.position`,
    )
    .all()
    .map((r) => ({ ...r, email: history.damaged.get(r.seq)?.emails[r.position] ?? r.email }));
  const deliveriesByKey = groupDeliveries(history.deliveries);
  const quarantined = new Set(db.prepare<[], number>("SELECT seq FROM quarantined").pluck().all());
  return [
    ...history.violations,
    ...onlyDamagedMessagesAreQuarantined(quarantined, history),
    ...acceptedMessagesAreStored(db, history),
    ...idempotencyKeysMakeOneMessage(db, history),
    ...recipients.flatMap((r) => failureForAddress(db, r, history)),
    ...recipients.flatMap((r) =>
      recipientIsConsistent(db, r, { history, deliveriesByKey: deliveriesByKey, expectEnd, quarantined }),
    ),
    ...deliveriesMatchSpool(db, history, recipients),
    ...partsBelongToContents(db),
    ...(contentsDeletedBeforeMs > 0 ? stagedPartsAreRemoved(db) : []),
    ...expiredContentsAreDeleted(db, contentsDeletedBeforeMs),
    ...countersAgree(db),
    ...loadRefusalsAreRespected(history),
    ...pausesAreRespected(history),
    ...(history.losesNoMail ? allAreDelivered(recipients) : []),
    ...storedAttemptsAreBounded(db),
    ...outboxIsConsistent(db, history.damaged),
    ...webhooksMatchOutbox(db, history),
    ...returnedMailIsApplied(db, history, expectEnd),
  ];
}

const recipientKey = (messageId: string, recipient: string): string => `${messageId} ${recipient}`;

function groupDeliveries(deliveries: Delivery[]): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const entry of deliveries) {
    const name = recipientKey(entry.messageId, entry.recipient);
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return groups;
}

/** 202 means on disk: the message is stored with every requested recipient. */
function acceptedMessagesAreStored(db: Database, { acceptedSends: answered, intents, damaged }: History): string[] {
  const seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
  const emails = db.prepare<[number], string>("SELECT email FROM recipients WHERE seq = ? ORDER BY position").pluck();
  return answered.flatMap(({ intent, id }) => {
    const seq = seqOf.get(id) ?? -1;
    const kept = (damaged.get(seq)?.emails ?? emails.all(seq)).join();
    const wanted = [...new Set(intents[intent]?.recipients)].join();
    return kept === wanted ? [] : [`lost: intent ${intent} got a 202, but the spool holds [${kept}] of [${wanted}]`];
  });
}

/** One idempotency key makes at most one message, despite retries, losses and kills. */
function idempotencyKeysMakeOneMessage(db: Database, { intents }: History): string[] {
  const rows = db.prepare<[], [string, number]>("SELECT subject, count(*) FROM messages GROUP BY subject").raw().all();
  const counts = new Map(rows);
  return intents.flatMap(({ number, key }) => {
    const messages = counts.get(`Intent ${number}`) ?? 0;
    return key !== null && messages > 1 ? [`duplicate for one key: intent ${number} became ${messages} messages`] : [];
  });
}

interface CheckContext {
  history: History;
  deliveriesByKey: Map<string, Delivery[]>;
  expectEnd: boolean;
  quarantined: ReadonlySet<number>;
}

/** Only damaged messages are quarantined. */
function onlyDamagedMessagesAreQuarantined(quarantined: ReadonlySet<number>, { damaged }: History): string[] {
  return [...quarantined].filter((seq) => !damaged.has(seq)).map((seq) => `quarantined without damage: row ${seq}`);
}

function recipientIsConsistent(
  db: Database,
  r: StoredRecipient,
  { history, deliveriesByKey, expectEnd, quarantined }: CheckContext,
): string[] {
  const deliveries = deliveriesByKey.get(recipientKey(r.messageId, r.email)) ?? [];
  const label = `${r.subject} ${r.email}`;
  const events = eventsOf(db, r);
  const duplicateRisks = reportedDuplicateRisks(events);
  const broken: string[] = [];
  if (deliveries.length > 1 + duplicateRisks)
    broken.push(
      `silent duplicate: ${label} was delivered ${deliveries.length} times, with ${duplicateRisks} reported duplicate risks`,
    );
  if (r.state === "failed" && deliveries.length > duplicateRisks)
    broken.push(`failed although delivered: ${label} (${r.reason})`);
  // A complaint shows that the message has arrived.
  const isProven = events.some(({ type }) => type === "complained");
  if (r.state === "delivered" && !deliveries.some((t) => t.isReplySent || isProven))
    broken.push(`marked as delivered but never accepted by a peer: ${label}`);
  if (r.state === "failed" && !hasCause(r, history))
    broken.push(`failed without a cause: ${label} (${r.reason}, ${r.smtp})`);
  const mayWait = !expectEnd || quarantined.has(r.seq);
  if (!mayWait && (r.state === "pending" || r.state === "marked"))
    broken.push(`not final: ${label} is ${r.state} (${r.reason})`);
  if (!expectEnd && r.state === "pending" && deliveries.length > duplicateRisks)
    broken.push(`pending although delivered: ${label}`);
  broken.push(...finalAttemptIsMade(r, events).map((sentence) => `${sentence}: ${label}`));
  return broken;
}

function eventsOf(db: Database, { seq, position }: StoredRecipient): HistoryEntry[] {
  return db
    .prepare<[number, number], string>(
      "SELECT history FROM events WHERE seq = ? AND position = ? AND history IS NOT NULL ORDER BY number",
    )
    .pluck()
    .all(seq, position)
    .map((text) => JSON.parse(text) as HistoryEntry);
}

/** A recipient with a deadline gets a last attempt before it, if time allows one. */
function finalAttemptIsMade({ createdAtMs, deadlineMs }: StoredRecipient, events: HistoryEntry[]): string[] {
  if (deadlineMs === null) return [];
  const marginMs = Math.min((deadlineMs - createdAtMs) / 10, DEADLINE_MARGIN_MAX_MS);
  return events.flatMap(({ type, at_ms: atMs, next_attempt_at_ms: nextMs }) => {
    const isPutOff = type === "deferred" && nextMs !== null && nextMs >= deadlineMs;
    const leftMs = deadlineMs - atMs;
    return isPutOff && leftMs > marginMs + DEADLINE_GAP_MS + 1 ? [`not retried with ${leftMs} ms left`] : [];
  });
}

/** How often the events reported an unknown result before the recipient was, or will be, tried again. */
export function reportedDuplicateRisks(events: HistoryEntry[]): number {
  return events.filter((event, i) => {
    if (event.type !== "unknown" && event.type !== "recovered") return false;
    return event.next_attempt_at_ms !== null || events.slice(i + 1).some(({ type }) => type === "retried");
  }).length;
}

/** Whether a failure has a cause: a peer's 5xx, a DNS answer, or the maximum age. */
export function hasCause(
  { email, domain, reason }: Pick<StoredRecipient, "email" | "domain" | "reason">,
  { refused, denied }: History,
): boolean {
  switch (reason) {
    case "recipient_refused":
    case "message_refused":
      return [email, localPartPrefix(email), "anybody"].some((name) => refused.has(name));
    case "sender_refused":
      return refused.has("sender");
    case "domain_not_found":
    case "null_mx":
      return denied.has(domain);
    default:
      return reason === "expired";
  }
}

/** No recipient fails for a refusal of our address before its time is over. */
function failureForAddress(db: Database, r: StoredRecipient, { addressRefusals }: History): string[] {
  if (r.state !== "failed" || r.smtp === null) return [];
  const { code, enhanced_code: enhanced, message } = JSON.parse(r.smtp) as SmtpReply;
  const reply = [code, enhanced, message].filter((part) => part !== null).join(" ");
  if (!addressRefusals.has(reply)) return [];
  const atMs = eventsOf(db, r).at(-1)?.at_ms ?? 0;
  if (r.reason === "expired" && atMs >= Math.min(r.expiresAtMs, r.deadlineMs ?? r.expiresAtMs)) return [];
  return [`failed for our address: ${r.subject} ${r.email} (${r.reason}, ${reply})`];
}

/** The first part of a content and those of its tail, in order. */
const PARTS = `
  SELECT content FROM contents WHERE seq = @seq
  UNION ALL
  SELECT content FROM (SELECT p.content FROM contents c JOIN content_parts p ON p.number >> 10 = c.tail WHERE c.seq = @seq
    ORDER BY p.number)`;

/** A stored content has all its later parts, and parts of no content are listed for removal. */
function partsBelongToContents(db: Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT 'parts missing: row ' || seq FROM contents c
         WHERE tail IS NOT NULL AND later_parts <> (SELECT count(*) FROM content_parts p WHERE p.number >> 10 = c.tail)
       UNION ALL
       SELECT DISTINCT 'parts of no content: ' || (number >> 10) FROM content_parts WHERE number >> 10 NOT IN
         (SELECT tail FROM contents WHERE tail IS NOT NULL UNION ALL SELECT tail FROM staged)
       UNION ALL
       SELECT 'parts both stored and listed for removal: ' || tail FROM contents WHERE tail IN (SELECT tail FROM staged)`,
    )
    .pluck()
    .all();
}

/** Parts of contents that were not accepted, or were deleted, are removed. */
function stagedPartsAreRemoved(db: Database): string[] {
  const staged = db.prepare<[], number>("SELECT tail FROM staged").pluck().all();
  return staged.map((tail) => `parts not removed: ${tail}`);
}

/** Every message that a peer holds was accepted by the API for that recipient, with that content. */
function deliveriesMatchSpool(db: Database, { deliveries, damaged }: History, recipients: StoredRecipient[]): string[] {
  const known = new Map(recipients.map((r) => [recipientKey(r.messageId, r.email), r.seq]));
  const contentOf = (seq: number): string | undefined => {
    const parts = db.prepare<{ seq: number }, Buffer>(PARTS).pluck().all({ seq });
    return parts.length === 0 ? undefined : Buffer.concat(parts).toString("latin1");
  };
  return deliveries.flatMap(({ messageId, recipient, content }) => {
    const seq = known.get(recipientKey(messageId, recipient));
    if (seq === undefined) return [`delivered but not in the spool: ${messageId} to ${recipient}`];
    // Contents are deleted when they are no longer needed.
    const kept = damaged.get(seq)?.content ?? contentOf(seq) ?? content;
    return kept === content ? [] : [`content changed: ${messageId} to ${recipient}`];
  });
}

/** Contents of final messages are deleted, whatever time their rows and earlier rows carry. */
function expiredContentsAreDeleted(db: Database, beforeMs: number): string[] {
  return db
    .prepare<[number], string>(
      `SELECT m.subject FROM contents c JOIN messages m USING (seq)
         WHERE (SELECT max(at_ms) FROM events e WHERE e.seq = m.seq) < ?
           AND seq NOT IN (SELECT seq FROM work UNION SELECT seq FROM unknown_recipients)`,
    )
    .pluck()
    .all(beforeMs)
    .map((subject) => `content not deleted: ${subject}`);
}

/** Counters that change in the same transactions agree with the rows. */
function countersAgree(db: Database): string[] {
  const one = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
  const messages = one("SELECT count(*) FROM messages");
  const recipients = one("SELECT count(*) FROM recipients");
  const sums: [string, number, number][] = [
    ["quota", one("SELECT coalesce(sum(used), 0) FROM quota"), recipients],
    ["messages of activity", one("SELECT coalesce(sum(messages), 0) FROM activity"), messages],
    ["recipients of activity", one("SELECT coalesce(sum(recipients), 0) FROM activity"), recipients],
    ["messages of the key", one("SELECT sum(messages_sent) FROM api_keys"), messages],
    [
      "delivered of activity",
      one("SELECT coalesce(sum(delivered), 0) FROM activity"),
      one("SELECT count(*) FROM recipient_states WHERE result = 'delivered'"),
    ],
  ];
  return sums.flatMap(([name, counted, there]) =>
    counted === there ? [] : [`${name}: counter ${counted}, actual ${there}`],
  );
}

const MINUTE_MS = 60_000;

/**
 * The limit after the first minute, for a destination that rejects everything: two probes of two addresses each, plus
 * twice five attempts: after a message that was accepted late, and for a domain that DNS had shown elsewhere.
 */
const REFUSALS_PER_MINUTE_MAX = 24;

/** A destination that rejects everything for load soon gets few attempts, in each process incarnation. */
function loadRefusalsAreRespected({ loadRefusals: limited }: History): string[] {
  const periods = new Map<string, LoadRefusal[]>();
  for (const entry of limited) {
    const name = `${entry.domain}, time ${entry.period}, life ${entry.incarnation}`;
    periods.set(name, [...(periods.get(name) ?? []), entry]);
  }
  return [...periods].flatMap(([name, entries]) => {
    const settledMs = (entries[0]?.atMs ?? 0) + MINUTE_MS;
    const late = entries.map(({ atMs }) => atMs).filter((atMs) => atMs > settledMs);
    const most = late.findIndex((atMs, i) => (late[i + REFUSALS_PER_MINUTE_MAX] ?? Infinity) < atMs + MINUTE_MS);
    return most === -1
      ? []
      : [`too many attempts at a rate limit: ${name} sent more than ${REFUSALS_PER_MINUTE_MAX} refusals in a minute`];
  });
}

/** An attempt that was under way when a receiver asked for a pause may go on for as long, at its other hosts. */
const UNDER_WAY_MS = MINUTE_MS / 2;

/** No message reaches a receiver within a pause that it has asked for: the probe that ends the pause comes after it. */
function pausesAreRespected({ pauses, contacts }: History): string[] {
  return pauses.flatMap(({ receiver, fromMs, untilMs }) => {
    const within = contacts.filter(
      (contact) => contact.receiver === receiver && contact.atMs > fromMs + UNDER_WAY_MS && contact.atMs < untilMs,
    );
    return within.length === 0 ? [] : [`attempt within a pause: ${receiver} was contacted ${within.length} times`];
  });
}

/** Nothing but refusals of us was at fault, so every recipient is delivered; one with a deadline may have missed it. */
function allAreDelivered(recipients: StoredRecipient[]): string[] {
  const missing = recipients.filter(({ state, reason, deadlineMs }) => {
    const mayExpire = deadlineMs !== null && reason === "expired";
    return state !== "delivered" && !mayExpire;
  });
  return missing.map(
    ({ subject, email, state, reason }) =>
      `not delivered for a refusal of us: ${subject} ${email} is ${state} (${reason})`,
  );
}

/** Eight hosts with at most two addresses each. */
const TRIES_MAX = 16;
const EVENT_BYTES_MAX = 64 * 1024;

/** The stored size of one attempt is bounded, whatever DNS and peers return. */
function storedAttemptsAreBounded(db: Database): string[] {
  return db
    .prepare<[number, number], [number, number, number]>(
      `SELECT seq, json_array_length(history, '$.tries') AS tries, octet_length(history) AS bytes FROM events
         WHERE tries > ? OR bytes > ?`,
    )
    .raw()
    .all(TRIES_MAX, EVENT_BYTES_MAX)
    .map(([seq, tries, bytes]) => `stored attempt too large: ${tries} tries, ${bytes} bytes (message ${seq})`);
}
