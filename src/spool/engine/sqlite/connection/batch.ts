/**
 * Runs a batch of requests: the writes in one transaction with one fsync, then the reads. A write that fails is found by
 * halves, and only it fails; damage that a batch meets is left out, or repaired, and the batch repeated.
 */

import { decisionOperations } from "../../../store/decide/decisions.ts";
import { retryOperations } from "../../../store/decide/retries.ts";
import { discardOperations } from "../../../store/quarantine/discards.ts";
import { isDamage } from "../files/damage.ts";
import { remakeStsPolicies } from "../files/sts-policies.ts";
import { markOf, settlementsOf } from "../mail/mail-codec.ts";
import type { Aftermath } from "../mail/queue.ts";
import { isUnavailable } from "./database.ts";
import type { Written } from "./uncommitted-result.ts";
import type { ReadHandlers, ReadName, Request, WriteHandlers, WriteName } from "./writer-operations.ts";
import { damaged, failed, type Reply } from "./writer-protocol.ts";
import type { Store } from "./writer-store.ts";

type Write = Request<WriteName>;
type Read = Request<ReadName>;

/** How often a batch may be repeated to leave out damage. */
const REPEATS_MAX = 1000;

/**
 * The steps of a batch: each yields the promise of one of the store's operations, and gets what it has written. A batch without such
 * operations has no step, and runs at once.
 */
type Steps<T> = Generator<Promise<Written<unknown>>, T, Written<unknown>>;

/** Answers every request of a batch without operations of the store, in its order. All writes run before the reads. */
export function runBatch(store: Store, requests: Request[]): Reply[] {
  const step = answer(store, requests).next();
  if (!step.done) throw new Error("the batch has operations of the store");
  return step.value;
}

/** As runBatch, for any batch. Operations of the store settle without a turn of the event loop. */
export async function runMixedBatch(store: Store, requests: Request[]): Promise<Reply[]> {
  const steps = answer(store, requests);
  let step = steps.next();
  while (!step.done) {
    try {
      step = steps.next(await step.value);
    } catch (error) {
      step = steps.throw(error);
    }
  }
  return step.value;
}

export const hasStoreOperation = (requests: readonly Request[]): boolean =>
  requests.some(([name]) => name === "operation");

function* answer(store: Store, requests: Request[]): Steps<Reply[]> {
  const writes: Write[] = [];
  const reads: Read[] = [];
  for (const request of requests) {
    if (isRead(store, request)) reads.push(request);
    else writes.push(request);
  }
  const written = yield* commitWrites(store, writes);
  const read = readTogether(store, reads);
  store.mend();
  let [nextWritten, nextRead] = [0, 0];
  return requests.map((request) => {
    const reply = request === reads[nextRead] ? read[nextRead++] : written[nextWritten++];
    if (reply === undefined) throw new Error(`no reply to ${request[0]}`);
    return reply;
  });
}

const isRead = (store: Store, request: Request): request is Read => request[0] in store.reads;

function runWrite<N extends WriteName>(handlers: WriteHandlers, request: Request<N>) {
  return handlers[request[0]](request[1]);
}

function runRead<N extends ReadName>(handlers: ReadHandlers, request: Request<N>) {
  return handlers[request[0]](request[1]);
}

/** Runs writes in one transaction. Throws if any of them or the commit fails; then nothing is written. */
function* commitTogether(store: Store, requests: Write[]): Steps<Reply[]> {
  const written: Written<unknown>[] = [];
  store.db.exec("BEGIN IMMEDIATE");
  try {
    for (const request of requests) {
      const result = runWrite(store.writes, request);
      written.push(result instanceof Promise ? yield result : result);
    }
    for (const counter of store.counters) counter.write();
    const startMs = performance.now();
    store.db.exec("COMMIT");
    store.committed(performance.now() - startMs);
  } catch (error) {
    if (store.db.inTransaction) store.db.exec("ROLLBACK");
    throw error;
  } finally {
    for (const counter of store.counters) counter.clear();
  }
  for (const w of written) w.committed?.();
  return written.map((w) => ({ ok: true, value: w.value }));
}

/** As commitTogether, but a write that fails does not make the others fail. */
function* commitWrites(store: Store, requests: Write[]): Steps<Reply[]> {
  const [first] = requests;
  if (first === undefined) return [];
  try {
    return yield* commitAvoidingDamage(store, requests);
  } catch (error) {
    if (isUnavailable(error) && !isDamage(error)) return requests.map(() => failed(error));
    if (requests.length === 1) {
      return [isDamage(error) ? yield* afterDamageOrLater(store, first, error) : failed(error)];
    }
    const half = requests.length >> 1;
    const firstHalf = yield* commitWrites(store, requests.slice(0, half));
    return [...firstHalf, ...(yield* commitWrites(store, requests.slice(half)))];
  }
}

