/** This process as one of the workers of a host. It goes on without its supervisor until it has completed what is in progress. */
import cluster from "node:cluster";
import { systemClock } from "../lib/clock.ts";
import { GatheredMetrics } from "./gathering.ts";
import type { ToSupervisor, ToWorker } from "./messages.ts";

export interface OwnWorker {
  /** From 1. */
  number: number;
  metrics: GatheredMetrics;
  /** Reports to the supervisor that this worker listens. */
  ready(): void;
  /** Calls `listener` if the supervisor has died: then no connection reaches this worker any more. */
  onAbandoned(listener: () => void): void;
}

/** Null in a process that is not a worker. */
export function ownWorker(): OwnWorker | null {
  const { worker } = cluster;
  if (worker === undefined) return null;
  // Otherwise node:cluster ends the process at once when the channel to the supervisor closes.
  worker.exitedAfterDisconnect = true;
  const send = (message: ToSupervisor): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  const metrics = new GatheredMetrics(systemClock, send);
  process.on("message", (message: ToWorker) => metrics.receive(message));
  return {
    number: Number(process.argv[2]),
    metrics,
    ready: () => send({ type: "ready" }),
    onAbandoned: (listener) => void process.once("disconnect", listener),
  };
}
