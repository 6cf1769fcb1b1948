/** Secrets of the whole service, sealed under the master key that all nodes have. */
import type { Secrets } from "../port/secrets.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

const find = statement<{ sealed: Buffer }>("SELECT sealed FROM secrets WHERE name = $1");
const add = statement("INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING");
const replace = statement("UPDATE secrets SET sealed = $2 WHERE name = $1 AND sealed = $3");

export function secretOperations(database: Pick<Database, "run">): Secrets {
  return {
    async readSecret(name) {
      return (await database.run(find, [name])).rows[0]?.sealed ?? null;
    },
    async addSecret(name, sealed, inPlaceOf) {
      if (inPlaceOf === undefined) await database.run(add, [name, sealed]);
      else await database.run(replace, [name, sealed, inPlaceOf]);
    },
  };
}
