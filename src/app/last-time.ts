/**
 * Whether a start may trust its wall clock: it is compared with the time that the last run noted. A host that boots with its
 * clock far ahead looks the same as a service that was down for long; for both, a pause of retention costs nothing.
 */
import { type Clock, rfc3339 } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Spool } from "../spool/port/spool.ts";

const NOTE = "last-time";
/** Longer than an update or a reboot takes; far shorter than any retention period that is worth having. */
const AHEAD_MAX_MS = 86_400_000;

/** Notes the time, for the next start. Only for a time that is trusted: an untrusted one would make the next start trust it. */
export function noteTime(spool: Pick<Spool, "writeValue">, nowMs: number): Promise<void> {
  return spool.writeValue(NOTE, String(nowMs));
}

export interface Start {
  spool: Pick<Spool, "readValue">;
  clock: Clock;
  log: Logger;
}

/** Whether the clock is more than a day ahead of the last time noted; also where that is not known. Never rejects. */
export async function startsAhead({ spool, clock, log }: Start): Promise<boolean> {
  const text = await spool.readValue(NOTE).catch(() => null);
  const lastMs = text === null ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(lastMs) || lastMs < 0) return true;
  const aheadMs = clock.now() - lastMs;
  if (aheadMs <= AHEAD_MAX_MS) return false;
  const message = "the clock is more than a day ahead of the last run: retention pauses for an hour";
  log.warn({ lastTime: rfc3339(lastMs), aheadSeconds: Math.round(aheadMs / 1000) }, message);
  return true;
}
