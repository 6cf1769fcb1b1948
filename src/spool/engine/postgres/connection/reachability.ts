/**
 * Waits at the start for a database that is starting too, as containers do that are started together. Errors that waiting does
 * not mend end the wait at once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientConfig } from "pg";
import type { Clock } from "../../../../lib/clock.ts";
import type { Logger } from "../../../../lib/log.ts";
import { describeDatabaseFailure, mayPass } from "./open-failure.ts";

/** Less than supervisors wait before they count a start as failed. */
const WAIT_MAX_MS = 30_000;
const RETRY_AFTER_MS = 500;

export interface WaitOptions {
  config: ClientConfig;
  clock: Clock;
  log: Logger;
  /** The longest wait; 30 s if absent. */
  waitMaxMs?: number;
}

/** Resolves when the database accepts a connection. Rejects with the last error. Logs that it waits. */
export async function untilReachable({ config, clock, log, waitMaxMs = WAIT_MAX_MS }: WaitOptions): Promise<void> {
  const untilMs = clock.monotonicMs() + waitMaxMs;
  for (let attempt = 1; ; attempt += 1) {
    const error = await connectionError(config);
    if (error === null) return;
    if (!mayPass(error) || clock.monotonicMs() + RETRY_AFTER_MS > untilMs) throw error;
    if (attempt === 1) {
      log.warn({ reason: describeDatabaseFailure(error), waitMaxMs }, "waiting for the database");
    }
    // A timer of the clock does not keep the process alive.
    await sleep(RETRY_AFTER_MS);
  }
}

async function connectionError(config: ClientConfig): Promise<unknown> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => {});
  }
}
