/** What the checks of sending domains compare DNS with: the EHLO name, and the addresses that messages are sent from. */
import type { Resolver } from "../../dns/resolver.ts";
import type { CheckContext } from "../../domains/check.ts";

export interface CheckSettings {
  hostname: string;
  smtpAllowPrivate: boolean;
}

/** `sendingIps` is called for each check. */
export function createCheckContext(
  { hostname, smtpAllowPrivate: allowPrivate }: CheckSettings,
  resolver: Resolver,
  sendingIps: () => string[],
): CheckContext {
  return {
    resolver,
    hostname,
    allowPrivate,
    get sendingIps() {
      return sendingIps();
    },
  };
}
