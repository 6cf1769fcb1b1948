/** The key-value store: the entries that all processes of the spool share. Those of single nodes are each engine's own. */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../port/delivery-pause.ts";

const find = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1", {
  ifDamaged: "the key-value entries",
});
const store = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
);

/** What an entry reads as if it is damaged. */
export const damagedValue = (name: string): string | null => (name === PAUSE_ENTRY ? UNREADABLE_PAUSE : null);

export const keyValueOperations = {
  reads: {
    async readValue(session: Session, name: string): Promise<string | null> {
      const { rows, isDamaged } = await session.run(find, [name]);
      return isDamaged ? damagedValue(name) : (rows[0]?.text ?? null);
    },
  },
  writes: {
    async writeValue(session: Session, name: string, text: string): Promise<void> {
      await session.run(store, [name, text]);
    },
  },
};
