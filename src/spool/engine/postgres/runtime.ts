/**
 * What runs while a PostgreSQL spool is open: its connections, the node with its leases, and the timer. It decides what follows
 * from this node's commits, and from what the other nodes do.
 */
import type { ClientConfig } from "pg";
import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/log.ts";
import { RecentCount } from "../../../lib/recent-count.ts";
import { describePause } from "../../port/delivery-pause.ts";
import { type DestinationSlots, UNSHARED_SLOTS } from "../../port/destination-slots.ts";
import { type Duties, type Duty, TASKS, WEBHOOK_SHARDS } from "../../port/duties.ts";
import { SpoolUnavailable } from "../../port/errors.ts";
import { keyOperations } from "./accounts/api-keys.ts";
import { Announcements } from "./cluster/announcements.ts";
import { NodeSlots } from "./cluster/destination-slots.ts";
import { NodeDuties } from "./cluster/duties.ts";
import { logLostWork, logReview } from "./cluster/failover-log.ts";
import { hasLost, lastLoss } from "./cluster/failover-review.ts";
import { Node, type NodeListener } from "./cluster/node.ts";
import { leaseOf, NO_NODE, type NodeLease } from "./cluster/node-lease.ts";
import type { OwnNodeParts } from "./cluster/nodes.ts";
import { drainNode, endNode, type NodeActivity, type NodeIdentity } from "./cluster/nodes-table.ts";
import { PeriodicWork } from "./cluster/periodic-work.ts";
import { RecentWork } from "./cluster/recent-work.ts";
import { Signals } from "./cluster/signals.ts";
import { TimelineGuard } from "./cluster/timeline-guard.ts";
import { Watches } from "./cluster/watches.ts";
import { Database } from "./connection/database.ts";
import { GroupCommit } from "./connection/group-commit.ts";
import { withIndexPlans } from "./connection/index-plans.ts";
import { Outage } from "./connection/outage.ts";
import { outageTolerance, type TolerateOutage } from "./connection/outage-tolerance.ts";
import { requireMasterKey } from "./connection/server-checks.ts";
import type { Session } from "./connection/statement.ts";
import { TokenLeases } from "./connection/token-leases.ts";
import { requireNoUnfinishedCopy } from "./copy/copy-marker.ts";
import { ClaimPauses } from "./mail/claim-pauses.ts";
import { MailStore } from "./mail/mail.ts";
import { QuotaBlocks } from "./mail/quota-blocks.ts";
import { Recoveries } from "./mail/recoveries.ts";
import { Partitions } from "./partitions/partitions.ts";
import { Retention } from "./partitions/retention.ts";
import { readOrQuarantine } from "./quarantine/quarantining-reads.ts";
import { ActivityCounts } from "./reports/activity.ts";
import { ReportQueue } from "./reports/report-queue.ts";

/**
 * For the group commit: one batch is prepared and answered while the server runs another. With one connection the rate of the store
 * cycle was two thirds of that with two; a third adds nothing.
 */
const COMMIT_CONNECTIONS = 2;

/** Reports that run at one time; see report-queue.ts. */
const REPORT_CONNECTIONS = 2;

/** For recovery, retention, and operators' actions on many messages. */
const LONG_CALLS = { connectionsMax: 3, callMaxMs: 60_000 };

/** For the look at a database that has failed over. */
const REVIEW = { connectionsMax: 1, callMaxMs: 60_000 };

export interface PostgresOptions {
  /** DATABASE_URL. */
  url: string;
  /** `service` is a node that delivers; `client` (the command line) works beside the nodes. */
  role: "service" | "client";
  identity: NodeIdentity;
  /** Those of the vault, of which the first seals. It must be the key in use. */
  fingerprints: readonly [string, ...string[]];
  clock: Clock;
  log: Logger;
  /** Called once if the process cannot go on: another version has migrated the database. */
  onFatal: (error: Error) => void;
  /** A larger content is stored in parts of this size; PART_BYTES if absent. */
  partBytes?: number | undefined;
  /** How long the database is not looked at for due work that other nodes may have left; DUE_POLL_MS if absent. */
  duePollMs?: number | undefined;
}

export class Runtime {
  readonly database: Database;
  /** Transactions that may change many rows. */
  readonly longCalls: Database;
  readonly #outage: Outage;
  readonly partitions: Partitions;
  readonly quotas: QuotaBlocks;
  readonly rates: TokenLeases;
  readonly activity: ActivityCounts;
  readonly mail: MailStore;
  readonly recoveries: Recoveries;
  readonly watches: Watches;
  readonly reports: ReportQueue;
  readonly retention: Retention;
  readonly announcements: Announcements;
  readonly keys: ReturnType<typeof keyOperations>;
  readonly #options: PostgresOptions;
  readonly #signals: Signals;
  readonly #pauses: ClaimPauses;
  /** Reports read many rows, with other plans. */
  readonly #reportDatabase: Database;
  /** Used only after a failover. */
  readonly #reviewDatabase: Database;
  readonly #recent = new RecentWork();
  readonly #commits: GroupCommit;
  readonly #guard: TimelineGuard;
  readonly #node: Node | null;
  readonly #slots: NodeSlots;
  readonly #delivered: RecentCount;
  readonly #duties: NodeDuties<Duty>;
  readonly #tolerateOutage: TolerateOutage;
  readonly #periodicWork: PeriodicWork;
  #synced: (ms: number) => void = () => {};
  #expired: () => void = () => {};
  #isClosed = false;
  /** Of the last failover that lost transactions. */
  #lossAtMs: number | null = null;

