/**
 * The writer: the only part that changes the spool's file. It serves a message port, so that the service can put it
 * into a thread, off the event loop that serves HTTP, and the command line can do without one.
 * Group commit: whatever waits when a transaction ends arrives here as one batch, shares one transaction and one
 * fsync, and is answered only after the commit. Leases and lanes live here too, beside the rows they speak of.
 */
import type { MessagePort } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import type { Claim, ClaimRequest } from "../spool.ts";
import { prepareAccept } from "./acceptance.ts";
import { type ActivityLog, prepareActivity } from "./activity.ts";
import { isUnavailable, openDatabase } from "./database.ts";
import { Lanes } from "./lanes.ts";
import { Leases } from "./leases.ts";
import { prepareNoteWrites } from "./notes.ts";
import { preparePauses } from "./pauses.ts";
import { preparePeopleWrites } from "./people.ts";
import { prepareQueue } from "./queue.ts";
import { prepareSuppressionWrites } from "./refusals.ts";
import { prepareRestored } from "./restored.ts";
import { prepareRetention } from "./retention.ts";
import { prepareRotationWrites } from "./rotations.ts";
import { migrate } from "./schema.ts";
import { prepareSettings } from "./settings.ts";
import { prepareStsWrites } from "./sts-policies.ts";

/** What a write operation answers, and what may happen only once it is committed. */
export interface Written<T> {
  value: T;
  committed?: () => void;
}

export interface Request {
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: typed by the facade, which pairs each operation with its arguments
  args: any;
}

export type Reply = { ok: true; value: unknown } | { ok: false; unavailable: boolean; error: string };

export type FromWriter =
  | { type: "ready" }
  | { type: "refused"; error: string }
  /** `syncsMs`: how long each COMMIT of the batch took. */
  | { type: "replies"; replies: Reply[]; syncsMs?: number[] }
  | { type: "due" };
export type ToWriter = { type: "batch"; requests: Request[] } | { type: "close" };

/** How often the writer looks whether another process (the command line) has committed something. */
const OTHERS_POLL_MS = 1000;

const NOTHING: Claim = { works: [], nextDueMs: null };

type Operations<T> = Record<string, (args: never) => T>;

export interface Store {
  db: Database;
  /** Run inside the batch's transaction. */
  writes: Operations<Written<unknown>>;
  /** Run after the commit, and see it. */
  reads: Operations<unknown>;
  /** Reads again what memory holds of the file: another process has written. */
  reload: () => void;
  /** Gathers while a batch runs; written with it. */
  activity: ActivityLog;
  /** Told how long a COMMIT took, in which SQLite writes and syncs its log. */
  synced: (ms: number) => void;
}

