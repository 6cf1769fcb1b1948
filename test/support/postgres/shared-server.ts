/**
 * One PostgreSQL server for all test processes of a run. test/run.ts offers it at a Unix socket and starts it at the
 * first request; a test file that runs alone starts its own.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { cheapVerifier } from "./cheap-verifier.ts";
import { fastDir } from "./fast-dir.ts";
import { type PostgresServer, startPostgres } from "./server.ts";

/** The path of the socket, in the environment of the test processes. */
const SOCKET_VARIABLE = "POSTRIDER_TEST_POSTGRES_SOCKET";

const SETTINGS = {
  shared_buffers: "32MB",
  max_connections: 300,
  min_wal_size: "32MB",
  max_wal_size: "256MB",
  // Its workers connect to any database, which delays the copy of a template and the removal of a database.
  autovacuum: "off",
};

export interface Offer {
  /** Stops the server, if one was started. */
  close(): Promise<void>;
}

let shared: Promise<string> | undefined;

/** The URL of the run's server. Rejects if it does not start. */
export function sharedPostgres(): Promise<string> {
  const { [SOCKET_VARIABLE]: socket } = process.env;
  shared ??= socket === undefined ? start().then(({ url }) => url) : request(socket);
  return shared;
}

/** Offers one server to the processes that this process starts. */
export async function offerSharedPostgres(socket: string): Promise<Offer> {
  let started: Promise<PostgresServer> | undefined;
  const listener = createServer(async (connection) => {
    started ??= start();
    const answer = await started.then(
      ({ url }) => ({ url }),
      (error: Error) => ({ error: error.message }),
    );
    connection.end(JSON.stringify(answer));
  });
  listener.listen(socket);
  await once(listener, "listening");
  process.env[SOCKET_VARIABLE] = socket;
  return {
    async close() {
      listener.close();
      await started?.then(
        (server) => server.close(),
        () => {},
      );
    },
  };
}

async function request(socket: string): Promise<string> {
  const { url, error } = JSON.parse(await text(connect(socket)));
  if (error !== undefined) throw new Error(error);
  return url;
}

/**
 * Not on a disk: these tests prove logic, and a disk's syncs make a database per test ten times as slow. What proves
 * durability starts a server of its own.
 */
async function start(): Promise<PostgresServer> {
  const server = await startPostgres({ settings: SETTINGS, parentDir: fastDir() });
  const { username, password } = new URL(server.url);
  await server.query(`ALTER ROLE ${username} PASSWORD '${cheapVerifier(password)}'`);
  return server;
}
