/**
 * The spool's SQLite form, as its users see it: writes are gathered into batches for the writer, point reads happen
 * here on a read-only connection. See writer.ts for what a batch is, and docs/STATES.md for what a crash leaves.
 */
import type { Database } from "better-sqlite3";
import { SlabBuffer } from "../../lib/slab-buffer.ts";
import type { Account, ApiKey, DomainChecks, DueDomains, Registry, Rotation } from "../port/accounts.ts";
import {
  type Acceptance,
  type Claim,
  type ClaimRequest,
  type Forgetting,
  type Forgotten,
  type Mark,
  MessageDamaged,
  type MessageReport,
  type NewMessage,
  type QuarantineReport,
  type Recheck,
  type Rechecked,
  type RecipientsRef,
  type Resumed,
  type RetriedFailed,
  type RetryFailedStep,
  type Settlement,
  type Spool,
  SpoolUnavailable,
  type StsPolicy,
  type SuppressionFilter,
  type WaitBounds,
  type WaitsShortened,
} from "../port/mail.ts";
import type { People } from "../port/people.ts";
import type { Reports } from "../port/reports.ts";
import { IDEMPOTENCY_KEPT_MS } from "./acceptance.ts";
import {
  acceptanceOf,
  claimOf,
  dense,
  type SentAcceptance,
  type SentClaim,
  sentMark,
  sentMessage,
  sentSettlements,
} from "./codec.ts";
import { type Damage, DamageLog, isDamage } from "./damage.ts";
import { isUnavailable, lockDataDir, openDatabase } from "./database.ts";
import { enterSpool } from "./identity.ts";
import { openWriter, type Writer } from "./open-writer.ts";
import { type Asking, peopleOf } from "./people-facade.ts";
import { checkerInThread, type QuarantineChecker } from "./quarantine-check.ts";
import type { ReleaseResult } from "./quarantine-release.ts";
import { DAY_MS } from "./quotas.ts";
import { prepareReads } from "./reads.ts";
import { ReportsClient } from "./reports-client.ts";
import { removeDraft } from "./spool-files.ts";
import type { Replies, Request } from "./writer.ts";

/** Bytes of messages that may wait for the writer; more is refused, so that a stuck disk cannot fill the memory. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/** Messages just accepted, kept for the first attempt, which mostly follows at once: their content need not be read back. */
const RECENT_BYTES_MAX = 24 * 1024 * 1024;

/** Requests sent to the thread as one batch: bounds how long one transaction holds the file. */
const BATCH_MAX = 1000;

/** How long a key's use may wait to be written. */
const TOUCH_DELAY_MS = 1000;

/** Damaged parts of the store that are remembered for the doctor. */
const DAMAGE_KEPT = 20;

/** Answers kept between two commits. */
const ANSWERS_MAX = 1000;

