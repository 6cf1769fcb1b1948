/** IP networks in CIDR notation (RFC 4632, RFC 4291 §2.3), and whether an address is in one of them. */
import { BlockList, isIP, isIPv4 } from "node:net";
import { boundedMap } from "./bounded-map.ts";
import { canonicalAddress } from "./ip-address.ts";

/** Lists by their networks: of PostgreSQL, a list is read anew for each request. */
const LISTS_MAX = 1000;
const lists = boundedMap<BlockList>(LISTS_MAX);

/** Returns the network as `address/prefix length`, of a single address with its full length; null for other text. */
export function canonicalNetwork(text: string): string | null {
  const [address = "", length, ...more] = text.split("/");
  const canonical = isIP(address) === 0 || address.includes("%") ? null : canonicalAddress(address);
  if (canonical === null || more.length > 0) return null;
  const bits = isIPv4(canonical) ? 32 : 128;
  if (length === undefined) return `${canonical}/${bits}`;
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return null;
  return `${canonical}/${Number(length)}`;
}

/** Whether the address is in one of the networks, each in the form that canonicalNetwork returns. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const canonical = canonicalAddress(address);
  if (canonical === null) return false;
  const name = networks.join(" ");
  const known = lists.peek(name);
  const list = known ?? listOf(networks);
  if (known === undefined) lists.set(name, list);
  return list.check(canonical, familyOf(canonical));
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length = ""] = network.split("/");
    list.addSubnet(address, Number(length), familyOf(address));
  }
  return list;
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv4(address) ? "ipv4" : "ipv6");
