/**
 * Decides when quarantined messages are looked at again: soon after the start and then every few minutes, a part at a time.
 * What is released, and how it is read, is the spool's to say.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Spool } from "../spool/port/spool.ts";

const EVERY_MS = 5 * 60_000;
/** Where the part before was released: a disk that was away for a moment may have left thousands. */
const SOON_MS = 1000;
const PART_MESSAGES = 100;
const PART_BYTES = 32 * 1024 * 1024;
/** Ids in one line of the log. */
const IDS_MAX = 20;

export interface QuarantineRechecks {
  spool: Pick<Spool, "recheckQuarantined">;
  clock: Clock;
  log: Logger;
  /** What becomes of recipients whose attempt ended with its result unknown. */
  result: "unknown" | "pending";
}

/** Starts the rechecks; returns how to stop them. */
export function startQuarantineRechecks({ spool, clock, log, result }: QuarantineRechecks): () => void {
  let isStopped = false;
  let cancel = (): void => {};
  let from = 0;
  const again = (delayMs: number): void => {
    if (!isStopped) cancel = clock.after(delayMs, () => void recheck());
  };
  async function recheck(): Promise<void> {
    const part = { after: from, limit: PART_MESSAGES, bytesMax: PART_BYTES };
    try {
      const { released, next } = await spool.recheckQuarantined({ ...part, nowMs: clock.now(), result });
      const messages = released.length;
      if (messages > 0) log.info({ messages, ids: released.slice(0, IDS_MAX) }, "released from quarantine");
      from = next ?? 0;
      again(messages > 0 && next !== null ? SOON_MS : EVERY_MS);
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, "quarantined messages could not be checked");
      again(EVERY_MS);
    }
  }
  again(SOON_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}
