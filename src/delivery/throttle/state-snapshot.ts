/**
 * Snapshots of what delivery has learnt about other hosts, kept across restarts: congestion windows and addresses that do not
 * answer. Losing one costs only time, so a snapshot is written once a minute if anything changed, and at the end. Each node has its
 * own: other hosts may treat the addresses of two nodes differently.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { NODE_ENTRIES } from "../../spool/port/key-value.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { CongestionWindows } from "./congestion-window.ts";
import type { HostHealth } from "./host-health.ts";

/** The key in the spool; stored, so it does not change. */
const KEY = NODE_ENTRIES.deliveryMemory;
const WRITE_EVERY_MS = 60_000;

export interface StateSnapshotParts {
  spool: Pick<Spool, "readNodeValue" | "writeNodeValue">;
  clock: Clock;
  log: Logger;
  destinations: Pick<CongestionWindows, "states" | "restore">;
  health: HostHealth;
}

export class StateSnapshot {
  readonly #parts: StateSnapshotParts;
  #written = "";
  #cancelTimer: () => void = () => {};

  private constructor(parts: StateSnapshotParts) {
    this.#parts = parts;
  }

  /** Restores the last snapshot and starts writing new ones. Never rejects: an unreadable snapshot is logged. */
  static async start(parts: StateSnapshotParts): Promise<StateSnapshot> {
    const snapshot = new StateSnapshot(parts);
    await snapshot.#restore();
    snapshot.#writeLater();
    return snapshot;
  }

  /** Writes a last snapshot. Never rejects. */
  async stop(): Promise<void> {
    this.#cancelTimer();
    await this.#write();
  }

  async #restore(): Promise<void> {
    const { spool, clock, log, destinations, health } = this.#parts;
    try {
      const known = JSON.parse((await spool.readNodeValue(KEY)) ?? "{}");
      destinations.restore(known.destinations ?? [], clock.monotonicMs());
      health.restore(known.addresses ?? []);
    } catch (error) {
      log.warn({ error: (error as Error).message }, "delivery state snapshot not restored");
    }
  }

  #writeLater(): void {
    this.#cancelTimer = this.#parts.clock.after(WRITE_EVERY_MS, () => {
      void this.#write().then(() => this.#writeLater());
    });
  }

  async #write(): Promise<void> {
    const { spool, clock, log, destinations, health } = this.#parts;
    const text = JSON.stringify({ destinations: destinations.states(clock.monotonicMs()), addresses: health.states() });
    if (text === this.#written) return;
    try {
      await spool.writeNodeValue(KEY, text);
      this.#written = text;
    } catch (error) {
      log.warn({ error: (error as Error).message }, "delivery state snapshot not written");
    }
  }
}
