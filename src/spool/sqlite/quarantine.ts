/**
 * Messages of which something stored cannot be read. They are out of every claim, whatever their recipients' state, until
 * an operator releases them; no other message waits for them. A quarantine is in force once it is committed: where the
 * disk refuses the commit, the fault may be the whole disk's and temporary, so the message stays in the queue and is
 * found again. Only where the quarantine's own table is damaged, it is kept in memory alone.
 */
import type { Database } from "better-sqlite3";
import type { QuarantinedMessage } from "../port/quarantine.ts";
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import { type DamageLog, isDamage, unlessDamaged } from "./damage.ts";
import { isUnavailable } from "./database.ts";

/** What could not be read of a message. */
export interface Suspect {
  seq: number;
  part: QuarantinedMessage["part"];
  error: unknown;
  /** Where it waited. */
  lane?: { accountId: string; domain: string };
}

/** The table as a damaged place. */
const QUARANTINED = "the list of quarantined messages";

export interface QuarantineParts {
  scheduler: FairScheduler;
  hotQueue: HotQueue;
  damage: DamageLog;
}

export class Quarantine {
  #db: Database;
  #parts: QuarantineParts;
  #held = new Set<number>();
  #suspects = new Map<number, Suspect>();
  #nowMs = 0;
  #add;
  #remove;
  #all;
  #gone;
  #idOf;

  constructor(db: Database, parts: QuarantineParts) {
    this.#db = db;
    this.#parts = parts;
    this.#add = db.prepare(
      `INSERT INTO quarantined (seq, message_id, account_id, found_at_ms, part, error) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (seq) DO UPDATE SET part = excluded.part, error = excluded.error WHERE excluded.part = 'hold'`,
    );
    this.#remove = db.prepare("DELETE FROM quarantined WHERE seq = ?");
    this.#all = db.prepare<[], number>("SELECT seq FROM quarantined").pluck();
    this.#gone = db
      .prepare<[], number>(
        `SELECT seq FROM quarantined q WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.seq = q.seq)
           AND NOT EXISTS (SELECT 1 FROM recipients r WHERE r.seq = q.seq)`,
      )
      .pluck();
    this.#idOf = db.prepare<[number], { id: string; account_id: string }>(
      "SELECT id, account_id FROM messages WHERE seq = ?",
    );
    this.load();
  }

  /** Reads again what is in force: at start, and after another process wrote. */
  load(): void {
    const known = { log: this.#parts.damage, place: QUARANTINED };
    const held = unlessDamaged(() => this.#all.all(), null, known);
    if (held !== null) this.#held = new Set(held);
  }

  /** The time of what happens now, for the record. */
  at(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  /** Whether the message is in no claim. */
  has(seq: number): boolean {
    return this.#held.has(seq) || this.#suspects.has(seq);
  }

  /** How many were found since the last `confirm`. */
  get suspects(): number {
    return this.#suspects.size;
  }

  suspect(suspect: Suspect): void {
    // A message that could not be held stays in quarantine longer than others.
    if (this.has(suspect.seq) && suspect.part !== "hold") return;
    this.#suspects.set(suspect.seq, suspect);
    this.#parts.hotQueue.clear();
  }

  /** Commits the quarantine of what was found, outside of any transaction. */
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
        this.#returnToQueue(suspects);
        return;
      }
      this.#parts.damage.note(QUARANTINED, error);
    }
    for (const { seq } of suspects) this.#held.add(seq);
  }

  /** Inside the caller's transaction, at start: messages that a repair of the file has removed. Their numbers are given anew. */
  forgetGone(): void {
    for (const seq of this.#parts.damage.passing(QUARANTINED, () => this.#gone.all(), [])) {
      this.#remove.run(seq);
      this.#held.delete(seq);
    }
  }

  /** Inside the caller's transaction; the message is in claims again once `released` is called. */
  remove(seq: number): void {
    this.#remove.run(seq);
  }

  released(seq: number): void {
    this.#held.delete(seq);
  }

  #store(suspects: Suspect[]): void {
    // Not in the transaction: it could not be committed once one of them was met.
    const names = suspects.map(({ seq }) => this.#nameOf(seq));
    this.#db.exec("BEGIN IMMEDIATE");
    for (const [i, { seq, part, error, lane }] of suspects.entries()) {
      const known = names[i] ?? null;
      const { message } = error as Error;
      this.#add.run(seq, known?.id ?? null, known?.account_id ?? lane?.accountId ?? null, this.#nowMs, part, message);
      this.#parts.damage.note(known === null ? `the message in row ${seq}` : `the message ${known.id}`, error);
    }
    this.#db.exec("COMMIT");
  }

  #nameOf(seq: number): { id: string; account_id: string } | null {
    try {
      const row = this.#idOf.get(seq);
      return typeof row?.id === "string" && typeof row.account_id === "string" ? row : null;
    } catch (error) {
      if (isDamage(error)) return null;
      throw error;
    }
  }

  #returnToQueue(suspects: Suspect[]): void {
    for (const { lane } of suspects) {
      if (lane !== undefined) this.#parts.scheduler.givenBack(lane, { destination: null, acceptedMs: null });
    }
  }
}

/** What quarantine is in force, for those who show it. */
export function prepareQuarantineReads(db: Database) {
  const columns = `seq, message_id AS messageId, account_id AS accountId, found_at_ms AS foundAtMs, part, error`;
  const list = db.prepare<[number], QuarantinedMessage>(
    `SELECT ${columns} FROM quarantined ORDER BY found_at_ms DESC, seq DESC LIMIT ?`,
  );
  const count = db.prepare<[], number>("SELECT count(*) FROM quarantined").pluck();
  return {
    quarantined: (limit: number) => ({ count: count.get() ?? 0, messages: list.all(limit) }),
  };
}
