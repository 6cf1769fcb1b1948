/**
 * A complete environment on loopback for a test: zone server, sink, and the real service in this process, with one
 * verified domain and one API key. Everything a test adds goes through the public interfaces.
 */
import { join } from "node:path";
import type { TestContext } from "node:test";
import { verifyNow } from "../../src/app/domains/verify-domain.ts";
import { readConfig } from "../../src/config.ts";
import type { Resolver } from "../../src/dns/resolver.ts";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { normalizeDomainName } from "../../src/domains/domain-name.ts";
import { createDomain, type NewDomainRequest, type UnsealedDomain } from "../../src/domains/new-domain.ts";
import { recordsToPublish } from "../../src/domains/records.ts";
import { type Logger, silentLog } from "../../src/lib/log.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { dkimSealName, openVault, type Vault } from "../../src/security/vault.ts";
import { type Service, startService } from "../../src/service/service.ts";
import { type Sink, startSink } from "../../src/sink.ts";
import type { Registry } from "../../src/spool/port/accounts.ts";
import type { Domain } from "../../src/spool/port/domains.ts";
import { startZoneServer, type ZoneServer } from "../../src/testing/zone-server.ts";
import { tempDir } from "./temp-dir.ts";

export const SENDER_DOMAIN = "shop.example";
export const RECIPIENT_DOMAIN = "customers.example";

export interface World {
  zone: ZoneServer;
  resolver: Resolver;
  sink: Sink;
  service: Service;
  /** The service's environment, for child processes that use the same directories. */
  env: Record<string, string>;
  /** A live API key of the default account. */
  key: string;
  keyId: string;
  /** Creates another live key of the default account, or of another one. */
  newKey(accountId?: string): Promise<{ key: string; id: string }>;
  /** Creates a test key of the default account. */
  newTestKey(): Promise<{ key: string; id: string }>;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  lookUp(id: string, query?: string, key?: string): Promise<Response>;
}

/**
 * Starts a world and stops it after the test. `env` overrides the service's environment; by default there is no rate
 * limit.
 */
export async function startWorld(
  t: TestContext,
  env: Record<string, string> = {},
  { log = silentLog }: { log?: Logger } = {},
): Promise<World> {
  const dir = tempDir(t);
  const zone = await startZoneServer();
  const resolver = createResolver({ servers: [zone.address] });
  const sink = await startSink({ port: 0, dir: join(dir, "sink"), resolver });
  zone.set(RECIPIENT_DOMAIN, "MX", [`10 mx.${RECIPIENT_DOMAIN}`]);
  zone.set(`mx.${RECIPIENT_DOMAIN}`, "A", ["127.0.0.1"]);
  const fullEnv = {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: join(dir, "data"),
    CERTS_DIR: join(dir, "certs"),
    MTA_HOSTNAME: "mta.shop.example",
    SENDING_IPS: "127.0.0.1",
    DNS_SERVERS: zone.address,
    SMTP_PORT: String(sink.port),
    SMTP_ALLOW_PRIVATE: "true",
    RATE_PER_SECOND: "0",
    ADDRESS_RATE_PER_SECOND: "0",
    // Does not wait for silent peers at the end of a test.
    STOP_REPLY_WAIT: "4s",
    ...env,
  };
  const config = readConfig(fullEnv);
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
  await bindVerified({ service, zone, resolver, certsDir: config.certsDir }, SENDER_DOMAIN);
  const { key, id: keyId } = await newKey(service);

  return {
    zone,
    resolver,
    sink,
    service,
    env: fullEnv,
    key,
    keyId,
    newKey: (accountId) => newKey(service, { accountId }),
    newTestKey: () => newKey(service, { test: true }),
    post: (body, headers = {}) =>
      fetch(`${service.url}/api/sending/send`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    lookUp: (id, query = "", otherKey = key) =>
      fetch(`${service.url}/api/sending/messages/${id}${query}`, { headers: { Authorization: `Bearer ${otherKey}` } }),
  };
}

interface Place {
  service: Service;
  zone: ZoneServer;
  resolver: Resolver;
  certsDir: string;
}

/** Binds a domain to the default account without verifying it. */
export const bindUnverified = ({ registry }: Service, certsDir: string, name: string): Promise<Domain> =>
  bindWithSharedKey(registry, openVault(certsDir), { accountId: "acc_default", name, nowMs: Date.now() });

/** Binds a domain to the default account, or to another one, publishes its records and verifies it. */
export async function bindVerified(
  { service, zone, resolver, certsDir }: Place,
  name: string,
  accountId = "acc_default",
): Promise<void> {
  const nowMs = Date.now();
  const domain = await bindWithSharedKey(service.registry, openVault(certsDir), { accountId, name, nowMs });
  const context = { resolver, hostname: "mta.shop.example", sendingIps: ["127.0.0.1"], allowPrivate: true };
  zone.set(`mail.${name}`, "A", ["127.0.0.1"]);
  for (const record of recordsToPublish(domain, context)) zone.set(record.name, record.type, [record.value]);
  const verified = await verifyNow(service.registry, domain, { context, nowMs });
  if (!verified.verified) throw new Error(`verifying ${name}: ${JSON.stringify(verified.checks)}`);
}

let shared: Promise<UnsealedDomain> | undefined;

/** Like bindDomain, but with one shared RSA key, since generating one takes longer than most tests. */
async function bindWithSharedKey(registry: Registry, vault: Vault, request: NewDomainRequest): Promise<Domain> {
  shared ??= createDomain(request);
  const { privateKeyPem, ...made } = await shared;
  const { accountId, nowMs: createdAtMs } = request;
  const normalized = normalizeDomainName(request.name);
  if (normalized.type === "invalid") throw new Error(normalized.detail);
  const { name } = normalized;
  const sealedPrivateKey = vault.seal(dkimSealName(name, made.selector), privateKeyPem);
  const bound = { ...made, accountId, name, createdAtMs, sealedPrivateKey, domainsMax: 1000 };
  const domain = await registry.addDomain(bound);
  if (typeof domain === "string") throw new Error(`binding ${name}: ${domain}`);
  return domain;
}

async function newKey(
  service: Service,
  { accountId = "acc_default", test = false }: { accountId?: string | undefined; test?: boolean } = {},
): Promise<{ key: string; id: string }> {
  const { key, hash, lastFour } = newApiKey({ test });
  const made = { accountId, name: "test", hash, lastFour, createdAtMs: Date.now(), keysMax: 1000, test };
  const created = await service.registry.createKey(made);
  if (created === "too_many") throw new Error(`${accountId} has too many keys`);
  return { key, id: created.id };
}

/** A valid request body with the recipient `delivered@`; any field can be overridden. */
export function sendBody(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    from: `Shop <hello@${SENDER_DOMAIN}>`,
    to: `delivered@${RECIPIENT_DOMAIN}`,
    subject: "Hello",
    text: "Hi there",
    ...parts,
  };
}
