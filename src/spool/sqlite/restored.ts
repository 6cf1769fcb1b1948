/**
 * The spool after a restore: nothing is claimed until a person has said what becomes of the mail that waited in the backup.
 * The caller holds the transaction. Where it cannot be read whether the spool was restored, it counts as restored.
 */
import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../message/category.ts";
import { PAUSE_NOTE, pauseOf, UNREADABLE_PAUSE } from "../paused-delivery.ts";
import type { SpoolEvent } from "../spool.ts";
import { type DamageLog, isDamage } from "./damage.ts";
import type { Newcomers } from "./newcomers.ts";
import type { Note } from "./rebuilding.ts";
import type { Written } from "./writer.ts";

interface HeldRow {
  seq: number;
  position: number;
  attempts: number;
}

export function prepareRestored(db: Database, newcomers: Newcomers, log: DamageLog) {
  const note = db.prepare<[string], string>("SELECT text FROM notes WHERE name = ?").pluck();
  const forget = db.prepare("DELETE FROM notes WHERE name = ?");
  const waiting = db.prepare<[number], HeldRow>(
    "SELECT seq, position, attempts FROM recipients WHERE state = 'pending' AND seq <= ?",
  );
  const hold = db.prepare(
    `UPDATE recipients SET state = 'unknown', reason = @reason, category = @category, next_attempt_at_ms = NULL, updated_at_ms = @nowMs
       WHERE seq = @seq AND position = @position`,
  );
  const touch = db.prepare("UPDATE messages SET updated_at_ms = ? WHERE seq = ?");
  const addEvent = db.prepare(
    `INSERT INTO events (seq, position, number, event) VALUES (@seq, @position,
       (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = @seq AND position = @position), @event)`,
  );
  /** The stored pause as committed, null where there is none; each claim asks for it. */
  let pause: string | null | "not read" = "not read";

  /** Whether the note can be read. Where it cannot, what was known of it before holds. */
  function load(): boolean {
    try {
      pause = note.get(PAUSE_NOTE) ?? null;
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      log.note("the notes", error);
      return false;
    }
  }

  function isPaused(): boolean {
    // What could not be read may be readable now.
    if (pause === "not read") load();
    return pause !== null;
  }

  function holdAll(newestSeq: number, nowMs: number): number {
    const reason = "restored_from_backup";
    const category = categoryOfReason(reason);
    const rows = waiting.all(newestSeq);
    for (const { seq, position, attempts: attempt } of rows) {
      const said = { attempt, reason, category, tries: [], next_attempt_at_ms: null };
      const event: SpoolEvent = { at_ms: nowMs, type: "unknown", ...said };
      hold.run({ seq, position, reason, category, nowMs });
      addEvent.run({ seq, position, event: JSON.stringify(event) });
      touch.run(nowMs, seq);
    }
    return rows.length;
  }

  load();
  return {
    load,
    isPaused,

    /** What must outlive the notes, where their table is made anew. */
    kept(): Note[] {
      load();
      if (pause === null) return [];
      return [{ name: PAUSE_NOTE, text: pause === "not read" ? UNREADABLE_PAUSE : pause }];
    },
    writes: {
      resumeDelivery({ nowMs, waiting: fate }: { nowMs: number; waiting: "send" | "hold" }): Written<number | null> {
        const text = note.get(PAUSE_NOTE);
        if (text === undefined) return { value: null };
        const { newestSeq } = pauseOf(text);
        const held = fate === "hold" ? holdAll(newestSeq, nowMs) : 0;
        forget.run(PAUSE_NOTE);
        const committed = (): void => {
          newcomers.clear();
          load();
        };
        return { value: held, committed };
      },
    },
  };
}
