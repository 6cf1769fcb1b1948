/**
 * One client that sends messages of 4 KB one after the other and measures the responses, in a process of its own, so
 * that no other work of the benchmark delays it. Each order arrives over the IPC channel, and the latencies are its
 * answer.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Submitter } from "../sides/side.ts";
import { httpSubmitter } from "./http.ts";

/** The target is given once. */
export interface PacedTarget {
  host: string;
  port: number;
  key: string;
  sender: string;
}

export interface PacedOrder {
  target: PacedTarget;
  /** The number of messages; without it, until the order `stop`. */
  messages?: number;
}

export interface PacedResult {
  /** Milliseconds until the response of each accepted message. */
  latenciesMs: number[];
  /** Responses other than 202, and lost connections. */
  failed: number;
  lastFailure: string;
}

const PAUSE_MS = 5;
const FAILURE_PAUSE_MS = 100;

let isStopped = false;
let number = 1;

async function measure({ target, messages = Number.POSITIVE_INFINITY }: PacedOrder): Promise<PacedResult> {
  const result: PacedResult = { latenciesMs: [], failed: 0, lastFailure: "" };
  let client: Submitter | null = null;
  isStopped = false;
  while (!isStopped && result.latenciesMs.length < messages) {
    client ??= await httpSubmitter(target);
    const startMs = performance.now();
    try {
      await client.send(number++);
      result.latenciesMs.push(performance.now() - startMs);
      await delay(PAUSE_MS);
    } catch (error) {
      result.failed++;
      result.lastFailure = (error as Error).message;
      client.close();
      client = null;
      await delay(FAILURE_PAUSE_MS);
    }
  }
  client?.close();
  return result;
}

process.on("message", (order: PacedOrder | "stop") => {
  if (order === "stop") isStopped = true;
  else void measure(order).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));
