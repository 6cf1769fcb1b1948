/** What operators have set for receivers, as a value of the spool: nodes and the command line share it. */
import { LIMIT_FIELDS, type ReceiverOverride, type ReceiverOverrides } from "../../receivers/limits.ts";
import { type KeyValueStore, SHARED_ENTRIES } from "./key-value.ts";
import { replaceStored } from "./stored-map.ts";

const { receiverLimits: ENTRY } = SHARED_ENTRIES;

/** Most receivers with an override: all of them are read at once. */
export const OVERRIDES_MAX = 1000;

/** Empty where nothing is set, or what is stored cannot be read. */
export async function readReceiverOverrides(store: Pick<KeyValueStore, "readValue">): Promise<ReceiverOverrides> {
  return parseOverrides(await store.readValue(ENTRY));
}

export type OverrideStore = Pick<KeyValueStore, "readValue" | "writeValue">;

/** Replaces what is set for one receiver; nothing is set after an empty override. Returns false beyond OVERRIDES_MAX. */
export async function writeReceiverOverride(
  store: OverrideStore,
  name: string,
  override: ReceiverOverride,
): Promise<boolean> {
  const isEmpty = Object.keys(override).length === 0;
  const stored = { entry: ENTRY, max: OVERRIDES_MAX, values: await readReceiverOverrides(store) };
  return replaceStored(store, stored, [name, isEmpty ? null : override]);
}

function parseOverrides(text: string | null): ReceiverOverrides {
  try {
    const stored = JSON.parse(text ?? "{}") as Record<string, Record<string, unknown>>;
    return new Map(Object.entries(stored).map(([name, fields]) => [name, overrideOf(fields)]));
  } catch {
    return new Map();
  }
}

function overrideOf(fields: Record<string, unknown>): ReceiverOverride {
  const known = LIMIT_FIELDS.map((field) => [field, fields[field]] as const);
  return Object.fromEntries(known.filter(([, value]) => Number.isInteger(value) && Number(value) > 0));
}
