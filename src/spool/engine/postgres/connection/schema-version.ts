/**
 * The version of the database's schema: applies migrations, and decides which versions of Postrider may use the database at the
 * same time. The migrations are in schema/postgres.ts.
 */
import type { Client } from "pg";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../schema/postgres.ts";
import { FIRST_VERSION, outdatedSchema } from "../../../schema/version.ts";
import { endFormerNodes, NodeRefused } from "../cluster/nodes-table.ts";
import { inTransaction } from "./database.ts";
import { type Session, statement } from "./statement.ts";

/** The advisory lock under which migrations run: no two processes apply one at the same time. */
const MIGRATION_LOCK = 0x706f_7374;

const lock = statement("SELECT pg_advisory_xact_lock($1)");
const hold = statement("SELECT pg_advisory_lock($1)");
const release = statement("SELECT pg_advisory_unlock($1)");
const hasVersions = statement<{ exists: boolean }>("SELECT to_regclass('schema_version') IS NOT NULL AS exists");
const newestVersion = statement<{ version: number | null }>("SELECT max(version) AS version FROM schema_version");
const addVersion = statement("INSERT INTO schema_version VALUES ($1) ON CONFLICT DO NOTHING");

/** This version and the schema, or the nodes that use it, do not work together. The message is one line. */
class SchemaMismatch extends NodeRefused {
  override name = "SchemaMismatch";
}

/**
 * Brings the database to SCHEMA_VERSION in one transaction. Returns the version found. Changes nothing in a database that is one
 * version ahead, which the nodes of the next version use already. Rejects with SchemaMismatch if it is further ahead, or if
 * a node is registered that SCHEMA_VERSION would break. `migrations` are those of this code, except in tests.
 */
export function migrate(client: Client, migrations: readonly string[] = MIGRATIONS): Promise<number> {
  const newest = FIRST_VERSION + migrations.length - 1;
  return inTransaction(client, "BEGIN", async (session) => {
    const found = await lockSchema(session, newest);
    if (found >= newest) return found;
    if (found > 0) await refuseFormerNodes(session, newest - 1);
    for (const sql of migrations.slice(found === 0 ? 0 : found + 1 - FIRST_VERSION)) await client.query(sql);
    await client.query("CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY)");
    await session.run(addVersion, [newest]);
    return found;
  });
}

/** Whether the database has the spool's tables, of whichever version. */
export async function hasSchema(session: Session): Promise<boolean> {
  return (await session.run(hasVersions)).rows[0]?.exists === true;
}

/** Locks out migrations and registrations of nodes until `releaseSchema`, or until the session ends. */
export async function holdSchema(session: Session): Promise<void> {
  await session.run(hold, [MIGRATION_LOCK]);
}

/** Ends `holdSchema`. */
export async function releaseSchema(session: Session): Promise<void> {
  await session.run(release, [MIGRATION_LOCK]);
}

/**
 * Locks out migrations until the end of the transaction, and registrations that do the same. Returns the version of the schema.
 * Rejects with SchemaMismatch if this version cannot work with it.
 */
export async function lockSchema(session: Session, newestKnown: number = SCHEMA_VERSION): Promise<number> {
  await session.run(lock, [MIGRATION_LOCK]);
  const [newest] = (await hasSchema(session)) ? (await session.run(newestVersion)).rows : [];
  const found = newest?.version ?? 0;
  if (found > 0 && found < FIRST_VERSION) throw new SchemaMismatch(outdatedSchema(found));
  if (found > newestKnown + 1) {
    throw new SchemaMismatch(
      `the database has schema ${found}, this Postrider knows schemas up to ${SCHEMA_VERSION} and works beside ${SCHEMA_VERSION + 1}: run the newer version`,
    );
  }
  return found;
}

/** Rejects with SchemaMismatch if a node is registered that knows no schema from `oldest` on. The schema must be locked. */
export async function refuseFormerNodes(session: Session, oldest: number): Promise<void> {
  const [former] = await endFormerNodes(session, oldest);
  if (former === undefined) return;
  throw new SchemaMismatch(
    `the node ${former.name} knows schemas up to ${former.schemaVersion}, and schema ${SCHEMA_VERSION} needs nodes that know ${oldest}: upgrade it to the version before this one first, or stop it`,
  );
}
