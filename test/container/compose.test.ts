/**
 * compose.yaml, unbound.conf, the Dockerfiles and what else starts the service say the same: where the resolver answers,
 * whom, and as whom; what is kept; node's options.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { createSecureResolver } from "../../src/dns/secure-query.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "../..", name), "utf8");
const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(`no ${pattern}`);

const compose = read("compose.yaml");
const unbound = read("unbound/unbound.conf");

it("the service asks the resolver where it listens, and believes its DNSSEC", () => {
  const DNS_SERVERS = found(compose, /DNS_SERVERS: (\S+)/);
  const DNS_TRUST_AD = found(compose, /DNS_TRUST_AD: "(\w+)"/);
  const port = found(unbound, /^\s+port: (\d+)$/m);
  assert.equal(DNS_SERVERS, `${found(compose, /ipv4_address: (\S+)/)}:${port}`);
  const { dnsServers, dnsTrustAd } = readConfig({ DNS_SERVERS, DNS_TRUST_AD, MTA_HOSTNAME: "mta.shop.example" });
  assert.equal(createSecureResolver({ servers: dnsServers, trustAd: dnsTrustAd }).trusted, true);
});

it("the resolver serves compose's network and loopback, and nobody else", () => {
  const rules = [...unbound.matchAll(/^\s+access-control: (\S+)\/(\d+) (\w+)$/gm)];
  const allowed = rules.filter(([, , , action]) => action === "allow").map(([, net, bits]) => `${net}/${bits}`);
  assert.deepEqual(allowed.sort(), ["127.0.0.0/8", found(compose, /subnet: (\S+)/)]);
  const refused = rules.filter(([, , , action]) => action === "refuse").map(([, net, bits]) => `${net}/${bits}`);
  assert.deepEqual(refused.sort(), ["0.0.0.0/0", "::0/0"]);
  const network = new BlockList();
  const [net = "", bits = ""] = found(compose, /subnet: (\S+)/).split("/");
  network.addSubnet(net, Number(bits), "ipv4");
  assert.ok(network.check(found(compose, /ipv4_address: (\S+)/), "ipv4"));
});

it("what the image keeps in volumes is what compose mounts", () => {
  const volumes = JSON.parse(found(read("Dockerfile"), /^VOLUME (.*)$/m)) as string[];
  const mounted = [...compose.matchAll(/^\s+- \w+:(\/\w+)$/gm)].map(([, path]) => path);
  assert.deepEqual(mounted.sort(), volumes.sort());
});

it("whatever starts it starts it with the same options of node and, as a service, of malloc", () => {
  const unit = read("ops/postrider.service");
  const [, ...image] = JSON.parse(found(read("Dockerfile"), /^CMD (.*)$/m)) as string[];
  const scripts = JSON.parse(read("package.json")).scripts as Record<string, string>;
  const checkout = ["node", ...image.slice(0, -1), "--import", "tsx", "src/main.ts"].join(" ");
  assert.equal(scripts.start, `exec ${checkout}`);
  assert.equal(found(unit, /^ExecStart=\/usr\/bin\/env (.*)$/m), checkout);
  assert.equal(found(unit, /^Environment=(MALLOC_.*)$/m), found(read("Dockerfile"), /^ENV (MALLOC_.*)$/m));
});
