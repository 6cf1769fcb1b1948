/**
 * How many messages may leave from sending addresses that are warmed up, at each receiver today. A node draws messages from the day's in
 * advance, a twentieth at a time, so that all nodes together keep the limit, also after a kill: what a killed node had drawn is lost for
 * that day. Recipients of one message count each, and a message is never split, so that a day may get more by those of its last
 * message. receivers/warm-up.ts has the rules.
 *
 * Windows are named as SendingSources names them: a destination with a sending address. One with several receivers uses the day of each.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/units.ts";
import { receiversIn, sourceIn, withoutSource, withSource } from "../../receivers/names.ts";
import { receiverOf } from "../../receivers/receiver.ts";
import { DEFAULT_SCHEDULE, dailyLimit } from "../../receivers/warm-up.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { SendingAddress } from "../../spool/port/sending-addresses.ts";
import type { WarmUps } from "../../spool/port/warm-ups.ts";

/** The part of a day's messages that is drawn at once. */
const DRAWN_SHARE = 1 / 20;

/** How long what was read holds: another process may have moved the place in the schedule, or used the day's messages. */
const FRESH_MS = MINUTE_MS;

/** How often what was accepted is reported. */
const REPORT_EVERY_MS = MINUTE_MS;

/** The same of the addresses of other nodes. */
const FRESH_ELSEWHERE_MS = 10_000;

/** After a draw that failed. */
const RETRY_MS = 1000;

const WINDOWS_MAX = 10_000;

export interface WarmUpQuotaParts {
  spool: Pick<WarmUps, "drawWarmUp">;
  clock: Clock;
  log: Pick<Logger, "warn">;
  /** Attempts may begin that could not before. */
  onCapacity: () => void;
}

interface Draw {
  wanted: number;
  /** Whether what was drawn and not used is given back. */
  givesBack: boolean;
  /** How long what is read holds. */
  freshMs: number;
}

const NO_DRAW: Draw = { wanted: 0, givesBack: false, freshMs: FRESH_MS };

/** What a node knows of one address at one receiver. */
interface Quota {
  /** The day that it is of; null before the first draw. */
  day: number | null;
  /** Whether that day has no limit. */
  isUnlimited: boolean;
  /** Messages of that day, without limit if isUnlimited. */
  limit: number;
  /** Drawn, and neither accepted nor in attempts. */
  free: number;
  inAttempts: number;
  /** What all nodes together may still draw. */
  left: number;
  /** Not yet reported. */
  accepted: number;
  isBlocked: boolean;
  /**
   * The earliest time of the next draw, and the time after which these values are out of date; of the monotonic clock. The second is 0 after
   * an operator has changed the setting: the values are then unknown until the next draw.
   */
  nextDrawMs: number;
  oldFromMs: number;
  drawing: Promise<void> | null;
}

