/**
 * Limits the number of connections. At the limit, the longest-idle connection is closed (idle, in a request header or in a TLS
 * handshake), so that idle clients cannot keep others out; if there is none, the one whose request has been arriving for
 * longest. Only when all connections wait for a response is the new one closed.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Each connection costs a file descriptor and some kilobytes. Delivery and the spool need descriptors too. */
const CONNECTIONS_MAX = 5000;

/** Requests that a client may pipeline; all of them are in memory. A connection with more is closed. */
const PIPELINED_MAX = 32;

interface Running {
  /** Pipelined requests without a response. */
  requests: number;
  /** The only one that can still be arriving. Null once all are answered, so that old tables do not keep it (high-churn-map.ts). */
  last: IncomingMessage | null;
}

/**
 * Limits the connections of a server and the running requests on each. `event`: the event whose sockets the requests have. A
 * request on a destroyed socket must not be answered. `cutHandshakes` closes connections in a TLS handshake, which the server
 * itself does not close.
 */
export function boundConnections(
  server: Server,
  event: "connection" | "secureConnection",
  most: number = CONNECTIONS_MAX,
): { cutHandshakes: () => void } {
  /** Ordered by the last activity. */
  const idle = new Set<Socket>();
  /** Ordered by the first running request. */
  const running = new Map<Socket, Running>();
  // A second limit, should the counting here fail.
  server.maxConnections = 2 * most;

  function add(socket: Socket): void {
    idle.add(socket);
    socket.once("close", () => {
      idle.delete(socket);
      running.delete(socket);
    });
    if (idle.size + running.size <= most) return;
    const [oldest = socket] = idle;
    const closed = oldest === socket ? (longestArriving(running) ?? socket) : oldest;
    closed.destroy();
  }

  server.on(event, add);
  const inHandshake = new Map<string, Socket>();
  if (event === "secureConnection")
    countHandshakes(server, { inHandshake, add, remove: (socket) => idle.delete(socket) });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const entry = running.get(socket) ?? { requests: 0, last: null };
    entry.requests += 1;
    entry.last = request;
    idle.delete(socket);
    running.set(socket, entry);
    if (entry.requests > PIPELINED_MAX) socket.destroy();
    response.once("close", () => {
      if (running.get(socket) !== entry) return;
      entry.requests -= 1;
      if (entry.requests > 0) return;
      entry.last = null;
      running.delete(socket);
      if (!socket.destroyed) idle.add(socket);
    });
  });
  return {
    cutHandshakes() {
      for (const socket of inHandshake.values()) socket.destroy();
    },
  };
}

function longestArriving(running: Map<Socket, Running>): Socket | null {
  for (const [socket, { last }] of running) if (last?.complete === false) return socket;
  return null;
}

interface Handshakes {
  /** By address and port: after the handshake the connection has another socket object. */
  inHandshake: Map<string, Socket>;
  add: (socket: Socket) => void;
  remove: (socket: Socket) => void;
}

/** Counts the connections of a TLS server from their first byte on. */
function countHandshakes(server: Server, { inHandshake, add, remove }: Handshakes): void {
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    inHandshake.set(name, socket);
    socket.once("close", () => {
      if (inHandshake.get(name) === socket) inHandshake.delete(name);
    });
    add(socket);
  });
  server.prependListener("secureConnection", (socket: Socket) => {
    const name = nameOf(socket);
    const raw = inHandshake.get(name);
    inHandshake.delete(name);
    if (raw !== undefined) remove(raw);
  });
}
