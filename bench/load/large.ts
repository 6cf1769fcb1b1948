/** HTTP load of long messages by large-clients.ts: unlike wrk's, its clients wait and repeat refused messages. */
import { ask, startScript } from "../child.ts";
import type { LargeCounts, LargeOrder } from "./large-clients.ts";

export interface LargeSent extends LargeCounts {
  /** From performance.now() of this process, like `endMs`. */
  startMs: number;
  /** The time of the last response. */
  endMs: number;
}

/** Sends the messages until each is accepted or the time is over. */
export async function sendLarge(order: LargeOrder): Promise<LargeSent> {
  const child = await startScript("bench/load/large-clients.ts", [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const counts = await ask<LargeCounts>(child, order);
  await child.stop();
  const startMs = counts.startEpochMs - performance.timeOrigin;
  return { ...counts, startMs, endMs: startMs + counts.ms };
}
