/**
 * A complete installation on loopback for tests of the dashboard: zone server, sink and service. It has no user, domain or
 * key.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pino } from "pino";
import { readConfig } from "../../../src/config.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import { type Service, startService } from "../../../src/service/service.ts";
import { type Sink, startSink } from "../../../src/sink.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { startZoneServer, type ZoneServer } from "../../../src/testing/zone-server.ts";
import { cheapHash } from "../cheap-hash.ts";
import { freshDatabase } from "../postgres/fresh-database.ts";
import { tempDir } from "../temp-dir.ts";

export const OPERATOR = { email: "delivered@customers.example", password: "correct horse battery" };

export interface Installation {
  service: Service;
  url: string;
  zone: ZoneServer;
  sink: Sink;
  dataDir: string;
  certsDir: string;
  /** The log lines so far, as JSON. */
  logged: string[];
  /** The one-time setup link in the log; "" without one. */
  setupUrl: string;
}

/** What the spool is in. */
export type Engine = "SQLite" | "PostgreSQL";

/** The environment of a service whose spool is in this engine, in a database of the test. */
export async function engineEnv(t: TestContext, engine: Engine): Promise<Record<string, string>> {
  return engine === "SQLite" ? {} : { DATABASE_URL: (await freshDatabase(t)).url };
}

/** `env` overrides the service's environment; `fill` may write to the data directory before the service starts. */
export async function install(
  t: TestContext,
  { env = {}, fill }: { env?: Record<string, string>; fill?: (dataDir: string) => Promise<void> } = {},
): Promise<Installation> {
  const dir = tempDir(t);
  const dataDir = join(dir, "data");
  const certsDir = join(dir, "certs");
  const zone = await startZoneServer();
  const sink = await startSink({
    port: 0,
    dir: join(dir, "sink"),
    resolver: createResolver({ servers: [zone.address] }),
  });
  zone.set("customers.example", "MX", ["10 mx.customers.example"]);
  zone.set("mx.customers.example", "A", ["127.0.0.1"]);
  zone.set("mail.shop.example", "A", ["127.0.0.1"]);
  await fill?.(dataDir);
  const config = readConfig({
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: dataDir,
    CERTS_DIR: certsDir,
    MTA_HOSTNAME: "mta.shop.example",
    SENDING_IPS: "127.0.0.1",
    DNS_SERVERS: zone.address,
    SMTP_PORT: String(sink.port),
    SMTP_ALLOW_PRIVATE: "true",
    RATE_PER_SECOND: "0",
    RETRY_SCHEDULE: "1h",
    ...env,
  });
  const logged: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void logged.push(line) });
  const service = await startService(config, log, {
    onFatal(error) {
      throw error;
    },
  });
  t.after(async () => {
    await service.stop();
    await sink.close();
    await zone.close();
  });
  const [, setupUrl = ""] = /"setupUrl":"([^"]+)"/.exec(logged.join("")) ?? [];
  return { service, url: service.url, zone, sink, dataDir, certsDir, logged, setupUrl };
}

/** Like `install`, with an operator who can sign in. With DATABASE_URL, the operator is created once the service runs. */
export async function installWithOperator(
  t: TestContext,
  { env = {}, fill }: { env?: Record<string, string>; fill?: (dataDir: string) => Promise<void> } = {},
): Promise<Installation> {
  if (env.DATABASE_URL !== undefined) {
    const installation = await install(t, { env, ...(fill === undefined ? {} : { fill }) });
    await installation.service.registry.createUser(operator());
    return installation;
  }
  return install(t, {
    env,
    async fill(dataDir) {
      await fill?.(dataDir);
      await addOperator(dataDir);
    },
  });
}

const operator = () => ({
  email: OPERATOR.email,
  accountId: "acc_default",
  passwordHash: cheapHash(OPERATOR.password),
  operator: true,
  createdAtMs: Date.now(),
  usersMax: 10,
});

async function addOperator(dataDir: string): Promise<void> {
  const onFatal = (error: Error): void => {
    throw error;
  };
  const spool = await openSqliteSpool({ dataDir, role: "client", onFatal });
  await spool.createUser(operator());
  await spool.close();
}

/** Creates an account with one user, who is no operator. Resolves with the credentials. */
export async function addUser({ service }: Installation, account: string, email: string): Promise<typeof OPERATOR> {
  const made = await service.registry.createAccount(account, Date.now());
  assert.ok(made !== "exists");
  const password = "a long enough password";
  const passwordHash = cheapHash(password);
  await service.registry.createUser({
    email,
    accountId: made.id,
    passwordHash,
    operator: false,
    createdAtMs: 1,
    usersMax: 10,
  });
  return { email, password };
}
