/**
 * How many clients may be connected. Beyond that the one that has been idle for longest has to go, so that idle ones, however
 * many, keep nobody out; only where nobody is idle the new one is turned away.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Each costs a descriptor and some kilobytes; delivery and the spool need descriptors too. */
const CONNECTIONS_MAX = 5000;

/** Bounds a server's connections; `event` is the one that brings the sockets that its requests have. */
export function boundConnections(
  server: Server,
  event: "connection" | "secureConnection",
  most: number = CONNECTIONS_MAX,
): void {
  const busy = new Map<Socket, number>();
  /** In the order of their last sign of life. */
  const idle = new Set<Socket>();
  // In a TLS handshake a connection is not known here yet.
  server.maxConnections = 2 * most;

  server.on(event, (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => {
      idle.delete(socket);
      busy.delete(socket);
    });
    if (idle.size + busy.size <= most) return;
    const [oldest = socket] = idle;
    oldest.destroy();
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket);
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (busy.get(socket) ?? 0) - 1;
      if (left > 0) busy.set(socket, left);
      else if (busy.delete(socket) && !socket.destroyed) idle.add(socket);
    });
  });
}
