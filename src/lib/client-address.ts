/**
 * Where a request comes from: the peer's address or, behind trusted reverse proxies, what they say of it in X-Forwarded-For;
 * and which addresses count as one client's.
 */
import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { ipv6Groups } from "./ip-address.ts";

/** Groups of an IPv6 address that name a site's network (RFC 6177): its owner has all addresses below. */
const NETWORK_GROUPS = 4;

/**
 * The client's address; the peer's when the header holds none. Each proxy appends an entry, so that of `trustedProxies`
 * entries from the right the leftmost is the client's. With 0 the header is not read: anybody can write one.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const forwarded = trustedProxies === 0 ? undefined : headers["x-forwarded-for"];
  const [entry = ""] = String(forwarded ?? "")
    .split(",")
    .slice(-Math.max(trustedProxies, 1));
  return plainAddress(entry.trim()) ?? peerAddress(socket);
}

/** The address at the other end of a connection; empty once that is gone. */
export function peerAddress({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): string {
  return plainAddress(remoteAddress) ?? "";
}

/** What is counted for one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  return ipv6Groups(address)?.slice(0, NETWORK_GROUPS).join(":") ?? address;
}

/** Without a port, brackets and the IPv6 form of an IPv4 address; null when it is no address. */
function plainAddress(text: string): string | null {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(text) ?? [];
  const address = (v6 ?? v4 ?? text).replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
