/**
 * Acceptance: stores a message with its recipients, events, quota use and idempotency record, inside the caller's
 * transaction.
 * Recipients whose address is suppressed fail at once.
 */

import type { Database } from "better-sqlite3";
import { DAY_MS } from "../../../../lib/units.ts";
import { SCHEDULED, SUPPRESSED } from "../../../../message/result/reasons.ts";
import {
  categoryOfSuppression,
  refusalKey,
  type Suppression,
  suppressionOf,
} from "../../../../message/result/suppression.ts";
import type { Acceptance, DueJob, JobRecipient, NewRecipient } from "../../../port/mail.ts";
import { contentChecksum } from "../../../records/content-checksum.ts";
import { MESSAGE_COLUMN_NAMES, MESSAGE_COLUMNS } from "../../../records/message-columns.ts";
import { tagsOf } from "../../../records/message-labels.ts";
import { scheduledEntry } from "../../../records/scheduled-entry.ts";
import { suppressedEntry } from "../../../records/suppressed-entry.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { type DamageLog, unlessDamaged } from "../files/damage.ts";
import { RefusalHistory } from "../incoming/refusal-history.ts";
import { SuppressedAddresses } from "../incoming/suppressed-addresses.ts";
import type { ContentParts } from "./content-parts.ts";
import type { SplitMessage } from "./mail-codec.ts";
import type { Quotas } from "./quotas.ts";

/** How long an idempotency record is valid. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

/** Expired idempotency records are removed with every such acceptance that adds one, and more than that many, so they do not pile up. */
const SWEEP_EVERY = 16;
const SWEEP_ROWS = 4 * SWEEP_EVERY;

/** A recipient to be delivered. */
type PendingRecipient = Pick<JobRecipient, "position" | "email"> & { domain: string };

interface AcceptParts
  extends Pick<WriterParts, "scheduler" | "hotQueue" | "activity" | "events" | "states" | "damage"> {
  quotas: Quotas;
  contentParts: ContentParts;
  /** Returns the newest message held by a restore. Later messages get higher numbers, even if its row is gone. */
  newestRestored: () => number;
}

export class Acceptor {
  readonly #parts: AcceptParts;
  readonly #idempotency;
  readonly #rows;
  readonly #revoked;
  readonly #refusals;
  readonly #suppressed;
  readonly #newestLeftBehind: number;
  #remembered = 0;

  constructor(db: Database, parts: AcceptParts) {
    this.#parts = parts;
    this.#idempotency = prepareIdempotency(db);
    this.#rows = prepareRows(db);
    this.#revoked = db
      .prepare<[string], 1>("SELECT 1 FROM api_keys WHERE id = ? AND revoked_at_ms IS NOT NULL")
      .pluck();
    this.#refusals = new RefusalHistory(db, parts.damage);
    this.#suppressed = new SuppressedAddresses(db, parts.damage);
    this.#newestLeftBehind = newestLeftBehind(db, parts.damage);
  }

  accept(m: SplitMessage): Written<Acceptance> {
    const { quotas, activity, contentParts } = this.#parts;
    const earlier = this.#earlier(m);
    if (earlier !== null) return { value: earlier };
    if (this.#isRevoked(m.keyId)) return { value: { type: "key_revoked" } };
    if (!m.test && !quotas.take(m)) return { value: { type: "quota_exceeded" } };

    const seq = this.#addMessage(m);
    this.#parts.events.addAccepted(seq, m);
    const dueMs = m.sendAtMs ?? (m.tail === null ? m.createdAtMs : contentParts.dueMs(m.tail.number, m.createdAtMs));
    const pending = this.#addRecipients(seq, m, dueMs);
    const suppressed = m.recipients.length - pending.length;
    activity.accepted(m, suppressed);
    if (m.idempotency !== null) this.#remember(m, m.idempotency);
    return {
      value: { type: "accepted", id: m.id, ...(suppressed === 0 ? {} : { suppressed }) },
      committed: () => {
        if (m.tail !== null) contentParts.end(m.tail.number);
        for (const job of jobsOf(m, pending)) this.#enqueue(seq, job, dueMs);
      },
    };
  }

  /** Returns the acceptance of the same idempotency key; null if it is new or there is none. */
  #earlier(m: SplitMessage): Acceptance | null {
    if (m.idempotency === null) return null;
    const since = m.createdAtMs - IDEMPOTENCY_KEPT_MS;
    const record = this.#idempotency.find.get(m.accountId, m.idempotency.key, since);
    if (record === undefined) return null;
    if (record.payload_hash !== m.idempotency.payloadHash) return { type: "idempotency_key_reused" };
    return { type: "replayed", id: record.message_id };
  }

