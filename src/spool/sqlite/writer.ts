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
import { prepareActivity } from "./activity.ts";
import { type Checkpoints, IN_COMMITS } from "./checkpoints.ts";
import { isUnavailable, openDatabase, unlessUnavailable } from "./database.ts";
import { Lanes } from "./lanes.ts";
import { Leases } from "./leases.ts";
import { Newcomers } from "./newcomers.ts";
import { prepareNoteWrites } from "./notes.ts";
import { prepareOverlongWaits } from "./overlong-waits.ts";
import { preparePauses } from "./pauses.ts";
import { preparePeopleWrites } from "./people.ts";
import { prepareQueue } from "./queue.ts";
import { prepareQuotas } from "./quotas.ts";
import { prepareSuppressionWrites } from "./refusals.ts";
import { prepareRestored } from "./restored.ts";
import { prepareRetention } from "./retention.ts";
import { prepareRotationWrites } from "./rotations.ts";
import { migrate } from "./schema.ts";
import { prepareSettings } from "./settings.ts";
import { prepareStsWrites } from "./sts-policies.ts";
import {
  markOf,
  messageOf,
  type SentMark,
  type SentMessage,
  type SentSettlements,
  sentAcceptance,
  sentClaim,
  settlementsOf,
} from "./wire.ts";

/** What a write operation answers, and what may happen only once it is committed. */
export interface Written<T> {
  value: T;
  committed?: () => void;
}

/** The operation and its arguments, which the facade pairs. */
// biome-ignore lint/suspicious/noExplicitAny: typed by the facade
export type Request = [operation: string, args: any];

export type Reply = { ok: true; value: unknown } | Failure;

interface Failure {
  ok: false;
  unavailable: boolean;
  error: string;
}

/** The replies of a batch as they cross the port: every value in its place, and the failures by theirs. */
export interface Replies {
  values: unknown[];
  failures: Map<number, Failure>;
}

export type FromWriter =
  | { type: "ready" }
  | { type: "refused"; error: string }
  /** `syncsMs`: how long each COMMIT of the batch took. */
  | { type: "replies"; replies: Replies; syncsMs?: number[] }
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
  /** Gather while a batch runs; written with it. */
  gathered: { write: () => void; clear: () => void }[];
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
  const newcomers = new Newcomers();
  const restored = prepareRestored(db, newcomers);
  const quotas = prepareQuotas(db);
  const accept = prepareAccept(db, { lanes, newcomers, activity, quotas });
  const { loadLanes, claim, release, mark, settle, ...queueWrites } = prepareQueue(db, {
    lanes,
    leases,
    newcomers,
    activity,
  });
  loadLanes();
  return {
    db,
    gathered: [activity, quotas],
    synced,
    writes: {
      accept(sent: SentMessage) {
        const { value, ...after } = accept(messageOf(sent));
        return { value: sentAcceptance(value), ...after };
      },
      mark: (sent: SentMark) => mark(markOf(sent)),
      settle: (sent: SentSettlements) => settle(settlementsOf(sent)),
      ...queueWrites,
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
      ...prepareOverlongWaits(db, { lanes, newcomers }),
    },
    reads: {
      claim: (request: ClaimRequest) => sentClaim(restored.isPaused() ? NOTHING : claim(withoutPaused(request))),
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
    for (const [operation, args] of requests) {
      const write = store.writes[operation];
      if (write === undefined) throw new Error(`unknown spool operation ${operation}`);
      written.push(write(args as never));
    }
    for (const { write } of store.gathered) write();
    const startMs = performance.now();
    store.db.exec("COMMIT");
    store.synced(performance.now() - startMs);
  } catch (error) {
    if (store.db.inTransaction) store.db.exec("ROLLBACK");
    throw error;
  } finally {
    for (const { clear } of store.gathered) clear();
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

function read(store: Store, [operation, args]: Request): Reply {
  try {
    return { ok: true, value: store.reads[operation]?.(args as never) };
  } catch (error) {
    return failed(error);
  }
}

/** In one transaction, for SQLite locks and unlocks the file's log for each statement outside of one. */
function readTogether(store: Store, requests: Request[]): Reply[] {
  if (requests.length === 0) return [];
  store.db.exec("BEGIN");
  const replies = requests.map((request) => read(store, request));
  if (store.db.inTransaction) store.db.exec("END");
  return replies;
}

/** Answers every request of a batch, in its order: first the writes, together, then the reads, which see them. */
export function runBatch(store: Store, requests: Request[]): Reply[] {
  const isRead = ([operation]: Request): boolean => store.reads[operation] !== undefined;
  const writes = requests.filter((request) => !isRead(request));
  const written = commitWrites(store, writes).values();
  const read = readTogether(store, requests.filter(isRead)).values();
  return requests.map((request) => (isRead(request) ? read : written).next().value as Reply);
}

/** What answers a batch, ready to be posted. */
export function sentReplies(replies: Reply[]): Replies {
  const sent: Replies = { values: [], failures: new Map() };
  for (const [i, reply] of replies.entries()) {
    sent.values.push(reply.ok ? reply.value : undefined);
    if (!reply.ok) sent.failures.set(i, reply);
  }
  return sent;
}

function watchOthers(store: Store, port: MessagePort): NodeJS.Timeout {
  const version = store.db.prepare<[], number>("PRAGMA data_version").pluck();
  let seen = version.get();
  const look = (): void => {
    const current = version.get();
    if (current === seen) return;
    seen = current;
    store.reload();
    port.postMessage({ type: "due" } satisfies FromWriter);
  };
  return setInterval(() => unlessUnavailable(look), OTHERS_POLL_MS);
}

/** Opens the store, says on the port that it is ready or refused, and serves until asked to close. */
export function serveWriter(
  port: MessagePort,
  dataDir: string,
  makeCheckpoints: (db: Database) => Checkpoints = () => IN_COMMITS,
): void {
  let store: Store;
  let checkpoints: Checkpoints;
  let syncsMs: number[] = [];
  try {
    store = openStore(openDatabase(dataDir, "write"), (ms) => void syncsMs.push(ms));
    checkpoints = makeCheckpoints(store.db);
  } catch (error) {
    port.postMessage({ type: "refused", error: (error as Error).message } satisfies FromWriter);
    port.close();
    return;
  }
  const timer = watchOthers(store, port);
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await checkpoints.end();
    store.db.close();
    port.close();
  };
  port.on("message", (message: ToWriter) => {
    if (message.type === "close") return void close();
    syncsMs = [];
    const replies = sentReplies(runBatch(store, message.requests));
    port.postMessage({ type: "replies", replies, syncsMs } satisfies FromWriter);
    checkpoints.afterBatch();
  });
  port.postMessage({ type: "ready" } satisfies FromWriter);
}
