/** The values that the database holds sealed under the master key, and their replacement by values sealed with another one. */
import type { Resealed, SealedValue } from "../../../port/maintenance.ts";
import { type Session, type Statement, statement } from "../connection/statement.ts";

interface SecretRow {
  id: string;
  bytes: Buffer;
}

interface KeyRow extends SecretRow {
  domain: string;
  selector: string;
  isFormer: boolean;
}

const newestKeys = statement<KeyRow>(
  `SELECT id, name AS domain, selector, false AS "isFormer", sealed_private_key AS bytes FROM domains
    WHERE removed_at_ms IS NULL ORDER BY created_at_ms DESC LIMIT $1`,
);
const newestFactors = statement<SecretRow>(
  "SELECT id, sealed_totp AS bytes FROM users WHERE sealed_totp IS NOT NULL ORDER BY created_at_ms DESC LIMIT $1",
);
const newestEndpoints = statement<SecretRow>(
  "SELECT id, sealed_secret AS bytes FROM endpoints ORDER BY created_at_ms DESC LIMIT $1",
);

/** The values in use: at most `limit` of each kind, the newest first. */
export async function readSealedValues(session: Session, limit: number): Promise<SealedValue[]> {
  const keys = (await session.run(newestKeys, [limit])).rows;
  const factors = (await session.run(newestFactors, [limit])).rows;
  const endpoints = (await session.run(newestEndpoints, [limit])).rows;
  return [...keys.map(sealedKey), ...factors.map(sealedFactor), ...endpoints.map(sealedEndpoint)];
}

/** All values of one column. */
interface Column {
  read(session: Session): Promise<{ id: string; sealed: SealedValue }[]>;
  /** Its parameters are ids and values. */
  replace: Statement;
}

function column<Row extends SecretRow>(
  read: Statement<Row>,
  sealed: (row: Row) => SealedValue,
  replace: Statement,
): Column {
  return {
    async read(session) {
      return (await session.run(read)).rows.map((row) => ({ id: row.id, sealed: sealed(row) }));
    },
    replace,
  };
}

// The rows are locked: a value that is deleted or turned off meanwhile must not come back.
const COLUMNS: readonly Column[] = [
  column(
    statement<KeyRow>(
      `SELECT id, name AS domain, selector, removed_at_ms IS NOT NULL AS "isFormer", sealed_private_key AS bytes
         FROM domains ORDER BY id FOR NO KEY UPDATE`,
    ),
    sealedKey,
    replacement("domains", "id", "sealed_private_key"),
  ),
  column(
    statement<KeyRow>(
      `SELECT d.id, d.name AS domain, r.selector, d.removed_at_ms IS NOT NULL AS "isFormer", r.sealed_private_key AS bytes
         FROM rotations r JOIN domains d ON d.id = r.domain_id ORDER BY d.id FOR NO KEY UPDATE OF r`,
    ),
    sealedKey,
    replacement("rotations", "domain_id", "sealed_private_key"),
  ),
  column(
    statement<SecretRow>(
      "SELECT id, sealed_totp AS bytes FROM users WHERE sealed_totp IS NOT NULL ORDER BY id FOR NO KEY UPDATE",
    ),
    sealedFactor,
    replacement("users", "id", "sealed_totp"),
  ),
  column(
    statement<SecretRow>("SELECT id, sealed_secret AS bytes FROM endpoints ORDER BY id FOR NO KEY UPDATE"),
    sealedEndpoint,
    replacement("endpoints", "id", "sealed_secret"),
  ),
  column(
    statement<SecretRow>(
      `SELECT id, former_sealed_secret AS bytes FROM endpoints WHERE former_sealed_secret IS NOT NULL
        ORDER BY id FOR NO KEY UPDATE`,
    ),
    sealedFormerEndpoint,
    replacement("endpoints", "id", "former_sealed_secret"),
  ),
  column(
    statement<SecretRow>("SELECT name AS id, sealed AS bytes FROM secrets ORDER BY name FOR NO KEY UPDATE"),
    ({ id: name, bytes }) => ({ kind: "secret", name, bytes }),
    replacement("secrets", "name", "sealed"),
  ),
];

function replacement(table: string, key: string, name: string): Statement {
  return statement(
    `UPDATE ${table} SET ${name} = resealed.bytes FROM unnest($1::text[], $2::bytea[]) AS resealed (key, bytes)
      WHERE ${table}.${key} = resealed.key`,
  );
}

// They would not open with the new key, and are held for minutes only.
const removeHeld = statement("DELETE FROM held_values");

/**
 * Replaces all values by those that `reseal` returns, and returns the fingerprint of their key. `session` is in a transaction, and
 * the caller holds the lock that keeps others from sealing values meanwhile.
 */
export async function resealValues(session: Session, reseal: (all: SealedValue[]) => Resealed): Promise<string> {
  const columns = [];
  for (const { read, replace } of COLUMNS) columns.push({ rows: await read(session), replace });
  const { values: resealed, fingerprint } = reseal(columns.flatMap(({ rows }) => rows.map(({ sealed }) => sealed)));
  let next = 0;
  for (const { rows, replace } of columns) {
    const values = rows.map(({ id }, i) => ({ id, bytes: resealed[next + i] ?? null }));
    const changed = values.filter(({ bytes }) => bytes !== null);
    await session.run(replace, [changed.map(({ id }) => id), changed.map(({ bytes }) => bytes)]);
    next += rows.length;
  }
  await session.run(removeHeld);
  return fingerprint;
}

function sealedKey({ domain, selector, isFormer, bytes }: KeyRow): SealedValue {
  return { kind: "dkim", domain, selector, isFormer, bytes };
}

function sealedFactor({ id, bytes }: SecretRow): SealedValue {
  return { kind: "totp", userId: id, bytes };
}

function sealedEndpoint({ id, bytes }: SecretRow): SealedValue {
  return { kind: "webhook", endpointId: id, isFormer: false, bytes };
}

function sealedFormerEndpoint({ id, bytes }: SecretRow): SealedValue {
  return { kind: "webhook", endpointId: id, isFormer: true, bytes };
}
