/** Secrets of the whole service, sealed under the master key that all processes have. */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";

const find = statement<{ sealed: Buffer }>("SELECT sealed FROM secrets WHERE name = $1");
const add = statement("INSERT INTO secrets (name, sealed) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING");
const replace = statement("UPDATE secrets SET sealed = $2 WHERE name = $1 AND sealed = $3");

export const secretOperations = {
  reads: {
    readSecret: async (session: Session, name: string) => (await first(session, find, [name]))?.sealed ?? null,
  },
  writes: {
    async addSecret(session: Session, name: string, sealed: Buffer, inPlaceOf?: Buffer): Promise<void> {
      if (inPlaceOf === undefined) await session.run(add, [name, sealed]);
      else await session.run(replace, [name, sealed, inPlaceOf]);
    },
  },
};
