/** The registration of this node, as its leases need it. */
import type { Clock } from "../../../../lib/clock.ts";
import type { Node } from "./node.ts";
import { LEASE_MS } from "./nodes-table.ts";

export interface NodeLease {
  /** Names this registration in the leases. It changes when the node registers anew. */
  readonly number: number;
  readonly slot: number;
  /** Whether the node's leases still hold, by a monotonic clock. */
  leaseIsCurrent(): boolean;
  /** When they end unless renewed, by the database's clock. */
  leaseUntilMs(): number;
  readonly isDraining: boolean;
  /** Whether other nodes are alive. */
  readonly hasOthers: boolean;
}

/** A process that is no node leases nothing. */
export const NO_NODE: NodeLease = {
  number: 0,
  slot: 0,
  leaseIsCurrent: () => false,
  leaseUntilMs: () => 0,
  isDraining: true,
  hasOthers: true,
};

export function leaseOf(node: Node, clock: Pick<Clock, "now">): NodeLease {
  const numberOf = (): number => node.registration?.number ?? 0;
  return {
    get number() {
      return numberOf();
    },
    get slot() {
      return node.registration?.slot ?? 0;
    },
    leaseIsCurrent: () => node.leaseIsCurrent(numberOf()),
    leaseUntilMs: () => clock.now() + LEASE_MS,
    get isDraining() {
      return node.isDraining;
    },
    get hasOthers() {
      return node.hasOthers;
    },
  };
}
