/**
 * The receiver of a mail host: who runs it. Providers name hosts for each customer (tenant.mail.protection.outlook.com), and these
 * share limits and judge a sending address together. profiles.ts has what is known of large ones.
 */
import { getDomain } from "tldts";
import { type HostSet, keyOf, type ReceiverKey } from "./names.ts";
import { PROFILES, type ReceiverProfile } from "./profiles.ts";

const BY_DOMAIN = new Map(PROFILES.flatMap((profile) => profile.mx.map((domain) => [domain, profile] as const)));
const BY_KEY = new Map(PROFILES.map((profile) => [keyOf(profile.name), profile] as const));

/** The profile of a mail host's receiver, by the longest domain that contains the host; null without one. */
export function profileOfHost(host: string): ReceiverProfile | null {
  const labels = host.toLowerCase().split(".");
  for (let from = 0; from < labels.length; from += 1) {
    const profile = BY_DOMAIN.get(labels.slice(from).join("."));
    if (profile !== undefined) return profile;
  }
  return null;
}

/**
 * The receiver of a mail host: that of its profile, else its organisational domain. Names below a private suffix (duckdns.org) belong
 * to unrelated parties; a host without an organisational domain stands for itself.
 */
export function receiverOf(host: string): ReceiverKey {
  const profile = profileOfHost(host);
  if (profile !== null) return keyOf(profile.name);
  // DNS allows a slash in a name, and tldts would parse a URL: "google.com/x.evil.example" is a name below evil.example.
  const domain = getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
  // Nor may a name look like a destination with a sending address.
  return keyOf(domain.replaceAll("@", "_"));
}

/** The profile of a receiver; null without one. */
export const profileOf = (key: string): ReceiverProfile | null => BY_KEY.get(key as ReceiverKey) ?? null;

/** Where to ask for delisting: its page for that, else its page for senders; null without either. */
export const delistingPageOf = (profile: ReceiverProfile | null): string | null =>
  profile?.delistingUrl ?? profile?.sendersUrl ?? null;

/** The label of receivers without a profile: anybody can run any number of them. */
const OTHER = "other";

/** The labels of receivers where their number must be bounded, such as in metrics. */
export const RECEIVER_LABELS: readonly string[] = [...PROFILES.map(({ name }) => name), OTHER];

export const receiverLabel = (key: string): string => profileOf(key)?.name ?? OTHER;

/** The hosts of a receiver; null for a name that no receiver has. */
export function hostsOf(name: string): HostSet | null {
  const isDomain = name.includes(".") && receiverOf(`mx.${name}`) === keyOf(name);
  const domains = profileOf(keyOf(name))?.mx ?? (isDomain ? [name] : null);
  if (domains === null) return null;
  const others = PROFILES.filter((profile) => profile.name !== name).flatMap(({ mx }) => mx);
  return { domains, except: others.filter((other) => domains.some((domain) => other.endsWith(`.${domain}`))) };
}

/** The receivers of the hosts of a domain, for a setting that names it: those with exchangers below it too. */
export function receiversUnder(domain: string): ReceiverKey[] {
  const below = PROFILES.filter(({ mx }) => mx.some((name) => name.endsWith(`.${domain}`)));
  return [...new Set([receiverOf(domain), ...below.map(({ name }) => keyOf(name))])];
}
