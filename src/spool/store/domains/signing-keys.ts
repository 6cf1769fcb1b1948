/**
 * DKIM keys of bound domains, and those that wait to replace them. A domain that was removed keeps its key for the mail accepted
 * before.
 */
import { newId } from "../../../lib/new-id.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { Rotation, SealedSigningKey } from "../../port/domains.ts";

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

const owner = statement<{ accountId: string }>(`SELECT account_id AS "accountId" FROM domains WHERE id = $1`);
const take = statement<Pick<Rotation, "selector" | "publicKey" | "sealedPrivateKey">>(
  `DELETE FROM rotations WHERE domain_id = $1 AND selector = $2
       AND EXISTS (SELECT 1 FROM domains WHERE id = $1 AND removed_at_ms IS NULL)
     RETURNING selector, public_key AS "publicKey", sealed_private_key AS "sealedPrivateKey"`,
);
const retire = statement("UPDATE domains SET removed_at_ms = $2 WHERE id = $1");
const succeed = statement(
  `INSERT INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector, public_key,
       sealed_private_key)
     SELECT $2, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, $3, $4, $5
       FROM domains WHERE id = $1`,
);

export const signingKeyOperations = {
  reads: {
    async signingKey(session: Session, domainId: string): Promise<SealedSigningKey> {
      const key = await first(session, find, [domainId]);
      if (key === null) throw new Error(`the spool has no signing key for ${domainId}`);
      return key;
    },
    successorKey: (session: Session, domainId: string) => first(session, successor, [domainId]),
    rotations: async (session: Session) => (await session.run(waiting)).rows,
  },
  writes: {
    async startRotation(session: Session, rotation: Rotation): Promise<void> {
      const { domainId, selector, publicKey, sealedPrivateKey, startedAtMs } = rotation;
      await session.run(start, [domainId, selector, publicKey, sealedPrivateKey, startedAtMs]);
    },
    cancelRotation: async (session: Session, domainId: string) => (await session.run(cancel, [domainId])).count === 1,
    finishRotation,
  },
};

async function finishRotation(session: Session, domainId: string, selector: string, atMs: number): Promise<boolean> {
  const found = await first(session, owner, [domainId]);
  if (found === null) return false;
  // Whoever removes the domain meanwhile finds either it or its successor.
  await session.lock("accounts", found.accountId);
  const next = await first(session, take, [domainId, selector]);
  if (next === null) return false;
  // An account binds a name once, so the former row is retired first.
  await session.run(retire, [domainId, atMs]);
  await session.run(succeed, [domainId, newId("dom"), next.selector, next.publicKey, next.sealedPrivateKey]);
  return true;
}
