/** The port of an SMTP listener, with bounds on what the kernel and the process hold of its connections. */
import type { AddressInfo, Server } from "node:net";
import { startListening } from "../lib/listening.ts";

const BACKLOG = 1024;
/** The second limit of sockets, with those that are in a handshake or closing. */
const SOCKETS_MAX = 2000;

/** Port 0 or null: any free one. Rejects if the port cannot be used. */
export async function listenAt(server: Server, { port, host }: { port: number | null; host: string }): Promise<void> {
  server.maxConnections = SOCKETS_MAX;
  await startListening(server, { port: port ?? 0, host, backlog: BACKLOG });
}

/** Null where there is no server. */
export const portOf = (server: Server | null): number | null => (server?.address() as AddressInfo | null)?.port ?? null;
