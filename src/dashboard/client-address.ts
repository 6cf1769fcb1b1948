/**
 * Where a request comes from. Koa counts the entries of X-Forwarded-For from the right, as many as there are trusted
 * proxies; here is decided what of that is believed, and which addresses are one client's.
 */
import { isIP } from "node:net";
import type Koa from "koa";
import type { Context } from "koa";
import { ipv6Groups } from "../dns/ip-address.ts";

/** Groups of an IPv6 address that name a site's network (RFC 6177): its owner has all addresses below. */
const NETWORK_GROUPS = 4;

/** With no trusted proxy the header is not read: anybody can write one. */
export function trustProxies(app: Koa, count: number): void {
  app.proxy = count > 0;
  app.maxIpsCount = count;
}

/** The client's address; the nearest peer's when the header holds none. */
export function clientAddress(ctx: Context): string {
  return plainAddress(ctx.ip) ?? ctx.req.socket.remoteAddress ?? "";
}

/** What failures are counted for: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(ctx: Context): string {
  const address = clientAddress(ctx);
  return ipv6Groups(address)?.slice(0, NETWORK_GROUPS).join(":") ?? address;
}

/** Without a port, brackets and the IPv6 form of an IPv4 address; null when it is no address. */
function plainAddress(text: string): string | null {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(text) ?? [];
  const address = (v6 ?? v4 ?? text).replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}
