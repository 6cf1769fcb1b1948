/**
 * The quarantine: messages of which something stored cannot be read. They are in no claim, whatever their recipients' state,
 * until they are released. No other message waits for them. A quarantine is in force once it is committed. If the disk
 * refuses the commit, the fault may be the whole disk's and temporary, so the message returns to the queue and is found
 * again. If only the table of the quarantine is damaged, the quarantine is kept in memory.
 */

import type { Database } from "better-sqlite3";
import type { QuarantinedMessage } from "../../../port/quarantine.ts";
import { IN_QUARANTINE } from "../../../records/quarantined.ts";
import type { FairScheduler, QueueKey } from "../../../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../../../scheduler/hot-queue.ts";
import { isUnavailable } from "../connection/database.ts";
import { type DamageLog, isDamage, unlessDamaged } from "../files/damage.ts";

/** A message that could not be read. */
export interface SuspectMessage {
  seq: number;
  part: QuarantinedMessage["part"];
  error: unknown;
  /** The domain queue that it was in. */
  queue?: QueueKey | undefined;
}

interface MessageName {
  id: string;
  account_id: string;
}

/** The damaged place that is reported for the table. */
const PLACE = "the list of quarantined messages";

const COLUMNS = "seq, message_id AS messageId, account_id AS accountId, found_at_ms AS foundAtMs, part, error";

interface QuarantineParts {
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  damage: DamageLog;
}

export class Quarantine {
  readonly #db: Database;
  readonly #parts: QuarantineParts;
  #held = new Set<number>();
  readonly #suspects = new Map<number, SuspectMessage>();
  #nowMs = 0;
  readonly #add;
  readonly #remove;
  readonly #all;
  readonly #orphans;
  readonly #name;

  constructor(db: Database, parts: QuarantineParts) {
    this.#db = db;
    this.#parts = parts;
    this.#add = db.prepare(
      `INSERT INTO quarantined (seq, message_id, account_id, found_at_ms, part, error) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (seq) DO UPDATE SET part = excluded.part, error = excluded.error
           WHERE excluded.part = 'hold' AND quarantined.${IN_QUARANTINE}`,
    );
    this.#remove = db.prepare("DELETE FROM quarantined WHERE seq = ?");
    this.#all = db.prepare<[], number>("SELECT seq FROM quarantined").pluck();
    this.#orphans = db
      .prepare<[], number>(
        `SELECT seq FROM quarantined q WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.seq = q.seq)
           AND NOT EXISTS (SELECT 1 FROM recipients r WHERE r.seq = q.seq)`,
      )
      .pluck();
    this.#name = db.prepare<[number], MessageName>("SELECT id, account_id FROM messages WHERE seq = ?");
    this.load();
  }

  /** Reads the quarantine in force: at start, and after another process has written. */
  load(): void {
    const known = { log: this.#parts.damage, place: PLACE };
    const held = unlessDamaged(() => this.#all.all(), null, known);
    if (held !== null) this.#held = new Set(held);
  }

  /** Sets the time that is recorded for messages found from now on. */
  setNow(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  /** Whether the message is excluded from claims. */
  has(seq: number): boolean {
    return this.#held.has(seq) || this.#suspects.has(seq);
  }

  /** The number of messages found since the last `confirm`. */
  get suspects(): number {
    return this.#suspects.size;
  }

  /** Excludes a message from claims until `confirm` commits its quarantine. */
  suspect(message: SuspectMessage): void {
    // A message that could not be held is not released automatically: that outweighs an earlier quarantine.
    if (this.has(message.seq) && message.part !== "hold") return;
    this.#suspects.set(message.seq, message);
    this.#parts.hotQueue.clear();
  }

  /** Commits the quarantine of the messages found, outside of any transaction. */
  confirm(): void {
    if (this.#suspects.size === 0) return;
    const suspects = [...this.#suspects.values()];
    this.#suspects.clear();
    try {
      this.#store(suspects);
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      if (!isUnavailable(error)) throw error;
      if (!isDamage(error)) {
        this.#requeue(suspects);
        return;
      }
      this.#parts.damage.note(PLACE, error);
    }
    for (const { seq } of suspects) this.#held.add(seq);
  }

  /** At start: removes messages that a repair of the file has deleted, for their numbers are reused. Needs a transaction. */
  forgetGone(): void {
    for (const seq of this.#parts.damage.runOptional(PLACE, () => this.#orphans.all(), [])) {
      this.#remove.run(seq);
      this.#held.delete(seq);
    }
  }

  /** Deletes the message's row, inside the caller's transaction. Claims return it once `released` is called. */
  remove(seq: number): void {
    this.#remove.run(seq);
  }

  /** To be called after the commit. */
  released(seq: number): void {
    this.#held.delete(seq);
  }

  #store(suspects: SuspectMessage[]): void {
    // Before the transaction: one that meets damage cannot be committed.
    const names = suspects.map(({ seq }) => this.#nameOf(seq));
    this.#db.exec("BEGIN IMMEDIATE");
    for (const [i, { seq, part, error, queue }] of suspects.entries()) {
      const known = names[i] ?? null;
      const { message } = error as Error;
      this.#add.run(seq, known?.id ?? null, known?.account_id ?? queue?.accountId ?? null, this.#nowMs, part, message);
      this.#parts.damage.note(known === null ? `the message in row ${seq}` : `the message ${known.id}`, error);
    }
    this.#db.exec("COMMIT");
  }

  #nameOf(seq: number): MessageName | null {
    try {
      const row = this.#name.get(seq);
      return typeof row?.id === "string" && typeof row.account_id === "string" ? row : null;
    } catch (error) {
      if (isDamage(error)) return null;
      throw error;
    }
  }

  #requeue(suspects: SuspectMessage[]): void {
    for (const { queue } of suspects) {
      if (queue !== undefined) this.#parts.scheduler.requeue(queue, { destination: null, acceptedMs: null });
    }
  }
}

/** Reads the quarantine in force, to show it. */
export function prepareQuarantineReads(db: Database) {
  const list = db.prepare<[number], QuarantinedMessage>(
    `SELECT ${COLUMNS} FROM quarantined WHERE ${IN_QUARANTINE} ORDER BY found_at_ms DESC, seq DESC LIMIT ?`,
  );
  const count = db.prepare<[], number>(`SELECT count(*) FROM quarantined WHERE ${IN_QUARANTINE}`).pluck();
  return {
    quarantined: (limit: number) => ({ count: count.get() ?? 0, messages: list.all(limit) }),
  };
}
