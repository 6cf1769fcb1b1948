/**
 * The opened store: the newest schema, and a handler for every operation that a batch may request. Leases and the scheduler
 * are here too, beside the rows that they concern.
 */
import type { Database } from "better-sqlite3";
import { FairScheduler } from "../scheduler/fair-scheduler.ts";
import { HotQueue } from "../scheduler/hot-queue.ts";
import { Acceptor } from "./acceptance.ts";
import { prepareAccountRemoval } from "./account-removal.ts";
import { prepareAccountWrites } from "./accounts.ts";
import { ActivityCounts } from "./activity.ts";
import { prepareKeyWrites } from "./api-keys.ts";
import { markOf, messageOf, NO_JOBS, sentAcceptance, sentClaim, settlementsOf } from "./codec.ts";
import { ContentParts } from "./content-parts.ts";
import { DamageLog, unlessDamaged } from "./damage.ts";
import { Decisions } from "./decisions.ts";
import { prepareDomainWrites } from "./domains.ts";
import { prepareEndpointChanges } from "./endpoint-changes.ts";
import { prepareEndpointWrites } from "./endpoints.ts";
import { prepareIncomingWrites } from "./incoming.ts";
import { prepareInvitationWrites } from "./invitations.ts";
import { prepareKeyValueWrites } from "./key-value-store.ts";
import { Leases } from "./leases.ts";
import { Outbox } from "./outbox.ts";
import { OverlongWaits } from "./overlong-waits.ts";
import { Pauses } from "./pauses.ts";
import { Quarantine } from "./quarantine.ts";
import { type Aftermath, type LeasedRecipients, Queue } from "./queue.ts";
import { Quotas } from "./quotas.ts";
import { Rebuilding } from "./rebuilding.ts";
import { prepareSuppressionWrites } from "./refusal-history.ts";
import { prepareRequestWrites } from "./request-log.ts";
import { RestoreHold } from "./restore-hold.ts";
import { Retention } from "./retention.ts";
import { RetryFailed } from "./retry-failed.ts";
import { prepareReturnPathWrites } from "./return-paths.ts";
import { prepareRotationWrites } from "./rotations.ts";
import { migrate } from "./schema.ts";
import { prepareSecondFactorWrites } from "./second-factors.ts";
import { prepareSecretWrites } from "./secrets.ts";
import { prepareOldReports, prepareSenderReportWrites } from "./sender-reports.ts";
import { prepareSessionWrites } from "./sessions.ts";
import { prepareStsWrites } from "./sts-policies.ts";
import { prepareTlsSessionWrites } from "./tls-sessions.ts";
import { prepareUserWrites } from "./users.ts";
import { prepareWebhookSettlement } from "./webhook-settlement.ts";
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
  restoreHold: Pick<RestoreHold, "load" | "remakeNotes">;
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
  const { activity, quotas, damage, rebuilding, restoreHold, queue, quarantine, pauses, outbox, leases } = parts;
  const endTransaction = (): void => {
    outbox.forgetNumbers();
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
    takeEvents: () => outbox.takeAccounts(),
    mend() {
      queue.mend();
      mendOutbox(parts);
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

/** Events are left out where the outbox is damaged. If the damage is in an index, it is rebuilt, and they are written again. */
function mendOutbox({ outbox, rebuilding, queue }: Pick<Parts, "outbox" | "rebuilding" | "queue">): void {
  if (!outbox.takeDamage() || !rebuilding.indexes()) return;
  outbox.retryDamaged();
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
  const outbox = new Outbox(db, damage);
  const leases = new Leases();
  const shared = { scheduler, hotQueue, damage, rebuilding, quarantine, activity, outbox, leases };
  return {
    ...shared,
    quotas: new Quotas(db, damage),
    contentParts: new ContentParts(db, damage),
    pauses: new Pauses(db, shared),
    restoreHold: new RestoreHold(db, shared),
    queue: new Queue(db, shared),
  };
}

function prepareWrites(db: Database, parts: Parts): WriteHandlers {
  return { ...prepareMailWrites(db, parts), ...prepareOperatorWrites(db, parts), ...prepareSettingWrites(db, parts) };
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

type OperatorWrites = Omit<WriteHandlers, keyof MailWrites | keyof ReturnType<typeof prepareSettingWrites>>;

function prepareOperatorWrites(db: Database, parts: Parts): OperatorWrites & Pick<WriteHandlers, "shortenCheckWaits"> {
  const { contentParts, damage, outbox, pauses, quarantine, queue, restoreHold } = parts;
  const decisions = new Decisions(db, parts);
  const retryFailed = new RetryFailed(db, { ...parts, loadQueues: () => queue.loadQueues() });
  const overlongWaits = new OverlongWaits(db, parts);
  const retention = new Retention(db, {
    ...{ contentParts, outbox, quarantine, log: damage },
    deleteOldReports: prepareOldReports(db, damage),
  });
  return {
    retry: (filter) => queue.retry(filter),
    resolve: (resolution) => decisions.resolve(resolution),
    cancel: (decision) => decisions.cancel(decision),
    releaseQuarantined: (args) => queue.releaseQuarantined(args),
    retryFailed: (step) => retryFailed.retry(step),
    shortenWaits(step) {
      contentParts.clockSetBack(step.nowMs);
      return overlongWaits.shortenWaits(step);
    },
    shortenCheckWaits: (args) => overlongWaits.shortenCheckWaits(args),
    pauseDomain: (args) => pauses.pauseDomain(args),
    resumeDomain: (domain) => pauses.resumeDomain(domain),
    retryDomain: (args) => pauses.retryDomain(args),
    resumeDelivery: (args) => restoreHold.resumeDelivery(args),
    applyRetention: (step) => retention.applyRetention(step),
    ...prepareSuppressionWrites(db, damage),
    ...prepareIncomingWrites(db, parts),
  };
}

function prepareSettingWrites(db: Database, { damage, outbox }: Parts) {
  return {
    ...prepareStsWrites(db),
    ...prepareKeyValueWrites(db),
    ...prepareRequestWrites(db, damage),
    ...prepareSenderReportWrites(db, damage),
    ...prepareTlsSessionWrites(db, damage),
    ...prepareAccountWrites(db),
    ...prepareAccountRemoval(db, damage),
    ...prepareInvitationWrites(db),
    ...prepareKeyWrites(db),
    ...prepareDomainWrites(db, { damage, outbox }),
    ...prepareRotationWrites(db),
    ...prepareReturnPathWrites(db, damage),
    ...prepareSecretWrites(db),
    ...prepareUserWrites(db),
    ...prepareSecondFactorWrites(db),
    ...prepareSessionWrites(db),
    ...prepareEndpointWrites(db, damage),
    ...prepareEndpointChanges(db),
    ...prepareWebhookSettlement(db, damage),
  };
}

function prepareReads(db: Database, { damage, pauses, queue, restoreHold }: Parts): ReadHandlers {
  const backlog = db
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM recipients WHERE state = 'pending')
            + (SELECT count(*) FROM recipients WHERE state = 'marked')`,
    )
    .pluck();
  const place = "the index of waiting recipients";
  return {
    claim: (request) => (restoreHold.isPaused() ? NO_JOBS : sentClaim(queue.claim(pauses.withoutPaused(request)))),
    release: (job) => queue.release(job),
    expireLeases: (owner) => queue.expireLeases(owner),
    backlog: () => unlessDamaged(() => backlog.get() ?? 0, 0, { log: damage, place }),
    content: (messageId) => queue.content(messageId),
    contentPart: (part) => queue.contentPart(part),
  };
}
