/**
 * Workers as processes of node:cluster: the supervisor's process holds the listening sockets and hands connections to the workers in
 * turn. A worker is this same program with its number as the argument.
 */
import cluster, { type Worker } from "node:cluster";
import type { Readable } from "node:stream";
import type { Clock } from "../lib/clock.ts";
import { MetricsGatherer, type WorkerPort } from "./gathering.ts";
import { forwardLines } from "./line-forwarder.ts";
import type { ToSupervisor, ToWorker } from "./messages.ts";
import type { SupervisedWorker, WorkerEnd } from "./supervisor.ts";

/** Starts workers whose standard output is written by `write` in whole lines. Standard error is shared. */
export function workerProcesses(clock: Clock, write: (lines: string) => void): (number: number) => SupervisedWorker {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const gatherer = new MetricsGatherer(clock);
  return (number) => {
    cluster.setupPrimary({ args: [String(number)], stdio: ["ignore", "pipe", "inherit", "ipc"] });
    const worker = cluster.fork();
    forwardLines(worker.process.stdout as Readable, write);
    const port: WorkerPort = (message) => sendTo(worker, message);
    const ended = endOf(worker);
    void ended.then(() => gatherer.remove(port));
    return {
      ready: new Promise((resolve) => {
        worker.on("message", (message: ToSupervisor) => {
          if (message.type !== "ready") return gatherer.receive(port, message);
          gatherer.add(port);
          resolve();
        });
      }),
      ended,
      kill: (signal) => void worker.process.kill(signal),
    };
  };
}

/** A worker that has ended meanwhile needs no answer. */
function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

function endOf(worker: Worker): Promise<WorkerEnd> {
  return new Promise((resolve) => {
    worker.process.once("close", (code, signal) => resolve({ code, signal }));
    // It could not be started.
    worker.on("error", () => {
      if (worker.process.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}
