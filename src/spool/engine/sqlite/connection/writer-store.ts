/**
 * The opened store: the newest schema, and a handler for every operation that a batch may request. Leases and the scheduler
 * are here too, beside the rows that they concern.
 */
import type { Database } from "better-sqlite3";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { FairScheduler } from "../../../scheduler/fair-scheduler.ts";
import { HotQueue } from "../../../scheduler/hot-queue.ts";
import { migrate } from "../../../schema/sqlite.ts";
import { WRITES } from "../../../store/operations.ts";
import { RecipientChanges } from "../decide/recipient-changes.ts";
import { DamageLog, isDamage, unlessDamaged } from "../files/damage.ts";
import { Rebuilding } from "../files/rebuilding.ts";
import { RestoreHold } from "../files/restore-hold.ts";
import { Soundness } from "../files/soundness.ts";
import { Acceptor } from "../mail/acceptance.ts";
import { ContentParts } from "../mail/content-parts.ts";
import { EventWriter } from "../mail/event-writer.ts";
import { Leases } from "../mail/leases.ts";
import { markOf, messageOf, NO_JOBS, sentAcceptance, sentClaim, settlementsOf } from "../mail/mail-codec.ts";
import { OverlongWaits } from "../mail/overlong-waits.ts";
import { Pauses } from "../mail/pauses.ts";
import { type Aftermath, type LeasedRecipients, Queue } from "../mail/queue.ts";
import { Quotas } from "../mail/quotas.ts";
import { RecipientStates } from "../mail/recipient-states.ts";
import { Retention } from "../mail/retention.ts";
import { Quarantine } from "../quarantine/quarantine.ts";
import { ActivityCounts } from "../reports/activity.ts";
import { SqliteSession } from "./sqlite-session.ts";
import type { ReadHandlers, WriteHandlers } from "./writer-operations.ts";

export interface Store {
  db: Database;
  writes: WriteHandlers;
  reads: ReadHandlers;
  /** Reads again what is held in memory: another process has committed. */
  reload: () => void;
  /** What adds up in memory during a transaction, and is written at its end. */
  counters: { write: () => void; clear: () => void }[];
  damage: DamageLog;
  rebuilding: Rebuilding;
  restoreHold: Pick<RestoreHold, "load" | "remakeKeyValues">;
  /** Returns the accounts with events that were written since the last call. */
  takeEvents: () => string[];
  /** To be called after a batch, outside of any transaction: stores the quarantine of what the batch found damaged. */
  mend: () => void;
  /** Handles damage met by a write about a message; see Queue. */
  afterDamage: (recipients: LeasedRecipients, error: unknown) => Aftermath;
  /** Called with the duration of each COMMIT, in which SQLite writes and syncs its log. */
  committed: (ms: number) => void;
}

/** Brings the database to the newest schema and prepares the handlers. */
export function openStore(db: Database, committed: Store["committed"] = () => {}): Store {
  migrate(db);
  const parts = prepareParts(db);
  const { activity, quotas, damage, rebuilding, restoreHold, queue, quarantine, pauses, events, leases } = parts;
  const endTransaction = (): void => {
    events.forgetNumbers();
    leases.endTransaction();
  };
  return {
    db,
    counters: [activity, quotas, { write() {}, clear: endTransaction }],
    committed,
    writes: prepareWrites(db, parts),
    reads: prepareReads(db, parts),
    damage,
    rebuilding,
    restoreHold,
    takeEvents: () => events.takeAccounts(),
    mend() {
      queue.mend();
      mendEvents(parts);
    },
    afterDamage: (recipients, error) => queue.afterDamage(recipients, error),
    reload() {
      queue.loadQueues();
      quarantine.load();
      pauses.load();
      restoreHold.load();
    },
  };
}

/** Events are left out where their table is damaged. If the damage is in an index, it is rebuilt, and they are written again. */
function mendEvents({ events, rebuilding, queue }: Pick<Parts, "events" | "rebuilding" | "queue">): void {
  if (!events.takeDamage() || !rebuilding.indexes()) return;
  events.retryDamaged();
  queue.loadQueues();
}

type Parts = ReturnType<typeof prepareParts>;

