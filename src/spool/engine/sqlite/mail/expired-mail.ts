/**
 * Finds due recipients whose message has reached its deadline or its maximum age, in passes over the index of waiting recipients. Each
 * call looks at a bounded number of them, from where the last call ended: no index has the times at which messages expire.
 */
import type { Database } from "better-sqlite3";
import type { ExpiredRequest } from "../../../port/mail.ts";
import type { QueueKey } from "../../../scheduler/fair-scheduler.ts";
import type { RecipientKey } from "../../session.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage } from "../files/damage.ts";

/** Recipients that one call looks at: some 10 ms of the writer's time. */
const LOOKED_AT_MAX = 4096;

interface WaitingRecipient extends RecipientKey, QueueKey {
  dueMs: number;
  /** When the message expires; null if its row is missing. */
  expiresMs: number | null;
}

/** The place of a recipient in the index. */
type Place = [accountId: string, domain: string, dueMs: number, seq: number];

interface Read {
  lookedAt: number;
  /** Whether no recipient follows. */
  isAtEnd: boolean;
}

const START: Place = ["", "", 0, 0];

export class ExpiredMail {
  readonly #parts: Pick<WriterParts, "damage">;
  readonly #waiting;
  /** Where the last call ended. */
  #place: Place = START;

  constructor(db: Database, parts: Pick<WriterParts, "damage">) {
    this.#parts = parts;
    this.#waiting = db.prepare<Place, WaitingRecipient>(
      `SELECT seq, position, account_id AS accountId, domain, due_ms AS dueMs,
              (SELECT min(expires_at_ms, coalesce(deadline_ms, expires_at_ms)) FROM messages
                 WHERE messages.seq = work.seq) AS expiresMs
         FROM work INDEXED BY work_waiting
         WHERE mark IS NULL AND (account_id, domain, due_ms, seq) > (?, ?, ?, ?)
         ORDER BY account_id, domain, due_ms, seq LIMIT ${LOOKED_AT_MAX}`,
    );
  }

  /** The next expired recipients, one of each message and domain. */
  next({ nowMs, limit }: ExpiredRequest): WaitingRecipient[] {
    const found: WaitingRecipient[] = [];
    try {
      for (let left = LOOKED_AT_MAX; left > 0 && found.length < limit; ) {
        const read = this.#read({ nowMs, limit }, left, found);
        left -= read.lookedAt;
        if (!read.isAtEnd) continue;
        this.#place = START;
        break;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.damage.note("the waiting recipients that may have expired", error);
      this.#skipDomain();
    }
    return found;
  }

  /** Reads on from the place, up to the limits, or to the first recipient of a domain that is not due: the others are due later. */
  #read({ nowMs, limit }: ExpiredRequest, lookedAtMax: number, found: WaitingRecipient[]): Read {
    let lookedAt = 0;
    for (const row of this.#waiting.iterate(...this.#place)) {
      lookedAt += 1;
      this.#place = [row.accountId, row.domain, row.dueMs, row.seq];
      if (isOver(row, nowMs) && !isSameJob(found.at(-1), row)) found.push(row);
      if (row.dueMs > nowMs) this.#skipDomain();
      if (row.dueMs > nowMs || found.length === limit || lookedAt === lookedAtMax) return { lookedAt, isAtEnd: false };
    }
    return { lookedAt, isAtEnd: true };
  }

  /** What is damaged must not keep the mail of other domains from expiring. */
  #skipDomain(): void {
    const [accountId, domain, dueMs] = this.#place;
    const endMs = Number.MAX_SAFE_INTEGER;
    this.#place = dueMs === endMs ? START : [accountId, domain, endMs, endMs];
  }
}

const isOver = ({ dueMs, expiresMs }: WaitingRecipient, nowMs: number): boolean =>
  dueMs <= nowMs && expiresMs !== null && expiresMs <= nowMs;

const isSameJob = (a: WaitingRecipient | undefined, b: WaitingRecipient): boolean =>
  a?.seq === b.seq && a.domain === b.domain;
