/**
 * Certificates by ACME with Debian's pebble, which rejects half of all nonces and is slow: the first one is served by every listener
 * without a restart, and so is a renewed one. The service trusts pebble by NODE_EXTRA_CA_CERTS, as docs/TLS.md says.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type PeerCertificate } from "node:tls";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { startChild } from "../support/child-service.ts";
import { type Pebble, startPebble, withoutPebble } from "../support/pebble.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { freePort } from "../support/postgres/server.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const MTA = "mta.shop.test";
const WEB = "mail.shop.test";
const WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;
const skip = withoutPebble();

interface Node {
  host: string;
  httpsPort: number;
  submissionPort: number;
  submissionsPort: number;
  inboundPort: number;
  env: Record<string, string>;
}

async function authority(t: TestContext, { validitySeconds = 7_776_000, tlsPort = 1 } = {}) {
  const zone = await startZoneServer();
  t.after(() => zone.close());
  const httpPort = await freePort();
  const pebble = await startPebble(t, { dnsServer: zone.address, httpPort, tlsPort, validitySeconds });
  return { zone, httpPort, pebble };
}

type Authority = Awaited<ReturnType<typeof authority>>;

async function nodeOf(
  t: TestContext,
  { zone, httpPort, pebble }: Authority,
  { host = "127.0.0.1", dir = tempDir(t), ...env }: { host?: string; dir?: string; [setting: string]: string } = {},
): Promise<Node> {
  const [httpsPort, submissionPort, submissionsPort, inboundPort] = await Promise.all([1, 2, 3, 4].map(freePort));
  assert.ok(httpsPort && submissionPort && submissionsPort && inboundPort);
  return {
    host,
    httpsPort,
    submissionPort,
    submissionsPort,
    inboundPort,
    env: {
      PORT: String(httpsPort),
      HOST: host,
      SUBMISSION_PORT: String(submissionPort),
      SUBMISSIONS_PORT: String(submissionsPort),
      INBOUND_PORT: String(inboundPort),
      DATA_DIR: join(dir, "data"),
      CERTS_DIR: join(dir, "certs"),
      MTA_HOSTNAME: MTA,
      PUBLIC_URL: `https://${WEB}:${httpsPort}`,
      SENDING_IPS: "127.0.0.1",
      DNS_SERVERS: zone.address,
      PROBE_DOMAINS: "none",
      BLOCKLISTS: "none",
      ACME_EMAIL: "ops@shop.test",
      ACME_DIRECTORY: pebble.directory,
      ACME_HTTP_PORT: String(httpPort),
      NODE_EXTRA_CA_CERTS: pebble.authorityFile,
      ...env,
    },
  };
}

/** The certificate of a listener that a client which verifies it for this name receives; null while it refuses the connection. */
async function verified(
  port: number,
  { host, name, ca, startTls = false }: Verifying,
): Promise<PeerCertificate | null> {
  const plain = connectTcp({ host, port });
  try {
    await once(plain, "connect");
    if (startTls) {
      await once(plain, "data");
      for (const line of ["EHLO client.test", "STARTTLS"]) {
        plain.write(`${line}\r\n`);
        const [reply] = await once(plain, "data");
        if (!/^2/.test(String(reply))) return null;
      }
    }
    const socket = connect({ socket: plain, servername: name, ca });
    await once(socket, "secureConnect");
    return socket.getPeerCertificate();
  } catch {
    return null;
  } finally {
    plain.destroy();
  }
}

interface Verifying {
  host: string;
  name: string;
  ca: string;
  startTls?: boolean;
}

/** The serial numbers that HTTPS, 465, 587 and 25 serve to clients that verify them; once `isDone` of them. */
async function untilServed(
  node: Node,
  { pebble, name = MTA, isDone }: { pebble: Pebble; name?: string; isDone: (serials: Set<string | null>) => boolean },
): Promise<string[]> {
  const { host, httpsPort, submissionPort, submissionsPort, inboundPort } = node;
  const endMs = Date.now() + WITHIN_MS;
  const ca = await pebble.root();
  for (;;) {
    const found = await Promise.all([
      verified(httpsPort, { host, name, ca }),
      verified(submissionsPort, { host, name, ca }),
      verified(submissionPort, { host, name, ca, startTls: true }),
      verified(inboundPort, { host, name, ca, startTls: true }),
    ]);
    const serials = found.map((each) => each?.serialNumber ?? null);
    if (isDone(new Set(serials))) return serials as string[];
    if (Date.now() > endMs) assert.fail(`served until now: ${serials.join(", ")}; ${(await doctor(node)).detail}`);
    await delay(LOOK_EVERY_MS);
  }
}

