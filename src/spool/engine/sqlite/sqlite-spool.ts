/**
 * The spool's SQLite form: opening it, the message's way through it, and closing it. The other parts of the facade are in
 * accounts-client.ts, incoming-client.ts, operations-client.ts and reports-client.ts; docs/STATES.md
 * describes what a crash leaves behind.
 */

import type { Database } from "better-sqlite3";
import { bufferOf } from "../../../lib/buffer-of.ts";
import { systemClock } from "../../../lib/clock.ts";
import { SlabBuffer } from "../../../lib/slab-buffer.ts";
import type { Rate } from "../../../lib/token-buckets.ts";
import { MIB } from "../../../lib/units.ts";
import type { ApiKeys } from "../../port/api-keys.ts";
import { UNSHARED_SLOTS } from "../../port/destination-slots.ts";
import { ALL_DUTIES, type Duties } from "../../port/duties.ts";
import { MessageDamaged, SpoolUnavailable } from "../../port/errors.ts";
import type { EventListener, EventPage, EventQuery } from "../../port/events.ts";
import { NODE_ENTRIES } from "../../port/key-value.ts";
import type {
  Acceptance,
  Claim,
  ClaimRequest,
  DeliveryJob,
  ExpiredRequest,
  Lease,
  Mark,
  MarkResult,
  NewMessage,
  ReleasedJob,
  Settlement,
  StoredContent,
} from "../../port/mail.ts";
import type { RetentionResult, RetentionStep } from "../../port/operations.ts";
import type { People } from "../../port/people.ts";
import type { MessageReport, QueueFilter } from "../../port/results.ts";
import type { Damage, Store } from "../../port/store.ts";
import type { SharedBuckets } from "../../port/token-buckets.ts";
import type { Endpoint } from "../../port/webhooks.ts";
import { LocalBuckets } from "../../records/local-buckets.ts";
import { checkRoutes } from "../../records/test-routes.ts";
import { type IncomingPort, incomingPort } from "../../store/incoming-port.ts";
import {
  PEOPLE_OPERATIONS,
  RECIPIENT_DOMAIN_OPERATIONS,
  REGISTRY_OPERATIONS,
  REPORT_OPERATIONS,
  RETENTION_OPERATIONS,
} from "../../store/operations.ts";
import { reportMessage } from "../../store/reports/message-report.ts";
import { type WebhookPort, webhookPort } from "../../store/webhook-port.ts";
import { bind, type PortOf } from "../operations.ts";
import { AttemptCounters } from "./accounts/attempt-counters.ts";
import { lockDataDir, openDatabase } from "./connection/database.ts";
import { HeldInMemory } from "./connection/held-values.ts";
import { openWriter, type Writer } from "./connection/open-writer.ts";
import { PointReader } from "./connection/point-reader.ts";
import { ReportsClient } from "./connection/reports-client.ts";
import { WriterClient } from "./connection/writer-client.ts";
import { OperationsClient } from "./facade/operations-client.ts";
import { isDamage } from "./files/damage.ts";
import { FoundDamage } from "./files/found-damage.ts";
import { enterSpool } from "./files/log-identity.ts";
import { removeDraft } from "./files/spool-files.ts";
import { IDEMPOTENCY_KEPT_MS } from "./mail/acceptance.ts";
import { SqliteClaimant } from "./mail/claimant.ts";
import { ContentSender } from "./mail/content-sender.ts";
import { acceptanceOf } from "./mail/mail-codec.ts";
import { checkerInThread, type QuarantineChecker } from "./quarantine/quarantine-check.ts";

/**
 * Bytes of messages that may wait for the writer; a larger message may wait alone. More is refused, so a stuck disk cannot
 * fill the memory.
 */
const WAITING_BYTES_MAX = 64 * MIB;

/** Contents just accepted, kept for the first attempt: it usually follows at once, and need not read them back. */
const RECENT_BYTES_MAX = 24 * MIB;

export interface OpenOptions {
  dataDir: string;
  /**
   * `service` delivers, and is the only holder of the data directory. `client` (the command line) works beside it, with its writer in
   * its own thread.
   */
  role: "service" | "client";
  /** Called once if the writer's thread dies of a broken invariant. The process should end: the next start recovers. */
  onFatal: (error: Error) => void;
  /** A larger content is stored in parts of this size; PART_BYTES if absent. */
  partBytes?: number;
}

export interface SqliteStore extends Store {
  /** Returns another claimant beside the spool itself, with its own leases. */
  newClaimant(): SqliteClaimant;
  /** As SqliteClaimant's, for the spool itself. */
  expireLeases(): Promise<void>;
}

