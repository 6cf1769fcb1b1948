/**
 * The acceptance of a message by this node: its number, its share of the quota, the later parts of a large content, and what
 * follows where it did not pass. accept-write.ts stores it.
 */

import { newId } from "../../../../lib/new-id.ts";
import { MIB } from "../../../../lib/units.ts";
import { bodyStart } from "../../../../message/content.ts";
import { SCHEDULED, SUPPRESSED } from "../../../../message/result/reasons.ts";
import {
  categoryOfSuppression,
  refusalKey,
  type Suppression,
  suppressionOf,
} from "../../../../message/result/suppression.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import type { Acceptance, DueJob, NewMessage } from "../../../port/mail.ts";
import { contentChecksum, PART_BYTES, partChecksum } from "../../../records/content-checksum.ts";
import { scheduledEntry } from "../../../records/scheduled-entry.ts";
import { suppressedEntry } from "../../../records/suppressed-entry.ts";
import type { Database } from "../connection/database.ts";
import { violates } from "../connection/database-error.ts";
import type { GroupCommit } from "../connection/group-commit.ts";
import { statement } from "../connection/statement.ts";
import { refusalsOf } from "../incoming/refusal-history.ts";
import { setSuppressionsOf } from "../incoming/suppressed-addresses.ts";
import type { Partitions } from "../partitions/partitions.ts";
import { ACCEPT, type AcceptedRecipient, type AcceptWrite, IDEMPOTENCY_KEPT_MS } from "./accept-write.ts";
import type { NewEvent } from "./event-writer.ts";
import { dayOfNumber, type MessageNumbers } from "./message-number.ts";
import type { QuotaBlocks } from "./quota-blocks.ts";
import type { RowLease } from "./work-writes.ts";

/** How often a message gets another number because its number was in use. */
const NUMBERS_TRIED = 20;

/**
 * Bytes of messages that may wait for the database; a larger message may wait alone. More is refused, so that a database that
 * does not reply cannot fill the memory.
 */
const WAITING_BYTES_MAX = 64 * MIB;

const findIdempotency = statement<{ id: string; payloadHash: string }>(
  `SELECT message_id AS id, payload_hash AS "payloadHash" FROM idempotency
     WHERE account_id = $1 AND key = $2 AND created_at_ms > $3`,
);
const findRevoked = statement("SELECT 1 FROM api_keys WHERE id = $1 AND revoked_at_ms IS NOT NULL");
const addPart = statement("INSERT INTO contents (seq, part, crc32, content) VALUES ($1, $2, $3, $4)");

export interface AcceptParts {
  database: Database;
  commits: GroupCommit;
  partitions: Partitions;
  quotas: QuotaBlocks;
  numbers: () => MessageNumbers;
  /** The lease for a new message's work; null where any node may claim it. */
  leaseFor: (message: NewMessage) => RowLease | null;
  /** The message was not stored under this lease, or because of this error it is not known whether it was. */
  notGranted: (lease: RowLease, error: unknown) => void;
  /** The database has not accepted a message. */
  onFailed: (error: unknown) => void;
  /** A larger content is stored in parts of this size; PART_BYTES if absent. */
  partBytes?: number | undefined;
}

/** A message that was stored, with its jobs as this node has leased them. */
export interface Stored {
  seq: number;
  acceptedEventId: string;
  lease: RowLease | null;
  jobs: DueJob[];
  suppressed: number;
}

export class Acceptor {
  readonly #parts: AcceptParts;
  #waitingBytes = 0;

  constructor(parts: AcceptParts) {
    this.#parts = parts;
  }

  /** Stores the message, or returns why it was not stored. */
  async accept(message: NewMessage): Promise<Stored | Exclude<Acceptance, { type: "accepted" }>> {
    const sizeBytes = message.content.length;
    if (this.#waitingBytes > 0 && this.#waitingBytes + sizeBytes > WAITING_BYTES_MAX) {
      throw new SpoolUnavailable("too many messages wait for the database");
    }
    this.#waitingBytes += sizeBytes;
    try {
      return await this.#accept(message);
    } catch (error) {
      this.#parts.onFailed(error);
      throw error;
    } finally {
      this.#waitingBytes -= sizeBytes;
    }
  }

