/** The port of the nodes: what the command line and the dashboard see and do, and what this node says of itself. */
import type { NodeReport, Nodes, OwnNode } from "../../../port/nodes.ts";
import type { Database } from "../connection/database.ts";
import type { Node } from "./node.ts";
import { announceAddresses, announcedAddresses } from "./node-addresses.ts";
import { drainNodes, hasClaimingSibling, resumeNodes } from "./node-drain.ts";
import { listNodes, type NodeRow } from "./nodes-table.ts";

/** This process's node, and its leases. */
export interface OwnNodeParts {
  name: string;
  node: Node;
  leases: () => number;
  lossAtMs: () => number | null;
}

/** `own` is null in a process that is no node. */
export function nodeOperations(database: Database, own: OwnNodeParts | null): Nodes {
  return {
    own: own === null ? null : ownNode(database, own),
    list: async () => (await listNodes(database)).flatMap(reportOf),
    drain: (name) => drainNodes(database, name),
    resume: (name) => resumeNodes(database, name),
    sendingIps: () => announcedAddresses(database),
  };
}

function ownNode(database: Database, { name, node, leases, lossAtMs }: OwnNodeParts): OwnNode {
  return {
    name,
    heartbeatAgeMs: () => node.heartbeatAgeMs,
    leases,
    lossAtMs,
    get isDraining() {
      return node.isDraining;
    },
    isHostDraining: async () => node.isDraining && !(await hasClaimingSibling(database, name)),
    announceSendingIps: (ips) => announceAddresses(database, name, ips),
  };
}

/** Nodes that have ended are left out: the others recover their work within seconds. */
function reportOf({ number, schemaVersion, state, isDrained, ...row }: NodeRow): NodeReport[] {
  if (state === "ended") return [];
  if (state === "expired") return [{ ...row, state }];
  const working = row.isDraining ? "draining" : "live";
  return [{ ...row, state: isDrained ? "drained" : working }];
}
