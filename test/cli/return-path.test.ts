/** `domains return-path`, and what the other commands of domains show of a return path. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "../support/run-cli.ts";
import { SENDER_DOMAIN, startWorld } from "../support/world.ts";

const AT = `bounces.${SENDER_DOMAIN}`;

test("a return path from its records to its use, and off again", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { env, zone, service } = world;
  zone.set("mta.shop.example", "A", ["127.0.0.1"]);
  const domains = (...args: string[]) => runCli(["domains", ...args], env);
  const jsonOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await domains(...args, "--json");
    assert.deepEqual([code, stderr], [0, ""]);
    return JSON.parse(stdout);
  };
  const [bound] = await service.registry.domains("acc_default");
  const usedPath = () => service.registry.returnPath(bound?.id ?? "");
  assert.equal((await jsonOf("verify", SENDER_DOMAIN)).return_path, null);

  const on = await jsonOf("return-path", SENDER_DOMAIN, "on");
  assert.deepEqual([on.domain, on.return_path], [SENDER_DOMAIN, "on"]);
  assert.deepEqual(on.records, [
    { check: "return_path_mx", type: "MX", name: AT, value: `10 ${env.MTA_HOSTNAME}` },
    { check: "return_path_spf", type: "TXT", name: AT, value: "v=spf1 ip4:127.0.0.1 -all" },
  ]);
  const missing = await jsonOf("verify", SENDER_DOMAIN);
  assert.deepEqual([missing.verified, missing.return_path.active], [true, false]);
  for (const check of ["return_path_mx", "return_path_spf"]) {
    assert.deepEqual(Object.keys(missing.return_path.checks[check]), ["state", "detail", "expected", "found"]);
    assert.equal(missing.return_path.checks[check].state, "failed");
  }
  assert.match((await domains("list")).stdout, /not active: return_path_mx failed, return_path_spf failed$/m);
  assert.equal(await usedPath(), null);

  for (const { name, type, value } of on.records) zone.set(name, type, [value]);
  const { stdout } = await domains("verify", SENDER_DOMAIN);
  assert.match(stdout, /^return_path_mx +verified /m);
  assert.match(stdout, /\nThe return path of shop\.example is active\.\n$/);
  assert.equal(await usedPath(), SENDER_DOMAIN);
  const [listed] = await jsonOf("list");
  const states = { return_path_mx: "verified", return_path_spf: "verified" };
  assert.deepEqual(listed.return_path, { active: true, checks: states });
  zone.remove(AT);
  const grace = await domains("verify", SENDER_DOMAIN);
  assert.match(grace.stdout, /is active: return_path_mx failed \(counts until \S+Z\), return_path_spf failed \(/);

  const text = (await domains("return-path", SENDER_DOMAIN, "on")).stdout;
  assert.match(
    text,
    /Publish these records, then run: domains verify shop\.example\n.*\n {2}MX bounces\.shop\.example\n/s,
  );
  assert.deepEqual(await jsonOf("return-path", SENDER_DOMAIN, "off"), {
    domain: SENDER_DOMAIN,
    return_path: "off",
    records: [],
  });
  assert.equal(await usedPath(), null);
  assert.match((await domains("list")).stdout, / off$/m);
});

test("wrong usage of domains return-path is refused", { timeout: 60_000 }, async (t) => {
  const { env } = await startWorld(t);
  const run = (...args: string[]) => runCli(["domains", "return-path", ...args], env);
  const cases: [string[], number, RegExp][] = [
    [[SENDER_DOMAIN, "maybe"], 2, /'maybe' is not on or off; usage: /],
    [[SENDER_DOMAIN], 2, /on\|off is missing; usage: postrider domains return-path NAME on\|off/],
    [["other.example", "on"], 1, /the account default has no domain other\.example/],
  ];
  for (const [args, code, stderr] of cases) {
    const result = await run(...args);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, stderr);
  }
});
