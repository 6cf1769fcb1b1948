/**
 * Texts under a name, for what is worth knowing again after a restart and may be lost.
 */
import type { Database } from "better-sqlite3";
import { type DamageReports, unlessDamaged } from "./damage.ts";
import type { Written } from "./writer.ts";

export function prepareNoteWrites(db: Database) {
  const store = db.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)");
  return {
    writeNote({ name, text }: { name: string; text: string }): Written<void> {
      store.run(name, text);
      return { value: undefined };
    },
  };
}

export function prepareNoteReads(db: Database, log: DamageReports) {
  const note = db.prepare<[string], string>("SELECT text FROM notes WHERE name = ?").pluck();
  return {
    note: (name: string): string | null =>
      unlessDamaged(() => note.get(name), null, { log, place: "the notes" }) ?? null,
  };
}
