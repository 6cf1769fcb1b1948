/**
 * Compares the books of the outside with the spool once a run is over. Every sentence here is a promise of the product; a
 * run that breaks one has found a fault. Reads the tables themselves, so that no code under test stands between.
 */
import type { Database } from "better-sqlite3";
import type { Delivery, History, LoadRefusal } from "./history.ts";
import { localPartPrefix } from "./peers.ts";

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
}

interface StoredEvent {
  at_ms: number;
  type: string;
  next_attempt_at_ms: number | null;
}

/** The shortest gap before a deadline, and the most that a last attempt leaves. */
const DEADLINE_GAP_MS = 5000;
const DEADLINE_MARGIN_MAX_MS = 60_000;

export interface Expectations {
  /** Everything has ended. */
  expectEnd: boolean;
  /** The content of what was final before this moment is gone; 0 where that is not looked at. */
  contentsDeletedBeforeMs?: number;
}

/** What the run broke, in sentences; empty when nothing. */
export function checkInvariants(
  db: Database,
  history: History,
  { expectEnd, contentsDeletedBeforeMs: forgottenBeforeMs = 0 }: Expectations,
): string[] {
  const recipients = db
    .prepare<[], StoredRecipient>(
      `SELECT r.seq, r.position, r.email, r.domain, r.state, r.reason, r.smtp, m.message_id AS messageId, m.id, m.subject,
              m.created_at_ms AS createdAtMs, m.deadline_ms AS deadlineMs
         FROM recipients r JOIN messages m USING (seq) ORDER BY r.seq, r.position`,
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
    ...recipients.flatMap((r) =>
      recipientIsConsistent(db, r, { history, deliveriesByKey: deliveriesByKey, expectEnd, quarantined }),
    ),
    ...deliveriesMatchSpool(db, history, recipients),
    ...expiredContentsAreDeleted(db, forgottenBeforeMs),
    ...countersAgree(db),
    ...loadRefusalsAreRespected(history),
    ...storedAttemptsAreBounded(db),
  ];
}

const recipientKey = (messageId: string, recipient: string): string => `${messageId} ${recipient}`;

function groupDeliveries(taken: Delivery[]): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const entry of taken) {
    const name = recipientKey(entry.messageId, entry.recipient);
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return groups;
}

/** 202 means on disk: the message is there, with every recipient that was asked for. */
function acceptedMessagesAreStored(db: Database, { acceptedSends: answered, intents, damaged }: History): string[] {
  const seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
  const emails = db.prepare<[number], string>("SELECT email FROM recipients WHERE seq = ? ORDER BY position").pluck();
  return answered.flatMap(({ intent, id }) => {
    const seq = seqOf.get(id) ?? -1;
    const kept = (damaged.get(seq)?.emails ?? emails.all(seq)).join();
    const wanted = [...new Set(intents[intent]?.recipients)].join();
    return kept === wanted
      ? []
      : [`lost: intent ${intent} was answered 202, and the spool holds [${kept}] of [${wanted}]`];
  });
}

/** One key is one message, whatever was retried, lost or killed. */
function idempotencyKeysMakeOneMessage(db: Database, { intents }: History): string[] {
  const rows = db.prepare<[], [string, number]>("SELECT subject, count(*) FROM messages GROUP BY subject").raw().all();
  const counts = new Map(rows);
  return intents.flatMap(({ number, key }) => {
    const messages = counts.get(`Intent ${number}`) ?? 0;
    return key !== null && messages > 1 ? [`key used twice: intent ${number} became ${messages} messages`] : [];
  });
}

interface CheckContext {
  history: History;
  deliveriesByKey: Map<string, Delivery[]>;
  expectEnd: boolean;
  quarantined: ReadonlySet<number>;
}

/** What cannot be read is set aside, and nothing else. */
function onlyDamagedMessagesAreQuarantined(quarantined: ReadonlySet<number>, { damaged }: History): string[] {
  return [...quarantined].filter((seq) => !damaged.has(seq)).map((seq) => `quarantined and not damaged: row ${seq}`);
}

function recipientIsConsistent(
  db: Database,
  r: StoredRecipient,
  { history, deliveriesByKey: deliveries, expectEnd, quarantined }: CheckContext,
): string[] {
  const taken = deliveries.get(recipientKey(r.messageId, r.email)) ?? [];
  const who = `${r.subject} ${r.email}`;
  const events = eventsOf(db, r);
  const duplicateRisks = reportedDuplicateRisks(events);
  const broken: string[] = [];
  if (taken.length > 1 + duplicateRisks)
    broken.push(`sent twice in silence: ${who} was taken ${taken.length} times, ${duplicateRisks} doubts were told`);
  if (r.state === "failed" && taken.length > duplicateRisks) broken.push(`failed and yet taken: ${who} (${r.reason})`);
  if (r.state === "delivered" && !taken.some((t) => t.isReplySent)) broken.push(`delivered and never taken: ${who}`);
  if (r.state === "failed" && !hasCause(r, history))
    broken.push(`failed and nobody said so: ${who} (${r.reason}, ${r.smtp})`);
  const mayWait = !expectEnd || quarantined.has(r.seq);
  if (!mayWait && (r.state === "pending" || r.state === "marked"))
    broken.push(`never ends: ${who} is ${r.state} (${r.reason})`);
  if (!expectEnd && r.state === "pending" && taken.length > duplicateRisks)
    broken.push(`taken and yet pending: ${who}`);
  broken.push(...finalAttemptIsMade(r, events).map((sentence) => `${sentence}: ${who}`));
  return broken;
}

