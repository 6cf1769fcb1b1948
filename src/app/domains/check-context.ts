/** What the checks of sending domains compare DNS with: the EHLO name, and the addresses that messages are sent from. */
import type { Resolver } from "../../dns/resolver.ts";
import type { CheckContext } from "../../domains/check.ts";
import { addressesOfDomain, type SendingPlan } from "../../spool/port/sending-addresses.ts";

export interface CheckSettings {
  hostname: string;
  smtpAllowPrivate: boolean;
}

/** Called for each check. */
export interface SendingFrom {
  sendingIps: () => string[];
  plan: () => SendingPlan;
}

export function createCheckContext(
  { hostname, smtpAllowPrivate: allowPrivate }: CheckSettings,
  resolver: Resolver,
  { sendingIps, plan }: SendingFrom,
): CheckContext {
  return {
    ipsOf: ({ name: domain, accountId }) => addressesOfDomain(plan(), { domain, accountId }),
    resolver,
    hostname,
    allowPrivate,
    get sendingIps() {
      return sendingIps();
    },
  };
}
