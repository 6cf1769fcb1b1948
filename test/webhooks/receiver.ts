/** Webhook receivers for tests, on 127.0.0.1: one that verifies and records posts, and one with responses byte by byte. */
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { KeyAndCertificate } from "../support/self-signed.ts";

interface ReceivedPost {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The connection that it arrived on. */
  socket: Socket;
}

export interface Receiver {
  port: number;
  posts: ReceivedPost[];
  /** The connections so far. */
  connections: Socket[];
  /** Responds to a post; 204 unless replaced. */
  respond: (response: ServerResponse, post: ReceivedPost) => void;
  /** Closes the connections without a request under way, as a server does after its idle timeout. */
  closeIdle(): void;
}

/** Over HTTPS with a certificate. */
export async function startReceiver(t: TestContext, certificate?: KeyAndCertificate): Promise<Receiver> {
  const receiver: Receiver = {
    port: 0,
    posts: [],
    connections: [],
    respond: (response) => response.writeHead(204).end(),
    closeIdle: () => server.closeIdleConnections(),
  };
  const server = certificate === undefined ? createHttpServer() : createHttpsServer(certificate);
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers, socket } = request;
      const post = { method, path, headers, body: Buffer.concat(chunks).toString(), socket };
      receiver.posts.push(post);
      receiver.respond(response, post);
    });
  });
  server.on("tlsClientError", () => {});
  receiver.port = await listen(t, server, receiver.connections);
  return receiver;
}

export interface RawReceiver {
  port: number;
  connections: Socket[];
  /** The posts so far, header and body. */
  posts: string[];
}

/** Calls `respond` when a request is complete; `nth` counts the requests of its connection from 1. */
export async function startRawReceiver(
  t: TestContext,
  respond: (socket: Socket, nth: number) => void,
): Promise<RawReceiver> {
  const receiver: RawReceiver = { port: 0, connections: [], posts: [] };
  const server = createNetServer((socket) => {
    let received = "";
    let nth = 0;
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const length = Number(/^content-length: (\d+)\r$/im.exec(received)?.[1]);
      const end = received.indexOf("\r\n\r\n") + 4 + length;
      if (!(received.length >= end)) return;
      receiver.posts.push(received.slice(0, end));
      received = received.slice(end);
      nth += 1;
      respond(socket, nth);
    });
  });
  receiver.port = await listen(t, server, receiver.connections);
  return receiver;
}

async function listen(t: TestContext, server: Server, connections: Socket[]): Promise<number> {
  server.on("connection", (socket) => {
    connections.push(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Writes the chunk again and again until the connection is closed, no faster than it is read. */
export function writeEndlessly(socket: Socket, chunk: string): void {
  const next = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", next);
  next();
}
