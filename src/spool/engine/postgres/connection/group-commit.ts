/**
 * Group commit: writes that wait at the same time share one transaction, one round trip and one flush of the server's log. All
 * statements of a transaction are sent at once (pipelining), and a write gets its reply after the commit.
 *
 * A write has a kind, for example the acceptance of a message. A kind turns its writes of a batch into statements with many rows,
 * so a batch of a hundred messages runs as few statements as a batch of one.
 */

import pg, { type Client, type ClientConfig } from "pg";
import { MIB } from "../../../../lib/units.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { type Command, lockCommand } from "../mail/event-writer.ts";
import { clientConfig, destroyConnection, sessionOn } from "./database.ts";
import { asSpoolError, endsConnection, isRetryable } from "./database-error.ts";
import { withIndexPlans } from "./index-plans.ts";
import type { Outage } from "./outage.ts";
import type { Result, Session } from "./statement.ts";

/** Writes in one transaction: bounds its duration and the size of its statements. */
const BATCH_MAX = 256;

/**
 * Writes that begin another transaction while one runs. With fewer it is cheaper to wait: half as many transactions with twice as
 * many rows take less of the server's time, which is scarce when its cores are busy.
 */
const SECOND_BATCH_MIN = 128;

/** Content in one transaction; one write may exceed it. */
const BATCH_BYTES_MAX = 8 * MIB;

/** How often a transaction is repeated that a deadlock ended. */
const REPEATS_MAX = 5;

/** A server that does not reply to a transaction for so long counts as lost. */
const REPLY_MAX_MS = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: the rows of any statement
type AnyResult = Result<any>;

export interface WriteKind<Request, Reply> {
  /** The statements before the accounts' locks are taken. */
  commands?(requests: readonly Request[]): Command[];
  /** The accounts whose events the writes add. */
  accountsOf?(requests: readonly Request[]): string[];
  /** The statements that add events, under the accounts' locks. */
  eventCommands?(requests: readonly Request[]): Command[];
  /** The replies, in the order of the requests. `results` are those of `commands`, then those of `eventCommands`. */
  replies(requests: readonly Request[], results: AnyResult[]): Reply[];
  /** Bytes of content in a request; none if absent. */
  sizeOf?(request: Request): number;
}

interface Waiting {
  kind: WriteKind<unknown, unknown>;
  request: unknown;
  sizeBytes: number;
  resolve: (reply: never) => void;
  reject: (error: unknown) => void;
}

/** The writes of one kind in a batch. */
interface KindBatch {
  kind: WriteKind<unknown, unknown>;
  writes: Waiting[];
  requests: unknown[];
  results: AnyResult[];
}

