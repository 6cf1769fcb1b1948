/**
 * Accepting: one message with its recipients, quota and idempotency record, inside the caller's transaction. Recipients
 * whose address is suppressed are final at once.
 */
import { crc32 } from "node:zlib";
import type { Database } from "better-sqlite3";
import { refusalKey, type Suppression, suppressionOf } from "../../message/suppression.ts";
import type { Acceptance, DeliveryJob, JobRecipient, NewMessage, NewRecipient } from "../port/mail.ts";
import type { SpoolEvent } from "../port/results.ts";
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import type { ActivityLog } from "./activity.ts";
import { type DamageLog, unlessDamaged } from "./damage.ts";
import { DAY_MS, type Quotas } from "./quotas.ts";
import { prepareRefusals } from "./refusal-history.ts";
import type { Written } from "./written.ts";

/** How long an idempotency record answers for its message. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

/** Old idempotency records removed with each acceptance: more than one can add, so they never pile up. */
const SWEEP_ROWS = 4;

/** A recipient that is to be delivered. */
interface Waiting {
  position: number;
  email: string;
  domain: string;
}

interface AcceptParts {
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  activity: ActivityLog;
  quotas: Quotas;
  damage: DamageLog;
  /** The newest message that a restore holds: what comes after it is numbered behind it, though its row may be gone. */
  newestRestored: () => number;
}

