/** Opens the port of a server, and keeps the process alive when a connection cannot be accepted. */
import { once } from "node:events";
import type { ListenOptions, Server } from "node:net";

type Place = Required<Pick<ListenOptions, "port" | "host" | "backlog">>;

/** Rejects if the port cannot be used. Port 0: any free one. */
export async function startListening(server: Server, place: Place): Promise<void> {
  server.listen(place);
  await once(server, "listening");
  // Out of descriptors, a connection cannot be accepted. Its client tries again; without this listener the process would end.
  server.on("error", () => {});
}
