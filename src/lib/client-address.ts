/**
 * The client of a request: the peer's address or, behind trusted reverse proxies, the one in X-Forwarded-For; and which
 * addresses count as one client.
 */
import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { ipv6Groups } from "./ip-address.ts";

/** The groups of an IPv6 address that identify a site's network (RFC 6177), whose owner controls all its addresses. */
const NETWORK_GROUPS = 4;

/**
 * The client's address; the peer's when the header contains none. Each proxy appends an entry, so the client's is the
 * leftmost of the last `trustedProxies` entries. With 0 the header is not read, because any client can send one.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const forwarded = trustedProxies === 0 ? undefined : headers["x-forwarded-for"];
  const [entry = ""] = String(forwarded ?? "")
    .split(",")
    .slice(-Math.max(trustedProxies, 1));
  return plainAddress(entry.trim()) ?? peerAddress(socket);
}

/** The peer address of a connection; empty once it is closed. */
export function peerAddress({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): string {
  return plainAddress(remoteAddress) ?? "";
}

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(address: string): string {
  return ipv6Groups(address)?.slice(0, NETWORK_GROUPS).join(":") ?? address;
}

/** Strips the port, brackets and the IPv6 form of an IPv4 address; null for text that is not an address. */
function plainAddress(text: string): string | null {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(text) ?? [];
  const address = (v6 ?? v4 ?? text).replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
