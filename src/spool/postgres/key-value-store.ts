/** The key-value store, with shared entries and those of each node by its name. */
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../port/delivery-pause.ts";
import type { KeyValueStore } from "../port/key-value.ts";
import type { Database } from "./database.ts";
import { isDamaged } from "./database-error.ts";
import { statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const find = statement<{ text: string }>("SELECT text FROM key_values WHERE name = $1");
const store = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
);

const findOfNode = statement<{ text: string }>("SELECT text FROM node_values WHERE node = $1 AND name = $2");

const findOfLiveNodes = statement<{ text: string }>(
  `SELECT v.text FROM node_values AS v WHERE v.name = $1 AND EXISTS (
     SELECT FROM nodes AS n WHERE n.name = v.node AND n.ended_at IS NULL AND n.lease_until >= clock_timestamp()
   ) ORDER BY v.node`,
);

// Containers may be nodes under new names with each deployment, so entries are removed of nodes that are gone for long.
const storeOfNode = statement(
  `WITH forgotten AS (
     DELETE FROM node_values WHERE written_at < now() - interval '30 days' AND (node, name) <> ($1, $2)
   )
   INSERT INTO node_values (node, name, text, written_at) VALUES ($1, $2, $3, now())
     ON CONFLICT (node, name) DO UPDATE SET text = excluded.text, written_at = excluded.written_at`,
);

/** `node` is the name of this node. */
export function keyValueOperations(database: Pick<Database, "run">, node: string): KeyValueStore {
  return {
    async readValue(name) {
      try {
        return (await database.run(find, [name])).rows[0]?.text ?? null;
      } catch (error) {
        if (!isDamaged(error)) throw error;
        return name === PAUSE_ENTRY ? UNREADABLE_PAUSE : null;
      }
    },
    async writeValue(name, text) {
      await database.run(store, [name, storedText(text)]);
    },
    async readNodeValue(name) {
      try {
        return (await database.run(findOfNode, [node, name])).rows[0]?.text ?? null;
      } catch (error) {
        if (!isDamaged(error)) throw error;
        return null;
      }
    },
    async readLiveNodeValues(name) {
      return (await database.run(findOfLiveNodes, [name])).rows.map(({ text }) => text);
    },
    async writeNodeValue(name, text) {
      await database.run(storeOfNode, [node, name, storedText(text)]);
    },
  };
}
