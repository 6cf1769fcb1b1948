/**
 * The plans of connections whose statements all find rows by their keys, in tables whose size changes by the minute. A plan made
 * for an almost empty table must not read all of a full one later, so the plans that do are ruled out. A plan for each set of
 * parameters would cost more than the statement: planning looks at every partition.
 */
import type { ClientConfig } from "pg";

const SETTINGS = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};

/** Adds the settings to the options of connections. They take effect with each connection's start. */
export function withIndexPlans(config: ClientConfig): ClientConfig {
  const settings = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  return { ...config, options: [config.options, ...settings].filter(Boolean).join(" ") };
}
