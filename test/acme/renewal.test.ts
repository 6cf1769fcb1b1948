/** Obtaining and renewing with Debian's pebble, under a clock that the test sets forward. */
import assert from "node:assert/strict";
import { randomBytes, X509Certificate } from "node:crypto";
import { type TestContext, test } from "node:test";
import { Client } from "acme-client";
import { challengeResponses } from "../../src/acme/challenge-responses.ts";
import { ChallengeReader } from "../../src/acme/challenges.ts";
import { ObtainedCertificate } from "../../src/acme/obtained-certificate.ts";
import { CertificateRenewal } from "../../src/acme/renewal.ts";
import { readAccount, readStoredCertificate } from "../../src/acme/sealed-entries.ts";
import { withConnection } from "../../src/acme/transport.ts";
import { type Listener, listen } from "../../src/http/server.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { Vault } from "../../src/security/vault.ts";
import { readCertificateState } from "../../src/spool/port/certificate-state.ts";
import type { Tenure } from "../../src/spool/port/duties.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { json, startAuthority, upToOrder } from "../support/fake-authority.ts";
import { startPebble, withoutPebble } from "../support/pebble.ts";
import { freePort } from "../support/postgres/server.ts";

const DAY_MS = 86_400_000;
const NAMES = ["mta.shop.test", "mail.shop.test"];
/** Of a process that keeps the duty. */
const KEPT: Tenure = { isLatest: () => true };
const options = { skip: withoutPebble(), timeout: 120_000 };

/** Of one service: its spool in memory, its clock, and its vault. */
function newService() {
  const values = new Map<string, string>();
  const secrets = new Map<string, Buffer>();
  const store = {
    readValue: async (name: string) => values.get(name) ?? null,
    writeValue: async (name: string, text: string) => void values.set(name, text),
    readSecret: async (name: string) => secrets.get(name) ?? null,
    async addSecret(name: string, sealed: Buffer, inPlaceOf?: Buffer) {
      if ((secrets.get(name) ?? null) === (inPlaceOf ?? null)) secrets.set(name, sealed);
    },
  };
  const time = { aheadMs: 0 };
  const clock: Clock = { ...systemClock, now: () => Date.now() + time.aheadMs };
  return { store, secrets, vault: new Vault(randomBytes(32)), clock, time };
}

async function start(t: TestContext) {
  const zone = await startZoneServer();
  t.after(() => zone.close());
  for (const name of NAMES) zone.set(name, "A", ["127.0.0.1"]);
  const httpPort = await freePort();
  const pebble = await startPebble(t, { dnsServer: zone.address, httpPort, validitySeconds: 90 * 86_400 });
  const service = newService();
  const { store, clock } = service;
  const challenges = new ChallengeReader({ store, clock });
  const answer = challengeResponses({ challenges, redirectTo: null, log: silentLog });
  const listener: Listener = await listen({
    host: "127.0.0.1",
    port: httpPort,
    certsDir: null,
    clock: systemClock,
    log: silentLog,
    answer,
    rejected: () => {},
  });
  t.after(() => listener.close());
  const settings = { email: "ops@shop.test", directory: pebble.directory, names: NAMES, httpPort };
  const renewal = (changed: Partial<typeof settings> = {}, tenure = KEPT) =>
    new CertificateRenewal({
      ...service,
      settings: { ...settings, ...changed },
      ca: pebble.authority,
      log: silentLog,
      tenure,
      random: () => 0.5,
    });
  const serial = async () => {
    const stored = await readStoredCertificate(service);
    return stored === null ? null : new X509Certificate(stored.cert).serialNumber;
  };
  return { zone, service, renewal, serial, pebble };
}

test(
  "a certificate is obtained, kept, and renewed at two thirds of its life; a failure keeps the old one",
  options,
  async (t) => {
    const { zone, service, renewal, serial } = await start(t);
    const { store, time, clock } = service;
    await renewal().look();
    const first = await serial();
    assert.ok(first);
    assert.deepEqual((await readCertificateState(store)).certificate?.names, NAMES);
    // Another process with the same spool serves it.
    const other = new ObtainedCertificate({ ...service, log: silentLog });
    await other.read();
    assert.equal(new X509Certificate(other.pair?.cert ?? "").serialNumber, first);
    assert.ok(![...service.secrets.values()].some((sealed) => sealed.includes("PRIVATE KEY")));

    time.aheadMs = 50 * DAY_MS;
    await renewal().look();
    assert.equal(await serial(), first, "renewed before it is due");

    time.aheadMs = 65 * DAY_MS;
    zone.set("mail.shop.test", "A", ["127.0.0.77"]);
    await renewal().look();
    assert.equal(await serial(), first, "a valid name was taken away");
    const failed = (await readCertificateState(store)).refused;
    assert.deepEqual(
      Object.entries(failed).map(([name, { count }]) => [name, count]),
      [["mail.shop.test", 1]],
    );
    await renewal().look();
    assert.deepEqual((await readCertificateState(store)).refused, failed, "tried again at once after a restart");

    zone.set("mail.shop.test", "A", ["127.0.0.1"]);
    time.aheadMs += 20 * 60_000;
    await renewal().look();
    assert.notEqual(await serial(), first);
    await other.read();
    assert.equal(new X509Certificate(other.pair?.cert ?? "").serialNumber, await serial());
    const { refused, order, certificate } = await readCertificateState(store);
    assert.deepEqual([refused, order], [{}, null]);
    assert.ok((certificate?.untilMs ?? 0) > clock.now());
  },
);

