/**
 * Small texts that survive a restart, by name. Losing one costs only time, except for the entry of delivery-pause.ts, which
 * reads as UNREADABLE_PAUSE if it is damaged.
 */
export interface KeyValueStore {
  /** null if there is no such entry, or it is damaged. */
  readValue(name: string): Promise<string | null>;
  /** Replaces the entry. On disk once this resolves. */
  writeValue(name: string, text: string): Promise<void>;
}
