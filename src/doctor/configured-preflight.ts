/** A preflight as the settings say, with a separate resolver, which ends with it. */
import type { Resolver } from "../dns/resolver.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import { systemClock } from "../lib/clock.ts";
import type { ReceiverProfile } from "../receivers/profiles.ts";
import {
  type AddressPreflight,
  PREFLIGHT_LIMIT_MS,
  type PreflightAddress,
  type PreflightInput,
  runPreflight,
} from "./preflight.ts";

/** For one query to one server. */
const QUERY_TIMEOUT_MS = 2500;

/** As the configuration has them. */
export interface PreflightSettings {
  dnsServers: string[];
  hostname: string;
  smtpPort: number;
  blocklists: string[];
  smtpAllowPrivate: boolean;
}

/** Options of a preflight that a person runs. */
export type PreflightOptions = Pick<PreflightInput, "earlier">;

/** `addressesBy` finds the addresses to try; empty where none is known. Resolves within 20 s, its look-ups included. */
export async function configuredPreflight(
  { dnsServers, hostname, smtpPort, blocklists, smtpAllowPrivate: allowPrivate }: PreflightSettings,
  profiles: readonly ReceiverProfile[],
  addressesBy: (resolver: Resolver) => Promise<readonly PreflightAddress[]>,
  options: PreflightOptions = {},
): Promise<AddressPreflight[]> {
  const end = new AbortController();
  const cancel = systemClock.after(PREFLIGHT_LIMIT_MS, () => end.abort());
  const resolver = createResolver({ servers: dnsServers, timeoutMs: QUERY_TIMEOUT_MS, tries: 1, signal: end.signal });
  try {
    const addresses = await addressesBy(resolver);
    const settings = { hostname, smtpPort, blocklists, allowPrivate };
    const parts = { resolver, clock: systemClock, over: end.signal };
    return await runPreflight({ ...settings, ...options, ...parts, addresses, profiles });
  } finally {
    cancel();
    end.abort();
  }
}
