/**
 * Tests the images from outside. The service's image sends a message, runs without privileges and stops on SIGTERM,
 * and a new container continues with the old one's volumes; the resolver's image answers. Run by .ci/image and not by
 * `npm test`, which has no image.
 */
import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { it, type TestContext } from "node:test";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { startSink } from "../../src/sink.ts";
import { startZoneServer, type ZoneServer } from "../../src/testing/zone-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Container, childrenOf, imageConfig, newVolumes, startContainer } from "./container.ts";

const IMAGE = "localhost/postrider";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The environment: DNS with a recipient's domain, and a sink as its exchanger. */
async function surroundings(t: TestContext) {
  const zone = await startZoneServer();
  const sink = await startSink({ port: 0, dir: null, resolver: createResolver({ servers: [zone.address] }) });
  t.after(() => Promise.all([sink.close(), zone.close()]));
  zone.set("customers.example", "MX", ["10 mx.customers.example"]);
  zone.set("mx.customers.example", "A", ["127.0.0.1"]);
  const env = {
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    MTA_HOSTNAME: "mta.shop.example",
    SENDING_IPS: "127.0.0.1",
    DNS_SERVERS: zone.address,
    SMTP_PORT: String(sink.port),
    SMTP_ALLOW_PRIVATE: "true",
  };
  return { zone, sink, env };
}

/** Waits until the container's own health check passes. */
async function healthy(container: Container): Promise<void> {
  const [kind, ...command] = imageConfig(IMAGE).Healthcheck.Test;
  assert.equal(kind, "CMD");
  for (;;) {
    try {
      await container.exec(command);
      return;
    } catch {
      assert.ok(childrenOf(container.pid).length > 0, "the container exited");
    }
  }
}

async function bindAndVerify(container: Container, zone: ZoneServer): Promise<void> {
  const added = JSON.parse(await container.exec(["postrider", "domains", "add", "shop.example", "--json"]));
  for (const { name, type, value } of added.records) zone.set(name, type, [value]);
  const checked = JSON.parse(await container.exec(["postrider", "domains", "verify", "shop.example", "--json"]));
  assert.equal(checked.verified, true, JSON.stringify(checked));
}

function userOf(pid: number): string | undefined {
  return /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
}

/** Process 1 must reap the orphan of a command run in the container. */
async function reaped(container: Container): Promise<void> {
  await container.exec(["sh", "-c", "sleep 0.2 >/dev/null 2>&1 &"]);
  while (childrenOf(container.pid).length > 1) await new Promise((resolve) => setTimeout(resolve, 20));
}

it("the image sends a message without privileges and stops at SIGTERM, and its volumes survive", {
  timeout: 120_000,
}, async (t) => {
  const { zone, sink, env } = await surroundings(t);
  const url = `http://127.0.0.1:${env.PORT}/api/sending`;
  const volumes = newVolumes(t, IMAGE, tempDir(t));
  assert.deepEqual(Object.keys(volumes).sort(), ["/certs", "/data"]);

  const first = await startContainer(t, { image: IMAGE, volumes, env });
  await healthy(first);
  for (const pid of [first.pid, ...childrenOf(first.pid)]) assert.match(userOf(pid) ?? "", /^10001\s+10001\s+10001/);
  await bindAndVerify(first, zone);
  const { key } = JSON.parse(await first.exec(["postrider", "keys", "create", "--name", "website", "--json"]));
  assert.ok(JSON.parse(await first.exec(["postrider", "doctor", "--json"])).length > 3);

  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const message = { from: "hello@shop.example", to: "ann@customers.example", subject: "Hello", text: "Hi" };
  const accepted = await fetch(`${url}/send`, { method: "POST", headers, body: JSON.stringify(message) });
  assert.equal(accepted.status, 202);
  const { id } = (await accepted.json()) as { id: string };
  const results = async (query = "") => {
    const answer = await fetch(`${url}/messages/${id}${query}`, { headers });
    const { recipients } = (await answer.json()) as { recipients: { result: string }[] };
    return recipients.map(({ result }) => result);
  };
  assert.deepEqual(await results("?wait=30"), ["delivered"]);
  assert.deepEqual(
    sink.entries.map(({ rcpt_to, dkim }) => [rcpt_to, dkim.result]),
    [[["ann@customers.example"], "pass"]],
  );

  await reaped(first);
  const { code, stderr } = await first.stop("SIGTERM");
  assert.equal(code, 0, stderr);
  const second = await startContainer(t, { image: IMAGE, volumes, env });
  await healthy(second);
  assert.deepEqual(await results(), ["delivered"]);
  assert.equal((await second.stop("SIGTERM")).code, 0);
});

/** Queries until the resolver listens. */
async function resolve(name: string, container: Container): Promise<string[]> {
  for (;;) {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers(["127.0.0.1:5335"]);
    const addresses = await resolver.resolve4(name).catch(() => null);
    if (addresses !== null) return addresses;
    assert.ok(existsSync(`/proc/${container.pid}`), "the container exited");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it("the resolver's image answers on loopback, as on its network", { timeout: 120_000 }, async (t) => {
  const container = await startContainer(t, { image: "localhost/postrider-unbound", volumes: {}, env: {} });
  assert.deepEqual(await resolve("localhost", container), ["127.0.0.1"]);
  assert.notEqual(userOf(container.pid)?.split(/\s+/)[0], "0");
  assert.equal((await container.stop("SIGTERM")).code, 0);
});
