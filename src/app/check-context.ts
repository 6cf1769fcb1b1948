/** What the checks of sending domains compare DNS with: this host's name and its public addresses, configured or discovered. */
import type { Resolver } from "../dns/resolver.ts";
import type { CheckContext } from "../domains/check.ts";
import { discoverSendingIps } from "../domains/sending-ips.ts";

export interface CheckSettings {
  hostname: string;
  /** null: to be discovered. */
  sendingIps: string[] | null;
  smtpAllowPrivate: boolean;
}

/** The context for this host; `sendingIps` is empty where none is configured and none is found. Never rejects. */
export async function createCheckContext(settings: CheckSettings, resolver: Resolver): Promise<CheckContext> {
  const { hostname, smtpAllowPrivate: allowPrivate } = settings;
  const sendingIps = settings.sendingIps ?? (await discoverSendingIps(hostname, resolver));
  return { resolver, hostname, sendingIps, allowPrivate };
}
