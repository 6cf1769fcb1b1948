/** A preflight that somebody asks for: from each address, a receiver is tried once an hour at most. */
import type { Resolver } from "../../dns/resolver.ts";
import { configuredPreflight, type PreflightSettings } from "../../doctor/configured-preflight.ts";
import { EarlierPreflights } from "../../doctor/earlier-preflights.ts";
import type { AddressPreflight, PreflightAddress } from "../../doctor/preflight.ts";
import type { ReceiverProfile } from "../../receivers/profiles.ts";

/** `addressesBy` finds the addresses to try. Resolves within 20 s. */
export async function hourlyPreflight(
  settings: PreflightSettings,
  profiles: readonly ReceiverProfile[],
  { addressesBy, nowMs }: { addressesBy: (resolver: Resolver) => Promise<readonly PreflightAddress[]>; nowMs: number },
): Promise<AddressPreflight[]> {
  // Receivers on private addresses are a tester's own.
  if (settings.smtpAllowPrivate) return configuredPreflight(settings, profiles, addressesBy);
  const known = new EarlierPreflights(nowMs);
  const results = await configuredPreflight(settings, profiles, addressesBy, { earlier: known.of.bind(known) });
  known.add(results);
  return results;
}
