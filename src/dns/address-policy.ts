/**
 * Which IP addresses mail may be sent to: public unicast ones only, since what a stranger's MX points at must not
 * reach into our own network (the ranges of RFC 6890 and its registries).
 * Whether the policy is in force (SMTP_ALLOW_PRIVATE) is the caller's matter.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { ipv4FromGroups, ipv6Groups } from "./ip-address.ts";

interface SpecialRange {
  name: string;
  list: BlockList;
}

/** The first range that holds an address names it, so the narrower of two nested ones comes first. */
const IPV4_RANGES = [
  range("unspecified", ["0.0.0.0/8"]),
  range("loopback", ["127.0.0.0/8"]),
  range("private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]),
  range("link-local", ["169.254.0.0/16"]),
  range("carrier-grade NAT", ["100.64.0.0/10"]),
  range("documentation", ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"]),
  range("benchmarking", ["198.18.0.0/15"]),
  range("protocol assignments", ["192.0.0.0/24"]),
  range("multicast", ["224.0.0.0/4"]),
  range("broadcast", ["255.255.255.255/32"]),
  range("reserved", ["240.0.0.0/4"]),
];

const IPV6_RANGES = [
  range("unspecified", ["::/128"]),
  range("loopback", ["::1/128"]),
  range("private", ["fc00::/7"]),
  range("link-local", ["fe80::/10"]),
  range("multicast", ["ff00::/8"]),
  range("documentation", ["2001:db8::/32", "3fff::/20"]),
  range("benchmarking", ["2001:2::/48"]),
  range("discard", ["100::/64"]),
  range("local NAT64", ["64:ff9b:1::/48"]),
  // Deprecated or never global unicast: Teredo, ORCHID, site-local, IPv4-compatible.
  range("reserved", ["2001::/32", "2001:10::/28", "2001:20::/28", "fec0::/10", "::/96"]),
];

/**
 * The name of the special range `address` is in, null for a public unicast address. IPv4 inside IPv6 (mapped, NAT64,
 * 6to4) is judged by the IPv4 address. What is no IP address at all is refused too.
 */
export function refusedRange(address: string): string | null {
  const [bare = ""] = address.split("%");
  if (isIPv4(bare)) return rangeOf(IPV4_RANGES, bare, "ipv4");
  if (!isIPv6(bare)) return "not an IP address";
  const embedded = embeddedIpv4(bare);
  if (embedded !== null) return rangeOf(IPV4_RANGES, embedded, "ipv4");
  return rangeOf(IPV6_RANGES, bare, "ipv6");
}

/** Whether `address` is a public unicast address. */
export function isPublic(address: string): boolean {
  return refusedRange(address) === null;
}

/** The IPv4 address that traffic to this IPv6 address ends at: ::ffff:0:0/96, 64:ff9b::/96 and 2002::/16. */
export function embeddedIpv4(address: string): string | null {
  const groups = ipv6Groups(address) ?? [];
  const [first = 0, second = 0, third = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const prefix = groups.slice(0, 6).join(":");
  if (prefix === "0:0:0:0:0:65535" || prefix === `${0x64}:${0xff9b}:0:0:0:0`) return ipv4FromGroups(high, low);
  return first === 0x2002 ? ipv4FromGroups(second, third) : null;
}

function rangeOf(ranges: SpecialRange[], address: string, family: "ipv4" | "ipv6"): string | null {
  return ranges.find(({ list }) => list.check(address, family))?.name ?? null;
}

function range(name: string, subnets: string[]): SpecialRange {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", prefix] = subnet.split("/");
    list.addSubnet(net, Number(prefix), isIPv4(net) ? "ipv4" : "ipv6");
  }
  return { name, list };
}
