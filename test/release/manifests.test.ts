/** The files for Compose, Coolify, Dokploy and Kubernetes, and install.sh with its unit: their syntax, and what they must agree on. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { settingsOf } from "../../ops/release/contract/contract.ts";
import { packageUnit } from "../../ops/release/npm-package.ts";
import packageJson from "../../package.json" with { type: "json" };
import { withoutProgram } from "../support/debian-program.ts";
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const read = (name: string): string => readFileSync(join(CHECKOUT, name), "utf8");
const IMAGE = `postrider:${packageJson.version}`;
const settings = Object.keys(settingsOf(read("docs/CONFIGURATION.md")));
/** Where the image listens: the default of PORT. */
const [, HTTP_PORT] = /^EXPOSE (\d+) /m.exec(read("Dockerfile")) ?? [];

/** Settings that a file has in comments, for a person to use. */
const offered = (name: string): string[] =>
  [...read(name).matchAll(/^ *# ([A-Z][A-Z_]+): ./gm)].map(([, setting]) => setting ?? "");
const unknown = (names: readonly string[]): string[] => names.filter((each) => !settings.includes(each));

interface ComposeService {
  image: string;
  build?: string;
  volumes: string[];
  environment: Record<string, string>;
  stop_grace_period: string;
  mem_limit: string;
  pids_limit: number;
  ulimits: Record<string, number>;
  expose?: string[];
}

const composeFile = (name: string): { services: { postrider: ComposeService }; volumes: Record<string, null> } =>
  parse(read(name), { strict: true, uniqueKeys: true });

test("compose.yaml names the image of this version, and builds it where it cannot be pulled", () => {
  const { postrider } = composeFile("compose.yaml").services;
  assert.equal(postrider.image, `\${POSTRIDER_IMAGE:-${IMAGE}}`);
  assert.equal(postrider.build, ".");
});

/** Where a platform's proxy is told the port of the service, and the URL that browsers use. */
const PLATFORMS = {
  coolify: { port: `SERVICE_URL_POSTRIDER_${HTTP_PORT}`, publicUrl: `\${SERVICE_URL_POSTRIDER}` },
  dokploy: { port: null, publicUrl: `\${PUBLIC_URL:?}` },
};

for (const [name, { port, publicUrl }] of Object.entries(PLATFORMS))
  test(`${name}: image, volumes and limits are those of compose.yaml, and each variable is a setting`, () => {
    const { services, volumes } = composeFile(`ops/deploy/${name}.yaml`);
    const { postrider: given } = composeFile("compose.yaml").services;
    const { image, build, environment, ...rest } = services.postrider;
    assert.deepEqual([image, build], [IMAGE, undefined]);
    assert.deepEqual(Object.keys(volumes), ["data", "certs"]);
    for (const limit of ["volumes", "stop_grace_period", "mem_limit", "pids_limit", "ulimits"] as const)
      assert.deepEqual(rest[limit], given[limit], limit);
    const names = [...Object.keys(environment), ...offered(`ops/deploy/${name}.yaml`)];
    assert.deepEqual(unknown(names), port === null ? [] : [port]);
    if (port === null) assert.deepEqual(rest.expose, [HTTP_PORT]);
    // The proxy has the certificate of PUBLIC_URL.
    assert.deepEqual([environment.PUBLIC_URL, environment.TRUST_PROXY], [publicUrl, "1"]);
  });

const COMPOSE_FILES = ["compose.yaml", "compose.cluster.yaml", "ops/deploy/coolify.yaml", "ops/deploy/dokploy.yaml"];

test("docker-compose accepts every file for it", { skip: withoutProgram("docker-compose", "docker-compose") }, () => {
  const names = ["MTA_HOSTNAME", "SENDING_IPS", "PUBLIC_URL", "SERVICE_URL_POSTRIDER", "POSTGRES_PASSWORD"];
  const env = { PATH: process.env.PATH, ...Object.fromEntries(names.map((name) => [name, "given"])) };
  for (const file of COMPOSE_FILES) {
    const { status, stdout, stderr } = spawnSync("docker-compose", ["-f", file, "config"], {
      cwd: CHECKOUT,
      env,
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr], [0, ""], file);
    const { services } = parse(stdout) as { services: Record<string, unknown> };
    assert.ok(Object.keys(services).length > 0, file);
  }
});

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another form
  [part: string]: any;
}

test("kubernetes: each document is a manifest, and they refer to each other", () => {
  const documents = parseAllDocuments(read("ops/deploy/kubernetes.yaml"), { strict: true, uniqueKeys: true });
  assert.deepEqual(
    documents.flatMap((document) => document.errors.concat(document.warnings as [])),
    [],
  );
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const kinds = manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  assert.deepEqual(kinds, ["v1 Namespace", "v1 ConfigMap", "apps/v1 StatefulSet", "v1 Service"]);
  const [namespace, config, set, service] = manifests as [Manifest, Manifest, Manifest, Manifest];
  for (const { metadata } of [config, set, service]) assert.equal(metadata.namespace, namespace.metadata.name);
  assert.deepEqual(
    Object.entries(config.data as Record<string, unknown>).filter(
      ([name, value]) => !settings.includes(name) || typeof value !== "string",
    ),
    [],
  );
  assert.deepEqual(unknown(offered("ops/deploy/kubernetes.yaml")), []);
  assert.equal(config.data.TRUST_PROXY, "1");
  const { template, selector, replicas, volumeClaimTemplates } = set.spec;
  assert.equal(replicas, 1);
  assert.deepEqual(selector.matchLabels, template.metadata.labels);
  assert.deepEqual(service.spec.selector, template.metadata.labels);
  const [container] = template.spec.containers;
  assert.equal(container.image, IMAGE);
  assert.equal(container.envFrom[0].configMapRef.name, config.metadata.name);
  const names = [...template.spec.volumes, ...volumeClaimTemplates.map(({ metadata }: Manifest) => metadata)];
  for (const mount of container.volumeMounts)
    assert.ok(
      names.some(({ name }) => name === mount.name),
      mount.name,
    );
  assert.ok(config.data.DATA_DIR.startsWith("/state/") && config.data.CERTS_DIR.startsWith("/state/"));
  assert.deepEqual(container.ports, [{ name: "http", containerPort: Number(HTTP_PORT) }]);
  const ports = container.ports.map(({ name }: { name: string }) => name);
  for (const port of [service.spec.ports[0].targetPort, container.readinessProbe.httpGet.port])
    assert.ok(ports.includes(port));
  assert.equal(template.spec.terminationGracePeriodSeconds, 90);
});

const lacks = (program: string): string | false =>
  spawnSync(program, ["--version"]).error === undefined ? false : `there is no ${program}`;

test("systemd accepts the unit of the package", { skip: lacks("systemd-analyze") }, (t) => {
  const unit = packageUnit(read("ops/postrider.service"));
  assert.match(unit, / node_modules\/postrider\/dist\/main\.js$/m);
  assert.doesNotMatch(unit, /tsx|src\//);
  const file = join(tempDir(t), "postrider.service");
  writeFileSync(file, unit);
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  // Others of the host's units may have faults of their own.
  assert.deepEqual([status, stderr.split("\n").filter((line) => line.includes("postrider"))], [0, []]);
});

test("install.sh and the command have no fault that shellcheck finds", { skip: lacks("shellcheck") }, () => {
  execFileSync("shellcheck", [join(CHECKOUT, "ops/install.sh"), join(CHECKOUT, "ops/command.sh")]);
});

test("install.sh explains itself, and rejects what it does not know", () => {
  const run = (...args: string[]) => spawnSync("sh", [join(CHECKOUT, "ops/install.sh"), ...args], { encoding: "utf8" });
  const help = run("--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  for (const word of ["install [PACKAGE]", "remove [--purge]", "nodesource", "20.19"])
    assert.ok(help.stdout.includes(word));
  assert.equal(run().status, 2);
  assert.equal(run("remove", "--all").status, 1);
  assert.equal(run("install", "a", "b").status, 1);
});

test("install.sh refuses a Node that is too old before it changes anything", {
  skip: process.getuid?.() !== 0,
}, (t) => {
  const dir = tempDir(t);
  const programs: Record<string, string> = {
    node: "echo v18.0.0; exit 1",
    npm: "touch called",
    systemctl: "touch called",
  };
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(dir, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(dir, name), 0o755);
  }
  const env = { PATH: `${dir}:${process.env.PATH}` };
  const refused = spawnSync("sh", [join(CHECKOUT, "ops/install.sh"), "install"], { cwd: dir, env, encoding: "utf8" });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^install\.sh: Node v18\.0\.0 is too old/);
  assert.equal(spawnSync("ls", [dir], { encoding: "utf8" }).stdout, "node\nnpm\nsystemctl\n");
});