export interface GroupCommitOptions {
  config: ClientConfig;
  /** That of all connections of the process. */
  outage: Outage;
  /** Transactions at one time, each on its own connection: one runs while the log is flushed for another. */
  connections: number;
  /** Called with each new connection before it is used. If it rejects, the connection is closed. */
  prepare: (session: Session) => Promise<void>;
  /** Called with the duration of each transaction. */
  onCommit: (ms: number) => void;
}

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #waiting: Waiting[] = [];
  readonly #lanes: Lane[];
  #isScheduled = false;
  #isClosed = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.connections }, () => new Lane(options));
  }

  /**
   * Resolves with the write's reply once it is committed. Rejects with SpoolUnavailable if it was not, or if the connection was
   * lost meanwhile: then the transaction may or may not have been committed.
   */
  submit<Request, Reply>(kind: WriteKind<Request, Reply>, request: Request): Promise<Reply> {
    if (this.#isClosed) return Promise.reject(new SpoolUnavailable("the spool is closed"));
    return new Promise<Reply>((resolve, reject) => {
      const sizeBytes = kind.sizeOf?.(request) ?? 0;
      this.#waiting.push({ kind: kind as Waiting["kind"], request, sizeBytes, resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for the writes under way, then closes the connections. Later writes are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting.length > 0 || this.#lanes.some(({ isBusy }) => isBusy)) {
      await new Promise<void>((resolve) => void this.#idle.push(resolve));
    }
    for (const lane of this.#lanes) await lane.close();
  }

  /** In the next iteration of the event loop, so that writes requested in one iteration share a transaction. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#start();
    });
  }

  #start(): void {
    for (const lane of this.#lanes) {
      if (this.#waiting.length === 0) return;
      if (lane.isBusy) continue;
      if (this.#lanes.some(({ isBusy }) => isBusy) && this.#waiting.length < SECOND_BATCH_MIN) return;
      lane.isBusy = true;
      void this.#commit(lane, takeBatch(this.#waiting)).then(() => {
        lane.isBusy = false;
        if (this.#waiting.length > 0) this.#schedule();
        else if (this.#lanes.every(({ isBusy }) => !isBusy)) for (const idle of this.#idle.splice(0)) idle();
      });
    }
  }

  /** Never rejects: a failure is that of its writes. */
  async #commit(lane: Lane, writes: Waiting[]): Promise<void> {
    const batches = byKind(writes);
    const beganMs = performance.now();
    try {
      await lane.run(batches);
      this.#options.onCommit(performance.now() - beganMs);
      for (const { kind, requests, results, writes: answered } of batches) {
        const replies = kind.replies(requests, results);
        for (const [i, { resolve }] of answered.entries()) resolve(replies[i] as never);
      }
    } catch (error) {
      const fault = asSpoolError(error);
      // One write may have its own fault: the others must not share it.
      if (!(fault instanceof SpoolUnavailable) && writes.length > 1) {
        const half = Math.ceil(writes.length / 2);
        await this.#commit(lane, writes.slice(0, half));
        await this.#commit(lane, writes.slice(half));
      } else for (const { reject } of writes) reject(fault);
    }
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let sizeBytes = 0;
  let count = 0;
  for (const write of waiting) {
    sizeBytes += write.sizeBytes;
    if (count === BATCH_MAX || (count > 0 && sizeBytes > BATCH_BYTES_MAX)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

function byKind(writes: readonly Waiting[]): KindBatch[] {
  const batches = new Map<unknown, KindBatch>();
  for (const write of writes) {
    const { kind, request } = write;
    const batch = batches.get(kind) ?? { kind, writes: [], requests: [], results: [] };
    batch.writes.push(write);
    batch.requests.push(request);
    batches.set(kind, batch);
  }
  return [...batches.values()];
}

/** One connection, opened when it is needed and after it was lost. */
class Lane {
  readonly #options: GroupCommitOptions;
  #client: Client | null = null;
  isBusy = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    options.outage.onBegin(() => {
      if (this.#client !== null) this.#drop(this.#client);
    });
  }

  /** Runs the batches in one transaction, and fills in their results. Repeats it after a deadlock. */
  async run(batches: KindBatch[]): Promise<void> {
    for (let repeats = 0; ; repeats += 1) {
      for (const batch of batches) batch.results = [];
      const client = this.#client ?? (await this.#connect());
      try {
        return await this.#options.outage.observe(() => runPipelined(client, batches));
      } catch (error) {
        if (endsConnection(error)) this.#drop(client);
        if (!isRetryable(error) || repeats === REPEATS_MAX) throw error;
      }
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<Client> {
    const { config, outage, prepare } = this.#options;
    const client = new pg.Client({
      ...clientConfig(withIndexPlans(config)),
      pipeline: true,
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis || REPLY_MAX_MS, REPLY_MAX_MS),
      query_timeout: REPLY_MAX_MS,
    });
    client.on("error", () => this.#drop(client));
    try {
      await outage.connect(() => client.connect(), destroyConnection);
      await outage.observe(() => prepare(sessionOn(client)));
    } catch (error) {
      this.#drop(client);
      throw error;
    }
    this.#client = client;
    return client;
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = null;
    destroyConnection(client);
  }
}

/** Sends the whole transaction at once. After an error the server ignores what follows, and the COMMIT rolls back. */
async function runPipelined(client: Client, batches: KindBatch[]): Promise<void> {
  const sent: Promise<AnyResult>[] = [];
  const send = ({ query, values }: Command): number => sent.push(sendTo(client, query, values));
  const slots = new Map<KindBatch, number[]>();
  const sendAll = (batch: KindBatch, commands: Command[]): void => {
    const known = slots.get(batch) ?? [];
    for (const command of commands) known.push(send(command) - 1);
    slots.set(batch, known);
  };
  // pg writes each statement to the socket separately. One write costs the node and the server less.
  const { stream } = client.connection;
  stream.cork();
  try {
    send(BEGIN);
    for (const batch of batches) sendAll(batch, batch.kind.commands?.(batch.requests) ?? []);
    const accounts = batches.flatMap(({ kind, requests }) => kind.accountsOf?.(requests) ?? []);
    if (accounts.length > 0) send(lockCommand(accounts));
    for (const batch of batches) sendAll(batch, batch.kind.eventCommands?.(batch.requests) ?? []);
    send(COMMIT);
  } finally {
    stream.uncork();
  }
  const settled = await Promise.allSettled(sent);
  // The first failure is the cause of the others.
  const failed = settled.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const results = settled.map((each) => (each as PromiseFulfilledResult<AnyResult>).value);
  for (const [batch, indexes] of slots) batch.results = indexes.map((index) => results[index] as AnyResult);
}

const BEGIN: Command = { query: { name: "begin", text: "BEGIN" }, values: [] };
const COMMIT: Command = { query: { name: "commit", text: "COMMIT" }, values: [] };

async function sendTo(client: Client, { name, text }: Command["query"], values: unknown[]): Promise<AnyResult> {
  const { rows, rowCount } = await client.query({ name, text, values });
  return { rows, count: rowCount ?? 0 };
}
