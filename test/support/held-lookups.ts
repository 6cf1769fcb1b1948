/** Lookups that are held for a result, many on one connection, as a client that pipelines its requests makes them. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { World } from "./world.ts";

/** As many as one connection may have under way. */
const ON_ONE = 32;

/**
 * Holds so many that `refused` comes true. What asks meanwhile takes a place too, and gives it back: then others are held.
 * Returns how to let go.
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
    // Those are there before the next question comes.
    for (let i = 0; i < 3; i += 1) await (await world.lookUp(id)).text();
  } while (!(await isRejected()));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Asks `count` times for the results of a message, and goes on waiting until the connection is destroyed. */
async function holdLookups({ service, key }: World, id: string, count: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: service.port });
  socket.on("error", () => {});
  await once(socket, "connect");
  const path = `/api/sending/messages/${id}?wait=60`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(count));
  return socket;
}
