/**
 * The writer: the only part that changes the spool's file. It serves a message port, so it runs in its own thread in the
 * service, off the event loop that serves HTTP, and in the same thread for the command line.
 * Group commit: all requests that wait when a transaction ends arrive as one batch, share one transaction and one fsync,
 * and are answered after the commit.
 */
import type { MessagePort } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { errorText } from "../../../../lib/error-text.ts";
import { hasStoreOperation, runBatch, runMixedBatch } from "./batch.ts";
import { type Checkpoints, IN_COMMITS } from "./checkpoints.ts";
import { openDatabase, unlessUnavailable } from "./database.ts";
import type { Request } from "./writer-operations.ts";
import { type FromWriter, sentReplies, type ToWriter, transferOf, type WriterReplies } from "./writer-protocol.ts";
import { openStore, type Store } from "./writer-store.ts";

/** How often the writer checks whether another process (the command line) has committed. */
const OTHERS_POLL_MS = 1000;

/** Opens the store, posts `ready` or `refused`, and serves until asked to close. */
export function serveWriter(
  port: MessagePort,
  dataDir: string,
  makeCheckpoints: (db: Database) => Checkpoints = () => IN_COMMITS,
): void {
  try {
    const syncsMs: number[] = [];
    const store = openStore(openDatabase(dataDir, "write"), (ms) => void syncsMs.push(ms));
    new WriterService(port, { store, syncsMs, checkpoints: makeCheckpoints(store.db) }).serve();
  } catch (error) {
    port.postMessage({ type: "refused", error: errorText(error) } satisfies FromWriter);
    port.close();
  }
}

class WriterService {
  readonly #port: MessagePort;
  readonly #store: Store;
  readonly #checkpoints: Checkpoints;
  /** Filled by the store: the duration of each COMMIT of the batch. */
  readonly #syncsMs: number[];
  #timer: NodeJS.Timeout | undefined;

  constructor(port: MessagePort, parts: { store: Store; syncsMs: number[]; checkpoints: Checkpoints }) {
    this.#port = port;
    this.#store = parts.store;
    this.#syncsMs = parts.syncsMs;
    this.#checkpoints = parts.checkpoints;
  }

  serve(): void {
    this.#timer = this.#watchOthers();
    this.#port.on("message", (message: ToWriter) => {
      if (message.type === "close") void this.#close();
      else void this.#answer(message.requests);
    });
    this.#post({ type: "ready" });
  }

  /** The next batch comes after the replies to this one. */
  async #answer(requests: Request[]): Promise<void> {
    const store = this.#store;
    const answered = hasStoreOperation(requests) ? await runMixedBatch(store, requests) : runBatch(store, requests);
    const replies = sentReplies(answered);
    const damage = this.#store.damage.take();
    const syncsMs = this.#syncsMs.splice(0);
    const events = this.#store.takeEvents();
    const message: WriterReplies = { type: "replies", replies, syncsMs };
    if (damage.length > 0) message.damage = damage;
    if (events.length > 0) message.events = events;
    this.#port.postMessage(message, transferOf(replies));
    this.#checkpoints.afterBatch();
  }

  #watchOthers(): NodeJS.Timeout {
    const version = this.#store.db.prepare<[], number>("PRAGMA data_version").pluck();
    let seen = version.get();
    const look = (): void => {
      const current = version.get();
      if (current === seen) return;
      this.#store.reload();
      seen = current;
      this.#post({ type: "due" });
    };
    return setInterval(() => unlessUnavailable(look), OTHERS_POLL_MS);
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checkpoints.end();
    this.#store.db.close();
    this.#port.close();
  }

  #post(message: FromWriter): void {
    this.#port.postMessage(message);
  }
}
