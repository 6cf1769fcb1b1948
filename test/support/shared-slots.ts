/** The shared states of destinations in memory, and nodes that exchange them, for tests of delivery. */
import type { DestinationSlots, SharedDestination } from "../../src/spool/port/destination-slots.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";

export interface SharedStore {
  nowMs: () => number;
  states: Map<string, string>;
  ended: Set<string>;
  /** While true, exchanges are rejected. */
  isDown: boolean;
  /** The names of each exchange. */
  exchanges: string[][];
}

export function sharedStore(nowMs: () => number): SharedStore {
  return { nowMs, states: new Map(), ended: new Set(), isDown: false, exchanges: [] };
}

export class FakeSlots implements DestinationSlots {
  readonly #store: SharedStore;
  areShared: boolean;
  self: string;
  hasLease = true;
  #changed = (): void => {};

  constructor(store: SharedStore, self: string, areShared = true) {
    this.#store = store;
    this.self = self;
    this.areShared = areShared;
  }

  isCurrent(): boolean {
    return this.hasLease;
  }

  onSharing(changed: () => void): void {
    this.#changed = changed;
  }

  setShared(areShared: boolean): void {
    this.areShared = areShared;
    this.#changed();
  }

  async exchange(names: readonly string[], change: (shared: SharedDestination) => string | null): Promise<void> {
    const { states, ended, nowMs, isDown, exchanges } = this.#store;
    exchanges.push([...names]);
    if (isDown) throw new SpoolUnavailable("down");
    for (const name of names) {
      const isLive = (node: string): boolean => !ended.has(node);
      const shared = { name, state: states.get(name) ?? null, self: this.self, isLive, allShare: true, nowMs: nowMs() };
      const state = change(shared);
      if (state === null) states.delete(name);
      else states.set(name, state);
    }
  }
}
