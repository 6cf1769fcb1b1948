/**
 * The writer: the only part that changes the spool's file. It serves a message port, so that the service can put it
 * into a thread, off the event loop that serves HTTP, and the command line can do without one.
 * Group commit: whatever waits when a transaction ends arrives here as one batch, shares one transaction and one
 * fsync, and is answered only after the commit. Leases and lanes live here too, beside the rows they speak of.
 */
import type { MessagePort } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { errorText } from "../../lib/error-text.ts";
import type {
  Claim,
  ClaimRequest,
  Forgetting,
  PausedDomain,
  ReleasedJob,
  RetryFailedStep,
  WaitBounds,
} from "../port/mail.ts";
import { FairScheduler } from "../scheduler/fair-scheduler.ts";
import { HotQueue } from "../scheduler/hot-queue.ts";
import { Acceptor } from "./acceptance.ts";
import { ActivityCounts } from "./activity.ts";
import { type Checkpoints, IN_COMMITS } from "./checkpoints.ts";
import {
  markOf,
  messageOf,
  type SentMark,
  type SentMessage,
  type SentSettlements,
  sentAcceptance,
  sentClaim,
  settlementsOf,
} from "./codec.ts";
import { type Damage, DamageLog, isDamage, unlessDamaged } from "./damage.ts";
import { isUnavailable, openDatabase, unlessUnavailable } from "./database.ts";
import { prepareKeyValueWrites } from "./key-value-store.ts";
import { Leases } from "./leases.ts";
import { type CheckWaitBounds, OverlongWaits } from "./overlong-waits.ts";
import { Pauses, type RetryDomainArgs } from "./pauses.ts";
import { preparePeopleWrites } from "./people.ts";
import { Quarantine } from "./quarantine.ts";
import type { ReleaseArgs } from "./quarantine-release.ts";
import { type Aftermath, Queue } from "./queue.ts";
import { Quotas } from "./quotas.ts";
import { Rebuilding } from "./rebuilding.ts";
import type { RecoverArgs } from "./recovery.ts";
import { prepareSuppressionWrites } from "./refusal-history.ts";
import { RestoreHold, type ResumeArgs } from "./restore-hold.ts";
import { Retention } from "./retention.ts";
import { RetryFailed } from "./retry-failed.ts";
import type { RetryArgs } from "./retry-message.ts";
import { prepareRotationWrites } from "./rotations.ts";
import { migrate } from "./schema.ts";
import { prepareSettings } from "./settings.ts";
import { prepareStsWrites, remakeStsPolicies } from "./sts-policies.ts";
import type { Written } from "./written.ts";

/** The operation and its arguments, which the facade pairs. */
// biome-ignore lint/suspicious/noExplicitAny: typed by the facade
export type Request = [operation: string, args: any];

export type Reply = { ok: true; value: unknown } | Failure;

interface Failure {
  ok: false;
  unavailable: boolean;
  /** What is stored of the message that was asked for cannot be read. */
  damaged?: true;
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
  | { type: "replies"; replies: Replies; syncsMs?: number[]; damage?: Damage[] }
  | { type: "due" };
export type ToWriter = { type: "batch"; requests: Request[] } | { type: "close" };

/** How often the writer looks whether another process (the command line) has committed something. */
const OTHERS_POLL_MS = 1000;

/** Damaged places that one batch learns to avoid. */
const AVOIDED_AT_ONCE = 1000;

const NOTHING: Claim = { jobs: [], nextDueMs: null };

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
  damage: DamageLog;
  rebuilding: Rebuilding;
  restored: Pick<RestoreHold, "load" | "remakeNotes">;
  /** Called after a batch, outside of any transaction: stores the quarantine of what it found. */
  mend: () => void;
  /** See Queue. */
  afterDamage: (messageId: string, positions: number[], error: unknown) => Aftermath;
  /** Told how long a COMMIT took, in which SQLite writes and syncs its log. */
  synced: (ms: number) => void;
}