  idempotencyRecord(
    accountId: string,
    key: string,
    nowMs: number,
  ): Promise<{ id: string; payloadHash: string } | null> {
    const found = this.#parts.database.run(findIdempotency, [accountId, key, nowMs - IDEMPOTENCY_KEPT_MS]);
    return found.then(({ rows }) => rows[0] ?? null);
  }

  async #accept(message: NewMessage): Promise<Stored | Exclude<Acceptance, { type: "accepted" }>> {
    const { quotas } = this.#parts;
    if (!message.test && !(await quotas.take(message)))
      return (await this.#earlierUse(message)) ?? { type: "quota_exceeded" };
    let isStored = false;
    try {
      const stored = await this.#store(message);
      isStored = "seq" in stored;
      return stored;
    } finally {
      if (!message.test && !isStored) quotas.giveBack(message);
    }
  }

  async #store(message: NewMessage): Promise<Stored | Exclude<Acceptance, { type: "accepted" }>> {
    const recipients = recipientsOf(message);
    const passed = await this.#write(message, recipients, []);
    if (passed !== null) return passed;
    const earlier = await this.#earlierUse(message);
    if (earlier !== null) return earlier;
    if ((await this.#parts.database.run(findRevoked, [message.keyId])).count > 0) return { type: "key_revoked" };
    // Only its recipients' addresses are left as the reason: they have refusals, or are suppressed.
    const suppressions = await this.#suppressionsOf(message, recipients);
    const stored = await this.#write(
      message,
      recipients.map((recipient, i) => ({ ...recipient, isSuppressed: suppressions[i] !== null })),
      suppressions,
    );
    // Its idempotency key or API key has changed meanwhile.
    return stored ?? this.#store(message);
  }

  /** Returns null if the message did not pass. `suppressions` has an entry for each recipient once they were looked at. */
  async #write(
    message: NewMessage,
    recipients: AcceptedRecipient[],
    suppressions: (Suppression | null)[],
  ): Promise<Stored | null> {
    for (let tried = 1; ; tried += 1) {
      const seq = this.#parts.numbers().next(message.createdAtMs);
      try {
        return await this.#writeAs(seq, message, { recipients, suppressions });
      } catch (error) {
        if (!violates(error) || tried === NUMBERS_TRIED) throw error;
        this.#parts.numbers().skip();
      }
    }
  }

  async #writeAs(
    seq: number,
    message: NewMessage,
    { recipients, suppressions }: { recipients: AcceptedRecipient[]; suppressions: (Suppression | null)[] },
  ): Promise<Stored | null> {
    const { commits, partitions, leaseFor, notGranted } = this.#parts;
    await partitions.make(dayOfNumber(seq));
    const content = await this.#storeLaterParts(seq, message);
    const lease = leaseFor(message);
    const write: AcceptWrite = {
      seq,
      message,
      recipients,
      lease,
      content,
      acceptedEventId: newId("evt"),
      firstEvents: [...suppressedEvents(seq, message, suppressions), ...scheduledEvents(seq, message, recipients)],
      isChecked: suppressions.length > 0,
    };
    try {
      if (await commits.submit(ACCEPT, write)) {
        const suppressed = recipients.filter(({ isSuppressed }) => isSuppressed).length;
        const { acceptedEventId } = write;
        return { seq, acceptedEventId, lease, jobs: jobsOf(message, recipients), suppressed };
      }
    } catch (error) {
      if (lease !== null) notGranted(lease, error);
      throw error;
    }
    if (lease !== null) notGranted(lease, null);
    return null;
  }

  async #earlierUse({
    accountId,
    createdAtMs,
    idempotency,
  }: NewMessage): Promise<Exclude<Acceptance, { type: "accepted" }> | null> {
    if (idempotency === null) return null;
    const earlier = await this.idempotencyRecord(accountId, idempotency.key, createdAtMs);
    if (earlier === null) return null;
    if (earlier.payloadHash !== idempotency.payloadHash) return { type: "idempotency_key_reused" };
    return { type: "replayed", id: earlier.id };
  }

  async #suppressionsOf(message: NewMessage, recipients: AcceptedRecipient[]): Promise<(Suppression | null)[]> {
    const { accountId, createdAtMs: nowMs } = message;
    if (message.test) return recipients.map(() => null);
    const addresses = recipients.map(({ address }) => ({ accountId, address }));
    const set = await setSuppressionsOf(this.#parts.database, addresses, nowMs);
    const refusals = await refusalsOf(this.#parts.database, addresses);
    return refusals.map((each, i) => set[i] ?? suppressionOf(each, { after: message.suppressAfter, nowMs }));
  }

  /** Stores the later parts of a large content. A content whose body is not hashed yet has one part, as delivery hashes it. */
  async #storeLaterParts(
    seq: number,
    { id: messageId, content, bodyHash }: NewMessage,
  ): Promise<AcceptWrite["content"]> {
    const { database, partBytes = PART_BYTES } = this.#parts;
    const isWhole = content.length <= partBytes || bodyHash === null;
    const end = isWhole ? content.length : Math.max(partBytes, bodyStart(content));
    const first = content.subarray(0, end);
    const parts = Math.ceil((content.length - end) / partBytes);
    for (let part = 1; part <= parts; part += 1) {
      const from = end + (part - 1) * partBytes;
      const bytes = content.subarray(from, from + partBytes);
      await database.run(addPart, [seq, part, partChecksum(bytes, { messageId, part }), bytes]);
    }
    const laterParts = parts === 0 ? null : parts;
    return { first, crc32: contentChecksum(first, { bodyHash, laterParts }), laterParts, sizeBytes: content.length };
  }
}

