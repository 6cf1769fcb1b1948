/**
 * The key-value store, in the table `notes`. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../port/delivery-pause.ts";
import { type DamageReports, unlessDamaged } from "./damage.ts";
import type { WriteHandlers } from "./writer-operations.ts";

export function prepareKeyValueWrites(db: Database): Pick<WriteHandlers, "writeValue" | "addValue"> {
  const store = db.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)");
  const add = db.prepare("INSERT OR IGNORE INTO notes (name, text) VALUES (?, ?)");
  return {
    writeValue({ name, text }) {
      store.run(name, text);
      return { value: undefined };
    },
    addValue({ name, text }) {
      add.run(name, text);
      return { value: undefined };
    },
  };
}

export function prepareKeyValueReads(db: Database, log: DamageReports) {
  const value = db.prepare<[string], string>("SELECT text FROM notes WHERE name = ?").pluck();
  return {
    readValue(name: string): string | null {
      const unreadable = name === PAUSE_ENTRY ? UNREADABLE_PAUSE : null;
      return unlessDamaged(() => value.get(name), unreadable, { log, place: "the notes" }) ?? null;
    },
  };
}
