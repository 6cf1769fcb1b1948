/**
 * The DNS server of the benchmark, a separate program: `zone.ts HOST PORT`. Records arrive over the IPC channel and
 * are confirmed.
 */
import { startZoneServer, type ZoneRecord } from "../src/testing/zone-server.ts";

const [host = "127.0.0.1", port = "0"] = process.argv.slice(2);
const zone = await startZoneServer({ host, port: Number(port) });
process.on("message", ({ name, type, values }: ZoneRecord) => {
  zone.set(name, type, values);
  process.send?.("set");
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
