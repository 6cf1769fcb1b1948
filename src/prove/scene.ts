/** What surrounds the service of a proof, all on loopback and in one folder: a DNS zone, the sink, its settings, a domain and a key. */
import { join } from "node:path";
import { startZoneServer, type ZoneServer, type ZoneType } from "../testing/zone-server.ts";
import { ProveFailure } from "./failure.ts";
import { RECIPIENT_DOMAINS, SENDER_DOMAIN } from "./numbered-message.ts";
import { type Environment, runCommand } from "./programs.ts";
import { type Recorder, type RecordingSink, startRecordingSink } from "./recording-sink.ts";

const HOSTNAME = `mta.${SENDER_DOMAIN}`;

export interface Scene {
  sink: RecordingSink;
  zone: ZoneServer;
  /** The settings of the service. */
  env: Environment;
  close(): Promise<void>;
}

export async function openScene(dir: string, recorder?: Recorder): Promise<Scene> {
  const zone = await startZoneServer();
  zone.set(HOSTNAME, "A", ["127.0.0.1"]);
  for (const domain of RECIPIENT_DOMAINS) {
    zone.set(domain, "MX", [`10 mx.${domain}`]);
    zone.set(`mx.${domain}`, "A", ["127.0.0.1"]);
  }
  const sink = await startRecordingSink(recorder);
  return {
    sink,
    zone,
    env: environment({ dir, zone, sink }),
    async close() {
      await sink.close();
      await zone.close();
    },
  };
}

const environment = ({ dir, zone, sink }: { dir: string } & Pick<Scene, "zone" | "sink">): Environment => ({
  PORT: "0",
  HOST: "127.0.0.1",
  HOME: dir,
  DATA_DIR: join(dir, "data"),
  CERTS_DIR: join(dir, "certs"),
  MTA_HOSTNAME: HOSTNAME,
  SENDING_IPS: "127.0.0.1",
  DNS_SERVERS: zone.address,
  SMTP_PORT: String(sink.port),
  SMTP_ALLOW_PRIVATE: "true",
  RATE_PER_SECOND: "0",
  ADDRESS_RATE_PER_SECOND: "0",
  RETRY_SCHEDULE: "1s",
  SUPPRESS_AFTER: "0",
});

/** Creates the spool and its first API key, which it returns. */
export async function createKey({ env }: Scene, signal: AbortSignal): Promise<string> {
  const words = ["keys", "create", "--name", "prove", "--permissions", "send,read,manage"];
  const { key } = (await runCommand(words, env, signal)) as { key?: unknown };
  if (typeof key !== "string") throw new ProveFailure("postrider keys create printed no key");
  return key;
}

interface ManagedDomain {
  verified: boolean;
  records: { name: string; type: ZoneType; value: string }[];
}

/** Binds the sender's domain in the service, publishes its records in the zone and has them verified. */
export async function bindSender({ zone }: Scene, service: { url: string; key: string }): Promise<void> {
  const { records } = await managed("/domains", { name: SENDER_DOMAIN }, service);
  for (const { name, type, value } of records) zone.set(name, type, [value]);
  const { verified } = await managed(`/domains/${SENDER_DOMAIN}/verify`, {}, service);
  if (!verified) throw new ProveFailure(`${SENDER_DOMAIN} could not be verified`);
}

async function managed(path: string, body: object, { url, key }: { url: string; key: string }): Promise<ManagedDomain> {
  const response = await fetch(`${url}/api/manage${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new ProveFailure(`POST ${path} was answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer as ManagedDomain;
}
