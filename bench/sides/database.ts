/** The PostgreSQL server of the benchmark, on the disk of the spools. */
import { type PostgresServer, startPostgres } from "../../test/support/postgres/server.ts";

/**
 * As an administrator sets up a server of this size; all else is as PostgreSQL ships it. Every commit waits for the disk.
 */
const SETTINGS = { shared_buffers: "1GB", max_wal_size: "8GB", checkpoint_timeout: "15min", wal_compression: "on" };

export const startDatabase = (parentDir: string): Promise<PostgresServer> =>
  startPostgres({ parentDir, settings: SETTINGS });

let databases = 0;

/** Creates an empty database. Returns its URL. */
export async function newDatabase(server: PostgresServer): Promise<string> {
  databases += 1;
  const name = `bench_${databases}`;
  await server.query(`CREATE DATABASE ${name}`);
  return server.url.replace(/\/postgres$/, `/${name}`);
}