test(
  "an authority without a reply, and a stop, change nothing but the time of the next attempt",
  options,
  async (t) => {
    const { service, renewal, serial } = await start(t);
    const unreachable = { directory: "https://localhost:1/dir" };
    await renewal(unreachable).look();
    const { order } = await readCertificateState(service.store);
    assert.match(order?.detail ?? "", /no reply from localhost:1/);
    assert.equal(order?.nextAtMs, (order?.atMs ?? 0) + 15 * 60_000);
    assert.equal(order?.count, 1);

    service.time.aheadMs = 16 * 60_000;
    const stopped = renewal();
    stopped.start();
    await stopped.stop();
    assert.equal(await serial(), null);
    // Else a service that is started again and again would ask the authority each time.
    assert.equal((await readCertificateState(service.store)).order?.count, 2);
    service.time.aheadMs += 3 * 3_600_000;
    await renewal().look();
    assert.ok(await serial());
  },
);

test("an account that the authority has deactivated is replaced by a new one", options, async (t) => {
  const { service, renewal, serial, pebble } = await start(t);
  await renewal().look();
  const first = await serial();
  const before = await readAccount(service);
  assert.ok(first && before?.url);
  const { key: accountKey, url: accountUrl } = before;
  await withConnection({ signal: new AbortController().signal, ca: pebble.authority }, async () => {
    const client = new Client({ directoryUrl: pebble.directory, accountKey, accountUrl });
    Object.assign((client as unknown as { http: object }).http, { maxBadNonceRetries: 20 });
    await client.updateAccount({ status: "deactivated" } as Parameters<Client["updateAccount"]>[0]);
  });
  service.time.aheadMs = 65 * DAY_MS;
  await renewal().look();
  assert.notEqual(await serial(), first);
  const after = await readAccount(service);
  assert.ok(after?.url);
  assert.notEqual(after.key, before.key);
  assert.equal((await readCertificateState(service.store)).order, null);
});

test("an authority that refuses every account is asked for one new account in 24 hours", async (t) => {
  const asked: string[] = [];
  const type = "urn:ietf:params:acme:error:unauthorized";
  const { url, ca } = await startAuthority(
    t,
    upToOrder((req, res, at) => {
      asked.push(req.url ?? "");
      if (req.url === "/account") json(res, 201, { status: "valid" }, { Location: `${at}/account/${asked.length}` });
      else json(res, 401, { type, detail: "the account is deactivated" });
    }),
  );
  const service = newService();
  const settings = { email: "ops@shop.test", directory: `${url}/dir`, names: NAMES, httpPort: 80 };
  const warnings: string[] = [];
  const log = { info() {}, warn: (...given: unknown[]) => void warnings.push(given.join(" ")) };
  const renewal = () => new CertificateRenewal({ ...service, settings, ca, log, tenure: KEPT, random: () => 0.5 });
  await renewal().look();
  assert.deepEqual(asked, ["/account", "/order"], "an account that is new is not replaced");
  service.time.aheadMs = 20 * 60_000;
  await renewal().look();
  assert.deepEqual(asked.slice(2), ["/order", "/account", "/order"]);
  const { order } = await readCertificateState(service.store);
  assert.match(order?.detail ?? "", /the account is deactivated/);
  assert.equal(order?.nextAtMs, (order?.atMs ?? 0) + 60 * 60_000);
  await renewal().look();
  assert.equal(asked.length, 5, "the next attempt waits");
  assert.ok(warnings.some((message) => message.includes("accounturi")));
  service.time.aheadMs += 23 * 3_600_000;
  await renewal().look();
  assert.deepEqual(asked.slice(5), ["/order"], "replaced again within 24 hours");
  service.time.aheadMs += 24 * 3_600_000;
  await renewal().look();
  assert.deepEqual(asked.slice(6), ["/order", "/account", "/order"]);
});

test(
  "a certificate that is not valid yet by this host's clock is kept, and not requested again",
  options,
  async (t) => {
    const { service, renewal, serial } = await start(t);
    service.time.aheadMs = -2 * DAY_MS;
    await renewal().look();
    const first = await serial();
    assert.ok(first);
    const { certificate, order } = await readCertificateState(service.store);
    assert.ok((certificate?.fromMs ?? 0) > service.clock.now());
    assert.equal(order, null);
    await renewal().look();
    assert.equal(await serial(), first);
  },
);

test("a process that has lost the duty during an order stores nothing", options, async (t) => {
  const { service, renewal, serial } = await start(t);
  let isLatest = true;
  const late = renewal({}, { isLatest: () => isLatest });
  const ended = late.look();
  await untilTrue(async () => (await readAccount(service))?.url != null);
  isLatest = false;
  const [before, stored] = [new Map(service.secrets), await readCertificateState(service.store)];
  await ended;
  assert.deepEqual(service.secrets, before);
  assert.deepEqual(await readCertificateState(service.store), stored);
  // The process that has the duty now.
  service.time.aheadMs = 20 * 60_000;
  await renewal().look();
  assert.ok(await serial());
});

async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 20));
}
