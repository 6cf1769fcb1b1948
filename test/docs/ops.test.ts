/**
 * ops/: the Grafana dashboard and the alerts use metrics, labels and values that /metrics has; the systemd unit confines the
 * service.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Registry } from "prom-client";
import { nodeGauges } from "../../src/service/node-metrics.ts";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startWorld } from "../support/world.ts";

const read = (name: string): string => readFileSync(new URL(`../../ops/${name}`, import.meta.url), "utf8");

/** What only a node of a cluster has. */
async function exposedOfNode(): Promise<string> {
  const registry = new Registry();
  const unused = () => Promise.reject(new Error("not used by metrics"));
  const own = {
    name: "n1",
    heartbeatAgeMs: () => 0,
    leases: () => 0,
    lossAtMs: () => null,
    isDraining: false,
    isHostDraining: unused,
    announceSendingIps: unused,
  };
  nodeGauges({ name: "n1", version: "1" }, own, [registry]);
  return registry.metrics();
}

/** The exposition of a service with every metric, and the names in it. */
async function exposed(t: TestContext): Promise<{ text: string; names: Set<string> }> {
  const certsDir = tempDir(t);
  const { cert, key } = selfSigned("localhost");
  writeFileSync(join(certsDir, "http.crt"), cert);
  writeFileSync(join(certsDir, "http.key"), key);
  const { service } = await startWorld(t, { CERTS_DIR: certsDir });
  const ofService = await new Promise<string>((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false };
    get(`${service.url}/metrics`, options, (res) => resolve(text(res))).on("error", reject);
  });
  const exposition = `${ofService}${await exposedOfNode()}`;
  return {
    text: exposition,
    // Also those without a series yet.
    names: new Set([...exposition.matchAll(/^(?:# TYPE )?([a-z_]\w*)[ {]/gm)].map(([, name = ""]) => name)),
  };
}

/** The metrics in a PromQL expression. */
const metricsOf = (expression: string): string[] => expression.match(/\b(postrider|nodejs|process)_\w+/g) ?? [];

const OF_THE_JOB = new Set(["instance", "job"]);

function checkExpression(expression: string, exposition: { text: string; names: Set<string> }): void {
  for (const [, name = "", matchers = ""] of expression.matchAll(
    /\b((?:postrider|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
  )) {
    assert.ok(exposition.names.has(name), `${name} is not in /metrics: ${expression}`);
    const series = exposition.text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    if (series.length === 0) continue;
    for (const [, label = "", operator, value = ""] of matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)) {
      if (OF_THE_JOB.has(label)) continue;
      const values = operator === "=~" ? value.split("|") : [value];
      for (const each of values) {
        assert.ok(
          series.some((line) => line.includes(`${label}="${each}"`)),
          `${name}{${label}="${each}"} does not exist`,
        );
      }
    }
  }
}

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

test("every metric that ops/ refers to is in /metrics", { timeout: 30_000 }, async (t) => {
  const exposition = await exposed(t);
  const dashboard = JSON.parse(read("grafana.json")) as {
    panels: Panel[];
    templating: { list: { definition?: string }[] };
  };
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
  const alerts = read("alerts.yml");
  const rules = alerts.split(/- alert: /).slice(1);
  assert.ok(expressions.length > 15 && variables.length === 1 && rules.length > 5);
  for (const expression of [...expressions, ...variables, ...rules]) {
    assert.ok(metricsOf(expression).length > 0 || expression.includes("up{"), expression);
    checkExpression(expression, exposition);
  }
  for (const { title, type, targets } of dashboard.panels) assert.ok(type === "row" || targets?.length, title);
  for (const rule of rules) assert.match(rule, /summary: .+\n +action: .+/);
});

test("every Postrider metric is on the Grafana dashboard", { timeout: 30_000 }, async (t) => {
  const { names } = await exposed(t);
  const dashboard = read("grafana.json");
  const own = [...names].filter((name) => name.startsWith("postrider_") && !/_(sum|count)$/.test(name));
  assert.ok(own.length > 10);
  for (const name of own) assert.ok(dashboard.includes(name), `${name} is on no panel`);
});

test("the systemd unit confines the service, and allows the V8 compiler", () => {
  const unit = read("postrider.service");
  const settings = [...unit.matchAll(/^([A-Z]\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]);
  const valuesOf = (name: string) => settings.filter(([each]) => each === name).map(([, value]) => value);
  for (const name of [
    "NoNewPrivileges",
    "ProtectHome",
    "ProtectClock",
    "ProtectHostname",
    "ProtectControlGroups",
    "ProtectKernelLogs",
    "ProtectKernelModules",
    "ProtectKernelTunables",
    "PrivateTmp",
    "PrivateDevices",
    "LockPersonality",
    "RestrictRealtime",
    "RestrictSUIDSGID",
    "RestrictNamespaces",
    "RemoveIPC",
  ]) {
    assert.deepEqual(valuesOf(name), ["yes"], name);
  }
  assert.deepEqual(valuesOf("CapabilityBoundingSet"), [""]);
  assert.deepEqual(valuesOf("ProtectSystem"), ["strict"]);
  assert.deepEqual(valuesOf("UMask"), ["0077"]);
  // SMTP and HTTP sockets, the resolver's, and those that list the host's addresses.
  assert.deepEqual(valuesOf("RestrictAddressFamilies"), ["AF_INET AF_INET6 AF_UNIX AF_NETLINK"]);
  assert.deepEqual(valuesOf("SystemCallFilter"), ["@system-service @pkey", "~@privileged @resources", "setpriority"]);
  assert.deepEqual(valuesOf("SystemCallErrorNumber"), ["EPERM"]);
  assert.deepEqual(valuesOf("SystemCallArchitectures"), ["native"]);
  assert.deepEqual(valuesOf("MemoryDenyWriteExecute"), []);
});
