/**
 * compose.yaml, unbound.conf, the Dockerfiles and the other ways to start the service agree on the resolver's
 * address, clients and user, on volumes, and on Node's options.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { readConfig } from "../../src/config.ts";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { stopLimitMs } from "../../src/service/service.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "../..", name), "utf8");
const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(`no ${pattern}`);

const compose = read("compose.yaml");
const unbound = read("unbound/unbound.conf");

it("the service uses the resolver's address and trusts its DNSSEC", () => {
  const DNS_SERVERS = found(compose, /DNS_SERVERS: (\S+)/);
  const DNS_TRUST_AD = found(compose, /DNS_TRUST_AD: "(\w+)"/);
  const port = found(unbound, /^\s+port: (\d+)$/m);
  assert.equal(DNS_SERVERS, `${found(compose, /ipv4_address: (\S+)/)}:${port}`);
  const { dnsServers, dnsTrustAd } = readConfig({ DNS_SERVERS, DNS_TRUST_AD, MTA_HOSTNAME: "mta.shop.example" });
  assert.equal(createSecureResolver({ servers: dnsServers, trustAd: dnsTrustAd }).trusted, true);
});

it("the resolver answers only compose's network and loopback", () => {
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

it("every description of an installation asks for PUBLIC_URL", () => {
  assert.match(compose, /^ +PUBLIC_URL: \$\{PUBLIC_URL:\?/m);
  assert.match(dockerRun(), / -e PUBLIC_URL=https:/);
  const blocks = ["README.md", "docs/OPERATIONS.md"].flatMap((name) => read(name).match(/^```\n[^`]*^```$/gm) ?? []);
  const installing = blocks.filter((text) => /^(export )?MTA_HOSTNAME=/m.test(text));
  assert.equal(installing.length, 3);
  for (const text of installing) assert.match(text, /PUBLIC_URL=https:/);
});

it("the image has the documents", () => {
  const dockerfile = read("Dockerfile");
  assert.match(dockerfile, /^COPY docs \/app\/docs$/m);
  assert.match(dockerfile, /^COPY .*README\.md CHANGELOG\.md CONTRIBUTING\.md \/app\/$/m);
  const sent = read(".dockerignore").split("\n");
  for (const path of ["docs/*.md", "docs/images", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"])
    assert.ok(sent.includes(`!${path}`), path);
});

it("compose mounts the volumes of the image", () => {
  const volumes = JSON.parse(found(read("Dockerfile"), /^VOLUME (.*)$/m)) as string[];
  const mounted = [...compose.matchAll(/^\s+- \w+:(\/\w+)$/gm)].map(([, path]) => path);
  assert.deepEqual(mounted.sort(), volumes.sort());
});

it("every way to start the service sets the same options of Node and, for services, of malloc", () => {
  const unit = read("ops/postrider.service");
  const [, ...image] = JSON.parse(found(read("Dockerfile"), /^CMD (.*)$/m)) as string[];
  const scripts = JSON.parse(read("package.json")).scripts as Record<string, string>;
  const checkout = ["node", ...image.slice(0, -1), "--import", "tsx", "src/main.ts"].join(" ");
  assert.equal(scripts.start, `exec ${checkout}`);
  assert.equal(found(unit, /^ExecStart=\/usr\/bin\/env (.*)$/m), checkout);
  assert.equal(found(unit, /^Environment=(MALLOC_.*)$/m), found(read("Dockerfile"), /^ENV (MALLOC_.*)$/m));
});

/** The lines of one service in compose.yaml. */
const serviceNamed = (name: string): string => found(compose, new RegExp(`^  ${name}:\\n((?:(?: {4}.*)?\\n)+)`, "m"));
/** The `docker run` command of docs/OPERATIONS.md, in one line. */
const dockerRun = (): string =>
  found(read("docs/OPERATIONS.md"), /^(docker run (?:.*\\\n)*.*)$/m).replaceAll("\\\n", " ");

