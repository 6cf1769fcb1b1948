/**
 * Delivery that stands still because the spool was restored from a backup: what waited when that was made may have been
 * delivered since. Kept as a note, which a backup carries in itself, however it is put back.
 */
import { rfc3339 } from "../clock.ts";
import type { Spool } from "./spool.ts";

export const PAUSE_NOTE = "delivery-paused";

export interface DeliveryPause {
  /** When the backup was made. */
  backupAtMs: number;
  /** The newest message in it (seq); 0 when there is none. Times would not do: a clock can be set back. */
  newestSeq: number;
}

/** The pause that holds; null when delivery runs. */
export async function deliveryPause(spool: Pick<Spool, "note">): Promise<DeliveryPause | null> {
  const text = await spool.note(PAUSE_NOTE);
  return text === null ? null : pauseOf(text);
}

/** A stored pause. One that cannot be decoded holds all the same, and concerns all mail. */
export function pauseOf(text: string): DeliveryPause {
  try {
    const { backupAtMs, newestSeq } = JSON.parse(text) as DeliveryPause;
    if (Number.isInteger(backupAtMs) && Number.isInteger(newestSeq)) return { backupAtMs, newestSeq };
  } catch {}
  return { backupAtMs: 0, newestSeq: Number.MAX_SAFE_INTEGER };
}

/** For people, as a log line and as a reason of /readyz. */
export function pauseSentence({ backupAtMs }: DeliveryPause): string {
  const made = rfc3339(backupAtMs);
  return `Delivery is paused: this spool was restored from a backup of ${made}; see postrider queue resume.`;
}
