/**
 * Counts what each API key sends, and holds a key that sends far above what it normally does (message/key-fuse.ts). Recipients
 * count when their first attempt begins or is put off, so that mail that waits for a receiver counts once. Nodes add their counts every two seconds: together they may
 * let a key send more than its limit by what they send in that time.
 */
import { type BoundedMap, boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS } from "../../lib/units.ts";
import {
  causeText,
  DEFAULT_FUSE,
  type FuseCause,
  type FuseSetting,
  fuseVerdict,
  type KeyHistory,
  type KeyUse,
  NO_HISTORY,
  SPAN_MS,
  SPANS_A_DAY,
} from "../../message/key-fuse.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { receiversIn } from "../../receivers/names.ts";
import { profileOf } from "../../receivers/receiver.ts";
import type { KeyFuse, KeyFuses, KeySpan, KeyTotals, NamedKey } from "../../spool/port/key-fuses.ts";
import type { DeliveryJob, Settlement } from "../../spool/port/mail.ts";

const LOOK_EVERY_MS = 2000;

/** Keys that are watched at once. Beyond this, the one that was not used for longest is left out. */
const KEYS_MAX = 10_000;

/**
 * Unknown mailboxes that count at one receiver without a profile a day: somebody who runs one could make a customer's form write to mailboxes
 * there that do not exist, so that the customer's key is held.
 */
const UNKNOWN_AT_ONE_MAX = 5;
const RECEIVERS_MAX = 1000;

/** A release is acted on twice: mail that was being held at the same moment may be stored a little later. */
const RELEASE_AGAIN_MS = 10_000;

export interface KeyWatchParts {
  spool: Pick<KeyFuses, "addKeyUse" | "keyHistory" | "keyFuses" | "holdKey" | "warnKey">;
  clock: Clock;
  log: Pick<Logger, "warn">;
  /** A key was released within the last day, by whichever process: its held mail is to be tried. Called again if it rejects. */
  onReleased: (released: NamedKey) => Promise<void>;
}

interface WatchedKey {
  accountId: string;
  /** Of all nodes, as of the last look. */
  totals: KeyTotals;
  /** Not added yet, and what is being added. */
  added: KeySpan;
  adding: KeySpan | null;
  /** Unknown mailboxes of today at receivers without a profile. */
  unknownAt: BoundedMap<number>;
  /** The last span in which it was used. */
  usedSpan: number;
  /** Of the days before `historyDay`; null while it is not known. */
  history: KeyHistory | null;
  historyDay: number;
  warnedDay: number;
}

const dayOf = (span: number): number => Math.floor(span / SPANS_A_DAY);

export class KeyWatch {
  readonly #parts: KeyWatchParts;
  readonly #keys = boundedMap<WatchedKey>(KEYS_MAX);
  /** Counts of spans that are over, not added yet. */
  #late: KeySpan[] = [];
  #settings = new Map<string, FuseSetting>();
  /** By key id. Those without `isStored` are so far held only here. */
  readonly #held = new Map<string, { accountId: string; cause: FuseCause | null; isStored: boolean }>();
  /** Releases that were acted on: by key, when it was released, and when that was acted on first and last. */
  readonly #acted = new Map<string, { releasedAtMs: number; firstMs: number | null; isDone: boolean }>();
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

