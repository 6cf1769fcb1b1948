/**
 * IP addresses as numbers, and as names of the reverse zones (RFC 1035 §3.5, RFC 3596 §2.5).
 * What an address may be used for is decided in address-policy.ts.
 */
import { isIP, isIPv4, isIPv6 } from "node:net";

/** The eight 16-bit groups of an IPv6 address (any text form without a zone id); null when it is none. */
export function ipv6Groups(address: string): number[] | null {
  if (!isIPv6(address) || address.includes("%")) return null;
  const [head = "", tail] = dottedTailToHex(address).split("::");
  const left = hexGroups(head);
  if (tail === undefined) return left;
  const right = hexGroups(tail);
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** Whether both texts are one address, in whatever form each is written. */
export function isSameAddress(one: string, other: string): boolean {
  const groups = ipv6Groups(one);
  return groups === null ? one === other : groups.join() === ipv6Groups(other)?.join();
}

/** Two groups as the IPv4 address they embed. */
export function ipv4FromGroups(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The name whose PTR record belongs to `address`; null when it is no IP address. */
export function reverseName(address: string): string | null {
  if (isIPv4(address)) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const groups = ipv6Groups(address);
  if (groups === null) return null;
  const nibbles = groups.map((group) => group.toString(16).padStart(4, "0")).join("");
  return `${[...nibbles].reverse().join(".")}.ip6.arpa`;
}

/** The address that a name of the reverse zones stands for; null when it is not the name of one address. */
export function addressOfReverseName(name: string): string | null {
  const [, reversed = "", zone] = /^(.+)\.(in-addr|ip6)\.arpa\.?$/i.exec(name) ?? [];
  const labels = reversed.split(".").reverse();
  const address = zone?.toLowerCase() === "ip6" ? labels.join("").replace(/....(?=.)/g, "$&:") : labels.join(".");
  return isIP(address) === 0 ? null : address;
}

function dottedTailToHex(address: string): string {
  const dotted = /[0-9.]+$/.exec(address)?.[0] ?? "";
  if (!isIPv4(dotted)) return address;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return address.slice(0, -dotted.length) + hex;
}

function hexGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