it("container, compose and systemd set the same limits, and the documents state them", () => {
  const unit = read("ops/postrider.service");
  const service = serviceNamed("postrider");
  const run = dockerRun();
  const operations = read("docs/OPERATIONS.md");
  const limits: [RegExp, RegExp, RegExp][] = [
    [/--memory (\S+)/, /^ {4}mem_limit: (\S+)$/m, /^MemoryMax=(\S+)$/m],
    [/--pids-limit (\d+)/, /^ {4}pids_limit: (\d+)$/m, /^TasksMax=(\d+)$/m],
    [/--ulimit nofile=(\d+)/, /^ {4}ulimits:\n {6}nofile: (\d+)$/m, /^LimitNOFILE=(\d+)$/m],
  ];
  for (const [ofRun, ofCompose, ofUnit] of limits) {
    const value = found(service, ofCompose);
    assert.equal(found(run, ofRun), value);
    assert.equal(found(unit, ofUnit).toLowerCase(), value);
    for (const [text, pattern] of [
      [run, ofRun],
      [unit, ofUnit],
    ] as const) {
      const [stated = ""] = pattern.exec(text) ?? [];
      assert.ok(operations.includes(`\`${stated}\``), stated);
    }
  }
});

it("every way to stop the service waits longer than a stop takes by default, and the documents state it", () => {
  const seconds = found(dockerRun(), /--stop-timeout (\d+)/);
  assert.equal(found(serviceNamed("postrider"), /^ {4}stop_grace_period: (\d+)s$/m), seconds);
  assert.equal(found(read("ops/postrider.service"), /^TimeoutStopSec=(\d+)$/m), seconds);
  for (const stated of [`--stop-timeout ${seconds}`, `stop_grace_period: ${seconds}s`, `TimeoutStopSec=${seconds}`]) {
    assert.ok(read("docs/OPERATIONS.md").includes(`\`${stated}\``), stated);
  }
  const limitMs = stopLimitMs(readConfig({ MTA_HOSTNAME: "mta.shop.example" }));
  assert.ok(Number(seconds) * 1000 > limitMs, `${seconds} s, and a stop takes up to ${limitMs} ms`);
  const operations = read("docs/OPERATIONS.md").replaceAll(/\s+/g, " ");
  assert.ok(operations.includes(`takes ${limitMs / 1000} s at most by default`), String(limitMs));
});

it("no memory is swapped: the memory limit covers swap", () => {
  const service = serviceNamed("postrider");
  assert.equal(found(service, /^ {4}memswap_limit: (\S+)$/m), found(service, /^ {4}mem_limit: (\S+)$/m));
  assert.equal(found(dockerRun(), /--memory-swap (\S+)/), found(dockerRun(), /--memory (\S+)/));
  assert.match(read("ops/postrider.service"), /^MemorySwapMax=0$/m);
});

it("the memory limit leaves room above the service's own limit", () => {
  const allowedMb = Number(found(read("torture/memory-watch.ts"), /RSS_MAX_MB = (\d+)/));
  const [, gibibytes] = /^(\d+)g$/.exec(found(serviceNamed("postrider"), /mem_limit: (\S+)/)) ?? [];
  assert.ok(Number(gibibytes) * 2 ** 30 >= allowedMb * 1e6 * 1.4);
});

it("a container has no privileges, a read-only root and the engine's seccomp profile", () => {
  const run = dockerRun();
  for (const option of ["--read-only", "--tmpfs /tmp", "--cap-drop ALL", "--security-opt no-new-privileges"]) {
    assert.ok(run.includes(option), option);
  }
  for (const name of ["postrider", "unbound"]) {
    const service = serviceNamed(name);
    assert.match(service, /^ {4}cap_drop: \[ALL\]$/m);
    assert.match(service, /^ {4}security_opt: \["no-new-privileges:true"\]$/m);
    assert.match(service, /^ {4}pids_limit: \d+$/m);
  }
  assert.match(serviceNamed("postrider"), /^ {4}read_only: true\n {4}tmpfs: \[\/tmp\]$/m);
  assert.doesNotMatch(`${compose}${run}`, /seccomp[=:]|privileged: true|--privileged/);
});

it("every base image is pinned by digest, and each image always by the same one", () => {
  const bases = ["Dockerfile", "unbound/Dockerfile"].flatMap((name) =>
    [...read(name).matchAll(/^FROM (\S+)/gm)].map(([, base = ""]) => base),
  );
  const pinned = bases.filter((base) => base !== "scratch");
  assert.equal(pinned.length, 3);
  const digests = new Map<string, string>();
  for (const base of pinned) {
    const [, image = "", digest = ""] = /^([\w.-]+:[\w.-]+)@sha256:([0-9a-f]{64})$/.exec(base) ?? [];
    assert.notEqual(digest, "", base);
    assert.equal(digests.get(image) ?? digest, digest, base);
    digests.set(image, digest);
  }
});
