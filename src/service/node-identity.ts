/** How this process is shown among the nodes of one database. */
import { hostname, networkInterfaces } from "node:os";
import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import type { NodeIdentity } from "../spool/engine/postgres/cluster/nodes-table.ts";

/** The name, the address of the HTTP listener as far as it is known before it listens, and the version. */
export function nodeIdentity({ nodeName, host, port }: Pick<Config, "nodeName" | "host" | "port">): NodeIdentity {
  const isAny = host === "0.0.0.0" || host === "::";
  const shown = isAny ? ownAddress() : host;
  const bracketed = shown.includes(":") ? `[${shown}]` : shown;
  // With PORT=0 the system chooses a port later.
  return { name: nodeName, address: port === 0 ? shown : `${bracketed}:${port}`, version: packageJson.version };
}

/** An address of this server, IPv4 first; its name if it has none but loopback. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.filter(({ internal }) => !internal));
  const first = addresses.find(({ family }) => family === "IPv4") ?? addresses[0];
  return first?.address ?? hostname();
}
