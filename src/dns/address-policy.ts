/**
 * Which IP addresses may be connected to: only public unicast addresses, because an MX record of a foreign zone must not
 * reach hosts in our own network. The ranges are those of IANA's special-purpose registries (RFC 6890; as of 2025-10-09),
 * its multicast registries, and its IPv6 address space registry. The caller decides whether the policy applies
 * (SMTP_ALLOW_PRIVATE).
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { ipv4FromGroups, ipv6Groups } from "../lib/ip-address.ts";

interface SpecialRange {
  /** Null for a globally reachable range inside one that is not. */
  name: string | null;
  list: BlockList;
}

/**
 * The first range that contains an address names it, so the narrower of two nested ranges comes first. The AS112 and AMT
 * ranges (192.31.196.0/24, 192.175.48.0/24, 192.52.193.0/24) are globally reachable and not listed. The anycast addresses
 * for PCP and TURN (192.0.0.9, 192.0.0.10) are globally reachable too, but the closest host that answers is in our own
 * network, so they are refused.
 */
const IPV4_RANGES = [
  specialRange("unspecified", ["0.0.0.0/8"]),
  specialRange("loopback", ["127.0.0.0/8"]),
  specialRange("private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]),
  specialRange("link-local", ["169.254.0.0/16"]),
  specialRange("carrier-grade NAT", ["100.64.0.0/10"]),
  specialRange("documentation", ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"]),
  specialRange("benchmarking", ["198.18.0.0/15"]),
  specialRange("protocol assignments", ["192.0.0.0/24"]),
  // Deprecated by RFC 7526: routed to the closest 6to4 relay.
  specialRange("6to4 relay", ["192.88.99.0/24"]),
  specialRange("multicast", ["224.0.0.0/4"]),
  specialRange("broadcast", ["255.255.255.255/32"]),
  specialRange("reserved", ["240.0.0.0/4"]),
];

/** The special ranges of global unicast space, 2000::/3. */
const IPV6_GLOBAL_RANGES = [
  specialRange("documentation", ["2001:db8::/32", "3fff::/20"]),
  specialRange("benchmarking", ["2001:2::/48"]),
  // AMT and AS112. 2620:4f:8000::/48, also AS112, is in no special range.
  specialRange(null, ["2001:3::/32", "2001:4:112::/48"]),
  // Teredo, and identifiers that are not routed: ORCHID, ORCHIDv2, DRIP.
  specialRange("reserved", ["2001::/32", "2001:10::/28", "2001:20::/28", "2001:30::/28"]),
  // Includes the anycast addresses for PCP, TURN and SRP, 2001:1::1 to 2001:1::3; see IPv4.
  specialRange("protocol assignments", ["2001::/23"]),
];

/** Names for the addresses outside 2000::/3. All of them are refused. */
const IPV6_OTHER_RANGES = [
  specialRange("unspecified", ["::/128"]),
  specialRange("loopback", ["::1/128"]),
  specialRange("private", ["fc00::/7"]),
  specialRange("link-local", ["fe80::/10"]),
  specialRange("multicast", ["ff00::/8"]),
  specialRange("discard", ["100::/64"]),
  specialRange("dummy", ["100:0:0:1::/64"]),
  specialRange("local NAT64", ["64:ff9b:1::/48"]),
  // RFC 2765, obsolete: such an address exists only between a host and the translator of its network.
  specialRange("IPv4-translated", ["::ffff:0:0:0/96"]),
  specialRange("segment routing", ["5f00::/16"]),
  specialRange("reserved", ["::/0"]),
];

const GLOBAL_UNICAST = specialRange(null, ["2000::/3"]).list;

/**
 * The name of the special range that contains `address`; null for a public unicast address. For IPv4 inside IPv6 (mapped,
 * NAT64, 6to4) the IPv4 address decides. Text that is not an IP address is refused too.
 */
export function refusedRange(address: string): string | null {
  const [bare = ""] = address.split("%");
  if (isIPv4(bare)) return findRange(IPV4_RANGES, bare, "ipv4");
  if (!isIPv6(bare)) return "not an IP address";
  const embedded = embeddedIpv4(bare);
  if (embedded !== null) return findRange(IPV4_RANGES, embedded, "ipv4");
  // IANA assigns global unicast addresses only from 2000::/3 (RFC 4291 §2.4, RFC 3587).
  const isGlobalUnicast = GLOBAL_UNICAST.check(bare, "ipv6");
  return findRange(isGlobalUnicast ? IPV6_GLOBAL_RANGES : IPV6_OTHER_RANGES, bare, "ipv6");
}

/**
 * As refusedRange, but refuses all IPv4 inside IPv6: whatever translates such an address is closer to this server than the
 * address, and may have its own rules. For connections that need no translator.
 */
export function refusedUntranslated(address: string): string | null {
  const [bare = ""] = address.split("%");
  const isTranslated = isIPv6(bare) && embeddedIpv4(bare) !== null;
  return refusedRange(address) ?? (isTranslated ? "IPv4 inside IPv6" : null);
}

/** Whether `address` is a public unicast address. */
export function isPublic(address: string): boolean {
  return refusedRange(address) === null;
}

/** The IPv4 address that traffic to an IPv6 address reaches: ::ffff:0:0/96, 64:ff9b::/96 and 2002::/16. */
export function embeddedIpv4(address: string): string | null {
  const groups = ipv6Groups(address) ?? [];
  const [first = 0, second = 0, third = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const prefix = groups.slice(0, 6).join(":");
  if (prefix === "0:0:0:0:0:65535" || prefix === `${0x64}:${0xff9b}:0:0:0:0`) return ipv4FromGroups(high, low);
  return first === 0x2002 ? ipv4FromGroups(second, third) : null;
}

function findRange(ranges: SpecialRange[], address: string, family: "ipv4" | "ipv6"): string | null {
  return ranges.find(({ list }) => list.check(address, family))?.name ?? null;
}

function specialRange(name: string | null, subnets: string[]): SpecialRange {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", prefix] = subnet.split("/");
    list.addSubnet(net, Number(prefix), isIPv4(net) ? "ipv4" : "ipv6");
  }
  return { name, list };
}