export function prepareAccept(
  db: Database,
  { scheduler, hotQueue, activity, quotas, damage, newestRestored }: AcceptParts,
): (message: NewMessage) => Written<Acceptance> {
  const remembered = db.prepare<[string, string, number], { payload_hash: string; message_id: string }>(
    "SELECT payload_hash, message_id FROM idempotency WHERE account_id = ? AND key = ? AND created_at_ms > ?",
  );
  const remember = db.prepare(
    "INSERT OR REPLACE INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const sweep = db.prepare(
    `DELETE FROM idempotency WHERE (account_id, key) IN
       (SELECT account_id, key FROM idempotency WHERE created_at_ms <= ? ORDER BY created_at_ms LIMIT ${SWEEP_ROWS})`,
  );
  const addMessage = db.prepare(
    `INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, updated_at_ms, expires_at_ms, sender,
       subject, message_id, size_bytes, deadline_ms, tags, metadata)
       VALUES (max(?, (SELECT coalesce(max(seq), 0) FROM messages)) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const leftBehind = newestLeftBehind(db, damage);
  const addTag = db.prepare("INSERT INTO message_tags (account_id, tag, seq) VALUES (?, ?, ?)");
  const addContent = db.prepare("INSERT INTO contents (seq, content, crc32) VALUES (?, ?, ?)");
  const addRecipient = db.prepare(
    `INSERT INTO recipients (seq, position, email, account_id, domain, field, state, next_attempt_at_ms, updated_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
  );
  const addSuppressed = db.prepare(
    `INSERT INTO recipients (seq, position, email, account_id, domain, field, state, reason, category, updated_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, 'failed', 'suppressed', 'bad_address', ?)`,
  );
  const addEvent = db.prepare("INSERT INTO events (seq, position, number, event) VALUES (?, ?, 1, ?)");
  const refusals = prepareRefusals(db, damage);

  function earlier(m: NewMessage): Acceptance | null {
    if (m.idempotency === null) return null;
    const record = remembered.get(m.accountId, m.idempotency.key, m.createdAtMs - IDEMPOTENCY_KEPT_MS);
    if (record === undefined) return null;
    if (record.payload_hash !== m.idempotency.payloadHash) return { type: "idempotency_key_reused" };
    return { type: "replayed", id: record.message_id };
  }

  function suppressed(m: NewMessage, r: NewRecipient): Suppression | null {
    if (m.suppressAfter === 0) return null;
    const known = refusals.of(m.accountId, refusalKey(r.email, r.domain));
    return suppressionOf(known, { after: m.suppressAfter, nowMs: m.createdAtMs });
  }

  /** Adds the recipients in their order; returns those that wait for delivery. */
  function addRecipients(seq: number, m: NewMessage): Waiting[] {
    const waiting: Waiting[] = [];
    for (const [position, r] of m.recipients.entries()) {
      const suppression = suppressed(m, r);
      const field = r.field === "to" ? null : (r.field ?? null);
      if (suppression === null) {
        addRecipient.run(seq, position, r.email, m.accountId, r.domain, field, m.createdAtMs, m.createdAtMs);
        waiting.push({ position, email: r.email, domain: r.domain });
        continue;
      }
      const { sinceMs: since_ms, untilMs: until_ms, refusals } = suppression;
      const event: SpoolEvent = { at_ms: m.createdAtMs, type: "suppressed", since_ms, until_ms, refusals };
      addSuppressed.run(seq, position, r.email, m.accountId, r.domain, field, m.createdAtMs);
      addEvent.run(seq, position, JSON.stringify(event));
    }
    return waiting;
  }

  return (m) => {
    const replay = earlier(m);
    if (replay !== null) return { value: replay };
    if (!quotas.take(m)) return { value: { type: "quota_exceeded" } };

    const { lastInsertRowid } = addMessage.run(
      Math.max(leftBehind, newestRestored()),
      m.id,
      m.accountId,
      m.keyId,
      m.domainId,
      m.createdAtMs,
      m.createdAtMs,
      m.expiresAtMs,
      m.from,
      m.subject,
      m.messageId,
      m.content.length,
      m.deadlineMs ?? null,
      m.tags === undefined ? null : JSON.stringify(m.tags),
      m.metadata === undefined ? null : JSON.stringify(m.metadata),
    );
    const seq = Number(lastInsertRowid);
    for (const tag of m.tags ?? []) addTag.run(m.accountId, tag, seq);
    addContent.run(seq, m.content, crc32(m.content));
    const waiting = addRecipients(seq, m);
    const suppressed = m.recipients.length - waiting.length;
    activity.accepted(m, suppressed);
    if (m.idempotency !== null) {
      const forget = () => sweep.run(m.createdAtMs - IDEMPOTENCY_KEPT_MS);
      damage.passing("old idempotency records", forget, null);
      remember.run(m.accountId, m.idempotency.key, m.idempotency.payloadHash, m.id, m.createdAtMs);
    }
    return {
      value: { type: "accepted", id: m.id, ...(suppressed === 0 ? {} : { suppressed }) },
      committed: () => {
        for (const job of worksOf(m, waiting)) {
          scheduler.due(m.accountId, job.domain, m.createdAtMs);
          hotQueue.add(seq, job);
        }
      },
    };
  };
}

/**
 * The greatest number that rows of a message have, the message itself perhaps being lost in a repair of the file: given to
 * another message, that would be delivered to the lost one's recipients.
 */
function newestLeftBehind(db: Database, log: DamageLog): number {
  const newest = ["contents", "recipients", "events", "quarantined"].map((table) => {
    const max = db.prepare<[], number | null>(`SELECT max(seq) FROM ${table}`).pluck();
    return unlessDamaged(() => max.get() ?? 0, 0, { log, place: `the newest of ${table}` });
  });
  return Math.max(...newest);
}

/** One for each recipient domain. */
function worksOf(m: NewMessage, waiting: readonly Waiting[]): DeliveryJob[] {
  const jobs = new Map<string, DeliveryJob>();
  for (const { position, email, domain } of waiting) {
    const recipient = { position, email, attempts: 0, reason: null, category: null, smtp: null };
    const known = jobs.get(domain);
    if (known === undefined) jobs.set(domain, firstWork(m, domain, recipient));
    else known.recipients.push(recipient);
  }
  return [...jobs.values()];
}

function firstWork(m: NewMessage, domain: string, recipient: JobRecipient): DeliveryJob {
  const job: DeliveryJob = {
    messageId: m.id,
    accountId: m.accountId,
    domainId: m.domainId,
    domain,
    from: m.from,
    createdAtMs: m.createdAtMs,
    expiresAtMs: m.expiresAtMs,
    sizeBytes: m.content.length,
    recipients: [recipient],
  };
  if (m.deadlineMs !== undefined) job.deadlineMs = m.deadlineMs;
  return job;
}
