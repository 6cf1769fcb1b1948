/** Obtaining and renewing with Debian's pebble, under a clock that the test sets forward. */
import assert from "node:assert/strict";
import { randomBytes, X509Certificate } from "node:crypto";
import { type TestContext, test } from "node:test";
import { challengeResponses } from "../../src/acme/challenge-responses.ts";
import { ChallengeReader } from "../../src/acme/challenges.ts";
import { ObtainedCertificate } from "../../src/acme/obtained-certificate.ts";
import { CertificateRenewal } from "../../src/acme/renewal.ts";
import { readStoredCertificate } from "../../src/acme/sealed-entries.ts";
import { type Listener, listen } from "../../src/http/server.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { Vault } from "../../src/security/vault.ts";
import { readCertificateState } from "../../src/spool/port/certificate-state.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { startPebble, withoutPebble } from "../support/pebble.ts";
import { freePort } from "../support/postgres/server.ts";

const DAY_MS = 86_400_000;
const NAMES = ["mta.shop.test", "mail.shop.test"];
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
  const renewal = (changed: Partial<typeof settings> = {}) =>
    new CertificateRenewal({
      ...service,
      settings: { ...settings, ...changed },
      ca: pebble.authority,
      log: silentLog,
      random: () => 0.5,
    });
  const serial = async () => {
    const stored = await readStoredCertificate(service);
    return stored === null ? null : new X509Certificate(stored.cert).serialNumber;
  };
  return { zone, service, renewal, serial };
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