function eventsOf(db: Database, { seq, position }: StoredRecipient): StoredEvent[] {
  return db
    .prepare<[number, number], string>("SELECT event FROM events WHERE seq = ? AND position = ? ORDER BY number")
    .pluck()
    .all(seq, position)
    .map((text) => JSON.parse(text) as StoredEvent);
}

/** Who has a deadline is promised an attempt before it, as long as there is time for one. */
function finalAttemptIsMade({ createdAtMs, deadlineMs }: StoredRecipient, events: StoredEvent[]): string[] {
  if (deadlineMs === null) return [];
  const marginMs = Math.min((deadlineMs - createdAtMs) / 10, DEADLINE_MARGIN_MAX_MS);
  return events.flatMap(({ type, at_ms: atMs, next_attempt_at_ms: nextMs }) => {
    const isPutOff = type === "deferred" && nextMs !== null && nextMs >= deadlineMs;
    const leftMs = deadlineMs - atMs;
    return isPutOff && leftMs > marginMs + DEADLINE_GAP_MS + 1 ? [`not tried again with ${leftMs} ms left`] : [];
  });
}

/** How often a doubt was told before the recipient was, or is to be, tried again. */
function reportedDuplicateRisks(events: StoredEvent[]): number {
  return events.filter((event, i) => {
    if (event.type !== "unknown" && event.type !== "recovered") return false;
    return event.next_attempt_at_ms !== null || events.slice(i + 1).some(({ type }) => type === "retried");
  }).length;
}

/** A failure is somebody's word: a peer's 5xx, DNS's denial, or the age. */
function hasCause({ email, domain, reason }: StoredRecipient, { refused, denied }: History): boolean {
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

/** What peers hold was accepted here, for this recipient, and is what was accepted. */
function deliveriesMatchSpool(
  db: Database,
  { deliveries: taken, damaged }: History,
  recipients: StoredRecipient[],
): string[] {
  const known = new Map(recipients.map((r) => [recipientKey(r.messageId, r.email), r.seq]));
  const contentOf = db.prepare<[number], Buffer>("SELECT content FROM contents WHERE seq = ?").pluck();
  return taken.flatMap(({ messageId, recipient, content }) => {
    const seq = known.get(recipientKey(messageId, recipient));
    if (seq === undefined) return [`lost after its delivery: ${messageId} to ${recipient}`];
    // A content is forgotten in time, once it is of no more use.
    const kept = damaged.get(seq)?.content ?? contentOf.get(seq)?.toString("latin1") ?? content;
    return kept === content ? [] : [`another content: ${messageId} to ${recipient}`];
  });
}

/** The content of what has ended goes, whatever the clock did when it came, or those before it. */
function expiredContentsAreDeleted(db: Database, beforeMs: number): string[] {
  return db
    .prepare<[number], string>(
      `SELECT m.subject FROM contents c JOIN messages m USING (seq) WHERE m.updated_at_ms < ? AND NOT EXISTS
         (SELECT 1 FROM recipients r WHERE r.seq = m.seq AND r.state IN ('pending', 'marked', 'unknown'))`,
    )
    .pluck()
    .all(beforeMs)
    .map((subject) => `kept for good: the content of ${subject}`);
}

/** What was counted in the same transactions agrees with what is there. */
function countersAgree(db: Database): string[] {
  const one = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
  const messages = one("SELECT count(*) FROM messages");
  const recipients = one("SELECT count(*) FROM recipients");
  const sums: [string, number, number][] = [
    ["quota", one("SELECT coalesce(sum(used), 0) FROM quota"), recipients],
    ["activity's messages", one("SELECT coalesce(sum(messages), 0) FROM activity"), messages],
    ["activity's recipients", one("SELECT coalesce(sum(recipients), 0) FROM activity"), recipients],
    ["the key's messages", one("SELECT sum(messages_sent) FROM api_keys"), messages],
    [
      "activity's delivered",
      one("SELECT coalesce(sum(delivered), 0) FROM activity"),
      one("SELECT count(*) FROM recipients WHERE state = 'delivered'"),
    ],
  ];
  return sums.flatMap(([name, counted, there]) =>
    counted === there ? [] : [`${name}: counted ${counted}, there are ${there}`],
  );
}

const MINUTE_MS = 60_000;

/**
 * Of a destination that refuses everything, after the first minute: two probes of two addresses each, and room for two times
 * five attempts: after a message that was taken late, and for a domain that DNS had shown elsewhere.
 */
const REFUSALS_PER_MINUTE_MAX = 24;

/** A destination that refuses everything for the load is soon asked seldom, in each life of the service. */
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
    return most === -1 ? [] : [`refusals not heeded: ${name} said more than ${REFUSALS_PER_MINUTE_MAX} in a minute`];
  });
}

/** Eight hosts; here each has two addresses at most. */
const TRIES_MAX = 16;
const EVENT_BYTES_MAX = 64 * 1024;

/** What one attempt stores has a bound, whatever DNS and peers say. */
function storedAttemptsAreBounded(db: Database): string[] {
  return db
    .prepare<[number, number], [number, number, number]>(
      `SELECT seq, json_array_length(event, '$.tries') AS tries, octet_length(event) AS bytes FROM events
         WHERE tries > ? OR bytes > ?`,
    )
    .raw()
    .all(TRIES_MAX, EVENT_BYTES_MAX)
    .map(([seq, tries, bytes]) => `too much is stored of an attempt: ${tries} tries, ${bytes} bytes (message ${seq})`);
}
