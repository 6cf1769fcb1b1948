/** The TLS rules that operators have set by command, as a value of the spool: nodes and the command line share it. */
import { isTlsRule, type TlsRule, type TlsRules } from "../../message/tls-rules.ts";
import { type KeyValueStore, SHARED_ENTRIES } from "./key-value.ts";
import { replaceStored } from "./stored-map.ts";

const { tlsRules: ENTRY } = SHARED_ENTRIES;

/** All of them are read at once. */
export const RULES_MAX = 1000;

/** Empty where nothing is set. Throws if what is stored cannot be read: without it, mail might leave without TLS. */
export async function readTlsRules(store: Pick<KeyValueStore, "readValue">): Promise<TlsRules> {
  const stored = JSON.parse((await store.readValue(ENTRY)) ?? "{}") as Record<string, string>;
  return new Map(Object.entries(stored).filter((entry): entry is [string, TlsRule] => isTlsRule(entry[1])));
}

/** Replaces what is set for one domain; null removes it. Returns false beyond RULES_MAX. */
export async function writeTlsRule(
  store: Pick<KeyValueStore, "readValue" | "writeValue">,
  domain: string,
  rule: TlsRule | null,
): Promise<boolean> {
  const stored = { entry: ENTRY, max: RULES_MAX, values: await readTlsRules(store) };
  return replaceStored(store, stored, [domain, rule]);
}