  #isRevoked(keyId: string): boolean {
    return this.#parts.damage.runOptional("the API keys", () => this.#revoked.get(keyId) !== undefined, false);
  }

  #remember(m: SplitMessage, { key, payloadHash }: NonNullable<SplitMessage["idempotency"]>): void {
    this.#remembered += 1;
    if (this.#remembered % SWEEP_EVERY === 1) {
      const sweep = () => this.#idempotency.sweep.run(m.createdAtMs - IDEMPOTENCY_KEPT_MS);
      this.#parts.damage.runOptional("old idempotency records", sweep, null);
    }
    this.#idempotency.add.run(m.accountId, key, payloadHash, m.id, m.createdAtMs);
  }

  /** Adds the message, its tags and its content. Returns its row number. */
  #addMessage(m: SplitMessage): number {
    const newest = Math.max(this.#newestLeftBehind, this.#parts.newestRestored());
    const { lastInsertRowid } = this.#rows.message.run(newest, ...m.row);
    const seq = Number(lastInsertRowid);
    if (m.tags !== null) this.#rows.tags.run(m.accountId, seq, m.tags);
    if (m.sendAtMs !== null) this.#rows.schedule.run(m.sendAtMs, seq);
    this.#addContent(seq, m);
    return seq;
  }

  #addContent(seq: number, { content, bodyHash, tail }: SplitMessage): void {
    if (tail !== null) this.#parts.contentParts.take(tail);
    const laterParts = tail?.parts ?? null;
    const checksum = contentChecksum(content, { bodyHash, laterParts });
    this.#rows.content.run(seq, content, checksum, bodyHash, tail?.number ?? null, laterParts);
  }

  /** Adds the recipients in their order. Returns those to be delivered. */
  #addRecipients(seq: number, m: SplitMessage, dueMs: number): PendingRecipient[] {
    const pending: PendingRecipient[] = [];
    for (const [position, r] of m.recipients.entries()) {
      const suppression = this.#suppressionOf(m, r);
      const field = r.field === "to" ? null : (r.field ?? null);
      this.#rows.recipient.run(seq, position, m.accountId, r.email, r.domain, field);
      if (suppression === null) {
        this.#rows.work.run(seq, position, m.accountId, r.domain, dueMs);
        if (m.sendAtMs !== null) this.#addScheduled(m, m.sendAtMs, { seq, position });
        pending.push({ position, email: r.email, domain: r.domain });
      } else {
        const { accountId, createdAtMs: atMs } = m;
        const state = { result: "failed", reason: SUPPRESSED, category: categoryOfSuppression(suppression) } as const;
        const history = suppressedEntry(suppression, atMs);
        const event = { ...state, type: "recipient.suppressed", attempts: 0, smtp: null, atMs, history } as const;
        this.#parts.states.addFinal({ seq, position, accountId, domain: r.domain }, event);
      }
    }
    return pending;
  }

  /** An entry of the history, and no event: the message is accepted, and nothing else has happened yet. */
  #addScheduled({ accountId, createdAtMs: atMs }: SplitMessage, sendAtMs: number, key: RecipientKey): void {
    const state = { result: "pending", reason: SCHEDULED, category: null, attempts: 0, smtp: null } as const;
    const history = scheduledEntry(sendAtMs, { nowMs: atMs });
    this.#parts.events.addRecipient({ ...key, accountId }, { ...state, type: null, atMs, history });
  }

  #suppressionOf(m: SplitMessage, r: NewRecipient): Suppression | null {
    if (m.test) return null;
    const address = refusalKey(r.email, r.domain);
    const set = this.#suppressed.of(m.accountId, address, m.createdAtMs);
    if (set !== null || m.suppressAfter === 0) return set;
    const refusals = this.#refusals.of(m.accountId, address);
    return suppressionOf(refusals, { after: m.suppressAfter, nowMs: m.createdAtMs });
  }

  #enqueue(seq: number, job: DueJob, dueMs: number): void {
    const { scheduler, hotQueue } = this.#parts;
    if (dueMs !== job.createdAtMs) {
      // Not an arrival of its date, which is still ahead, or not due yet.
      scheduler.schedule(job.accountId, job.domain, dueMs);
      return;
    }
    scheduler.enqueue(job.accountId, job.domain, job.createdAtMs);
    hotQueue.add(seq, job);
  }
}