/** Brings the database to the newest schema and prepares everything that a batch may ask for. */
export function openStore(db: Database, synced: Store["synced"] = () => {}): Store {
  migrate(db);
  const scheduler = new FairScheduler();
  const leases = new Leases();
  const backlog = db
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM recipients WHERE state = 'pending')
            + (SELECT count(*) FROM recipients WHERE state = 'marked')`,
    )
    .pluck();
  const damage = new DamageLog();
  const activity = new ActivityCounts(db, damage);
  const rebuilding = new Rebuilding(db, damage);
  const hotQueue = new HotQueue();
  const pauses = new Pauses(db, { scheduler, damage, rebuilding });
  const quarantine = new Quarantine(db, { scheduler, hotQueue, damage });
  const restored = new RestoreHold(db, { hotQueue, quarantine, damage, rebuilding });
  const quotas = new Quotas(db, damage);
  const parts = { scheduler, leases, hotQueue, quarantine, activity, damage, rebuilding };
  const acceptor = new Acceptor(db, { ...parts, quotas, newestRestored: () => restored.newestSeq() });
  const queue = new Queue(db, parts);
  const retryFailed = new RetryFailed(db, { ...parts, loadQueues: () => queue.loadQueues() });
  const retention = new Retention(db, { quarantine, log: damage });
  const overlongWaits = new OverlongWaits(db, parts);
  return {
    db,
    gathered: [activity, quotas],
    synced,
    writes: {
      accept(sent: SentMessage) {
        const { value, ...after } = acceptor.accept(messageOf(sent));
        return { value: sentAcceptance(value), ...after };
      },
      mark: (sent: SentMark) => queue.mark(markOf(sent)),
      settle: (sent: SentSettlements) => queue.settle(settlementsOf(sent)),
      recover: (args: RecoverArgs) => queue.recover(args),
      releaseQuarantined: (args: ReleaseArgs) => queue.releaseQuarantined(args),
      retry(args: RetryArgs) {
        activity.retrying(args);
        return queue.retry(args);
      },
      retryFailed: (step: RetryFailedStep) => retryFailed.retry(step),
      pauseDomain: (args: PausedDomain) => pauses.pauseDomain(args),
      resumeDomain: (domain: string) => pauses.resumeDomain(domain),
      retryDomain: (args: RetryDomainArgs) => pauses.retryDomain(args),
      resumeDelivery: (args: ResumeArgs) => restored.resumeDelivery(args),
      ...preparePeopleWrites(db),
      ...prepareRotationWrites(db),
      ...prepareSettings(db, damage),
      ...prepareStsWrites(db),
      ...prepareKeyValueWrites(db),
      ...prepareSuppressionWrites(db, damage),
      forget: (step: Forgetting) => retention.forget(step),
      shortenWaits: (step: WaitBounds) => overlongWaits.shortenWaits(step),
      shortenCheckWaits: (args: CheckWaitBounds) => overlongWaits.shortenCheckWaits(args),
    },
    reads: {
      claim: (request: ClaimRequest) =>
        sentClaim(restored.isPaused() ? NOTHING : queue.claim(pauses.withoutPaused(request))),
      release: (job: ReleasedJob) => queue.release(job),
      backlog: () => unlessDamaged(() => backlog.get(), 0, { log: damage, place: "the index of waiting recipients" }),
      content: (messageId: string) => queue.content(messageId),
    },
    damage,
    rebuilding,
    restored,
    mend: () => queue.mend(),
    afterDamage: (messageId, positions, error) => queue.afterDamage(messageId, positions, error),
    reload() {
      queue.loadQueues();
      quarantine.load();
      pauses.load();
      restored.load();
    },
  };
}

export const failed = (error: unknown): Reply => ({
  ok: false,
  unavailable: isUnavailable(error),
  error: errorText(error),
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
    for (const counts of store.gathered) counts.write();
    const startMs = performance.now();
    store.db.exec("COMMIT");
    store.synced(performance.now() - startMs);
  } catch (error) {
    if (store.db.inTransaction) store.db.exec("ROLLBACK");
    throw error;
  } finally {
    for (const counts of store.gathered) counts.clear();
  }
  for (const w of written) w.committed?.();
  return written.map((w) => ({ ok: true, value: w.value }));
}

/** As commitTogether, but one faulty write does not take the others with it: it is found by halves. */
function commitWrites(store: Store, requests: Request[]): Reply[] {
  const [first] = requests;
  if (first === undefined) return [];
  try {
    return commitAvoidingDamage(store, requests);
  } catch (error) {
    if (isUnavailable(error) && !isDamage(error)) return requests.map(() => failed(error));
    if (requests.length === 1) return [isDamage(error) ? afterDamageOrLater(store, first, error) : failed(error)];
    const half = requests.length >> 1;
    return [...commitWrites(store, requests.slice(0, half)), ...commitWrites(store, requests.slice(half))];
  }
}

/**
 * As commitTogether. Where that has learnt to avoid the damage that it met, it is done again. A write by itself is repeated
 * once in any case: the error of a read may be gone.
 */
function commitAvoidingDamage(store: Store, requests: Request[]): Reply[] {
  let isRepeatable = requests.length === 1;
  for (let again = 0; ; again += 1) {
    const { avoided } = store.damage;
    try {
      return commitTogether(store, requests);
    } catch (error) {
      if (again === AVOIDED_AT_ONCE) throw error;
      if (store.damage.avoided !== avoided) continue;
      if (!isRepeatable || !isDamage(error)) throw error;
      isRepeatable = false;
    }
  }
}

/** As afterDamage; where the file cannot be used at all for now, the write is to be asked for again. */
function afterDamageOrLater(store: Store, request: Request, error: unknown): Reply {
  try {
    return afterDamage(store, request, error);
  } catch (found) {
    if (!isUnavailable(found)) throw found;
    return failed(found);
  }
}

/** The reply to a write that met damage: its own message is set aside, or an index is rebuilt and the write done again. */
function afterDamage(store: Store, request: Request, error: unknown): Reply {
  const [operation, args] = request;
  switch (operation) {
    case "settle": {
      const { messageId, settlements } = settlementsOf(args);
      const positions = settlements.map(({ position }) => position);
      return again(store.afterDamage(messageId, positions, error));
    }
    case "mark":
      // The attempt goes on without its dot, and ends the lease by settling.
      return again(store.afterDamage(markOf(args).messageId, [], error));
    case "retry":
      return damaged(error);
    case "retryFailed":
    case "retryDomain":
    case "shortenWaits":
    case "recover":
      return withIndexes();
    case "accept":
      return store.rebuilding.indexes() ? once() : failed(error);
    case "resumeDelivery":
      if (store.restored.load()) return withIndexes();
      return store.restored.remakeNotes() ? once() : failed(error);
    case "writeNote":
      return store.restored.remakeNotes() ? once() : failed(error);
    case "storeStsPolicy":
      return remakeStsPolicies(store.db, store.rebuilding) ? once() : failed(error);
    default:
      return failed(error);
  }

  /** Once the indexes have been read, a write passes over the rows that are damaged. */
  function withIndexes(): Reply {
    const isFirst = !store.rebuilding.hasTriedIndexes;
    store.rebuilding.indexes();
    return isFirst ? once() : failed(error);
  }

  // What is rebuilt is so once in the life of a process: this ends.
  function once(): Reply {
    return commitWrites(store, [request])[0] ?? failed(error);
  }

  function again(aftermath: Aftermath): Reply {
    if (aftermath === "postponed") return failed(error);
    return aftermath === "quarantined" ? damaged(error) : once();
  }
}

const damaged = (error: unknown): Failure => ({
  ok: false,
  unavailable: false,
  damaged: true,
  error: errorText(error),
});

function read(store: Store, [operation, args]: Request): Reply {
  try {
    return { ok: true, value: store.reads[operation]?.(args as never) };
  } catch (error) {
    return operation === "content" && isDamage(error) ? damaged(error) : failed(error);
  }
}

/** What was read is read. A transaction that has met a damaged page says so again at its end. */
function endReading({ db }: Store): void {
  try {
    if (db.inTransaction) db.exec("END");
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (db.inTransaction) db.exec("ROLLBACK");
  }
}

/** In one transaction, for SQLite locks and unlocks the file's log for each statement outside of one. */
function readTogether(store: Store, requests: Request[]): Reply[] {
  if (requests.length === 0) return [];
  store.db.exec("BEGIN");
  const replies = requests.map((request) => read(store, request));
  endReading(store);
  return replies;
}

/** Answers every request of a batch, in its order: first the writes, together, then the reads, which see them. */
export function runBatch(store: Store, requests: Request[]): Reply[] {
  const isRead = ([operation]: Request): boolean => store.reads[operation] !== undefined;
  const writes = requests.filter((request) => !isRead(request));
  const written = commitWrites(store, writes).values();
  const read = readTogether(store, requests.filter(isRead)).values();
  store.mend();
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
    store.reload();
    seen = current;
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
    port.postMessage({ type: "refused", error: errorText(error) } satisfies FromWriter);
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
    const damage = store.damage.take();
    port.postMessage({
      type: "replies",
      replies,
      syncsMs,
      ...(damage.length > 0 ? { damage } : {}),
    } satisfies FromWriter);
    checkpoints.afterBatch();
  });
  port.postMessage({ type: "ready" } satisfies FromWriter);
}
