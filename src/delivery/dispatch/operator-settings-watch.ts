/** Reads what operators set in the spool for delivery, and again every few seconds: another process may have changed it. */
import type { Clock } from "../../lib/clock.ts";
import type { TlsRules } from "../../message/tls-rules.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { readReceiverOverrides } from "../../spool/port/receiver-limits.ts";
import { readSendingPlan, type SendingPlan } from "../../spool/port/sending-addresses.ts";
import { readTlsRules } from "../../spool/port/tls-rules.ts";
import type { LimitsOfDestinations } from "../routing/connection-limits.ts";

const LOOK_EVERY_MS = 10_000;

export interface OperatorSettingsWatchParts {
  spool: Pick<KeyValueStore, "readValue">;
  clock: Clock;
  limits: LimitsOfDestinations;
  onTlsRules: (rules: TlsRules) => void;
  onSendingPlan: (plan: SendingPlan) => void;
}

export class OperatorSettingsWatch {
  readonly #parts: OperatorSettingsWatchParts;
  #lastLimits = "";
  #isStopped = false;
  #cancelTimer: () => void = () => {};

  constructor(parts: OperatorSettingsWatchParts) {
    this.#parts = parts;
  }

  /** Resolves after the first time. Rejects if the spool cannot be read: without its TLS rules, mail might leave in plain text. */
  async start(): Promise<void> {
    await this.#read();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancelTimer = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      // What was read last goes on to hold.
      void this.#read()
        .catch(() => {})
        .then(() => this.#schedule());
    });
  }

  async #read(): Promise<void> {
    const { spool, limits, onTlsRules, onSendingPlan } = this.#parts;
    const [overrides, rules, plan] = await Promise.all([
      readReceiverOverrides(spool),
      readTlsRules(spool),
      readSendingPlan(spool),
    ]);
    const text = JSON.stringify([...overrides]);
    if (text !== this.#lastLimits) limits.set(overrides);
    this.#lastLimits = text;
    onTlsRules(rules);
    onSendingPlan(plan);
  }
}