/**
 * As commitTogether, repeated as long as it finds damage that the next run leaves out. A single write is repeated once in
 * any case, because a read error may be gone.
 */
function* commitAvoidingDamage(store: Store, requests: Write[]): Steps<Reply[]> {
  let isRepeatable = requests.length === 1;
  for (let repeats = 0; ; repeats += 1) {
    const { avoided } = store.damage;
    try {
      return yield* commitTogether(store, requests);
    } catch (error) {
      if (repeats === REPEATS_MAX) throw error;
      if (store.damage.avoided !== avoided) continue;
      if (!isRepeatable || !isDamage(error)) throw error;
      isRepeatable = false;
    }
  }
}

/** As afterDamage; if the file cannot be used at all now, the reply says so and the caller may repeat the request. */
function* afterDamageOrLater(store: Store, request: Write, error: unknown): Steps<Reply> {
  try {
    return yield* afterDamage(store, request, error);
  } catch (found) {
    if (!isUnavailable(found)) throw found;
    return failed(found);
  }
}

/** The reply to a write that met damage: its message is quarantined, or an index or table is rebuilt and the write repeated. */
function* afterDamage(store: Store, request: Write, error: unknown): Steps<Reply> {
  const repeatIf = (isRebuilt: boolean) => repeatOrFail(store, request, { error, isRebuilt });
  switch (request[0]) {
    case "settle": {
      const { settlements, ...settled } = settlementsOf(request[1]);
      const positions = settlements.map(({ position }) => position);
      return yield* afterMessageDamage(store, request, {
        error,
        aftermath: store.afterDamage({ ...settled, positions }, error),
      });
    }
    case "mark": {
      // The attempt continues without its dot, and ends the lease by settling.
      const mark = markOf(request[1]);
      const aftermath = store.afterDamage({ ...mark, positions: [] }, error);
      return yield* afterMessageDamage(store, request, { error, aftermath });
    }
    case "shortenWaits":
    case "recover":
      return yield* repeatIf(rebuildFirstTime(store));
    case "accept":
      return yield* repeatIf(store.rebuilding.indexes());
    case "resumeDelivery":
      return yield* repeatIf(store.restoreHold.load() ? rebuildFirstTime(store) : store.restoreHold.remakeKeyValues());
    case "operation":
      if (request[1].name === "retryMessage") return damaged(error);
      return yield* repeatIf(rebuildFor(store, request[1].name));
    default:
      return failed(error);
  }
}

function* afterMessageDamage(
  store: Store,
  request: Write,
  { error, aftermath }: { error: unknown; aftermath: Aftermath },
): Steps<Reply> {
  if (aftermath === "postponed") return failed(error);
  return aftermath === "quarantined" ? damaged(error) : yield* repeat(store, request, error);
}

/** Once the indexes have been read, a write passes over damaged rows. Returns true the first time. */
function rebuildFirstTime({ rebuilding }: Store): boolean {
  const isFirst = !rebuilding.hasTriedIndexes;
  rebuilding.indexes();
  return isFirst;
}

/** Rebuilds what a write of the store has met damage of: the indexes, or a table that can be rebuilt. Returns whether it did. */
function rebuildFor(store: Store, operation: string): boolean {
  if (operation in { ...decisionOperations.writes, ...discardOperations.writes, ...retryOperations.writes })
    return rebuildFirstTime(store);
  if (operation === "writeValue") return store.restoreHold.remakeKeyValues();
  return operation === "storeStsPolicy" && remakeStsPolicies(store.db, store.rebuilding);
}

/** Each part of the file is rebuilt once in the life of a process, so the recursion ends. */
function* repeat(store: Store, request: Write, error: unknown): Steps<Reply> {
  return (yield* commitWrites(store, [request]))[0] ?? failed(error);
}

function* repeatOrFail(
  store: Store,
  request: Write,
  { error, isRebuilt }: { error: unknown; isRebuilt: boolean },
): Steps<Reply> {
  return isRebuilt ? yield* repeat(store, request, error) : failed(error);
}

/** Runs reads in one transaction: SQLite locks and unlocks the file's log for each statement outside of one. */
function readTogether(store: Store, requests: Read[]): Reply[] {
  if (requests.length === 0) return [];
  store.db.exec("BEGIN");
  const replies = requests.map((request) => read(store, request));
  endReading(store);
  return replies;
}

function read(store: Store, request: Read): Reply {
  try {
    return { ok: true, value: runRead(store.reads, request) };
  } catch (error) {
    const isContent = request[0] === "content" || request[0] === "contentPart";
    return isContent && isDamage(error) ? damaged(error) : failed(error);
  }
}

/** A transaction that has met a damaged page reports it again at its end. The replies stand all the same. */
function endReading({ db }: Store): void {
  try {
    if (db.inTransaction) db.exec("END");
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (db.inTransaction) db.exec("ROLLBACK");
  }
}