const isOne = (serials: Set<string | null>): boolean => serials.size === 1 && !serials.has(null);

async function doctor(node: Node): Promise<{ state: string; detail: string }> {
  const { stdout } = await runCli(["doctor", "--json"], node.env);
  const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
  const found = findings.find(({ check }) => check === "automatic_certificate");
  assert.ok(found, stdout);
  return found;
}

async function untilDoctor(node: Node, state: string): Promise<string> {
  const endMs = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await doctor(node);
    if (found.state === state) return found.detail;
    assert.ok(Date.now() < endMs, JSON.stringify(found));
    await delay(LOOK_EVERY_MS);
  }
}

test("every listener serves the first certificate and a renewed one without a restart", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const site = await authority(t, { validitySeconds: 80 });
  const { zone, pebble, httpPort } = site;
  for (const name of [MTA, WEB]) zone.set(name, "A", ["127.0.0.1"]);
  const node = await nodeOf(t, site);
  await startChild(t, node.env);
  const redirected = get(`http://127.0.0.1:${httpPort}/dashboard?a=b`, { agent: false });
  const [{ statusCode, headers }] = await once(redirected, "response");
  assert.deepEqual([statusCode, headers.location], [308, `${node.env.PUBLIC_URL}/dashboard?a=b`]);
  const unknown = await fetch(`http://127.0.0.1:${httpPort}/.well-known/acme-challenge/unknown`);
  assert.equal(unknown.status, 404);

  const [first] = await untilServed(node, { pebble, isDone: isOne });
  const found = await verified(node.httpsPort, { host: node.host, name: WEB, ca: await pebble.root() });
  assert.equal(found?.serialNumber, first, "it is for both names");
  assert.match(await untilDoctor(node, "ok"), /for mta\.shop\.test, mail\.shop\.test is valid until/);
  const [renewed] = await untilServed(node, { pebble, isDone: (all) => isOne(all) && !all.has(first ?? "") });
  assert.notEqual(renewed, first);
});

test("a name that does not lead here leaves the others their certificate, and the doctor names it", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const site = await authority(t);
  site.zone.set(MTA, "A", ["127.0.0.1"]);
  // Nothing listens there.
  site.zone.set(WEB, "A", ["127.0.0.77"]);
  const node = await nodeOf(t, site);
  const child = await startChild(t, node.env);
  const [first] = await untilServed(node, { pebble: site.pebble, isDone: isOne });
  const detail = await untilDoctor(node, "warning");
  assert.match(
    detail,
    /^The certificate by ACME for mta\.shop\.test is valid until .*, and is not for mail\.shop\.test\./,
  );
  assert.match(detail, /mail\.shop\.test was not validated at .*127\.0\.0\.77.* The next attempt is at /);
  const { stdout } = await child.kill("SIGTERM");
  assert.match(stdout, /"name":"mail\.shop\.test","error":".*127\.0\.0\.77.*","nextAt"/);
  await startChild(t, node.env);
  assert.deepEqual(await untilServed(node, { pebble: site.pebble, isDone: isOne }), Array(4).fill(first));
});

test("where only HTTPS is open, the listener answers TLS-ALPN-01", { skip, timeout: 300_000 }, async (t) => {
  const tlsPort = await freePort();
  const site = await authority(t, { tlsPort });
  for (const name of [MTA, WEB]) site.zone.set(name, "A", ["127.0.0.1"]);
  const node = await nodeOf(t, site, { ACME_HTTP_PORT: "none", PORT: String(tlsPort) });
  await startChild(t, node.env);
  await untilServed({ ...node, httpsPort: tlsPort }, { pebble: site.pebble, name: WEB, isDone: isOne });
});

const options = { skip: skip || missingPostgresOrTime(), timeout: 300_000 };

test("one node obtains the certificate and all nodes answer challenges and serve it", options, async (t) => {
  const site = await authority(t);
  // Whichever node orders, the other one is asked for a name.
  site.zone.set(MTA, "A", ["127.0.0.1"]);
  site.zone.set(WEB, "A", ["127.0.0.2"]);
  const { url: DATABASE_URL } = await freshDatabase(t);
  const dir = tempDir(t);
  const nodes = [
    await nodeOf(t, site, { dir, DATABASE_URL, NODE_NAME: "one" }),
    await nodeOf(t, site, { dir, DATABASE_URL, NODE_NAME: "two", host: "127.0.0.2" }),
  ];
  for (const { env } of nodes) await startChild(t, env);
  const served = [];
  for (const node of nodes) served.push(...(await untilServed(node, { pebble: site.pebble, isDone: isOne })));
  assert.equal(new Set(served).size, 1);
});
