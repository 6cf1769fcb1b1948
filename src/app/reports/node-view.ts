/** A node as the command line and the management interface show it. */
import { rfc3339 } from "../../lib/clock.ts";
import type { NodeReport } from "../../spool/port/nodes.ts";

export function nodeView(node: NodeReport) {
  return {
    name: node.name,
    version: node.version,
    address: node.address,
    state: node.state,
    started_at: rfc3339(node.startedAtMs),
    heartbeat_at: rfc3339(node.heartbeatAtMs),
    draining: node.isDraining,
    leases: node.leases,
    delivered_last_minute: node.deliveredLastMinute,
    sending_ips: node.sendingIps,
  };
}
