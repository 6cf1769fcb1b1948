/** Parses IP addresses, and converts them to and from names of the reverse zones (RFC 1035 §3.5, RFC 3596 §2.5). */
import { isIP, isIPv4, isIPv6 } from "node:net";

/** The eight 16-bit groups of an IPv6 address in any notation without a zone id; null for other text. */
export function ipv6Groups(address: string): number[] | null {
  if (!isIPv6(address) || address.includes("%")) return null;
  const [head = "", tail] = dottedTailToHex(address).split("::");
  const left = hexGroups(head);
  if (tail === undefined) return left;
  const right = hexGroups(tail);
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** Whether both texts are the same address, in any notation. */
export function isSameAddress(one: string, other: string): boolean {
  const groups = ipv6Groups(one);
  return groups === null ? one === other : groups.join() === ipv6Groups(other)?.join();
}

/** The address as RFC 5952 writes it, an IPv4-mapped one as IPv4; null for other text. */
export function canonicalAddress(address: string): string | null {
  if (isIPv4(address)) return address;
  const groups = ipv6Groups(address);
  if (groups === null) return null;
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 6).join() === "0,0,0,0,0,65535") return ipv4FromGroups(high, low);
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The IPv4 address that two groups embed. */
export function ipv4FromGroups(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The name of the PTR record of `address`; null when it is not an IP address. */
export function reverseName(address: string): string | null {
  if (isIPv4(address)) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const groups = ipv6Groups(address);
  if (groups === null) return null;
  const nibbles = groups.map((group) => group.toString(16).padStart(4, "0")).join("");
  return `${[...nibbles].reverse().join(".")}.ip6.arpa`;
}

/** The address of a name in the reverse zones; null when it is not the name of a single address. */
export function addressOfReverseName(name: string): string | null {
  const [, reversed = "", zone] = /^(.+)\.(in-addr|ip6)\.arpa\.?$/i.exec(name) ?? [];
  const labels = reversed.split(".").reverse();
  const address = zone?.toLowerCase() === "ip6" ? labels.join("").replace(/....(?=.)/g, "$&:") : labels.join(".");
  return isIP(address) === 0 ? null : address;
}

function dottedTailToHex(address: string): string {
  const dotted = /(?<![0-9.])[0-9.]+$/.exec(address)?.[0] ?? "";
  if (!isIPv4(dotted)) return address;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return address.slice(0, -dotted.length) + hex;
}

function hexGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