/** Brings the database to the newest schema and prepares everything that a batch may ask for. */
export function openStore(db: Database, synced: Store["synced"] = () => {}): Store {
  migrate(db);
  const lanes = new Lanes();
  const leases = new Leases();
  const content = db
    .prepare<[string], Buffer>("SELECT content FROM contents WHERE seq = (SELECT seq FROM messages WHERE id = ?)")
    .pluck();
  const backlog = db
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM recipients WHERE state = 'pending')
            + (SELECT count(*) FROM recipients WHERE state = 'marked')`,
    )
    .pluck();
  const activity = prepareActivity(db);
  const { loadPauses, withoutPaused, writes: pauseWrites } = preparePauses(db, lanes);
  const restored = prepareRestored(db);
  const { loadLanes, claim, release, ...queueWrites } = prepareQueue(db, lanes, leases);
  loadLanes();
  return {
    db,
    activity,
    synced,
    writes: {
      accept: prepareAccept(db, { lanes, activity }),
      ...queueWrites,
      settle(args: Parameters<typeof queueWrites.settle>[0]) {
        activity.settling(args);
        return queueWrites.settle(args);
      },
      recover(args: Parameters<typeof queueWrites.recover>[0]) {
        activity.recovering(args);
        return queueWrites.recover(args);
      },
      retry(args: Parameters<typeof queueWrites.retry>[0]) {
        activity.retrying(args);
        return queueWrites.retry(args);
      },
      ...pauseWrites,
      ...restored.writes,
      ...preparePeopleWrites(db),
      ...prepareRotationWrites(db),
      ...prepareSettings(db),
      ...prepareStsWrites(db),
      ...prepareNoteWrites(db),
      ...prepareSuppressionWrites(db),
      ...prepareRetention(db),
    },
    reads: {
      claim: (request: ClaimRequest) => (restored.isPaused() ? NOTHING : claim(withoutPaused(request))),
      release,
      backlog: () => backlog.get(),
      content: (messageId: string) => content.get(messageId),
    },
    reload() {
      loadLanes();
      loadPauses();
      restored.load();
    },
  };
}

export const failed = (error: unknown): Reply => ({
  ok: false,
  unavailable: isUnavailable(error),
  error: error instanceof Error ? error.message : String(error),
});

/** Runs the writes of a batch in one transaction. Throws when any of them or the commit fails; nothing is kept then. */
function commitTogether(store: Store, requests: Request[]): Reply[] {
  const written: Written<unknown>[] = [];
  store.db.exec("BEGIN IMMEDIATE");
  try {
    for (const { operation, args } of requests) {
      const write = store.writes[operation];
      if (write === undefined) throw new Error(`unknown spool operation ${operation}`);
      written.push(write(args as never));
    }
    store.activity.write();
    const startMs = performance.now();
    store.db.exec("COMMIT");
    store.synced(performance.now() - startMs);
  } catch (error) {
    if (store.db.inTransaction) store.db.exec("ROLLBACK");
    throw error;
  } finally {
    store.activity.clear();
  }
  for (const w of written) w.committed?.();
  return written.map((w) => ({ ok: true, value: w.value }));
}

/** As commitTogether, but one faulty write does not take the others with it. */
function commitWrites(store: Store, requests: Request[]): Reply[] {
  if (requests.length === 0) return [];
  try {
    return commitTogether(store, requests);
  } catch (error) {
    if (requests.length === 1 || isUnavailable(error)) return requests.map(() => failed(error));
    return requests.flatMap((request) => commitWrites(store, [request]));
  }
}

function read(store: Store, { operation, args }: Request): Reply {
  try {
    return { ok: true, value: store.reads[operation]?.(args as never) };
  } catch (error) {
    return failed(error);
  }
}

/** Answers every request of a batch, in its order: first the writes, together, then the reads, which see them. */
export function runBatch(store: Store, requests: Request[]): Reply[] {
  const isWrite = (request: Request): boolean => store.reads[request.operation] === undefined;
  const writeReplies = commitWrites(store, requests.filter(isWrite)).values();
  return requests.map((request) => {
    if (!isWrite(request)) return read(store, request);
    return writeReplies.next().value as Reply;
  });
}

function watchOthers(store: Store, port: MessagePort): NodeJS.Timeout {
  const version = store.db.prepare<[], number>("PRAGMA data_version").pluck();
  let seen = version.get();
  return setInterval(() => {
    try {
      const current = version.get();
      if (current === seen) return;
      seen = current;
      store.reload();
      port.postMessage({ type: "due" } satisfies FromWriter);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }, OTHERS_POLL_MS);
}

/** Opens the store, says on the port that it is ready or refused, and serves until asked to close. */
export function serveWriter(port: MessagePort, dataDir: string): void {
  let store: Store;
  let syncsMs: number[] = [];
  try {
    store = openStore(openDatabase(dataDir, "write"), (ms) => void syncsMs.push(ms));
  } catch (error) {
    port.postMessage({ type: "refused", error: (error as Error).message } satisfies FromWriter);
    port.close();
    return;
  }
  const timer = watchOthers(store, port);
  port.on("message", (message: ToWriter) => {
    if (message.type === "close") {
      clearInterval(timer);
      store.db.close();
      port.close();
      return;
    }
    syncsMs = [];
    const replies = runBatch(store, message.requests);
    port.postMessage({ type: "replies", replies, syncsMs } satisfies FromWriter);
  });
  port.postMessage({ type: "ready" } satisfies FromWriter);
}