  /**
   * A message is about to be attempted, or deferred for another reason. Returns false, and counts nothing, if its key is held, from now on or
   * before.
   */
  admit(job: CountedJob): boolean {
    if (!isWatched(job)) return true;
    if (this.#held.has(job.keyId)) return false;
    const first = firstAttempts(job);
    if (first === 0) return true;
    const key = this.#of(job);
    key.added.recipients += first;
    if (!this.#trips(job.keyId, key)) return true;
    key.added.recipients -= first;
    return false;
  }

  /** The message was admitted, and comes again as if it had not been. */
  putBack(job: CountedJob): void {
    if (isWatched(job)) this.#of(job).added.recipients -= firstAttempts(job);
  }

  /** Counts the results of an attempt at a destination; null if none is known. */
  report(
    job: Pick<DeliveryJob, "keyId" | "accountId" | "domain">,
    destination: string | null,
    settlements: readonly Settlement[],
  ): void {
    if (!isWatched(job)) return;
    const unknown = settlements.filter(({ result, category }) => result === "failed" && category === "bad_address");
    if (unknown.length === 0) return;
    const key = this.#of(job);
    key.added.unknown += unknownCounted(key, destination ?? job.domain, unknown.length);
    if (!this.#held.has(job.keyId)) this.#trips(job.keyId, key);
  }

  get #span(): number {
    return Math.floor(this.#parts.clock.now() / SPAN_MS);
  }

  #of({ keyId, accountId }: Pick<DeliveryJob, "keyId" | "accountId">): WatchedKey {
    const span = this.#span;
    const known = this.#keys.get(keyId);
    if (known !== undefined) {
      if (known.added.span !== span) this.#beginSpan(known, span);
      known.usedSpan = span;
      return known;
    }
    const key = {
      accountId,
      totals: { keyId, span: 0, day: 0, unknown: 0 },
      added: { keyId, span, recipients: 0, unknown: 0 },
      adding: null,
      unknownAt: boundedMap<number>(RECEIVERS_MAX),
      usedSpan: span,
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
    if (added.recipients !== 0 || added.unknown !== 0) this.#late.push({ ...added });
    const isSameDay = dayOf(added.span) === dayOf(span);
    const use = useOf(key);
    key.totals = {
      ...totals,
      span: 0,
      day: isSameDay ? use.day : 0,
      unknown: isSameDay ? use.unknown : 0,
    };
    key.added = { ...added, span, recipients: 0, unknown: 0 };
    key.adding = null;
    if (!isSameDay) key.unknownAt.clear();
  }

  /** Whether the key is held now. */
  #trips(keyId: string, key: WatchedKey): boolean {
    const { clock, spool, log } = this.#parts;
    const { added, history, accountId } = key;
    const setting = this.#settings.get(keyId) ?? DEFAULT_FUSE;
    const today = dayOf(added.span);
    if (key.historyDay !== today) void this.#readHistory(key, today);
    const use = useOf(key);
    const verdict = fuseVerdict(history ?? NO_HISTORY, use, { setting, nowMs: clock.now() });
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
    for (const [keyId, key] of [...this.#keys.entries()]) {
      if (key.added.span !== span) this.#beginSpan(key, span);
      if (key.added.recipients === 0 && key.added.unknown === 0) {
        if (dayOf(span) > dayOf(key.usedSpan) + 1) this.#keys.delete(keyId);
        continue;
      }
      key.adding = key.added;
      key.added = { ...key.added, recipients: 0, unknown: 0 };
      added.push(key.adding);
    }
    const late = this.#late;
    if (added.length + late.length === 0) return;
    this.#late = [];
    const totals = await this.#add([...late, ...added], span);
    if (totals === null) this.#addAgain([...late, ...added]);
    for (const each of totals ?? []) {
      const key = this.#keys.peek(each.keyId);
      if (key === undefined || key.added.span !== span) continue;
      key.totals = each;
      key.adding = null;
    }
  }

  /** What could not be added goes on to count here, and is added at the next look. */
  #addAgain(spans: readonly KeySpan[]): void {
    for (const each of spans) {
      const key = this.#keys.peek(each.keyId);
      if (key?.adding !== each) this.#late.push(each);
      else {
        key.added = {
          ...each,
          recipients: each.recipients + key.added.recipients,
          unknown: each.unknown + key.added.unknown,
        };
        key.adding = null;
      }
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
    const { spool } = this.#parts;
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
      for (const keyId of stored.keys()) this.#held.delete(keyId);
      for (const fuse of fuses) this.#actOnRelease(fuse);
    });
  }

  #actOnRelease({ keyId, accountId, held, releasedAtMs }: KeyFuse): void {
    const { clock, log, onReleased } = this.#parts;
    if (held !== null || releasedAtMs === null || clock.now() - releasedAtMs > DAY_MS) {
      this.#acted.delete(keyId);
      return;
    }
    const former = this.#acted.get(keyId);
    const acted = former?.releasedAtMs === releasedAtMs ? former : { releasedAtMs, firstMs: null, isDone: false };
    const nowMs = clock.monotonicMs();
    if (acted.isDone || (acted.firstMs !== null && nowMs - acted.firstMs < RELEASE_AGAIN_MS)) return;
    this.#acted.set(keyId, { releasedAtMs, firstMs: acted.firstMs ?? nowMs, isDone: acted.firstMs !== null });
    onReleased({ keyId, accountId }).catch((error: unknown) => {
      log.warn({ keyId, accountId, error: errorText(error) }, "mail of a released key not tried");
      // Begins anew with the next look.
      this.#acted.delete(keyId);
    });
  }

  /** Returns whether the store could be asked. */
  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#parts.log.warn({ error: errorText(error) }, "counts of API keys not exchanged with the store");
      return false;
    }
  }
}

type CountedJob = Pick<DeliveryJob, "keyId" | "accountId" | "domain" | "recipients">;

const firstAttempts = ({ recipients }: CountedJob): number =>
  recipients.filter(({ attempts }) => attempts === 0).length;

const useOf = ({ totals, adding, added }: WatchedKey): KeyUse => {
  const recipients = (adding?.recipients ?? 0) + added.recipients;
  const unknown = (adding?.unknown ?? 0) + added.unknown;
  return { span: totals.span + recipients, day: totals.day + recipients, unknown: totals.unknown + unknown };
};

/** How many of them count. */
function unknownCounted({ unknownAt }: WatchedKey, destination: string, count: number): number {
  if (receiversIn(destination).every((receiver) => profileOf(receiver) !== null)) return count;
  const before = unknownAt.peek(destination) ?? 0;
  unknownAt.set(destination, before + count);
  return Math.max(0, Math.min(count, UNKNOWN_AT_ONE_MAX - before));
}

/** Messages of the service itself have another kind of id. */
const isWatched = ({ keyId, domain }: Pick<DeliveryJob, "keyId" | "domain">): boolean =>
  keyId.startsWith("key_") && !isTestRoute(domain);
