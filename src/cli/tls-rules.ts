/** `destinations set` and `destinations rules`: the TLS that recipient domains must have. */
import { listTlsRules, setTlsRule } from "../app/decide/tls-rules.ts";
import { RULES_MAX } from "../spool/port/tls-rules.ts";
import { type Implementation, Refusal, UsageError } from "./command.ts";
import { table } from "./table.ts";

export const setDestination: Implementation = {
  async run({ store, config }, { positionals: [typed = ""], options: { tls } }) {
    if (typeof tls !== "string") throw new UsageError("destinations set needs --tls require, encrypt or default");
    const result = await setTlsRule(store, { domain: typed, rule: tls }, config.tlsRules);
    if (result.type === "invalid") throw new UsageError(result.detail);
    if (result.type === "full")
      throw new Refusal(`rules of ${RULES_MAX} domains are set already: set some to default first`);
    const { domain, rule } = result;
    return {
      json: { domain, tls: rule },
      text: `The TLS rule of ${domain} is ${rule}. Delivery follows within 10 seconds.`,
    };
  },
};

export const listRules: Implementation = {
  async run({ store, config }) {
    const rules = await listTlsRules(store, config.tlsRules);
    const rows = rules.map(({ domain, rule, from }) => [
      domain,
      rule,
      from === "file" ? "TLS_POLICY_FILE" : "destinations set",
    ]);
    const json = rules.map(({ domain, rule, from }) => ({ domain, tls: rule, from }));
    return { json, text: table(["DOMAIN", "TLS", "SET BY"], rows, "No recipient domain has a TLS rule.") };
  },
};
