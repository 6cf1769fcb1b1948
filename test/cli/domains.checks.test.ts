/** `domains show`, and the exit codes of `domains verify --check` and `doctor --check`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { SENDER_DOMAIN, startWorld } from "../support/world.ts";

it("domains verify --check exits with 1 while a check does not pass", { timeout: 60_000 }, async (t) => {
  const { env, zone } = await startWorld(t);
  const verify = (...args: string[]) => runCli(["domains", "verify", ...args], env);
  assert.equal((await verify(SENDER_DOMAIN, "--check")).code, 0);
  zone.set(`_dmarc.${SENDER_DOMAIN}`, "TXT", []);
  const { code, stdout, stderr } = await verify(SENDER_DOMAIN, "--check", "--json");
  assert.deepEqual([code, stderr], [1, "postrider: shop.example has checks that did not pass: dmarc\n"]);
  assert.equal(JSON.parse(stdout).checks.dmarc.state, "failed");
  assert.deepEqual([(await verify(SENDER_DOMAIN)).code, (await verify("other.example", "--check")).code], [0, 1]);
});

it("domains show has the checks as of the last time, and the records", { timeout: 60_000 }, async (t) => {
  const { env, zone } = await startWorld(t);
  const show = (...args: string[]) => runCli(["domains", "show", SENDER_DOMAIN, ...args], env);
  zone.set(`_dmarc.${SENDER_DOMAIN}`, "TXT", []);
  const shown = JSON.parse((await show("--json")).stdout);
  assert.deepEqual(Object.keys(shown), [
    ...["domain", "verified", "created_at", "next_check_at", "checks", "return_path", "records"],
  ]);
  assert.deepEqual([shown.domain, shown.verified, shown.return_path], [SENDER_DOMAIN, true, null]);
  assert.equal(shown.checks.dmarc.state, "verified", "it checks nothing itself");
  assert.deepEqual(
    shown.records.map(({ check }: { check: string }) => check),
    ["ownership", "mx", "spf", "dkim", "dmarc"],
  );
  assert.equal((await runCli(["domains", "return-path", SENDER_DOMAIN, "on"], env)).code, 0);
  assert.equal(JSON.parse((await show("--json")).stdout).records.length, 7);
  const { code, stdout } = await show();
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^shop\.example, bound \S+Z\. Checked automatically; next check at \S+Z\.\n\nownership +verified/,
  );
  assert.match(stdout, /\nshop\.example is verified: it may send\.\n/);
  assert.match(stdout, /\nIts DNS records:\n\nownership\n {2}TXT /);
});

it("doctor --check exits with 1 if there is a problem, and names it", { timeout: 60_000 }, async (t) => {
  const dir = tempDir(t);
  const env = { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs"), DNS_SERVERS: "127.0.0.1:1" };
  const { code, stdout, stderr } = await runCli(["doctor", "--check", "--json"], env);
  assert.equal(code, 1);
  const problems = (JSON.parse(stdout) as { check: string; state: string }[])
    .filter(({ state }) => state === "problem")
    .map(({ check }) => check);
  assert.ok(problems.includes("resolver"));
  assert.ok(stderr.endsWith(`found: ${problems.join(", ")}\n`), stderr);
});
