/**
 * Webhook endpoints: making, listing and removing them. See endpoint-changes.ts for their changes and webhook-settlement.ts for
 * what is sent to them. Retries and attempts of an endpoint are only written under the lock of its row.
 */
import type { Endpoint, EndpointStore } from "../port/webhooks.ts";
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf, storedList } from "../records/endpoint-row.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";

// Two nodes may add endpoints at the same time.
const lockAccount = statement("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE");

const add = statement<EndpointRow>(
  `INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, position, version)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, coalesce((SELECT max(number) FROM events WHERE account_id = $2), 0), 1
       WHERE (SELECT count(*) FROM endpoints WHERE account_id = $2) < $9
     RETURNING ${ENDPOINT_COLUMNS}`,
);

const list = statement<EndpointRow>(
  `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE $1::text IS NULL OR account_id = $1 ORDER BY created_at_ms, id`,
);

// Retries and attempts go with it.
const remove = statement("DELETE FROM endpoints WHERE id = $1 AND account_id = $2");

export function endpointOperations(
  database: Database,
): Pick<EndpointStore, "createEndpoint" | "endpoints" | "removeEndpoint"> {
  return {
    createEndpoint({ id, accountId, url, types, keys, domains, createdAtMs, sealedSecret, endpointsMax }) {
      const filter = [types, keys, domains].map(storedList);
      return database.transaction(async (session): Promise<Endpoint | "too_many"> => {
        await session.run(lockAccount, [accountId]);
        const values = [id, accountId, url, ...filter, createdAtMs, sealedSecret, endpointsMax];
        const [row] = (await session.run(add, values)).rows;
        return row === undefined ? "too_many" : endpointOf(row);
      });
    },

    async endpoints(accountId) {
      const { rows } = await database.run(list, [accountId]);
      return rows.map(endpointOf);
    },

    async removeEndpoint(accountId, endpointId) {
      const { count } = await database.run(remove, [endpointId, accountId]);
      return count > 0;
    },
  };
}
