/**
 * The spool after a restore: nothing is claimed until a person has said what becomes of the mail that waited in the backup.
 * The caller holds the transaction. Where it cannot be read whether the spool was restored, it counts as restored.
 */
import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../message/classify.ts";
import { PAUSE_ENTRY, parsePause, UNREADABLE_PAUSE } from "../port/delivery-pause.ts";
import type { ResumeResult } from "../port/operations.ts";
import type { SpoolEvent } from "../port/results.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import { DamagedMessages, type DamageLog, isDamage } from "./damage.ts";
import { HistoryWriter } from "./history-writer.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Rebuilding } from "./rebuilding.ts";
import { prepareAttempts } from "./soundness.ts";
import type { Written } from "./written.ts";

interface Place {
  seq: number;
  position: number;
}

export interface RestoredParts {
  hotQueue: HotQueue;
  quarantine: Quarantine;
  damage: DamageLog;
  rebuilding: Rebuilding;
}

export function prepareRestoreHold(db: Database, { hotQueue, quarantine, damage, rebuilding }: RestoredParts) {
  const note = db.prepare<[string], string>("SELECT text FROM notes WHERE name = ?").pluck();
  const keep = db.prepare("INSERT INTO notes (name, text) VALUES (?, ?)");
  const forget = db.prepare("DELETE FROM notes WHERE name = ?");
  // From the index alone: the rows of the recipients may be damaged.
  const waiting = db.prepare<[number], Place>(
    "SELECT seq, position FROM recipients INDEXED BY recipients_waiting WHERE state = 'pending' AND seq <= ?",
  );
  const attemptsOf = prepareAttempts(db);
  const hold = db.prepare(
    `UPDATE recipients SET state = 'unknown', reason = @reason, category = @category, next_attempt_at_ms = NULL, updated_at_ms = @nowMs
       WHERE seq = @seq AND position = @position`,
  );
  const touch = db.prepare("UPDATE messages SET updated_at_ms = ? WHERE seq = ?");
  const history = new HistoryWriter(db, damage);
  const damaged = new DamagedMessages(damage, {
    place: (seq) => `the message in row ${seq}, which waited`,
    rebuilding,
  });
  /** The stored pause as committed, null where there is none; each claim asks for it. */
  let pause: string | null | "not read" = "not read";

  /** Whether the note can be read. Where it cannot, what was known of it before holds. */
  function load(): boolean {
    try {
      pause = note.get(PAUSE_ENTRY) ?? null;
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage.note("the notes", error);
      return false;
    }
  }

  function isPaused(): boolean {
    // What could not be read may be readable now.
    if (pause === "not read") load();
    return pause !== null;
  }

  /** Holds what waited, but damaged messages. */
  function holdAll(newestSeq: number, nowMs: number): ResumeResult {
    const reason = "restored_from_backup";
    const category = categoryOfReason(reason);
    const places = waiting.all(newestSeq);
    const rows = damaged.readEach(places, (place) => ({ ...place, attempt: attemptsOf(place) }));
    history.look(rows);
    for (const { seq, position, attempt } of rows) {
      damaged.attempt(seq, () => {
        hold.run({ seq, position, reason, category, nowMs });
        touch.run(nowMs, seq);
      });
      const said = { attempt, reason, category, tries: [], next_attempt_at_ms: null };
      const event: SpoolEvent = { at_ms: nowMs, type: "unknown", ...said };
      history.add(seq, position, JSON.stringify(event));
    }
    return { held: rows.length, unreadable: places.length - rows.length };
  }

  /** What could not be held is in no claim either, until an operator decides. */
  function quarantineDamaged(nowMs: number): void {
    quarantine.at(nowMs);
    for (const [seq, error] of damaged.errors) quarantine.suspect({ seq, part: "hold", error });
    damaged.clear();
    history.clear();
  }

  load();
  return {
    load,
    isPaused,

    /** The newest message of the backup while delivery is paused after a restore; 0 where that is not known. */
    newestSeq(): number {
      if (pause === null || pause === "not read") return 0;
      const { backupAtMs, newestSeq } = parsePause(pause);
      return backupAtMs === null ? 0 : newestSeq;
    },

    /** Makes the damaged table of notes anew with the pause, where there is one or that is not known. */
    remakeNotes(): boolean {
      load();
      return rebuilding.table("notes", () => {
        if (pause !== null) keep.run(PAUSE_ENTRY, pause === "not read" ? UNREADABLE_PAUSE : pause);
      });
    },

    writes: {
      resumeDelivery({
        nowMs,
        waiting: fate,
      }: {
        nowMs: number;
        waiting: "send" | "hold";
      }): Written<ResumeResult | null> {
        const text = note.get(PAUSE_ENTRY);
        if (text === undefined) return { value: null };
        const { newestSeq } = parsePause(text);
        const value = fate === "hold" ? holdAll(newestSeq, nowMs) : { held: 0, unreadable: 0 };
        forget.run(PAUSE_ENTRY);
        const committed = (): void => {
          quarantineDamaged(nowMs);
          hotQueue.clear();
          load();
        };
        return { value, committed };
      },
    },
  };
}
