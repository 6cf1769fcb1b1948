/**
 * How many clients may be connected. Beyond that the one goes that has asked for nothing for longest (idle, in its header, in
 * a TLS handshake), so that such, however many, keep nobody out; where there is none, the one whose request has been coming
 * for longest. Only where all wait for their answers the new one is turned away.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Each costs a descriptor and some kilobytes; delivery and the spool need descriptors too. */
const CONNECTIONS_MAX = 5000;

/** Requests that a client may send on before it has read the answers: all lie in memory. Who sends more is cut off. */
const PIPELINED_MAX = 32;

interface Asked {
  /** Pipelined requests that are not answered yet. */
  requests: number;
  /** Only the last can still be coming; null once all are answered, for a Map's dropped tables keep it (see passing-map.ts). */
  last: IncomingMessage | null;
}

/**
 * Bounds a server's connections, and the requests under way on each; `event` is the one that brings the sockets that its
 * requests have. A request that comes on a destroyed socket is not to be answered. Returns how to cut those in a TLS handshake,
 * of which the server itself knows nothing when it closes.
 */
export function boundConnections(
  server: Server,
  event: "connection" | "secureConnection",
  most: number = CONNECTIONS_MAX,
): { cutHandshakes: () => void } {
  /** In the order of their last sign of life. */
  const quiet = new Set<Socket>();
  /** In the order in which they asked. */
  const asked = new Map<Socket, Asked>();
  // Beyond what is counted here, should that ever fail.
  server.maxConnections = 2 * most;

  function enter(socket: Socket): void {
    quiet.add(socket);
    socket.once("close", () => {
      quiet.delete(socket);
      asked.delete(socket);
    });
    if (quiet.size + asked.size <= most) return;
    const [oldest = socket] = quiet;
    const goes = oldest === socket ? (stillComing(asked) ?? socket) : oldest;
    goes.destroy();
  }

  server.on(event, enter);
  const inHandshake = new Map<string, Socket>();
  if (event === "secureConnection")
    countHandshakes(server, { inHandshake, enter, leave: (socket) => quiet.delete(socket) });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const entry = asked.get(socket) ?? { requests: 0, last: null };
    entry.requests += 1;
    entry.last = request;
    quiet.delete(socket);
    asked.set(socket, entry);
    if (entry.requests > PIPELINED_MAX) socket.destroy();
    response.once("close", () => {
      if (asked.get(socket) !== entry) return;
      entry.requests -= 1;
      if (entry.requests > 0) return;
      entry.last = null;
      asked.delete(socket);
      if (!socket.destroyed) quiet.add(socket);
    });
  });
  return {
    cutHandshakes() {
      for (const socket of inHandshake.values()) socket.destroy();
    },
  };
}

function stillComing(asked: Map<Socket, Asked>): Socket | null {
  for (const [socket, { last }] of asked) if (last?.complete === false) return socket;
  return null;
}

interface Handshakes {
  /** By address and port: a socket is another one once its handshake is over. */
  inHandshake: Map<string, Socket>;
  enter: (socket: Socket) => void;
  leave: (socket: Socket) => void;
}

/** Counts the connections of a TLS server from their first byte. */
function countHandshakes(server: Server, { inHandshake, enter, leave }: Handshakes): void {
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    inHandshake.set(name, socket);
    socket.once("close", () => {
      if (inHandshake.get(name) === socket) inHandshake.delete(name);
    });
    enter(socket);
  });
  server.prependListener("secureConnection", (socket: Socket) => {
    const name = nameOf(socket);
    const raw = inHandshake.get(name);
    inHandshake.delete(name);
    if (raw !== undefined) leave(raw);
  });
}
