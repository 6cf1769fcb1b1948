/** The zone server of the benchmark as a child process. */
import { once } from "node:events";
import type { ZoneRecord } from "../../src/testing/zone-server.ts";
import { startScript } from "../child.ts";
import { DNS_HOST } from "../namespace.ts";
import { ADDRESSES } from "./side.ts";

export interface Zone {
  set(record: ZoneRecord): Promise<void>;
  stop(): Promise<void>;
}

export const DNS_SERVER = `${DNS_HOST}:53`;

/** Starts the zone server with the recipients' domain, whose only exchanger is the sink. */
export async function startZone(): Promise<Zone> {
  const child = await startScript("bench/zone.ts", [DNS_HOST, "53"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child.process, "message");
  const zone: Zone = {
    async set(record) {
      child.process.send(record);
      await once(child.process, "message");
    },
    stop: () => child.stop(),
  };
  const { recipientDomain, hostname, sink } = ADDRESSES;
  await zone.set({ name: recipientDomain, type: "MX", values: [`10 mx.${recipientDomain}`] });
  await zone.set({ name: `mx.${recipientDomain}`, type: "A", values: [sink.host] });
  await zone.set({ name: hostname, type: "A", values: ["127.0.0.1"] });
  return zone;
}
