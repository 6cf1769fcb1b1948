/**
 * The connections of a node: a pool for reads and for short transactions. Group commits have their own connections (see
 * group-commit.ts). Errors of the server and of the network become the errors of the port here.
 */
import pg, { type Client, type ClientConfig, type PoolClient, type QueryResultRow } from "pg";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { asSpoolError, endsConnection, isRetryable } from "./database-error.ts";
import { Outage } from "./outage.ts";
import type { Result, Session, Statement } from "./statement.ts";

/** Connections of the pool. Reads wait for one in the order of their arrival. */
const CONNECTIONS_MAX = 6;

/** The longest wait for a connection, and the longest statement. Clients wait for most of them. */
const CALL_MAX_MS = 10_000;

/** The server ends a statement that takes too long. If it does not reply even then, it is silent. */
const SILENT_AFTER_MS = 1000;

/** How often a transaction is repeated that a deadlock or a serialization failure ended. */
const REPEATS_MAX = 5;

/** Parses bigint as a number. Times, counters and message numbers stay below 2^53. */
const INT8_OID = 20;

const types: ClientConfig["types"] = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8_OID && format !== "binary" ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/** The options of every connection of a node. */
export const clientConfig = (config: ClientConfig): ClientConfig => ({ ...config, types });

/** Runs statements on one connection. Rejects with the driver's errors. */
export const sessionOn = (client: Pick<pg.ClientBase, "query">): Session => ({
  async run<Row extends QueryResultRow>(query: Statement<Row>, values: readonly unknown[] = []): Promise<Result<Row>> {
    const { rows, rowCount } = await client.query<Row>({ name: query.name, text: query.text, values: [...values] });
    return { rows, count: rowCount ?? 0 };
  },
});

/** Closes a connection without a farewell, which a cut network would never deliver. */
export function destroyConnection(client: PoolClient | Client): void {
  // Those of the pool are clients too, but their type does not say so.
  (client as Client).connection.stream.destroy();
}

export interface DatabaseOptions {
  /** That of all connections of the process; one of its own if absent. */
  outage?: Outage;
  connectionsMax?: number;
  /** The longest wait for a connection, and the longest statement; CALL_MAX_MS if absent. */
  callMaxMs?: number;
  /**
   * Called with each new connection before its first use. If it returns false, that use is rejected with SpoolUnavailable, because
   * what it was based on may have changed; the next one is not.
   */
  prepare?: (session: Session) => Promise<boolean>;
}

export class Database implements Session {
  readonly #outage: Outage;
  readonly #newPool: () => pg.Pool;
  readonly #prepare: ((session: Session) => Promise<boolean>) | null;
  /** Connections that were not used yet. */
  readonly #unprepared = new Set<PoolClient>();
  #pool: pg.Pool;
  /** The open connections of all pools, each with the time of its last reply. */
  readonly #open = new Map<PoolClient, number>();
  #isClosed = false;

  constructor(config: ClientConfig, options: DatabaseOptions = {}) {
    const { outage = new Outage(), connectionsMax = CONNECTIONS_MAX, callMaxMs = CALL_MAX_MS } = options;
    const times = {
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis || callMaxMs, callMaxMs),
      statement_timeout: callMaxMs,
      query_timeout: callMaxMs + SILENT_AFTER_MS,
    };
    this.#outage = outage;
    this.#prepare = options.prepare ?? null;
    this.#newPool = () =>
      this.#observed(new pg.Pool({ ...clientConfig(config), ...times, max: connectionsMax, allowExitOnIdle: true }));
    this.#pool = this.#newPool();
    outage.onBegin(() => this.#breakAll());
  }

  /** Runs one statement in its own transaction. Rejects with SpoolUnavailable where another try may succeed. */
  run<Row extends QueryResultRow>(query: Statement<Row>, values: readonly unknown[] = []): Promise<Result<Row>> {
    return this.#withClient((client) => sessionOn(client).run(query, values));
  }

  /**
   * Runs `work` in a transaction (READ COMMITTED) and commits it. Repeats it after a deadlock, so `work` must have no effect
   * outside of the transaction. Rejects as `run` does; then nothing has changed unless the connection was lost at the commit.
   */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#withClient((client) => inTransaction(client, "BEGIN", work));
  }

  /** Runs reads in one snapshot. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#withClient((client) =>
      inTransaction(client, "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", work),
    );
  }

  /** Waits for the statements under way, then closes the connections. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.end();
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      const client = await this.#connect();
      try {
        if (this.#unprepared.size > 0 && this.#unprepared.has(client)) await this.#prepareFirst(client);
        const value = await this.#outage.observe(() => work(client));
        this.#open.set(client, this.#outage.now());
        client.release();
        return value;
      } catch (error) {
        if (endsConnection(error)) discard(client);
        // A transaction that could not be rolled back must not be used again.
        else client.release(client.getTransactionStatus() !== "I");
        if (isRetryable(error) && repeats < REPEATS_MAX) continue;
        throw asSpoolError(error);
      }
    }
  }

  /** A connection whose preparation fails is not prepared: its next use must not be without it. */
  async #prepareFirst(client: PoolClient): Promise<void> {
    const isAsBefore = await this.#prepare?.(sessionOn(client));
    this.#unprepared.delete(client);
    if (isAsBefore) return;
    throw new SpoolUnavailable("the database has failed over: try again");
  }

  async #connect(): Promise<PoolClient> {
    if (this.#isClosed) throw new SpoolUnavailable("the connections to the database are closed");
    for (;;) {
      const client = await this.#outage.connect(() => this.#pool.connect(), discard).catch(rejectAsSpoolError);
      if (!this.#outage.mayBeDead(this.#open.get(client) ?? Number.POSITIVE_INFINITY)) return client;
      discard(client);
    }
  }

  #observed(pool: pg.Pool): pg.Pool {
    // The server closed an idle connection. The pool opens another one when it is needed.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      this.#open.set(client, this.#outage.now());
      if (this.#prepare !== null) this.#unprepared.add(client);
      // The pool does not listen while a connection is in use, and it may be lost between two statements. The next one fails.
      client.on("error", () => {});
    });
    pool.on("remove", (client) => {
      this.#open.delete(client);
      this.#unprepared.delete(client);
    });
    return pool;
  }

  /** The calls that wait for the former pool have failed, and it would go on opening connections for them. */
  #breakAll(): void {
    for (const client of this.#open.keys()) destroyConnection(client);
    if (this.#isClosed) return;
    void this.#pool.end();
    this.#pool = this.#newPool();
  }
}

const rejectAsSpoolError = (error: unknown): never => {
  throw asSpoolError(error);
};

function discard(client: PoolClient): void {
  destroyConnection(client);
  client.release(true);
}

/** Runs `work` in a transaction that begins with `begin`. Rejects with the driver's errors. */
export async function inTransaction<T>(
  client: Pick<pg.ClientBase, "query">,
  begin: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  await client.query(begin);
  try {
    const value = await work(sessionOn(client));
    await client.query("COMMIT");
    return value;
  } catch (error) {
    if (!endsConnection(error)) await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
