/** What the checks of a domain compare its records with. */
import { createCheckContext } from "../app/domains/check-context.ts";
import { serviceSendingIps } from "../app/domains/sending-addresses.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import type { CheckContext } from "../domains/check.ts";
import { readSendingPlan } from "../spool/port/sending-addresses.ts";
import type { CommandContext } from "./command.ts";

export async function senderContext({ config, store }: CommandContext): Promise<CheckContext> {
  const resolver = createResolver({ servers: config.dnsServers });
  const plan = await readSendingPlan(store);
  const service = await serviceSendingIps(config, resolver, store.nodes);
  const sendingIps = [...new Set([...service, ...plan.addresses.map(({ ip }) => ip)])];
  return createCheckContext(config, resolver, { sendingIps: () => sendingIps, plan: () => plan });
}
