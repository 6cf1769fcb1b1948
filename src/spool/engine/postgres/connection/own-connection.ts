/**
 * A connection outside of the pool, for what must not wait behind other work: heartbeats and signals. It is opened when it is
 * used, and again after it was lost. Each use has a time limit, because a cut network answers nothing.
 */
import pg, { type ClientConfig, type QueryResultRow } from "pg";
import type { Clock } from "../../../../lib/clock.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { clientConfig, inTransaction, sessionOn } from "./database.ts";
import { asSpoolError, NoReply } from "./database-error.ts";
import type { Result, Session, Statement } from "./statement.ts";

/**
 * The longest time for opening the connection, for a statement, and for a whole transaction. Shorter than the interval of
 * heartbeats: after a lost reply there is time for another two before the lease ends.
 */
export const REPLY_MAX_MS = 1400;

export interface OwnConnectionOptions {
  config: ClientConfig;
  clock: Clock;
  /** Prepares each new connection before its first use. If it rejects, the connection is closed. */
  prepare: (session: Session) => Promise<void>;
  /** A prepared connection was lost or closed. */
  onLost: () => void;
  onNotification?: (payload: string) => void;
}

export class OwnConnection implements Session {
  readonly #options: OwnConnectionOptions;
  #client: pg.Client | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: OwnConnectionOptions) {
    this.#options = options;
  }

  /** Runs one statement, after the earlier ones. Rejects with SpoolUnavailable also if there is no reply in time. */
  run<Row extends QueryResultRow>(query: Statement<Row>, values: readonly unknown[] = []): Promise<Result<Row>> {
    return this.#inTurn((client) => sessionOn(client).run(query, values));
  }

  /** Runs `work` in a transaction (READ COMMITTED). Rejects as `run` does. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#inTurn((client) => inTransaction(client, "BEGIN", work));
  }

  /** Closes the connection after the statements under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    const client = this.#client;
    if (client !== null) await this.#limited(client, () => client.end()).catch(() => {});
  }

  #inTurn<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#use(work));
    this.#last = result.catch(() => {});
    return result;
  }

  async #use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new SpoolUnavailable("the connection to the database is closed");
    const client = this.#client ?? (await this.#open());
    return this.#limited(client, () => work(client));
  }

  async #open(): Promise<pg.Client> {
    const { config, prepare, onNotification } = this.#options;
    // The server ends what the client no longer waits for.
    const client = new pg.Client({ ...clientConfig(config), statement_timeout: REPLY_MAX_MS });
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", ({ payload = "" }) => onNotification?.(payload));
    try {
      await this.#limited(client, () => client.connect());
      await this.#limited(client, () => prepare(sessionOn(client)));
    } catch (error) {
      this.#break(client);
      throw error;
    }
    this.#client = client;
    return client;
  }

  /** Breaks the connection if `work` takes too long, or leaves it in an unknown state. */
  async #limited<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    let isLate = false;
    let isDone = false;
    // After a pause of the process, replies that have arrived are read before the connection is broken.
    const cancel = clock.after(REPLY_MAX_MS, () => {
      setImmediate(() => {
        if (isDone) return;
        isLate = true;
        this.#break(client);
      });
    });
    try {
      return await work();
    } catch (error) {
      const known = isLate
        ? new NoReply(`the database has not replied within ${REPLY_MAX_MS} ms`)
        : asSpoolError(error);
      if (known instanceof SpoolUnavailable || client.getTransactionStatus() !== "I") this.#break(client);
      throw known;
    } finally {
      isDone = true;
      cancel();
    }
  }

  #break(client: pg.Client): void {
    client.connection.stream.destroy();
    this.#lost(client);
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#options.onLost();
  }
}
