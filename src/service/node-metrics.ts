/** Metrics of this process as a node. What describes the whole cluster is in metrics.ts. */
import { Gauge, type Registry } from "prom-client";
import type { OwnNode } from "../spool/port/nodes.ts";

export interface NodeName {
  name: string;
  /** Of Postrider. */
  version: string;
}

/** `own` is null where the spool belongs to one process, which has no heartbeats and leases. */
export function nodeGauges({ name, version }: NodeName, own: OwnNode | null, registers: Registry[]): void {
  const info = new Gauge({
    name: "postrider_node_info",
    help: "1 for this process, with its name and the version of Postrider.",
    labelNames: ["name", "version"],
    registers,
  });
  info.set({ name, version }, 1);
  if (own === null) return;
  const gauge = (gaugeName: string, help: string, value: () => number): void => {
    new Gauge({
      name: gaugeName,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };
  gauge(
    "postrider_node_heartbeat_age_seconds",
    "Time since the database confirmed this node's last heartbeat. Every 1.5 s is normal; from 5 s on it attempts nothing.",
    () => own.heartbeatAgeMs() / 1000,
  );
  gauge("postrider_node_leases", "Recipients that this node leases, waiting or in an attempt.", () => own.leases());
  gauge(
    "postrider_node_database_loss_timestamp_seconds",
    "When a failover of the database that had lost transactions was noticed, the last time, in Unix time; 0 without one.",
    () => (own.lossAtMs() ?? 0) / 1000,
  );
  gauge("postrider_node_draining", "1 while this node drains.", () => (own.isDraining ? 1 : 0));
}
