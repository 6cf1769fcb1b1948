/**
 * Counts what each API key sends, and holds a key that sends far above what it normally does (message/key-fuse.ts). Counts are of the
 * moment an attempt begins, so that mail that waits for a receiver counts once. Nodes add their counts every two seconds: together they may
 * let a key send more than its limit by what they send in that time.
 */
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import {
  causeText,
  DEFAULT_FUSE,
  type FuseCause,
  type FuseSetting,
  fuseVerdict,
  type KeyHistory,
  SPAN_MS,
  SPANS_A_DAY,
} from "../../message/key-fuse.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { KeyFuses, KeySpan, KeyTotals } from "../../spool/port/key-fuses.ts";
import type { DeliveryJob, Settlement } from "../../spool/port/mail.ts";

const LOOK_EVERY_MS = 2000;

/** Keys that are watched at once; the others are watched once some of these are idle for a day. */
const KEYS_MAX = 10_000;

interface NamedKey {
  keyId: string;
  accountId: string;
}

export interface KeyWatchParts {
  spool: Pick<KeyFuses, "addKeyUse" | "keyHistory" | "keyFuses" | "holdKey" | "warnKey">;
  clock: Clock;
  log: Pick<Logger, "warn">;
  /** A key was released, by whichever process. */
  onReleased: (released: NamedKey) => void;
}

interface WatchedKey {
  accountId: string;
  /** Of all nodes, as of the last look. */
  totals: KeyTotals & { atSpan: number };
  /** Not added yet. */
  added: KeySpan;
  /** Of the days before `historyDay`; null while it is not known. */
  history: KeyHistory | null;
  historyDay: number;
  warnedDay: number;
}

const dayOf = (span: number): number => Math.floor(span / SPANS_A_DAY);