/** The parts that several handlers share. */
function prepareParts(db: Database) {
  const scheduler = new FairScheduler();
  const hotQueue = new HotQueue();
  const damage = new DamageLog();
  const rebuilding = new Rebuilding(db, damage);
  const quarantine = new Quarantine(db, { scheduler, hotQueue, damage });
  const activity = new ActivityCounts(db, damage);
  const events = new EventWriter(db, damage);
  const states = new RecipientStates(db, events);
  const leases = new Leases();
  const shared = { scheduler, hotQueue, damage, rebuilding, quarantine, activity, events, states, leases };
  return {
    ...shared,
    quotas: new Quotas(db, damage),
    contentParts: new ContentParts(db, damage),
    pauses: new Pauses(db, damage),
    restoreHold: new RestoreHold(db, shared),
    queue: new Queue(db, shared),
  };
}

function prepareWrites(db: Database, parts: Parts): WriteHandlers {
  return {
    operation: prepareOperation(db, parts),
    ...prepareMailWrites(db, parts),
    ...prepareOperatorWrites(db, parts),
  };
}

/** Runs the store's operations, in the transaction of their batch. */
function prepareOperation(db: Database, parts: Parts): WriteHandlers["operation"] {
  const { damage, queue } = parts;
  const changes = { ...parts, soundness: new Soundness(db), loadQueues: () => queue.loadQueues() };
  const recipients = new RecipientChanges(db, changes);
  const avoided = {
    avoid: <T>(place: string, run: () => T, fallback: T): T => damage.runOptional(place, run, fallback),
    note: (place: string, error: unknown): void => damage.note(place, error),
  };
  const session = new SqliteSession(db, avoided, recipients);
  return async ({ name, args }) => {
    const operation = WRITES.get(name);
    if (operation === undefined) throw new Error(`the store has no write named ${name}`);
    const committed = recipients.begin();
    try {
      return { value: await session.runAtOnce(operation, args), committed };
    } catch (error) {
      if (!isDamage(error)) recipients.failed();
      throw error;
    }
  };
}

type MailWrites = Pick<WriteHandlers, "stage" | "discard" | "accept" | "mark" | "settle" | "recover">;

function prepareMailWrites(db: Database, parts: Parts): MailWrites {
  const { contentParts, queue, restoreHold } = parts;
  const acceptor = new Acceptor(db, { ...parts, newestRestored: () => restoreHold.newestSeq() });
  return {
    stage: (part) => contentParts.stage(part),
    discard(tail) {
      if (tail !== null) contentParts.end(tail);
      return { value: contentParts.removeSome(tail ?? undefined) };
    },
    accept(sent) {
      const { value, ...after } = acceptor.accept(messageOf(sent));
      return { value: sentAcceptance(value), ...after };
    },
    mark: (sent) => queue.mark(markOf(sent)),
    settle: (sent) => queue.settle(settlementsOf(sent)),
    recover: (args) => queue.recover(args),
  };
}

type OperatorWrites = Omit<WriteHandlers, "operation" | keyof MailWrites>;

function prepareOperatorWrites(db: Database, parts: Parts): OperatorWrites {
  const { contentParts, damage, events, quarantine, queue, restoreHold } = parts;
  const overlongWaits = new OverlongWaits(db, parts);
  const retention = new Retention(db, { contentParts, events, quarantine, log: damage });
  return {
    releaseQuarantined: (args) => queue.releaseQuarantined(args),
    shortenWaits(step) {
      contentParts.clockSetBack(step.nowMs);
      return overlongWaits.shortenWaits(step);
    },
    resumeDelivery: (args) => restoreHold.resumeDelivery(args),
    applyRetention: (step) => retention.applyRetention(step),
  };
}

function prepareReads(db: Database, { damage, pauses, queue, restoreHold }: Parts): ReadHandlers {
  const backlog = db.prepare<[], number>(`SELECT count(*) FROM work WHERE ${isInQueueSql("seq")}`).pluck();
  const place = "the index of waiting recipients";
  return {
    claim: (request) => (restoreHold.isPaused() ? NO_JOBS : sentClaim(queue.claim(pauses.withoutPaused(request)))),
    claimExpired: (request) =>
      restoreHold.isPaused() ? NO_JOBS : sentClaim(queue.claimExpired({ ...request, isPaused: pauses.isPaused })),
    release: (job) => queue.release(job),
    expireLeases: (owner) => queue.expireLeases(owner),
    backlog: () => unlessDamaged(() => backlog.get() ?? 0, 0, { log: damage, place }),
    content: (messageId) => queue.content(messageId),
    contentPart: (part) => queue.contentPart(part),
  };
}
