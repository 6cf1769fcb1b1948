/**
 * The nodes that share a store: what operators see of them, and how one is drained. A store that belongs to one process has no
 * nodes (see store.ts).
 */

export interface NodeReport {
  /** NODE_NAME; of one of several processes of a host, NODE_NAME#1 and so on. A restarted node may be listed twice for a moment. */
  name: string;
  /** Where its HTTP listener is reached, as far as the node knows. */
  address: string;
  /** Of Postrider. */
  version: string;
  startedAtMs: number;
  /** By the store's clock, like `startedAtMs`. */
  heartbeatAtMs: number;
  /**
   * `draining`: it claims nothing, and completes what it leases. `drained`: it no longer leases anything. `expired`: its heartbeats
   * have stopped, and other nodes take its work over.
   */
  state: "live" | "draining" | "drained" | "expired";
  /** Whether an operator has drained it, whatever its state. */
  isDraining: boolean;
  /** Recipients that it leased at its last heartbeat. */
  leases: number;
  /** Recipients that it delivered in the minute before its last heartbeat. */
  deliveredLastMinute: number;
  /** The addresses that it sends from. */
  sendingIps: string[];
}

export type Drain =
  /** `names`: of the nodes that drain from now on, or did before. */
  | { type: "draining"; names: string[] }
  /** No other node would deliver. Nothing has changed. */
  | { type: "last_node" }
  /** `names`: of all nodes. */
  | { type: "unknown_node"; names: string[] };

export type Resume =
  /** `names`: of the nodes that drained. */
  { type: "resumed"; names: string[] } | { type: "not_draining" } | { type: "unknown_node"; names: string[] };

/** This process as one of the nodes. */
export interface OwnNode {
  readonly name: string;
  /** How long ago the store confirmed its last heartbeat. */
  heartbeatAgeMs(): number;
  /** Recipients that it leases. */
  leases(): number;
  readonly isDraining: boolean;
  /** When the nodes found that a failover of the store had lost transactions, the last time; null if it never has. */
  lossAtMs(): number | null;
  /** Whether it drains, and all other live nodes of its host too: then another host should be asked. */
  isHostDraining(): Promise<boolean>;
  /** Stores the addresses that it sends from, which replace earlier ones of its name. */
  announceSendingIps(ips: readonly string[]): Promise<void>;
}

export interface Nodes {
  /** Null in a process that is not a node, such as the command line. */
  readonly own: OwnNode | null;
  /** All registered nodes by name. */
  list(): Promise<NodeReport[]>;
  /**
   * Drains the nodes of this name, or all processes of a host by its NODE_NAME: they claim no more, leave what they accept to other
   * nodes, and complete what is in progress. It ends with `resume`, or when the node restarts.
   */
  drain(name: string): Promise<Drain>;
  /** The nodes of this name claim again; names as for `drain`. */
  resume(name: string): Promise<Resume>;
  /** The sending addresses of all nodes that were registered within the last day, in a stable order. */
  sendingIps(): Promise<string[]>;
}