export class KeyWatch {
  readonly #parts: KeyWatchParts;
  readonly #keys = new Map<string, WatchedKey>();
  /** Counts of spans that are over, not added yet. */
  #late: KeySpan[] = [];
  #settings = new Map<string, FuseSetting>();
  /** By key id. Those without `isStored` are held here alone so far. */
  readonly #held = new Map<string, { accountId: string; cause: FuseCause | null; isStored: boolean }>();
  #isStopped = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: KeyWatchParts) {
    this.#parts = parts;
  }

  /** Resolves once it is known which keys are held. Never rejects. */
  async start(): Promise<void> {
    await this.#readFuses();
    this.#lookLater();
  }

  /** Adds the last counts. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#addUses();
  }

  /** Held keys, of all accounts. */
  get heldCount(): number {
    return this.#held.size;
  }

  isHeld({ keyId, domain }: Pick<DeliveryJob, "keyId" | "domain">): boolean {
    return this.#held.size > 0 && this.#held.has(keyId) && !isTestRoute(domain);
  }

  /** An attempt is about to begin. Returns false, and counts nothing, if its key is held, from now on or before. */
  admit(job: Pick<DeliveryJob, "keyId" | "accountId" | "domain" | "recipients">): boolean {
    if (!isWatched(job)) return true;
    if (this.#held.has(job.keyId)) return false;
    const first = job.recipients.filter(({ attempts }) => attempts === 0).length;
    const key = first === 0 ? undefined : this.#of(job);
    if (key === undefined) return true;
    key.added.recipients += first;
    if (!this.#trips(job.keyId, key)) return true;
    key.added.recipients -= first;
    return false;
  }

  /** Counts the results of an attempt. */
  report(job: Pick<DeliveryJob, "keyId" | "accountId" | "domain">, settlements: readonly Settlement[]): void {
    if (!isWatched(job)) return;
    const unknown = settlements.filter(({ result, category }) => result === "failed" && category === "bad_address");
    const key = unknown.length === 0 ? undefined : this.#of(job);
    if (key === undefined) return;
    key.added.unknown += unknown.length;
    if (!this.#held.has(job.keyId)) this.#trips(job.keyId, key);
  }

  get #span(): number {
    return Math.floor(this.#parts.clock.now() / SPAN_MS);
  }

  #of({ keyId, accountId }: Pick<DeliveryJob, "keyId" | "accountId">): WatchedKey | undefined {
    const span = this.#span;
    const known = this.#keys.get(keyId);
    if (known !== undefined) {
      if (known.added.span !== span) this.#beginSpan(known, span);
      return known;
    }
    if (this.#keys.size >= KEYS_MAX) return undefined;
    const key = {
      accountId,
      totals: { keyId, span: 0, day: 0, unknown: 0, atSpan: span },
      added: { keyId, span, recipients: 0, unknown: 0 },
      history: null,
      historyDay: -1,
      warnedDay: -1,
    };
    this.#keys.set(keyId, key);
    return key;
  }

  /** What is left of the span before is added at the next look. */
  #beginSpan(key: WatchedKey, span: number): void {
    const { added, totals } = key;
    if (added.recipients + added.unknown > 0) this.#late.push({ ...added });
    const isSameDay = dayOf(added.span) === dayOf(span);
    const day = isSameDay ? totals.day + added.recipients : 0;
    const unknown = isSameDay ? totals.unknown + added.unknown : 0;
    key.totals = { ...totals, span: 0, day, unknown, atSpan: span };
    key.added = { ...added, span, recipients: 0, unknown: 0 };
  }

  /** Whether the key is held now. */
  #trips(keyId: string, key: WatchedKey): boolean {
    const { clock, spool, log } = this.#parts;
    const { totals, added, history, accountId } = key;
    const setting = this.#settings.get(keyId) ?? DEFAULT_FUSE;
    const today = dayOf(added.span);
    if (key.historyDay !== today) void this.#readHistory(key, today);
    const use = {
      span: totals.span + added.recipients,
      day: totals.day + added.recipients,
      unknown: totals.unknown + added.unknown,
    };
    const verdict = fuseVerdict(history ?? UNKNOWN_HISTORY, use, { setting, nowMs: clock.now() });
    if (verdict.state === "held" && verdict.cause !== null) this.#hold(keyId, accountId, verdict.cause);
    if (verdict.state === "warning" && verdict.cause !== null && key.warnedDay !== today) {
      key.warnedDay = today;
      const warned = { keyId, accountId, cause: verdict.cause, atMs: clock.now() };
      log.warn({ keyId, accountId, why: causeText(verdict.cause) }, "API key near its limit");
      void this.#try(() => spool.warnKey(warned));
    }
    return verdict.state === "held";
  }

  #hold(keyId: string, accountId: string, cause: FuseCause): void {
    if (this.#held.has(keyId)) return;
    this.#parts.log.warn({ keyId, accountId, why: causeText(cause) }, "API key held");
    this.#held.set(keyId, { accountId, cause, isStored: false });
    void this.#storeHold(keyId, accountId, cause);
  }

  async #storeHold(keyId: string, accountId: string, cause: FuseCause): Promise<void> {
    const { spool, clock } = this.#parts;
    const known = this.#held.get(keyId);
    await this.#try(async () => {
      await spool.holdKey({ keyId, accountId, cause, atMs: clock.now() });
      if (known !== undefined) known.isStored = true;
    });
  }

  async #readHistory(key: WatchedKey, today: number): Promise<void> {
    key.historyDay = today;
    const isDone = await this.#try(async () => {
      key.history = await this.#parts.spool.keyHistory(key.added.keyId, today * SPANS_A_DAY);
    });
    if (!isDone) key.historyDay = -1;
  }

  #lookLater(): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#parts.clock.after(LOOK_EVERY_MS, () => void this.#look().then(() => this.#lookLater()));
  }

  async #look(): Promise<void> {
    for (const [keyId, { accountId, cause, isStored }] of this.#held)
      if (!isStored && cause !== null) await this.#storeHold(keyId, accountId, cause);
    await this.#addUses();
    await this.#readFuses();
  }

  async #addUses(): Promise<void> {
    const span = this.#span;
    const added: KeySpan[] = [];
    for (const [keyId, key] of this.#keys) {
      if (key.added.span !== span) this.#beginSpan(key, span);
      if (key.added.recipients + key.added.unknown > 0) added.push({ ...key.added });
      else if (dayOf(span) > dayOf(key.totals.atSpan) + 1) this.#keys.delete(keyId);
    }
    const late = this.#late;
    if (added.length + late.length === 0) return;
    this.#late = [];
    const totals = await this.#add([...late, ...added], span);
    if (totals === null) this.#late.push(...late);
    for (const each of totals ?? []) {
      const key = this.#keys.get(each.keyId);
      const sent = added.find(({ keyId }) => keyId === each.keyId);
      if (key === undefined || sent === undefined || key.added.span !== span) continue;
      key.totals = { ...each, atSpan: span };
      key.added.recipients -= sent.recipients;
      key.added.unknown -= sent.unknown;
    }
  }

  /** Null if they could not be added. */
  async #add(added: readonly KeySpan[], span: number): Promise<KeyTotals[] | null> {
    let totals: KeyTotals[] | null = null;
    await this.#try(async () => {
      totals = await this.#parts.spool.addKeyUse(added, span);
    });
    return totals;
  }

  async #readFuses(): Promise<void> {
    const { spool, onReleased } = this.#parts;
    await this.#try(async () => {
      const stored = new Map([...this.#held].filter(([, { isStored }]) => isStored));
      const fuses = await spool.keyFuses();
      this.#settings = new Map(fuses.map((fuse) => [fuse.keyId, fuse]));
      for (const { keyId, accountId, held } of fuses) {
        if (held === null) continue;
        stored.delete(keyId);
        this.#held.set(keyId, { accountId, cause: held.cause, isStored: true });
      }
      // Those that were held before this look, and are no longer.
      for (const [keyId, { accountId }] of stored) {
        this.#held.delete(keyId);
        onReleased({ keyId, accountId });
      }
    });
  }

  /** Returns whether the store could be asked. */
  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      this.#parts.log.warn({ error: errorText(error) }, "counts of API keys not exchanged with the store");
      return false;
    }
  }
}

const UNKNOWN_HISTORY: KeyHistory = { firstSpan: null, peakSpan: 0, peakDay: 0, recipients: 0, unknown: 0 };

/** Messages of the service itself have another kind of id. */
const isWatched = ({ keyId, domain }: Pick<DeliveryJob, "keyId" | "domain">): boolean =>
  keyId.startsWith("key_") && !isTestRoute(domain);
