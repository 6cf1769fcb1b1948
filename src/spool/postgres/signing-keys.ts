/**
 * DKIM keys of bound domains, and those that wait to replace them. A domain that was removed keeps its key for the mail accepted
 * before.
 */
import { newId } from "../../lib/new-id.ts";
import type { Rotation, SealedSigningKey, SigningKeys } from "../port/domains.ts";
import type { Database } from "./database.ts";
import { type Session, statement } from "./statement.ts";

const find = statement<SealedSigningKey>(
  `SELECT name AS domain, selector, sealed_private_key AS "sealedPrivateKey" FROM domains WHERE id = $1`,
);
const successor = statement<SealedSigningKey>(
  `SELECT s.name AS domain, s.selector, s.sealed_private_key AS "sealedPrivateKey"
     FROM domains d JOIN domains s ON s.account_id = d.account_id AND s.name = d.name
     WHERE d.id = $1 AND s.id <> d.id AND s.removed_at_ms IS NULL AND s.verified`,
);

const start = statement(
  `INSERT INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (domain_id) DO UPDATE SET selector = excluded.selector, public_key = excluded.public_key,
       sealed_private_key = excluded.sealed_private_key, started_at_ms = excluded.started_at_ms`,
);
const waiting = statement<Rotation>(
  `SELECT domain_id AS "domainId", r.selector, r.public_key AS "publicKey", r.sealed_private_key AS "sealedPrivateKey",
          started_at_ms AS "startedAtMs"
     FROM rotations r JOIN domains ON domains.id = domain_id WHERE removed_at_ms IS NULL ORDER BY domain_id`,
);
const cancel = statement("DELETE FROM rotations WHERE domain_id = $1");

// The account's lock: whoever removes the domain meanwhile finds either it or its successor.
const lockOwner = statement(
  "SELECT FROM accounts WHERE id = (SELECT account_id FROM domains WHERE id = $1) FOR NO KEY UPDATE",
);
const take = statement<Pick<Rotation, "selector" | "publicKey" | "sealedPrivateKey">>(
  `DELETE FROM rotations r USING domains WHERE domain_id = $1 AND r.selector = $2 AND domains.id = domain_id AND removed_at_ms IS NULL
     RETURNING r.selector, r.public_key AS "publicKey", r.sealed_private_key AS "sealedPrivateKey"`,
);
const retire = statement("UPDATE domains SET removed_at_ms = $2 WHERE id = $1");
const succeed = statement(
  `INSERT INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector, public_key,
       sealed_private_key)
     SELECT $2, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, $3, $4, $5
       FROM domains WHERE id = $1`,
);

export function signingKeyOperations(database: Database): SigningKeys {
  return {
    async signingKey(domainId) {
      const [key] = (await database.run(find, [domainId])).rows;
      if (key === undefined) throw new Error(`the spool has no signing key for ${domainId}`);
      return key;
    },
    async successorKey(domainId) {
      return (await database.run(successor, [domainId])).rows[0] ?? null;
    },
    async startRotation({ domainId, selector, publicKey, sealedPrivateKey, startedAtMs }) {
      await database.run(start, [domainId, selector, publicKey, sealedPrivateKey, startedAtMs]);
    },
    async rotations() {
      return (await database.run(waiting)).rows;
    },
    async cancelRotation(domainId) {
      return (await database.run(cancel, [domainId])).count === 1;
    },
    finishRotation: (domainId, selector, atMs) =>
      database.transaction((session) => finishRotation(session, { domainId, selector, atMs })),
  };
}

async function finishRotation(
  session: Session,
  { domainId, selector, atMs }: { domainId: string; selector: string; atMs: number },
): Promise<boolean> {
  await session.run(lockOwner, [domainId]);
  const [next] = (await session.run(take, [domainId, selector])).rows;
  if (next === undefined) return false;
  // An account binds a name once, so the former row is retired first.
  await session.run(retire, [domainId, atMs]);
  await session.run(succeed, [domainId, newId("dom"), next.selector, next.publicKey, next.sealedPrivateKey]);
  return true;
}
