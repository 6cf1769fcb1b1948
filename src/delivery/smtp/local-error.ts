/**
 * Which socket errors are this server's own: out of descriptors or memory, no route, no local address, a local firewall. They say
 * nothing about the peer.
 *
 * EHOSTUNREACH is not among them: a router or firewall on the peer's side causes it too, and the two cannot be told apart.
 */
import { SHORTAGE_CODES } from "../../lib/resource-shortage.ts";

const LOCAL_ERRORS: ReadonlySet<string> = new Set([
  ...SHORTAGE_CODES,
  "EADDRNOTAVAIL",
  "EADDRINUSE",
  "EAFNOSUPPORT",
  "EINVAL",
  "ENETUNREACH",
  "ENETDOWN",
  // Packets that a remote firewall prohibits end in EHOSTUNREACH.
  "EACCES",
  "EPERM",
]);

export function isLocalError(error: NodeJS.ErrnoException): boolean {
  return error.code !== undefined && LOCAL_ERRORS.has(error.code);
}
