/**
 * What the nodes of one store share about the destinations of mail: a text for each, in which delivery keeps the destination's window
 * and the slots that each node holds. delivery/throttle/slot-exchange.ts decides what is in it. Times are milliseconds since the
 * epoch, by the store's clock.
 */

/** A destination's shared state, locked until the change is committed. */
export interface SharedDestination {
  name: string;
  /** Null if nothing is stored. */
  state: string | null;
  /** Names this node in the states. */
  self: string;
  /** Whether the node of this name may still use what it holds. Slots held by ended nodes are free. */
  isLive: (node: string) => boolean;
  /** Whether each live node shares its destinations; until then, one may use slots that it has not registered. */
  allShare: boolean;
  nowMs: number;
}

export interface DestinationSlots {
  /** Whether other nodes may use the same destinations. A single node keeps its windows in memory, without an exchange. */
  readonly areShared: boolean;
  /** The node's name in the states. After it gets another name, it holds nothing. */
  readonly self: string;
  /** Whether the node may use what it holds, by a monotonic clock, without asking the store. */
  isCurrent(): boolean;
  /** Sets the listener for changes of `areShared`. Once it is true, an exchange must register all slots in use. */
  onSharing(changed: () => void): void;
  /**
   * Changes the states of these destinations in one transaction. `change` returns the new state, or null to delete it; it may be
   * called again if the transaction is repeated, and must not throw. From the first exchange on, other nodes rely on the states for
   * what this node uses. Rejects with SpoolUnavailable; then the states may or may not have changed.
   */
  exchange(names: readonly string[], change: (shared: SharedDestination) => string | null): Promise<void>;
}

/** For a process that is the only one on its store. */
export const UNSHARED_SLOTS: DestinationSlots = {
  areShared: false,
  self: "",
  isCurrent: () => true,
  onSharing: () => {},
  exchange: () => Promise.resolve(),
};
