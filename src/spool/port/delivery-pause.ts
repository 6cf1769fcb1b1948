/**
 * The pause of delivery in a spool that was restored from a backup: recipients that waited when the backup was made may
 * have been delivered since. Stored in the key-value store, so every backup carries it, however it is put back.
 */
import { rfc3339 } from "../../lib/clock.ts";
import type { KeyValueStore } from "./key-value.ts";

/** Name of the entry in the key-value store. */
export const PAUSE_ENTRY = "delivery-paused";

export interface DeliveryPause {
  /** When the backup was made; null if that cannot be read. */
  backupAtMs: number | null;
  /** The newest message in the backup (seq); 0 if there is none. Not a time, because a clock can be set back. */
  newestSeq: number;
}

/** The pause in effect; null if delivery runs. */
export async function readDeliveryPause(store: Pick<KeyValueStore, "readValue">): Promise<DeliveryPause | null> {
  const text = await store.readValue(PAUSE_ENTRY);
  return text === null ? null : parsePause(text);
}

/** The value for an entry that cannot be read, so that it is not known whether delivery is paused. Delivery then pauses, so that no mail is sent twice. */
export const UNREADABLE_PAUSE = "unreadable";

/** Decodes a stored pause. A pause that cannot be decoded is still in effect, and applies to all mail. */
export function parsePause(text: string): DeliveryPause {
  try {
    const { backupAtMs, newestSeq } = JSON.parse(text) as DeliveryPause;
    if (Number.isInteger(backupAtMs) && Number.isInteger(newestSeq)) return { backupAtMs, newestSeq };
  } catch {}
  return { backupAtMs: null, newestSeq: Number.MAX_SAFE_INTEGER };
}

/** One sentence for the log and for the reasons of /readyz. */
export function describePause({ backupAtMs }: DeliveryPause): string {
  if (backupAtMs === null)
    return "Delivery is paused: the spool is damaged where it records whether it was restored from a backup; see postrider queue resume.";
  const made = rfc3339(backupAtMs);
  return `Delivery is paused: this spool was restored from a backup of ${made}; see postrider queue resume.`;
}
