/**
 * When quarantined messages are rechecked: soon after the start and then every few minutes, one batch at a time. The spool decides
 * what is released.
 */

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { MIB, MINUTE_MS } from "../../lib/units.ts";
import type { Spool } from "../../spool/port/spool.ts";

const INTERVAL_MS = 5 * MINUTE_MS;
/** After a batch with a released message: a disk that was briefly unavailable may have quarantined thousands. */
const NEXT_BATCH_MS = 1000;
const BATCH_MESSAGES = 100;
const BATCH_BYTES = 32 * MIB;
/** Message ids in one log line. */
const IDS_MAX = 20;

export interface QuarantineRecheckParts {
  spool: Pick<Spool, "recheckQuarantined">;
  clock: Clock;
  log: Logger;
  /** The result of recipients whose attempt ended without a known result. */
  result: "unknown" | "pending";
}

/** Starts the rechecks; returns how to stop them. */
export function startQuarantineRechecks({ spool, clock, log, result }: QuarantineRecheckParts): () => void {
  let isStopped = false;
  let cancel = (): void => {};
  let from = 0;
  const schedule = (delayMs: number): void => {
    if (!isStopped) cancel = clock.after(delayMs, () => void recheck());
  };
  async function recheck(): Promise<void> {
    const batch = { after: from, limit: BATCH_MESSAGES, bytesMax: BATCH_BYTES };
    try {
      const { released, next } = await spool.recheckQuarantined({ ...batch, nowMs: clock.now(), result });
      const messages = released.length;
      if (messages > 0) log.info({ messages, ids: released.slice(0, IDS_MAX) }, "released from quarantine");
      from = next ?? 0;
      schedule(messages > 0 && next !== null ? NEXT_BATCH_MS : INTERVAL_MS);
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, "quarantine recheck failed");
      schedule(INTERVAL_MS);
    }
  }
  schedule(NEXT_BATCH_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}
