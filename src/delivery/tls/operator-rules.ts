/**
 * The TLS that the operator requires for recipient domains, beside what these publish: by command before TLS_POLICY_FILE. A rule makes
 * a policy stricter, never weaker.
 */
import { type TlsRule, type TlsRules, tlsRuleOf } from "../../message/tls-rules.ts";
import type { MailHost } from "../routing/route.ts";
import type { HostPolicy, PolicyLookup } from "./tls-policy.ts";
import { webpkiObjection } from "./webpki.ts";

export class OperatorRules {
  readonly #ofFile: TlsRules;
  #byCommand: TlsRules = new Map();

  constructor(ofFile: TlsRules) {
    this.#ofFile = ofFile;
  }

  /** Replaces those that are set by command. */
  set(byCommand: TlsRules): void {
    this.#byCommand = byCommand;
  }

  /** The look-up with the rules of the moment at which a host is used. */
  appliedTo(policies: PolicyLookup): PolicyLookup {
    return async (domain, stsLimitMs) => {
      const policyFor = await policies(domain, stsLimitMs);
      return async (host) => stricter(await policyFor(host), this.#of(domain), host);
    };
  }

  #of(domain: string): TlsRule {
    if (this.#byCommand.size === 0 && this.#ofFile.size === 0) return "default";
    return tlsRuleOf(domain, [this.#byCommand, this.#ofFile]);
  }
}

function stricter(policy: HostPolicy, rule: TlsRule, host: MailHost): HostPolicy {
  if (rule === "default" || policy.type === "unusable") return policy;
  const serverName = host.name;
  if (policy.type === "required" && (rule === "encrypt" || policy.authenticate !== "none")) return policy;
  if (rule === "encrypt")
    return { type: "required", name: "operator encrypt", authenticate: "none", serverName, check: null };
  const check = webpkiObjection(host);
  return { type: "required", name: "operator require", authenticate: "webpki", serverName, check };
}