function prepareIdempotency(db: Database) {
  return {
    find: db.prepare<[string, string, number], { payload_hash: string; message_id: string }>(
      "SELECT payload_hash, message_id FROM idempotency WHERE account_id = ? AND key = ? AND created_at_ms > ?",
    ),
    add: db.prepare(
      "INSERT OR REPLACE INTO idempotency (account_id, key, payload_hash, message_id, created_at_ms) VALUES (?, ?, ?, ?, ?)",
    ),
    sweep: db.prepare(
      `DELETE FROM idempotency WHERE (account_id, key) IN
         (SELECT account_id, key FROM idempotency WHERE created_at_ms <= ? ORDER BY created_at_ms LIMIT ${SWEEP_ROWS})`,
    ),
  };
}

function prepareRows(db: Database) {
  return {
    message: db.prepare(
      `INSERT INTO messages (seq, ${MESSAGE_COLUMN_NAMES})
         VALUES (max(?, (SELECT coalesce(max(seq), 0) FROM messages)) + 1, ${MESSAGE_COLUMNS.map(() => "?").join(", ")})`,
    ),
    tags: db.prepare("INSERT INTO message_tags (account_id, seq, tag) SELECT ?, ?, value FROM json_each(?)"),
    content: db.prepare(
      "INSERT INTO contents (seq, content, crc32, body_hash, tail, later_parts) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    recipient: db.prepare(
      "INSERT INTO recipients (seq, position, account_id, email, domain, field) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    schedule: db.prepare<[number, number]>("UPDATE messages SET send_at_ms = ? WHERE seq = ?"),
    work: db.prepare(
      "INSERT INTO work (seq, position, account_id, domain, due_ms, attempts) VALUES (?, ?, ?, ?, ?, 0)",
    ),
  };
}

/**
 * Returns the highest row number in use. After a repair of the file, rows may remain of a message that is lost: another
 * message with its number would be delivered to the lost message's recipients.
 */
function newestLeftBehind(db: Database, log: DamageLog): number {
  const newest = ["contents", "recipients", "work", "unknown_recipients", "events", "quarantined"].map((table) => {
    const max = db.prepare<[], number | null>(`SELECT max(seq) FROM ${table}`).pluck();
    return unlessDamaged(() => max.get() ?? 0, 0, { log, place: `the newest of ${table}` });
  });
  return Math.max(...newest);
}

/** One job per recipient domain. */
function jobsOf(m: SplitMessage, pending: readonly PendingRecipient[]): DueJob[] {
  const jobs = new Map<string, DueJob>();
  for (const { position, email, domain } of pending) {
    const recipient = { position, email, attempts: 0, reason: null, category: null, smtp: null };
    const known = jobs.get(domain);
    if (known === undefined) jobs.set(domain, newJob(m, domain, recipient));
    else known.recipients.push(recipient);
  }
  return [...jobs.values()];
}

function newJob(m: SplitMessage, domain: string, recipient: JobRecipient): DueJob {
  const job: DueJob = {
    messageId: m.id,
    accountId: m.accountId,
    keyId: m.keyId,
    domainId: m.domainId,
    domain,
    from: m.from,
    createdAtMs: m.createdAtMs,
    expiresAtMs: m.expiresAtMs,
    sizeBytes: m.sizeBytes,
    eightBit: m.eightBit ?? false,
    recipients: [recipient],
  };
  if (m.deadlineMs !== null) job.deadlineMs = m.deadlineMs;
  if (m.tags !== null) job.tags = tagsOf(m.tags);
  return job;
}
