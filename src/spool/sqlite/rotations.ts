/**
 * DKIM keys that wait to replace a bound domain's present key. The caller holds the transaction of a write.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../lib/new-id.ts";
import type { Rotation } from "../port/domains.ts";
import type { WriteHandlers } from "./writer-operations.ts";

type RotationWrites = Pick<WriteHandlers, "startRotation" | "cancelRotation" | "finishRotation">;

export function prepareRotationWrites(db: Database): RotationWrites {
  const start = db.prepare(
    `INSERT OR REPLACE INTO rotations (domain_id, selector, public_key, sealed_private_key, started_at_ms)
       VALUES (@domainId, @selector, @publicKey, @sealedPrivateKey, @startedAtMs)`,
  );
  const cancel = db.prepare("DELETE FROM rotations WHERE domain_id = ?");
  return {
    startRotation(rotation) {
      start.run(rotation);
      return { value: undefined };
    },
    cancelRotation(domainId) {
      return { value: cancel.run(domainId).changes === 1 };
    },
    finishRotation: prepareFinishRotation(db),
  };
}

function prepareFinishRotation(db: Database): RotationWrites["finishRotation"] {
  const waits = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM rotations r JOIN domains ON domains.id = domain_id
         WHERE domain_id = ? AND r.selector = ? AND removed_at_ms IS NULL`,
    )
    .pluck();
  const retire = db.prepare("UPDATE domains SET removed_at_ms = ? WHERE id = ?");
  const succeed = db.prepare(
    `INSERT INTO domains (id, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, selector,
         public_key, sealed_private_key)
       SELECT ?, account_id, name, token, created_at_ms, verified, checks, next_check_at_ms, r.selector, r.public_key,
         r.sealed_private_key FROM domains JOIN rotations r ON r.domain_id = id WHERE id = ?`,
  );
  const remove = db.prepare("DELETE FROM rotations WHERE domain_id = ?");
  return ({ domainId, selector, atMs }) => {
    if (waits.get(domainId, selector) === undefined) return { value: false };
    // An account binds a name once, so the former row is retired first.
    retire.run(atMs, domainId);
    succeed.run(newId("dom"), domainId);
    remove.run(domainId);
    return { value: true };
  };
}

export function prepareRotationReads(db: Database) {
  const rotations = db.prepare<[], Rotation>(
    `SELECT domain_id AS domainId, r.selector, r.public_key AS publicKey, r.sealed_private_key AS sealedPrivateKey,
            started_at_ms AS startedAtMs
       FROM rotations r JOIN domains ON domains.id = domain_id WHERE removed_at_ms IS NULL`,
  );
  return { rotations: () => rotations.all() };
}
