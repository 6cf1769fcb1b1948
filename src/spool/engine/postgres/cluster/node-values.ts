/** The key-value store on PostgreSQL: the shared entries, and those of each node by its name. */
import type { KeyValueStore } from "../../../port/key-value.ts";
import { damagedValue, keyValueOperations } from "../../../store/accounts/key-values.ts";
import { bind } from "../../operations.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { postgresRunner } from "../connection/postgres-runner.ts";
import { statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";

const find = statement<{ text: string }>("SELECT text FROM node_values WHERE node = $1 AND name = $2");

const findOfLiveNodes = statement<{ text: string }>(
  `SELECT v.text FROM node_values AS v WHERE v.name = $1 AND EXISTS (
     SELECT FROM nodes AS n WHERE n.name = v.node AND n.ended_at IS NULL AND n.lease_until >= clock_timestamp()
   ) ORDER BY v.node`,
);

// Containers may be nodes under new names with each deployment, so entries are removed of nodes that are gone for long.
const store = statement(
  `WITH forgotten AS (
     DELETE FROM node_values WHERE written_at < now() - interval '30 days' AND (node, name) <> ($1, $2)
   )
   INSERT INTO node_values (node, name, text, written_at) VALUES ($1, $2, $3, now())
     ON CONFLICT (node, name) DO UPDATE SET text = excluded.text, written_at = excluded.written_at`,
);

/** `node` is the name of this node. */
export function keyValueStore(database: Database, node: string): KeyValueStore {
  const { readValue, writeValue } = bind(keyValueOperations, postgresRunner(database));
  return {
    writeValue,
    readValue: (name) => unlessDamaged(readValue(name), damagedValue(name)),
    readNodeValue: (name) =>
      unlessDamaged(
        database.run(find, [node, name]).then(({ rows }) => rows[0]?.text ?? null),
        null,
      ),
    async readLiveNodeValues(name) {
      return (await database.run(findOfLiveNodes, [name])).rows.map(({ text }) => text);
    },
    async writeNodeValue(name, text) {
      await database.run(store, [node, name, storedText(text)]);
    },
  };
}

async function unlessDamaged<T>(reading: Promise<T>, fallback: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return fallback;
  }
}
