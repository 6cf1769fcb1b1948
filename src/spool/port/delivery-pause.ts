/**
 * Delivery that stands still because the spool was restored from a backup: what waited when that was made may have been
 * delivered since. Kept as a note, which a backup carries in itself, however it is put back.
 */
import { rfc3339 } from "../../lib/clock.ts";
import type { Spool } from "./mail.ts";

export const PAUSE_ENTRY = "delivery-paused";

export interface DeliveryPause {
  /** When the backup was made; null where that cannot be read. */
  backupAtMs: number | null;
  /** The newest message in it (seq); 0 when there is none. Times would not do: a clock can be set back. */
  newestSeq: number;
}

/** The pause that holds; null when delivery runs. */
export async function readDeliveryPause(spool: Pick<Spool, "readValue">): Promise<DeliveryPause | null> {
  const text = await spool.readValue(PAUSE_ENTRY);
  return text === null ? null : parsePause(text);
}

/** Stands for a pause of which it cannot be read whether there is one: mail that would be sent twice waits for a person. */
export const UNREADABLE_PAUSE = "unreadable";

/** A stored pause. One that cannot be decoded holds all the same, and concerns all mail. */
export function parsePause(text: string): DeliveryPause {
  try {
    const { backupAtMs, newestSeq } = JSON.parse(text) as DeliveryPause;
    if (Number.isInteger(backupAtMs) && Number.isInteger(newestSeq)) return { backupAtMs, newestSeq };
  } catch {}
  return { backupAtMs: null, newestSeq: Number.MAX_SAFE_INTEGER };
}

/** For people, as a log line and as a reason of /readyz. */
export function describePause({ backupAtMs }: DeliveryPause): string {
  if (backupAtMs === null)
    return "Delivery is paused: the spool is damaged where it says whether it was restored from a backup; see postrider queue resume.";
  const made = rfc3339(backupAtMs);
  return `Delivery is paused: this spool was restored from a backup of ${made}; see postrider queue resume.`;
}