/** Opens the spool, creating or migrating it. Rejects with one line if it is locked, unreadable or newer than this code. */
export async function openSqliteSpool(options: OpenOptions): Promise<SqliteStore> {
  const unlock = takeDataDir(options);
  try {
    const writer = await openWriter(options);
    const reports = new ReportsClient(options.dataDir);
    return sqliteStore(writer, openDatabase(options.dataDir, "read"), {
      reports,
      checker: checkerInThread(options.dataDir),
      unlock,
      onFatal: options.onFatal,
      partBytes: options.partBytes,
    });
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Checks that the directory can be used, and locks it for a service. Returns how to release it. */
function takeDataDir({ dataDir, role }: OpenOptions): () => void {
  const unlock = role === "service" ? lockDataDir(dataDir) : () => {};
  try {
    if (role === "service") removeDraft(dataDir);
    const leave = enterSpool(dataDir, role);
    return () => {
      leave();
      unlock();
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

export interface SqliteSpoolParts {
  reports: ReportsClient;
  checker: QuarantineChecker;
  unlock: () => void;
  onFatal: (error: Error) => void;
  /** As OpenOptions's. */
  partBytes?: number | undefined;
}

/** The spool over a writer and a read-only connection; openSqliteSpool makes both for a data directory. */
export function sqliteStore(port: Writer, db: Database, parts: SqliteSpoolParts): SqliteStore {
  const spool = new SqliteSpool(port, db, parts);
  const bound = { ...bind(REGISTRY_OPERATIONS, spool.runner), ...bind(REPORT_OPERATIONS, spool.runner) };
  const wrapped = { ...spool.apiKeys, ...spool.sendReads, ...spool.recipientDomains(), ...spool.incomingMail() };
  const webhooks = webhookPort(spool.runner, () => spool.endpointsChanged());
  return Object.assign(spool, bound, wrapped, webhooks);
}

type RecipientDomains = PortOf<typeof RECIPIENT_DOMAIN_OPERATIONS>;
type Bound = PortOf<typeof REGISTRY_OPERATIONS> & PortOf<typeof REPORT_OPERATIONS> & RecipientDomains;

/** All but the operations of the store. */
type Part = Omit<SqliteStore, keyof Bound | keyof ApiKeys | keyof IncomingPort | keyof WebhookPort>;

class SqliteSpool extends OperationsClient implements Part {
  readonly people: People;
  readonly destinationSlots = UNSHARED_SLOTS;
  readonly attemptLimiter = new AttemptCounters(systemClock);
  readonly heldValues = new HeldInMemory(systemClock);
  readonly nodes = null;
  /** One process delivers, and the command line has no recurring tasks. */
  readonly duties: Duties = ALL_DUTIES;
  readonly #retention: PortOf<typeof RETENTION_OPERATIONS>;
  readonly #unlock: () => void;
  readonly #claimant: SqliteClaimant;
  readonly #contents: ContentSender;
  readonly #recent = new SlabBuffer(RECENT_BYTES_MAX);
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #eventListeners = new Set<EventListener>();
  #waitingBytes = 0;
  #closed: Promise<void> | null = null;
  #due: () => void = () => {};
  #synced: (ms: number) => void = () => {};

  constructor(port: Writer, db: Database, { reports, checker, unlock, onFatal, partBytes }: SqliteSpoolParts) {
    const damage = new FoundDamage();
    super(new WriterClient(port), new PointReader(db, damage), { reports, checker, damage });
    this.#retention = bind(RETENTION_OPERATIONS, this.runner);
    this.people = bind(PEOPLE_OPERATIONS, this.runner);
    this.#unlock = unlock;
    this.#claimant = this.newClaimant();
    this.#contents = new ContentSender(this.writer, partBytes);
    reports.onDamage((found) => damage.add(found));
    this.writer.listen({
      committed: () => this.reader.committed(),
      due: () => {
        this.#due();
        this.#announceEvents(null);
      },
      eventsAdded: (accountIds) => this.#announceEvents(new Set(accountIds)),
      synced: (ms) => this.#synced(ms),
      damaged: (found) => damage.add(found),
      failed: onFatal,
    });
  }

  incomingMail(): IncomingPort {
    return incomingPort(this.runner, (messageId) => this.resultChanged(messageId));
  }

  recipientDomains(): RecipientDomains {
    const operations = bind(RECIPIENT_DOMAIN_OPERATIONS, this.runner);
    const resumeDomain = async (domain: string): Promise<boolean> => {
      const isResumed = await operations.resumeDomain(domain);
      this.wake();
      return isResumed;
    };
    return { ...operations, resumeDomain };
  }

  async accept(message: NewMessage): Promise<Acceptance> {
    checkRoutes(message);
    if (this.#waitingBytes > 0 && this.#waitingBytes + message.content.length > WAITING_BYTES_MAX) {
      throw new SpoolUnavailable("too many messages wait for the disk");
    }
    this.#waitingBytes += message.content.length;
    try {
      const acceptance = acceptanceOf(await this.#contents.accept(message), message);
      if (acceptance.type === "accepted") {
        this.#recent.put(message.id, message.content, message.bodyHash);
        this.wake();
      }
      return acceptance;
    } finally {
      this.#waitingBytes -= message.content.length;
    }
  }

  idempotencyRecord(accountId: string, idempotencyKey: string, nowMs: number) {
    const sinceMs = nowMs - IDEMPOTENCY_KEPT_MS;
    return this.reader.read((reads) => reads.idempotencyRecord(accountId, idempotencyKey, sinceMs));
  }

  newClaimant(): SqliteClaimant {
    return new SqliteClaimant(this.writer, {
      settled: (messageId) => this.#announceResult(messageId),
      due: () => this.wake(),
    });
  }

  claim(request: ClaimRequest): Promise<Claim> {
    return this.#claimant.claim(request);
  }

  claimExpired(request: ExpiredRequest): Promise<DeliveryJob[]> {
    return this.#claimant.claimExpired(request);
  }

  async content(messageId: string): Promise<StoredContent> {
    const recent = this.#recent.takeNoted(messageId);
    const part = async (number: number): Promise<Buffer> =>
      bufferOf(await this.writer.request("contentPart", { messageId, part: number }));
    if (recent !== null) return { first: recent.bytes, laterParts: 0, part, bodyHash: recent.note };
    const { first, laterParts, bodyHash } = await this.writer.request("content", messageId);
    return { first: bufferOf(first), laterParts, part, bodyHash };
  }

  mark(mark: Mark): Promise<MarkResult> {
    return this.#claimant.mark(mark);
  }

  leaseIsCurrent(lease: Lease): boolean {
    return this.#closed === null && this.#claimant.leaseIsCurrent(lease);
  }

  settle(messageId: string, atMs: number, settlements: Settlement[], lease: Lease): Promise<"settled" | "lease_lost"> {
    return this.#claimant.settle(messageId, atMs, settlements, lease);
  }

  release(job: ReleasedJob): Promise<void> {
    return this.#claimant.release(job);
  }

  expireLeases(): Promise<void> {
    return this.#claimant.expireLeases();
  }

  async recover(nowMs: number, result: "unknown" | "pending"): Promise<number> {
    const recovered = await this.#claimant.recover(nowMs, result);
    void this.#contents.removeLeftBehind();
    return recovered;
  }

  override async applyRetention(step: RetentionStep): Promise<RetentionResult> {
    await this.#contents.removeGivenUp();
    const isMoreEnded = await this.#retention.deleteEndedSuppressions(step.nowMs);
    const isMoreReports = await this.#retention.deleteOldReports(step.resultsBeforeMs);
    const result = await super.applyRetention(step);
    return { ...result, isMore: result.isMore || isMoreEnded || isMoreReports };
  }

  backlog(): Promise<number> {
    return this.writer.request("backlog", null);
  }

  probe(nowMs: number): Promise<void> {
    return this.writeNodeValue(NODE_ENTRIES.readiness, new Date(nowMs).toISOString());
  }

  async report(messageId: string, accountId?: string): Promise<MessageReport | null> {
    try {
      return await this.reader.snapshot(reportMessage, messageId, { accountId });
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw new MessageDamaged(`message ${messageId} cannot be read: ${(error as Error).message}`);
    }
  }

  watch(messageId: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(messageId) ?? new Set();
    this.#watchers.set(messageId, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(messageId);
    };
  }

  queue(filter: QueueFilter) {
    return this.reader.read((reads) => reads.queue(filter));
  }

  events(query: EventQuery): Promise<EventPage | "expired"> {
    return this.reader.read((reads) => reads.events(query));
  }

  event(accountId: string, eventNumber: number) {
    return this.reader.read((reads) => reads.event(accountId, eventNumber));
  }

  freshEvents(endpoint: Endpoint, afterNumber: number, limit: number) {
    return this.reader.read((reads) => reads.freshEvents(endpoint, afterNumber, limit));
  }

  onEvents(listener: EventListener): () => void {
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  }

  /** One process takes tokens. A restart fills all buckets. */
  tokenBuckets(_kind: string, rate: Rate): SharedBuckets {
    return new LocalBuckets(rate, systemClock);
  }

  /** One process delivers: leases of others expire only with them. */
  onExpiredLeases(): void {}

  onDue(wake: () => void): void {
    this.#due = wake;
  }

  onSync(listener: (ms: number) => void): void {
    this.#synced = listener;
  }

  onDamage(listener: (damage: Damage) => void): void {
    this.damage.listen(listener);
  }

  #announceResult(messageId: string): void {
    for (const changed of this.#watchers.get(messageId) ?? []) changed();
  }

  #announceEvents(accountIds: ReadonlySet<string> | null): void {
    for (const listener of this.#eventListeners) listener(accountIds);
  }

  protected resultChanged(messageId: string): void {
    this.#announceResult(messageId);
  }

  endpointsChanged(): void {
    this.#announceEvents(null);
  }

  protected wake(): void {
    this.#due();
  }

  close(): Promise<void> {
    if (this.#closed === null) {
      void this.apiKeys.writeKeyUses();
      this.writer.refuse();
      this.reader.refuse();
      this.#closed = this.#close();
    }
    return this.#closed;
  }

  /**
   * Waits for the requests under way, then closes all connections and releases the lock. The writer's connection is the
   * last: SQLite moves the log into the file when the last one closes, and a read-only one cannot.
   */
  async #close(): Promise<void> {
    await this.reports.close();
    await this.checker.close();
    await this.writer.idle();
    this.reader.close();
    await this.writer.close();
    this.#unlock();
  }
}