export class WarmUpQuota {
  readonly #parts: WarmUpQuotaParts;
  /** By address. */
  #warmingUp = new Map<string, NonNullable<SendingAddress["warmUp"]>>();
  #quotas = boundedMap<Quota>(WINDOWS_MAX);
  readonly #spent = new Set<string>();
  #isStopped = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: WarmUpQuotaParts) {
    this.#parts = parts;
    this.#reportLater();
  }

  set(addresses: readonly SendingAddress[]): void {
    const warmingUp = addresses.flatMap(({ ip, warmUp }) => (warmUp === null ? [] : ([[ip, warmUp]] as const)));
    const former = this.#warmingUp;
    this.#warmingUp = new Map(warmingUp);
    if (this.#warmingUp.size === 0) this.#quotas = boundedMap<Quota>(WINDOWS_MAX);
    const isChanged = (ip: string): boolean =>
      JSON.stringify(this.#warmingUp.get(ip)) !== JSON.stringify(former.get(ip));
    const changed = new Set([...this.#warmingUp.keys()].filter(isChanged));
    if (changed.size === 0) return;
    for (const [window, quota] of this.#quotas.entries())
      if (changed.has(sourceIn(window) ?? "")) Object.assign(quota, { oldFromMs: 0, nextDrawMs: 0 });
  }

  /** How many more messages may leave through the window; Infinity without a limit. Begins to draw further ones where few are left. */
  left(window: string): number {
    if (this.#settingOf(window) === null) return Number.POSITIVE_INFINITY;
    return Math.min(...partsOf(window).map((part) => this.#leftOf(part)));
  }

  /** Resolves once what is known of the window is of today, or could not be read. */
  async ready(window: string): Promise<void> {
    if (this.#settingOf(window) === null) return;
    for (const part of partsOf(window)) if (this.#leftOf(part) === 0) await this.#of(part).drawing;
  }

  /** An attempt begins for this number of recipients; to be ended by `end`. */
  begin(window: string, recipients = 1): void {
    if (this.#settingOf(window) === null) return;
    for (const part of partsOf(window)) {
      const quota = this.#of(part);
      quota.free -= recipients;
      quota.inAttempts += recipients;
    }
  }

  /** An attempt ends for this number of recipients. What was not accepted may be sent again. */
  end(window: string, recipients = 1): void {
    if (this.#warmingUp.size === 0) return;
    for (const part of partsOf(window)) {
      const quota = this.#quotas.peek(part);
      if (quota === undefined) continue;
      const ended = Math.min(recipients, quota.inAttempts);
      quota.inAttempts -= ended;
      quota.free += ended;
    }
  }

  /** A message was accepted for recipients, by these hosts; null for one that is not known. */
  accepted(window: string, hosts: readonly (string | null)[]): void {
    if (this.#warmingUp.size === 0) return;
    const parts = partsOf(window);
    for (const part of parts) {
      const quota = this.#quotas.peek(part);
      const isOf = (host: string | null): boolean =>
        parts.length === 1 || host === null || receiverOf(host) === withoutSource(part);
      const recipients = hosts.filter(isOf).length;
      if (quota === undefined || recipients === 0) continue;
      quota.accepted += recipients;
      quota.free -= recipients;
    }
  }

  /** The receiver refuses the address. Of several, the one that does is not known, and is met only by mail for it. */
  block(window: string): void {
    if (this.#settingOf(window) === null || partsOf(window).length > 1) return;
    const quota = this.#of(window);
    quota.isBlocked = true;
    void this.#draw(window, quota);
  }

  /** Whether nothing more may leave through the window today. */
  isSpent(window: string): boolean {
    if (this.#settingOf(window) === null) return false;
    const isSpent = partsOf(window).some((part) => this.#leftOf(part) === 0 && this.#isDrawnUp(this.#of(part)));
    if (isSpent) this.#spent.add(window);
    return isSpent;
  }

  /** The windows of which that was so when they were last asked about. */
  spent(): string[] {
    for (const window of this.#spent) if (!this.isSpent(window)) this.#spent.delete(window);
    return [...this.#spent];
  }

  /** The same of a window of another node: what it has drawn in advance does not count. */
  isSpentElsewhere(window: string): boolean {
    if (this.#settingOf(window) === null) return false;
    const nowMs = this.#parts.clock.monotonicMs();
    return partsOf(window).some((part) => {
      const quota = this.#of(part);
      if (quota.drawing === null && (quota.oldFromMs <= nowMs || !this.#isOfToday(quota)) && quota.nextDrawMs <= nowMs)
        void this.#draw(part, quota, { wanted: 0, freshMs: FRESH_ELSEWHERE_MS });
      return this.#isDrawnUp(quota);
    });
  }

  /** When the messages of the next day may leave, in milliseconds since the epoch. */
  get nextDayMs(): number {
    return (this.#today + 1) * DAY_MS;
  }

  /** Reports what was accepted, and gives back what was drawn and not used. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    const drawn = [...this.#quotas.entries()].filter(([, { day }]) => day !== null);
    await Promise.all(drawn.map(([window, quota]) => this.#draw(window, quota, { givesBack: true })));
  }

  #settingOf(window: string): NonNullable<SendingAddress["warmUp"]> | null {
    if (this.#warmingUp.size === 0) return null;
    return this.#warmingUp.get(sourceIn(window) ?? "") ?? null;
  }

  #leftOf(part: string): number {
    const quota = this.#of(part);
    this.#drawIfNeeded(part, quota);
    if (!this.#isOfToday(quota)) return 0;
    return quota.isUnlimited ? Number.POSITIVE_INFINITY : Math.max(0, quota.free);
  }

  #of(window: string): Quota {
    const known = this.#quotas.get(window);
    if (known !== undefined) return known;
    const unknown = { day: null, isUnlimited: false, limit: 0, free: 0, inAttempts: 0, left: 0, accepted: 0 };
    const quota = { ...unknown, isBlocked: false, nextDrawMs: 0, oldFromMs: 0, drawing: null };
    this.#quotas.set(window, quota);
    return quota;
  }

  get #today(): number {
    return Math.floor(this.#parts.clock.now() / DAY_MS);
  }

  /** A clock that was set back by less than a day does not end the day; see onDay in receivers/warm-up.ts. */
  #isOfToday({ day, oldFromMs }: Quota): boolean {
    return day !== null && oldFromMs > 0 && (day === this.#today || day === this.#today + 1);
  }

  /** Whether nothing is left to be drawn today. */
  #isDrawnUp(quota: Quota): boolean {
    return this.#isOfToday(quota) && !quota.isUnlimited && quota.left === 0;
  }

  #drawIfNeeded(window: string, quota: Quota): void {
    const nowMs = this.#parts.clock.monotonicMs();
    if (quota.drawing !== null || this.#isStopped || nowMs < quota.nextDrawMs) return;
    const block = Math.max(1, Math.ceil(quota.limit * DRAWN_SHARE));
    // Of a limit that is not known yet, one message is drawn.
    if (!this.#isOfToday(quota)) void this.#draw(window, quota, { wanted: 1, givesBack: quota.day !== null });
    else if (!quota.isUnlimited && quota.free < (block + 1) / 2 && quota.left > 0)
      void this.#draw(window, quota, { wanted: block });
    else if (nowMs >= quota.oldFromMs) void this.#draw(window, quota);
  }

  /** Never rejects. */
  async #draw(window: string, quota: Quota, draw: Partial<Draw> = {}): Promise<void> {
    const former = quota.drawing ?? Promise.resolve();
    const drawing = former.then(() => this.#drawNow(window, quota, { ...NO_DRAW, ...draw }));
    quota.drawing = drawing;
    await drawing;
    if (quota.drawing === drawing) quota.drawing = null;
    if (!this.#isStopped) this.#parts.onCapacity();
  }

  async #drawNow(window: string, quota: Quota, { wanted, givesBack, freshMs }: Draw): Promise<void> {
    const { spool, clock, log, onCapacity } = this.#parts;
    const setting = this.#settingOf(window);
    if (setting === null) return;
    const { day: lastDay, accepted, isBlocked } = quota;
    const unused = quota.free < 0 || givesBack ? quota.free : 0;
    try {
      const { state, granted, left } = await spool.drawWarmUp(
        { address: sourceIn(window) ?? "", receiver: withoutSource(window) },
        {
          schedule: setting.schedule ?? DEFAULT_SCHEDULE,
          firstPlace: setting.firstPlace,
          day: this.#today,
          wanted,
          lastDay,
          unused: quota.isUnlimited ? 0 : unused,
          accepted,
          isBlocked,
        },
      );
      const limit = dailyLimit(setting.schedule ?? DEFAULT_SCHEDULE, state.place);
      // Nothing that was drawn of another day is left; attempts that go on from then are of this one.
      const isSameDay = state.day === lastDay && !quota.isUnlimited;
      const free = isSameDay ? quota.free - unused : -quota.inAttempts;
      Object.assign(quota, {
        day: state.day,
        isUnlimited: limit === null,
        limit: limit ?? 0,
        free: free + (granted ?? 0),
        left: left ?? 0,
        accepted: quota.accepted - accepted,
        // A block that was met meanwhile is for the next draw.
        isBlocked: quota.isBlocked && !isBlocked,
        nextDrawMs: 0,
        oldFromMs: clock.monotonicMs() + freshMs,
      });
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      log.warn({ error: errorText(error) }, "warm-up of sending addresses not stored");
      quota.nextDrawMs = clock.monotonicMs() + RETRY_MS;
      if (!this.#isStopped) clock.after(RETRY_MS, onCapacity);
    }
  }

  #reportLater(): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#parts.clock.after(REPORT_EVERY_MS, () => {
      for (const [window, quota] of this.#quotas.entries())
        if (quota.accepted > 0 && quota.drawing === null) void this.#draw(window, quota);
      this.#reportLater();
    });
  }
}

/** The windows of one receiver each that a window stands for. */
function partsOf(window: string): string[] {
  const receivers = receiversIn(window);
  const address = sourceIn(window);
  return receivers.length === 1 || address === null ? [window] : receivers.map((each) => withSource(each, address));
}