  constructor(config: ClientConfig, options: PostgresOptions) {
    const { clock, log, identity, role, fingerprints } = options;
    this.#options = options;
    this.#outage = new Outage(clock);
    const shared = { outage: this.#outage };
    const prepare = async (session: Session): Promise<boolean> => {
      await this.#guard.check(session);
      return !this.#guard.isReviewing;
    };
    const guarded = role === "client" ? shared : { ...shared, prepare };
    this.database = new Database(withIndexPlans(config), guarded);
    this.longCalls = new Database(withIndexPlans(config), { ...guarded, ...LONG_CALLS });
    this.#reviewDatabase = new Database(withIndexPlans(config), { ...shared, ...REVIEW });
    this.#reportDatabase = new Database(config, { ...shared, connectionsMax: REPORT_CONNECTIONS });
    this.partitions = new Partitions(this.database);
    this.quotas = new QuotaBlocks(this.database);
    this.rates = new TokenLeases({ database: this.database, clock, hasOthers: () => this.hasOthers });
    this.activity = new ActivityCounts(this.database, clock);
    this.watches = new Watches(this.database);
    this.reports = new ReportQueue(this.#reportDatabase);
    this.retention = new Retention(this.longCalls, clock);
    this.#tolerateOutage = outageTolerance(log);
    this.#signals = new Signals({ config, clock, log });
    this.#pauses = new ClaimPauses(this.database, clock, () => this.#guard.isReviewing);
    this.announcements = new Announcements({
      signals: this.#signals,
      watches: this.watches,
      pauses: this.#pauses,
      tolerateOutage: this.#tolerateOutage,
      onDue: () => this.mail.noteDue(0),
    });
    this.keys = keyOperations(this.database);
    const checkConnection = (session: Session): Promise<void> => this.#guard.check(session);
    this.#guard = this.#newGuard();
    this.#commits = new GroupCommit({
      ...shared,
      config,
      connections: COMMIT_CONNECTIONS,
      onCommit: (ms) => this.#synced(ms),
      prepare: role === "client" ? async () => {} : checkConnection,
    });
    this.#duties = new NodeDuties(clock, [TASKS, WEBHOOK_SHARDS]);
    this.#delivered = new RecentCount(clock);
    const checkRegistration = async (session: Session): Promise<void> => {
      await requireNoUnfinishedCopy(session);
      await requireMasterKey(session, fingerprints[0]);
      await this.#slots.beforeRegistration(session);
    };
    const checks = { checkConnection, checkRegistration };
    const [activity, listener] = [() => this.#activityOfNode(), this.#listener()];
    const node = { config, clock, log, identity, ...checks, activity, listener };
    this.#node = role === "client" ? null : new Node(node);
    const lease = this.#node === null ? NO_NODE : leaseOf(this.#node, clock);
    this.#slots = new NodeSlots(this.database, lease);
    this.mail = this.#newMailStore(lease);
    this.recoveries = this.#newRecoveries();
    this.#periodicWork = this.#newPeriodicWork();
  }

  async start(): Promise<void> {
    if (this.#node === null) return;
    this.announcements.heedSignals();
    await this.#checkTimeline();
    this.#lossAtMs ??= (await lastLoss(this.database))?.atMs ?? null;
    await this.#node.start();
    await this.#signals.start();
    this.#periodicWork.start();
  }

  get destinationSlots(): DestinationSlots {
    return this.#node === null ? UNSHARED_SLOTS : this.#slots;
  }

  /** Whether other nodes deliver from the database. */
  get hasOthers(): boolean {
    return this.#node?.hasOthers ?? true;
  }

  /** This process's node; null in a process that is none. */
  get ownNode(): OwnNodeParts | null {
    if (this.#node === null) return null;
    const { name } = this.#options.identity;
    return { name, node: this.#node, leases: () => this.mail.leases, lossAtMs: () => this.#lossAtMs };
  }

  /** Completes the writes under way, ends the leases that are not in an attempt, and closes the connections. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#periodicWork.stop();
    this.#duties.stop();
    await this.#tolerateOutage(() => this.mail.releaseHeld());
    this.reports.close();
    await this.#commits.close();
    await this.#tolerateOutage(() => this.quotas.settle());
    await this.#tolerateOutage(() => this.activity.close());
    await this.rates.close();
    await this.keys.writeKeyUses();
    await this.#signals.stop();
    await this.#node?.stop();
    for (const database of [this.#reviewDatabase, this.#reportDatabase, this.longCalls, this.database])
      await database.close();
  }

  get duties(): Duties {
    const duties = this.#duties;
    return {
      holds: (duty) => duties.holds(duty),
      tenure: (duty) => duties.tenure(duty),
      onChange: (listener) => duties.onChange(listener),
      resign: () => this.#tolerateOutage(() => this.#resign()),
    };
  }

  /** The node drains from now on, so that the others share its duties. */
  async #resign(): Promise<void> {
    const number = this.#node?.registration?.number;
    if (number === undefined) return;
    await this.#duties.resign(this.database, number);
    await drainNode(this.database, number);
  }

  onExpiredLeases(recover: () => void): void {
    this.#expired = recover;
  }

  onSync(listener: (ms: number) => void): void {
    this.#synced = listener;
  }

  /** A start goes on where delivery was paused: everything else works. */
  async #checkTimeline(): Promise<void> {
    try {
      await this.#guard.check(this.database);
    } catch (error) {
      if (!(error instanceof SpoolUnavailable) || (await this.#pauses.current()) !== null) throw error;
    }
  }

  #newGuard(): TimelineGuard {
    const { clock, log, identity } = this.#options;
    return new TimelineGuard({
      clock,
      database: this.#reviewDatabase,
      name: identity.name,
      nodeNumber: () => this.#node?.registration?.number ?? null,
      ownWork: () => {
        const { messages: accepted, recipients: finished, completeSinceMs } = this.#recent;
        return { accepted, finished, completeSinceMs, attempted: this.mail.marked, ...this.mail.leasedRows };
      },
      onPaused: async (session, pause) => {
        if (pause !== null) log.error(describePause(pause));
        this.#pauses.forget();
        const number = this.#node?.registration?.number;
        // Its leases may be from before the backup. It registers anew.
        if (number !== undefined) await endNode(session, number);
      },
      onLost: (lost) => {
        logLostWork(log, lost);
        this.#recent.forget(lost.messageIds);
        // Some of what it holds may be gone.
        this.mail.dropHeld();
      },
      onReviewed: (end, isOwn) => {
        if (isOwn) logReview(log, end);
        if (hasLost(end)) this.#lossAtMs = end.atMs;
        this.#pauses.forget();
        this.recoveries.noteForgotten();
        this.mail.noteDue(0);
      },
    });
  }

  #newMailStore(node: NodeLease): MailStore {
    const { clock, partBytes, duePollMs } = this.#options;
    return new MailStore({
      clock,
      database: this.database,
      commits: this.#commits,
      partitions: this.partitions,
      quotas: this.quotas,
      activity: this.activity,
      delivered: this.#delivered,
      recent: this.#recent,
      partBytes,
      duePollMs,
      node,
      pausedDomains: () => this.#pauses.current(),
      readContent: (message) => readOrQuarantine(this.database, message, clock),
      onCommitted: (event) => this.#guard.committed(event),
      onShared: () => this.announcements.workShared(),
      onEvents: (accountIds) => this.announcements.eventsCommitted(accountIds),
      onSettled: (messageId) => this.watches.changed(messageId),
    });
  }

  #newRecoveries(): Recoveries {
    const { clock } = this.#options;
    return new Recoveries({
      clock,
      database: this.longCalls,
      activity: this.activity,
      isReviewing: () => this.#guard.isReviewing,
      onEvents: (accountIds) => this.announcements.eventsCommitted(accountIds),
      onRecovered: () => this.mail.noteDue(0),
    });
  }

  #activityOfNode(): NodeActivity {
    const { leases, isIdle } = this.mail;
    const isDrained = this.#node?.isDraining === true && isIdle;
    return { leases, deliveredLastMinute: this.#delivered.total(), isDrained };
  }

  #listener(): NodeListener {
    const { onFatal } = this.#options;
    return {
      onRegistered: () => {
        this.mail.dropHeld();
        this.#slots.registered();
      },
      onFenced: () => {
        this.#duties.lose();
        this.mail.dropHeld();
      },
      onDraining: () => void this.#tolerateOutage(() => this.mail.releaseHeld()),
      onResumed: () => this.mail.noteDue(0),
      onEndedNodes: () => this.#expired(),
      onFailedHeartbeat: (error) => this.#outage.heartbeatFailed(error),
      afterHeartbeat: async (session, node) => {
        this.#outage.replied();
        await this.#duties.renew(session, node);
        await this.#slots.afterHeartbeat();
        await this.#guard.review();
      },
      onHeartbeat: (heartbeat) => this.#guard.seen(heartbeat),
      onRefused: onFatal,
    };
  }

  /** Polls for what other nodes have done, and writes counts. */
  #newPeriodicWork(): PeriodicWork {
    const { clock } = this.#options;
    return new PeriodicWork({
      clock,
      tolerateOutage: this.#tolerateOutage,
      everySecond: [
        () => this.mail.poll(),
        () => this.quotas.settle(),
        () => this.rates.settle(),
        () => this.watches.poll(),
        async () => {
          if (this.recoveries.areDue) this.#expired();
        },
      ],
      everyMinute: async () => {
        await this.partitions.makeAhead(clock.now());
        await this.#slots.sweep();
      },
    });
  }
}