const recipientsOf = (message: NewMessage): AcceptedRecipient[] =>
  message.recipients.map(({ email, domain, field }) => ({
    email,
    domain,
    address: refusalKey(email, domain),
    isSuppressed: false,
    field: field === undefined || field === "to" ? null : field,
  }));

function suppressedEvents(seq: number, message: NewMessage, suppressions: (Suppression | null)[]): NewEvent[] {
  const { accountId, createdAtMs: atMs } = message;
  const state = { result: "failed", reason: SUPPRESSED, attempts: 0, smtp: null } as const;
  return suppressions.flatMap((suppression, position) =>
    suppression === null
      ? []
      : [
          {
            seq,
            accountId,
            atMs,
            type: "recipient.suppressed" as const,
            recipient: { position, ...state, category: categoryOfSuppression(suppression) },
            history: suppressedEntry(suppression, atMs),
          },
        ],
  );
}

/** Entries of the histories of recipients that are not suppressed; none unless the message is scheduled. */
function scheduledEvents(
  seq: number,
  { accountId, createdAtMs: atMs, sendAtMs }: NewMessage,
  recipients: readonly AcceptedRecipient[],
): NewEvent[] {
  if (sendAtMs === undefined) return [];
  const state = { result: "pending", reason: SCHEDULED, category: null, attempts: 0, smtp: null } as const;
  const history = scheduledEntry(sendAtMs, { nowMs: atMs });
  return recipients.flatMap(({ isSuppressed }, position) =>
    isSuppressed ? [] : [{ seq, accountId, atMs, type: null, recipient: { position, ...state }, history }],
  );
}

/** One job per recipient domain. */
function jobsOf(message: NewMessage, recipients: readonly AcceptedRecipient[]): DueJob[] {
  const { id: messageId, accountId, keyId, domainId, from, createdAtMs, expiresAtMs, deadlineMs, tags } = message;
  const jobs = new Map<string, DueJob>();
  for (const [position, { email, domain, isSuppressed }] of recipients.entries()) {
    if (isSuppressed) continue;
    const job = jobs.get(domain) ?? {
      messageId,
      accountId,
      keyId,
      domainId,
      domain,
      from,
      createdAtMs,
      expiresAtMs,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      sizeBytes: message.content.length,
      eightBit: message.eightBit ?? false,
      ...(tags === undefined || tags.length === 0 ? {} : { tags }),
      recipients: [],
    };
    job.recipients.push({ position, email, attempts: 0, reason: null, category: null, smtp: null });
    jobs.set(domain, job);
  }
  return [...jobs.values()];
}