interface Waiting {
  request: Request;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export interface OpenOptions {
  dataDir: string;
  /** `service` delivers and holds the data directory alone; `client` (the command line) works beside it, its writer in its own thread. */
  role: "service" | "client";
  /** Called once if the writer thread dies of a broken invariant: the process should end and let the next start recover. */
  onFatal: (error: Error) => void;
}

export type SqliteStore = Spool &
  Registry & {
    people: People;
    reports: Reports;
    /** Calls `told` with each damaged part of the store that is found from now on, or was found before. */
    onDamage(told: (damage: Damage) => void): void;
    /** Calls `told` with how long each commit to the disk took; fsync is most of it. */
    onSync(told: (ms: number) => void): void;
  };

/** Opens the spool, creating or migrating it. Rejects with one clear line when it is locked, unreadable or newer than this code. */
export async function openSqliteSpool(options: OpenOptions): Promise<SqliteStore> {
  const unlock = takeDataDir(options);
  try {
    const writer = await openWriter(options);
    const reports = new ReportsClient(options.dataDir);
    return new SqliteSpool(writer, openDatabase(options.dataDir, "read"), {
      reports,
      checker: checkerInThread(options.dataDir),
      unlock,
      onFatal: options.onFatal,
    });
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Sees that the directory can be used, and holds it for a service. Returns how to release it. */
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

/** The facade over a writer and a connection for reading; openSqliteSpool makes both for a data directory. */
export class SqliteSpool implements SqliteStore {
  readonly people: People;
  readonly reports: ReportsClient;
  #writer: Writer;
  #db: Database;
  #reads: ReturnType<typeof prepareReads>;
  #unlock: () => void;
  #checker: QuarantineChecker;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #sent: Waiting[] | null = null;
  #closed: Promise<void> | null = null;
  #dead = false;
  #wake: () => void = () => {};
  #idled: () => void = () => {};
  #synced: (ms: number) => void = () => {};
  #watchers = new Map<string, Set<() => void>>();
  #touched = new Map<string, number>();
  #touchTimer: NodeJS.Timeout | null = null;
  #recent = new SlabBuffer(RECENT_BYTES_MAX);
  #answers = new Map<string, unknown>();
  #answersVersion = -1;
  #lookedForCommits = false;
  #damage: Damage[] = [];
  #own = new DamageLog();
  #damaged: (damage: Damage) => void = () => {};

  constructor(
    writer: Writer,
    db: Database,
    parts: {
      reports: ReportsClient;
      checker: QuarantineChecker;
      unlock: () => void;
      onFatal: (error: Error) => void;
    },
  ) {
    this.#writer = writer;
    this.#db = db;
    this.#reads = prepareReads(db, { note: (place, error) => this.#noteDamage(place, error) });
    this.#unlock = parts.unlock;
    this.reports = parts.reports;
    this.#checker = parts.checker;
    const asking: Asking = { write: (name, args) => this.#ask(name, args), read: (read) => this.#read(read) };
    this.people = peopleOf(this.#reads, asking);
    writer.listen({
      message: (message) => {
        if (message.type === "replies") {
          for (const ms of message.syncsMs ?? []) this.#synced(ms);
          for (const damage of message.damage ?? []) this.#foundDamaged(damage);
          this.#receive(message.replies);
        }
        if (message.type === "due") this.#wake();
      },
      failed: (error) => {
        this.#fail("the spool's writer stopped");
        parts.onFatal(error);
      },
      ended: () => this.#fail("the spool is closed"),
    });
  }

  // ── batches ────────────────────────────────────────────────────────────────────────────────────────────────────

  #ask<T>(operation: string, args: unknown): Promise<T> {
    if (this.#closed !== null || this.#dead) return Promise.reject(new SpoolUnavailable("the spool is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ request: [operation, args], resolve: resolve as (value: unknown) => void, reject });
      this.#send();
    });
  }

  /** Sends what waits unless a batch is under way: what comes meanwhile shares the next transaction. */
  #send(): void {
    if (this.#sent !== null || this.#waiting.length === 0 || this.#dead) return;
    this.#sent = this.#waiting.splice(0, BATCH_MAX);
    this.#writer.post({ type: "batch", requests: dense(this.#sent.map((w) => w.request)) });
  }

  #receive({ values, failures }: Replies): void {
    const answered = this.#sent ?? [];
    this.#sent = null;
    this.#lookedForCommits = false;
    this.#send();
    if (this.#sent === null) this.#idled();
    answered.forEach((waiting, i) => {
      const failure = failures.get(i);
      if (i >= values.length) waiting.reject(new Error("the spool's writer left a request unanswered"));
      else if (failure === undefined) waiting.resolve(values[i]);
      else if (failure.damaged) waiting.reject(new MessageDamaged(failure.error));
      else if (failure.unavailable) waiting.reject(new SpoolUnavailable(failure.error));
      else waiting.reject(new Error(failure.error));
    });
  }

  #fail(message: string): void {
    this.#dead = true;
    const waiting = [...(this.#sent ?? []), ...this.#waiting];
    this.#sent = null;
    this.#waiting = [];
    this.#idled();
    for (const { reject } of waiting) reject(new SpoolUnavailable(message));
  }

  /**
   * As #read, but once for all who ask between two commits: every request asks for its key and its domain, and under
   * load many of them share one commit.
   */
  #readOnce<T>(question: string, read: () => T): Promise<T> {
    return this.#read(() => {
      this.#forgetOutdated();
      if (!this.#answers.has(question)) this.#answers.set(question, read());
      return this.#answers.get(question) as T;
    });
  }

  /** Looks for commits once a turn of the event loop, and after each of our own: a look locks and unlocks the file's log. */
  #forgetOutdated(): void {
    if (this.#lookedForCommits) return;
    const version = this.#reads.dataVersion();
    if (version !== this.#answersVersion || this.#answers.size > ANSWERS_MAX) this.#answers.clear();
    this.#answersVersion = version;
    this.#lookedForCommits = true;
    setImmediate(() => {
      this.#lookedForCommits = false;
    });
  }

  async #read<T>(read: () => T): Promise<T> {
    if (this.#closed !== null) throw new SpoolUnavailable("the spool is closed");
    try {
      return read();
    } catch (error) {
      if (isUnavailable(error)) throw new SpoolUnavailable((error as Error).message);
      throw error;
    }
  }

  // ── messages ───────────────────────────────────────────────────────────────────────────────────────────────────

  async accept(message: NewMessage): Promise<Acceptance> {
    if (this.#waitingBytes + message.content.length > WAITING_BYTES_MAX) {
      throw new SpoolUnavailable("too much waits for the disk already");
    }
    this.#waitingBytes += message.content.length;
    try {
      const acceptance = acceptanceOf(await this.#ask<SentAcceptance>("accept", sentMessage(message)), message);
      if (acceptance.type === "accepted") {
        this.#recent.put(message.id, message.content);
        this.#wake();
      }
      return acceptance;
    } finally {
      this.#waitingBytes -= message.content.length;
    }
  }

  remembered(accountId: string, idempotencyKey: string, nowMs: number) {
    return this.#read(() => this.#reads.remembered(accountId, idempotencyKey, nowMs - IDEMPOTENCY_KEPT_MS));
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    return claimOf(await this.#ask<SentClaim>("claim", request));
  }

  async content(messageId: string): Promise<Buffer> {
    const recent = this.#recent.take(messageId);
    if (recent !== null) return recent;
    const stored = await this.#ask<Uint8Array>("content", messageId);
    return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  }

  mark(mark: Mark): Promise<void> {
    return this.#ask("mark", sentMark(mark));
  }

  async settle(messageId: string, atMs: number, settlements: Settlement[]): Promise<void> {
    await this.#ask("settle", sentSettlements(messageId, atMs, settlements));
    for (const changed of this.#watchers.get(messageId) ?? []) changed();
    this.#wake();
  }

  async release(ref: RecipientsRef): Promise<void> {
    await this.#ask("release", ref);
    this.#wake();
  }

  recover(nowMs: number, result: "unknown" | "pending"): Promise<number> {
    return this.#ask("recover", { nowMs, result });
  }

  onDue(wake: () => void): void {
    this.#wake = wake;
  }

  onSync(told: (ms: number) => void): void {
    this.#synced = told;
  }

  onDamage(told: (damage: Damage) => void): void {
    this.#damaged = told;
    for (const damage of this.#damage) told(damage);
  }

  /** Damage that a read of this thread met: each place is reported once. */
  #noteDamage(place: string, error: unknown): void {
    this.#own.note(place, error);
    for (const damage of this.#own.take()) this.#foundDamaged(damage);
  }

  #foundDamaged(damage: Damage): void {
    this.#damage.push(damage);
    if (this.#damage.length > DAMAGE_KEPT) this.#damage.shift();
    this.#damaged(damage);
  }

  report(messageId: string): Promise<MessageReport | null> {
    return this.#read(() => {
      try {
        return this.#reads.report(messageId);
      } catch (error) {
        if (!isDamage(error)) throw error;
        throw new MessageDamaged(`what is stored of ${messageId} cannot be read: ${(error as Error).message}`);
      }
    });
  }

  quarantined(limit: number): Promise<QuarantineReport> {
    return this.#read(() => {
      const places = this.#damage.map(({ place, error }) => `${place}: ${error}`);
      try {
        return { ...this.#reads.quarantined(limit), places };
      } catch (error) {
        if (!isDamage(error)) throw error;
        const place = `the list of quarantined messages: ${(error as Error).message}`;
        return { count: 0, messages: [], places: [...places, place] };
      }
    });
  }

  async recheckQuarantined({ nowMs, result, ...part }: Recheck): Promise<Rechecked> {
    const isEmpty = (await this.quarantined(0)).count === 0;
    const { sound, next } = isEmpty ? { sound: [], next: null } : await this.#checker.check(part);
    const release = { seqs: sound, nowMs, result };
    const { released, isChanged } = await this.#ask<ReleaseResult>("releaseQuarantined", release);
    if (isChanged) this.#wake();
    return { released, next };
  }

  watch(messageId: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(messageId) ?? new Set();
    this.#watchers.set(messageId, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(messageId);
    };
  }

  queue(filter: { accountId: string; domain?: string; limit: number }) {
    return this.#read(() => this.#reads.queue(filter));
  }

  async retry(filter: { accountId: string; messageId: string; email?: string; nowMs: number }): Promise<number> {
    const count = await this.#ask<number>("retry", filter);
    this.#wake();
    return count;
  }

  async retryFailed(step: RetryFailedStep): Promise<RetriedFailed> {
    const retried = await this.#ask<RetriedFailed>("retryFailed", step);
    this.#wake();
    return retried;
  }

  async retryDomain(filter: Parameters<Spool["retryDomain"]>[0]): Promise<number> {
    const count = await this.#ask<number>("retryDomain", filter);
    this.#wake();
    return count;
  }

  async shortenWaits(step: WaitBounds): Promise<WaitsShortened> {
    const shortened = await this.#ask<WaitsShortened>("shortenWaits", step);
    if (shortened.recipients > 0) this.#wake();
    return shortened;
  }

  pauseDomain(domain: string, atMs: number): Promise<void> {
    return this.#ask("pauseDomain", { domain, atMs });
  }

  async resumeDomain(domain: string): Promise<boolean> {
    const resumed = await this.#ask<boolean>("resumeDomain", domain);
    this.#wake();
    return resumed;
  }

  async resumeDelivery(how: Parameters<Spool["resumeDelivery"]>[0]): Promise<Resumed | null> {
    const resumed = await this.#ask<Resumed | null>("resumeDelivery", how);
    this.#wake();
    return resumed;
  }

  pausedDomains() {
    return this.#read(() => this.#reads.pausedDomains());
  }

  backlog(): Promise<number> {
    return this.#ask("backlog", null);
  }

  forget(step: Forgetting): Promise<Forgotten> {
    return this.#ask("forget", step);
  }

  suppressions(filter: SuppressionFilter) {
    return this.reports.suppressions(filter);
  }

  unsuppress(accountId: string, email: string): Promise<boolean> {
    return this.#ask("unsuppress", { accountId, email });
  }

  stsPolicy(domain: string) {
    return this.#read(() => this.#reads.stsPolicy(domain));
  }

  storeStsPolicy(policy: StsPolicy): Promise<void> {
    return this.#ask("storeStsPolicy", policy);
  }

  note(name: string) {
    return this.#read(() => this.#reads.note(name));
  }

  writeNote(name: string, text: string): Promise<void> {
    return this.#ask("writeNote", { name, text });
  }

  // ── settings ───────────────────────────────────────────────────────────────────────────────────────────────────

  createAccount(name: string, createdAtMs: number): Promise<Account | "exists"> {
    return this.#ask("createAccount", { name, createdAtMs });
  }

  accounts() {
    return this.#read(() => this.#reads.accounts());
  }

  accountNamed(name: string) {
    return this.#read(() => this.#reads.accountNamed(name));
  }

  setQuota(accountId: string, quotaDaily: number | null): Promise<void> {
    return this.#ask("setQuota", { accountId, quotaDaily });
  }

  quotaUsed(accountId: string, atMs: number) {
    return this.#read(() => this.#reads.quotaUsed(accountId, Math.floor(atMs / DAY_MS)));
  }

  createUser(user: Parameters<Registry["createUser"]>[0]): ReturnType<Registry["createUser"]> {
    return this.#ask("createUser", user);
  }

  hasUsers() {
    return this.#read(() => this.#reads.hasUsers());
  }

  async createKey(key: Parameters<Registry["createKey"]>[0]): Promise<ApiKey | "too_many"> {
    const created = await this.#ask<{ id: string } | "too_many">("createKey", key);
    if (created === "too_many") return created;
    const { hash: _, keysMax: __, ...shown } = key;
    return { ...created, ...shown, lastUsedAtMs: null, revokedAtMs: null, messagesSent: 0 };
  }

  keys(accountId: string) {
    return this.#read(() => this.#reads.keys(accountId));
  }

  activeKey(hash: Buffer) {
    return this.#readOnce(`key ${hash.toString("latin1")}`, () => this.#reads.activeKey(hash));
  }

  touchKey(keyId: string, atMs: number): void {
    this.#touched.set(keyId, atMs);
    if (this.#touchTimer !== null) return;
    this.#touchTimer = setTimeout(() => this.#writeTouches(), TOUCH_DELAY_MS);
    this.#touchTimer.unref();
  }

  #writeTouches(): void {
    if (this.#touchTimer !== null) clearTimeout(this.#touchTimer);
    this.#touchTimer = null;
    if (this.#touched.size === 0) return;
    const uses = [...this.#touched];
    this.#touched.clear();
    // When a key was last used is worth no trouble: if the disk refuses it now, the next use brings it again.
    this.#ask("touchKeys", uses).catch(() => {});
  }

  revokeKey(accountId: string, keyId: string, atMs: number): ReturnType<Registry["revokeKey"]> {
    return this.#ask("revokeKey", { accountId, keyId, atMs });
  }

  async addDomain(domain: Parameters<Registry["addDomain"]>[0]): ReturnType<Registry["addDomain"]> {
    const outcome = await this.#ask<"added" | "exists" | "too_many">("addDomain", domain);
    if (outcome !== "added") return outcome;
    const added = await this.domainNamed(domain.accountId, domain.name);
    if (added === null) throw new Error(`the domain ${domain.name} was added and is not there`);
    return added;
  }

  domains(accountId: string) {
    return this.#read(() => this.#reads.domains(accountId));
  }

  domainNamed(accountId: string, name: string) {
    return this.#readOnce(`domain ${accountId} ${name}`, () => this.#reads.domainNamed(accountId, name));
  }

  domainsDue(due: DueDomains) {
    return this.#read(() => this.#reads.domainsDue(due));
  }

  nextDomainCheckMs() {
    return this.#read(() => this.#reads.nextDomainCheckMs());
  }

  shortenCheckWaits(nowMs: number, longestMs: number): Promise<number> {
    return this.#ask("shortenCheckWaits", { nowMs, longestMs });
  }

  saveChecks(domainId: string, checks: DomainChecks, verified: boolean, nextCheckAtMs: number): Promise<void> {
    return this.#ask("saveChecks", { domainId, checks, verified, nextCheckAtMs });
  }

  removeDomain(accountId: string, name: string, atMs: number): Promise<boolean> {
    return this.#ask("removeDomain", { accountId, name, atMs });
  }

  async signingKey(domainId: string) {
    const key = await this.#read(() => this.#reads.signingKey(domainId));
    if (key === null) throw new Error(`the spool has no signing key for ${domainId}`);
    return key;
  }

  successorKey(domainId: string) {
    return this.#read(() => this.#reads.successorKey(domainId));
  }

  checkHistory(accountId: string, name: string, limit: number) {
    return this.#read(() => this.#reads.checkHistory(accountId, name, limit));
  }

  startRotation(rotation: Rotation): Promise<void> {
    return this.#ask("startRotation", rotation);
  }

  rotations() {
    return this.#read(() => this.#reads.rotations());
  }

  cancelRotation(domainId: string): Promise<boolean> {
    return this.#ask("cancelRotation", domainId);
  }

  finishRotation(domainId: string, atMs: number): Promise<boolean> {
    return this.#ask("finishRotation", { domainId, atMs });
  }

  // ── end ────────────────────────────────────────────────────────────────────────────────────────────────────────

  close(): Promise<void> {
    if (this.#closed === null) {
      this.#writeTouches();
      this.#closed = this.#end();
    }
    return this.#closed;
  }

  /**
   * Lets what was asked before be answered, then closes all connections and drops the lock. The writer's is the last: SQLite
   * moves the log into the file when the last one closes, and one for reading cannot.
   */
  async #end(): Promise<void> {
    await this.reports.close();
    await this.#checker.close();
    await this.#idle();
    this.#db.close();
    if (!this.#dead) {
      this.#writer.post({ type: "close" });
      await this.#writer.ended;
    }
    this.#unlock();
  }

  /** Resolves when nothing waits for the writer. */
  #idle(): Promise<void> {
    if (this.#sent === null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idled = resolve;
    });
  }
}
