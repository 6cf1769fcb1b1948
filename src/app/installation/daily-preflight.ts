/**
 * A preflight each day, from this node's addresses, with the receivers that mail was sent to in the last month; the first one an hour or two
 * after the start, at a random moment. The result is stored, and what has become worse is told. doctor/preflight.ts has the sessions.
 */
import type { AddressPreflight } from "../../doctor/preflight.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS, HOUR_MS } from "../../lib/units.ts";
import { PROFILES, type ReceiverProfile } from "../../receivers/profiles.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { DAYS_KEPT, readReceiverResults } from "../../spool/port/receiver-results.ts";
import { preflightReport, readOwnPreflight, storePreflight, worsened } from "../reports/preflight.ts";

export interface DailyPreflightParts {
  spool: Pick<KeyValueStore, "readNodeValue" | "writeNodeValue" | "readLiveNodeValues">;
  clock: Clock;
  log: Pick<Logger, "info" | "warn">;
  /** In [0, 1). */
  random: () => number;
  examine: (profiles: readonly ReceiverProfile[]) => Promise<AddressPreflight[]>;
  /** Gets what has become worse, one sentence each. */
  onWorse: (sentences: readonly string[], atMs: number) => Promise<void>;
}

/** Whether a preflight is due is looked at so often. */
const LOOK_EVERY_MS = HOUR_MS;

export class DailyPreflight {
  readonly #parts: DailyPreflightParts;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(parts: DailyPreflightParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#schedule(LOOK_EVERY_MS * (1 + this.#parts.random()));
  }

  /** A preflight under way ends without a result. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(delayMs, () => void this.#look().then(() => this.#schedule(LOOK_EVERY_MS)));
  }

  async #look(): Promise<void> {
    try {
      await this.#runIfDue();
    } catch (error) {
      this.#parts.log.warn({ error: errorText(error) }, "preflight failed");
    }
  }

  async #runIfDue(): Promise<void> {
    const { spool, clock, log, examine, onWorse } = this.#parts;
    const before = await readOwnPreflight(spool);
    // A clock that was set back must not end the preflights.
    if (before !== null && Math.abs(clock.now() - before.atMs) < DAY_MS) return;
    const used = await readReceiverResults(spool, { nowMs: clock.now(), days: DAYS_KEPT });
    const profiles = PROFILES.filter(({ name, example }) => example !== undefined && used.has(name));
    if (profiles.length === 0) return;
    const report = preflightReport(await examine(profiles));
    if (this.#isStopped) return;
    const atMs = clock.now();
    await storePreflight(spool, { atMs, ...report });
    const worse = worsened(before, report);
    log[worse.length === 0 ? "info" : "warn"]({ summary: report.summary, worse }, "preflight");
    if (worse.length > 0) await onWorse(worse, atMs);
  }
}
