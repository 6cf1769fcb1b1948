/** Lookups held for a result, many on one connection, as a client sends them that pipelines requests. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { World } from "./world.ts";

/** The limit of requests in progress on one connection. */
const ON_ONE = 32;

/**
 * Holds lookups until `isRejected` returns true. The check itself may take a slot and free it again; then further
 * lookups are held. Returns a function that ends them.
 */
export async function holdUntilRejected(
  world: World,
  id: string,
  isRejected: () => Promise<boolean>,
): Promise<() => void> {
  const sockets: Socket[] = [];
  for (let i = 0; i < 1000; i += ON_ONE) sockets.push(await holdLookups(world, id, ON_ONE));
  do {
    sockets.push(await holdLookups(world, id, 10));
    // Responses to these show that the new lookups have arrived.
    for (let i = 0; i < 3; i += 1) await (await world.lookUp(id)).text();
  } while (!(await isRejected()));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Sends `count` lookups for a message's results, which are held until the connection is destroyed. */
async function holdLookups({ service, key }: World, id: string, count: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: service.port });
  socket.on("error", () => {});
  await once(socket, "connect");
  const path = `/api/sending/messages/${id}?wait=60`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(count));
  return socket;
}
