/** Values by name that are one entry of the spool, as JSON. */
import type { KeyValueStore } from "./key-value.ts";

export interface StoredMap<Value> {
  /** The entry's name. */
  entry: string;
  /** The most values. */
  max: number;
  /** As they are stored. */
  values: ReadonlyMap<string, Value>;
}

/** Replaces one value; null removes it. Returns false, and changes nothing, beyond the most values. */
export async function replaceStored<Value>(
  store: Pick<KeyValueStore, "writeValue">,
  { entry, max, values }: StoredMap<Value>,
  [name, value]: readonly [name: string, value: Value | null],
): Promise<boolean> {
  const changed = new Map(values);
  changed.delete(name);
  if (value !== null) changed.set(name, value);
  if (changed.size > max) return false;
  await store.writeValue(entry, JSON.stringify(Object.fromEntries(changed)));
  return true;
}
