/** Values that a page shows once, at whichever node. Times are those of the database's clock. */
import { HELD_MAX, type HeldValues } from "../../../port/held-values.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

const add = statement(
  `INSERT INTO held_values (hash, account_id, sealed, held_at, ends_at)
     VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4::float8 * interval '1 ms')`,
);
const sweep = statement(
  `DELETE FROM held_values WHERE ends_at <= clock_timestamp() OR hash IN (
     SELECT hash FROM held_values WHERE account_id = $1 ORDER BY held_at DESC OFFSET ${HELD_MAX})`,
);
const take = statement<{ sealed: Buffer }>(
  "DELETE FROM held_values WHERE account_id = $1 AND hash = $2 AND ends_at > clock_timestamp() RETURNING sealed",
);

export function heldValueOperations(database: Database): HeldValues {
  return {
    async hold({ hash, accountId, sealed, keptMs }) {
      await database.run(add, [hash, accountId, sealed, keptMs]);
      await database.run(sweep, [accountId]);
    },
    async take(accountId, hash) {
      return (await database.run(take, [accountId, hash])).rows[0]?.sealed ?? null;
    },
  };
}
