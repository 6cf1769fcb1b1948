/**
 * Webhook endpoints: making, listing and removing them. See endpoint-changes.ts for their changes and webhook-settlement.ts for what is
 * sent to them. Retries and attempts of an endpoint are written under only the lock of its row.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { Endpoint, NewEndpoint } from "../../port/webhooks.ts";
import { ENDPOINT_COLUMNS, type EndpointRow, endpointOf, filterOf, storedList } from "../../records/endpoint-row.ts";
import { removeAttempts } from "./endpoint-attempts.ts";

const count = statement<{ count: number }>("SELECT count(*) AS count FROM endpoints WHERE account_id = $1");
const add = statement(
  `INSERT INTO endpoints (id, account_id, url, types, keys, domains, created_at_ms, sealed_secret, position, version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
       coalesce((SELECT max(number) FROM account_events WHERE account_id = $2), 0), 1)`,
);
const find = statement<EndpointRow>(`SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE id = $1`);
const all = statement<EndpointRow>(`SELECT ${ENDPOINT_COLUMNS} FROM endpoints ORDER BY created_at_ms, id`);
const ofAccount = statement<EndpointRow>(
  `SELECT ${ENDPOINT_COLUMNS} FROM endpoints WHERE account_id = $1 ORDER BY created_at_ms, id`,
);
const isOfAccount = statement("SELECT 1 FROM endpoints WHERE id = $1 AND account_id = $2");
const idsOfAccount = statement<{ id: string }>("SELECT id FROM endpoints WHERE account_id = $1");
// Its retries are deleted with it.
const remove = statement("DELETE FROM endpoints WHERE id = $1");

export const endpointOperations = {
  reads: {
    async endpoint(session: Session, endpointId: string): Promise<Endpoint | null> {
      const row = await first(session, find, [endpointId]);
      return row === null ? null : decoded(session, row);
    },
    async endpoints(session: Session, accountId: string | null): Promise<Endpoint[]> {
      const { rows } = await (accountId === null ? session.run(all) : session.run(ofAccount, [accountId]));
      return rows.map((row) => decoded(session, row));
    },
  },
  writes: {
    createEndpoint,
    async removeEndpoint(session: Session, accountId: string, endpointId: string): Promise<boolean> {
      await session.lock("endpoints", endpointId);
      if ((await session.run(isOfAccount, [endpointId, accountId])).count === 0) return false;
      await removeLocked(session, endpointId);
      return true;
    },
  },
};

async function createEndpoint(
  session: Session,
  { id, accountId, url, types, keys, domains, createdAtMs, sealedSecret, endpointsMax }: NewEndpoint,
): Promise<"created" | "too_many"> {
  await session.lock("accounts", accountId);
  if (((await first(session, count, [accountId]))?.count ?? 0) >= endpointsMax) return "too_many";
  const filter = [types, keys, domains].map(storedList);
  await session.run(add, [id, accountId, url, ...filter, createdAtMs, sealedSecret]);
  return "created";
}

/** Removes all endpoints of an account. */
export async function removeEndpoints(session: Session, accountId: string): Promise<void> {
  const { rows } = await session.run(idsOfAccount, [accountId]);
  for (const { id } of rows) {
    await session.lock("endpoints", id);
    await removeLocked(session, id);
  }
}

async function removeLocked(session: Session, endpointId: string): Promise<void> {
  await removeAttempts(session, endpointId);
  await session.run(remove, [endpointId]);
}

function decoded(session: Session, row: EndpointRow): Endpoint {
  if (filterOf(row) === null) {
    session.reportDamage(`the filter of the webhook endpoint ${row.id}`, "it cannot be decoded");
  }
  return endpointOf(row);
}
