/**
 * The TLS that an operator requires for recipient domains, whatever these publish, and the file of TLS_POLICY_FILE with such rules.
 */
import { domainInAscii } from "./domain-encoding.ts";

/** `require`: a certificate that verifies; `encrypt`: TLS with any certificate; `default`: what the domain and its hosts publish. */
export const TLS_RULES = ["require", "encrypt", "default"] as const;
export type TlsRule = (typeof TLS_RULES)[number];

/** By recipient domain, as A-labels in lower case; with a dot before it, a rule is for all domains below. */
export type TlsRules = ReadonlyMap<string, TlsRule>;

/** Octets of a file of rules. */
export const RULES_FILE_MAX = 1_048_576;

/** The domain of a rule as it is stored; null for what cannot be one. */
export function ruleDomain(typed: string): string | null {
  const isBelow = typed.startsWith(".");
  const name = domainInAscii(typed.slice(isBelow ? 1 : 0).replace(/\.$/u, ""));
  if (name === "" || name.length > 253 || !/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/u.test(name)) return null;
  return isBelow ? `.${name}` : name;
}

export const isTlsRule = (text: string | undefined): text is TlsRule => TLS_RULES.includes(text as TlsRule);

/** The rule for a recipient domain: its own, else that of the closest domain above it; `default` without one. */
export function tlsRuleOf(domain: string, rules: readonly TlsRules[]): TlsRule {
  for (let name = domain; name !== ""; name = parentOf(name)) {
    for (const each of rules) {
      const rule = each.get(name);
      if (rule !== undefined) return rule;
    }
  }
  return "default";
}

/** `.b.example` after `a.b.example` and after `.a.b.example`; empty after a single label. */
function parentOf(name: string): string {
  const dot = name.indexOf(".", 1);
  return dot === -1 ? "" : name.slice(dot);
}

/** A line that is not valid, and why. */
export interface RuleFault {
  line: number;
  detail: string;
}

/** Reads lines such as `example.org require`; `#` begins a comment. */
export function parseTlsRules(text: string): TlsRules | RuleFault {
  const rules = new Map<string, TlsRule>();
  for (const [index, line] of text.split("\n").entries()) {
    const [typed, rule, ...rest] = line.replace(/#.*/u, "").trim().split(/\s+/u);
    if (typed === undefined || typed === "") continue;
    const at = { line: index + 1 };
    const domain = ruleDomain(typed);
    if (domain === null) return { ...at, detail: `${typed} is not a domain` };
    if (!isTlsRule(rule) || rest.length > 0)
      return { ...at, detail: `after ${typed} there must be one of ${TLS_RULES.join(", ")}` };
    if (rules.has(domain)) return { ...at, detail: `${domain} has a rule in an earlier line` };
    rules.set(domain, rule);
  }
  return rules;
}
