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
    "domain",
    "verified",
    "created_at",
    "next_check_at",
    "checks",
    "return_path",
    "records",
    "new_dkim_record",
  ]);
  assert.deepEqual([shown.domain, shown.verified, shown.return_path], [SENDER_DOMAIN, true, null]);
  assert.equal(shown.checks.dmarc.state, "verified", "it checks nothing itself");
  assert.deepEqual(
    shown.records.map(({ check }: { check: string }) => check),
    ["ownership", "mx", "spf", "dkim", "dmarc"],
  );
  const { stdout } = await show();
  assert.match(
    stdout,
    /^shop\.example, added \S+Z\. Checked automatically; next check at \S+Z\.\n\nCHECK +STATE +DETAIL\nownership +verified/,
  );
  assert.match(
    stdout,
    /\n\nshop\.example is verified: it may send\.\n\nPublished as it should be:\n\nownership\n {2}TXT +_/,
  );
  assert.doesNotMatch(stdout, /To do/);
});

it("domains show has one table, and then what to do about each record", { timeout: 60_000 }, async (t) => {
  const { env, zone } = await startWorld(t);
  const run = (verb: string, ...args: string[]) => runCli(["domains", verb, SENDER_DOMAIN, ...args], env);
  zone.set(`_dmarc.${SENDER_DOMAIN}`, "TXT", ["v=DMARC1; p=none"]);
  zone.remove(SENDER_DOMAIN, "MX");
  assert.equal((await run("return-path", "on")).code, 0);
  assert.equal((await run("verify")).code, 0);
  const { stdout } = await run("show");
  const [, rows = "", rest = ""] = /\nCHECK +STATE +DETAIL\n([\s\S]*?)\n\n([\s\S]*)$/.exec(stdout) ?? [];
  const details = rows.split("\n").map((row) => /^(\S+ +(?:verified, warning|\S+) +)\S/.exec(row)?.[1]?.length);
  assert.deepEqual([details.length, new Set(details).size], [7, 1], rows);
  assert.match(rest, /^shop\.example is still verified: [\s\S]*\nThe return path of shop\.example is not active: /);
  const record = (title: string) => rest.split(/\n(?=\S)/).find((block) => block.startsWith(`${title}\n`)) ?? "";
  const rua = "rua=mailto:dmarc-reports@bounces.shop.example";
  assert.match(rest, /\nCould be better:\n\ndmarc: change it\n/);
  assert.match(
    record("dmarc: change it"),
    new RegExp(
      `\n {2}TXT {8}_dmarc\\.shop\\.example\n {2}published {2}v=DMARC1; p=none\n {2}change to {2}v=DMARC1; p=none; ${rua}`,
    ),
  );
  assert.match(record("mx: publish it"), /\n {2}MX {9}shop\.example\n {2}publish {4}10 mail\.shop\.example\n {2}\S/);
  assert.match(record("return_path_mx: publish it"), /\n {2}publish {4}10 /);
  assert.match(record("ownership"), /^ownership\n {2}TXT {8}_postrider\.shop\.example\n {2}published {2}postrider-/);
  const { records } = JSON.parse((await run("show", "--json")).stdout);
  assert.equal(records.length, 7);
  assert.equal(
    records.find(({ check }: { check: string }) => check === "dmarc").value,
    `v=DMARC1; p=none; ${rua}`,
    "the value to publish now",
  );
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
