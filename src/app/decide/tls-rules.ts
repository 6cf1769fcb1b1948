/** The TLS rules of recipient domains that operators set by command, and all that are in effect. */
import { isTlsRule, ruleDomain, TLS_RULES, type TlsRule, type TlsRules, tlsRuleOf } from "../../message/tls-rules.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { readTlsRules, writeTlsRule } from "../../spool/port/tls-rules.ts";

export type SetRuleResult =
  | { type: "set"; domain: string; rule: TlsRule }
  | { type: "full" }
  | { type: "invalid"; detail: string };

type RuleStore = Pick<KeyValueStore, "readValue" | "writeValue">;

/** `default` removes the rule that was set, and is stored only where another one would apply: the file's, or that of a domain above. */
export async function setTlsRule(
  store: RuleStore,
  typed: { domain: string; rule: string },
  ofFile: TlsRules,
): Promise<SetRuleResult> {
  const domain = ruleDomain(typed.domain.trim());
  if (domain === null) return { type: "invalid", detail: `${typed.domain} is not a domain` };
  const { rule } = typed;
  if (!isTlsRule(rule)) return { type: "invalid", detail: `--tls must be one of ${TLS_RULES.join(", ")}` };
  const others = new Map(await readTlsRules(store));
  others.delete(domain);
  const isRemoved = rule === "default" && tlsRuleOf(domain, [others, ofFile]) === "default";
  return (await writeTlsRule(store, domain, isRemoved ? null : rule))
    ? { type: "set", domain, rule }
    : { type: "full" };
}

export interface ListedRule {
  domain: string;
  rule: TlsRule;
  from: "command" | "file";
}

/** The rules in effect, by domain. */
export async function listTlsRules(store: Pick<KeyValueStore, "readValue">, ofFile: TlsRules): Promise<ListedRule[]> {
  const byCommand = await readTlsRules(store);
  const rules: ListedRule[] = [...byCommand].map(([domain, rule]) => ({ domain, rule, from: "command" }));
  for (const [domain, rule] of ofFile) if (!byCommand.has(domain)) rules.push({ domain, rule, from: "file" });
  return rules.sort((a, b) => (a.domain < b.domain ? -1 : 1));
}
