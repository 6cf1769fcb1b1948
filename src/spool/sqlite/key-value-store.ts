/**
 * Texts under a name, for what is worth knowing again after a restart and may be lost.
 */
import type { Database } from "better-sqlite3";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../port/delivery-pause.ts";
import { type DamageReports, unlessDamaged } from "./damage.ts";
import type { Written } from "./written.ts";

export function prepareKeyValueWrites(db: Database) {
  const store = db.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)");
  return {
    writeValue({ name, text }: { name: string; text: string }): Written<void> {
      store.run(name, text);
      return { value: undefined };
    },
  };
}

export function prepareKeyValueReads(db: Database, log: DamageReports) {
  const note = db.prepare<[string], string>("SELECT text FROM notes WHERE name = ?").pluck();
  return {
    /** A pause of delivery that cannot be read holds; the loss of any other note costs only time. */
    readValue: (name: string): string | null => {
      const unreadable = name === PAUSE_ENTRY ? UNREADABLE_PAUSE : null;
      return unlessDamaged(() => note.get(name), unreadable, { log, place: "the notes" }) ?? null;
    },
  };
}
