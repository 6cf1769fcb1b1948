/** API keys on PostgreSQL: requests that arrive at the same time read their keys in one statement. */
import { apiKeyOperations, apiKeysOf, hashName } from "../../../store/accounts/api-keys.ts";
import type { Database } from "../connection/database.ts";
import { GatheredReads } from "../connection/gathered-reads.ts";
import { postgresRunner } from "../connection/postgres-runner.ts";
import { PostgresSession } from "../connection/postgres-session.ts";

export function keyOperations(database: Database): ReturnType<typeof apiKeysOf> {
  const session = new PostgresSession(database);
  const { activeKeys } = apiKeyOperations.reads;
  const reads = new GatheredReads({ nameOf: hashName, readAll: (hashes: Buffer[]) => activeKeys(session, hashes) });
  return apiKeysOf(postgresRunner(database), (hash) => reads.read(hash));
}
