/**
 * Whether a start may trust its wall clock, judged by the time that the last run recorded. A host that boots with its clock far
 * ahead looks the same as a service that was down for long; in both cases a pause of retention costs nothing.
 */

import { type Clock, rfc3339 } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Spool } from "../../spool/port/spool.ts";

const NOTE = "last-time";
/** Longer than an update or a reboot takes, and far shorter than a useful retention period. */
const AHEAD_MAX_MS = DAY_MS;

/** Records the time for the next start. Pass a trusted time only: the next start would trust a wrong one. */
export function recordRunTime(spool: Pick<Spool, "writeValue">, nowMs: number): Promise<void> {
  return spool.writeValue(NOTE, String(nowMs));
}

export interface LastRunParts {
  spool: Pick<Spool, "readValue">;
  clock: Clock;
  log: Logger;
}

/** Whether the clock is more than a day ahead of the recorded time, or that time is not known. Never rejects. */
export async function isAheadOfLastRun({ spool, clock, log }: LastRunParts): Promise<boolean> {
  const text = await spool.readValue(NOTE).catch(() => null);
  const lastMs = text === null ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(lastMs) || lastMs < 0) return true;
  const aheadMs = clock.now() - lastMs;
  if (aheadMs <= AHEAD_MAX_MS) return false;
  const message = "clock more than a day ahead of the last run: retention pauses for an hour";
  log.warn({ lastTime: rfc3339(lastMs), aheadSeconds: Math.round(aheadMs / 1000) }, message);
  return true;
}
