/** The command line without an installation, or with the wrong one: it creates nothing unintended. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const DAMAGED =
  "postrider.db is damaged and was not changed: restore a backup, or recover what can be read (docs/MONITORING.md#when-the-spools-file-is-damaged)";

function installationIn(dir: string): Record<string, string> {
  return { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs"), DNS_SERVERS: "127.0.0.1:1" };
}

describe("without a spool", { timeout: 60_000 }, () => {
  it("refuses commands on existing data, and creates nothing", async (t) => {
    const env = installationIn(tempDir(t));
    const commands = [
      ["accounts", "list"],
      ["domains", "list"],
      ["domains", "verify", "shop.example"],
      ["domains", "remove", "shop.example"],
      ["keys", "list", "--json"],
      ["keys", "revoke", "key_x"],
      ["messages", "show", "msg_x"],
      ["queue", "list"],
      ["queue", "retry", "msg_x"],
      ["suppressions", "list"],
      ["suppressions", "remove", "ann@shop.example"],
      ["webhooks", "create", "https://hooks.example/"],
      ["webhooks", "list"],
    ];
    const stderr = `postrider: there is no spool in ${env.DATA_DIR}: set DATA_DIR to the service's, or start the service once\n`;
    for (const command of commands) {
      assert.deepEqual(await runCli(command, env), { code: 1, stdout: "", stderr }, command.join(" "));
    }
    assert.ok(!existsSync(env.DATA_DIR ?? ""));
    assert.ok(!existsSync(env.CERTS_DIR ?? ""));
  });

  it("refuses a write-ahead log without its spool, as the start does", async (t) => {
    const env = installationIn(tempDir(t));
    mkdirSync(env.DATA_DIR ?? "", { mode: 0o700 });
    const log = join(env.DATA_DIR ?? "", "postrider.db-wal");
    writeFileSync(log, "");
    assert.match((await runCli(["queue", "list"], env)).stderr, /there is no spool in .* start the service once/);
    writeFileSync(log, "messages");
    const { code, stderr } = await runCli(["queue", "list"], env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /postrider\.db is missing or empty in .*: put postrider\.db back, or move postrider\.db-wal away/,
    );
  });

  it("the doctor still examines the host", async (t) => {
    const env = installationIn(tempDir(t));
    const { code, stdout, stderr } = await runCli(["doctor", "--json"], env);
    assert.deepEqual([code, stderr], [0, ""]);
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    const stateOf = (check: string) => findings.find((finding) => finding.check === check)?.state;
    assert.deepEqual([stateOf("spool"), stateOf("disk"), stateOf("resolver")], ["warning", "ok", "problem"]);
    assert.ok(!existsSync(env.DATA_DIR ?? ""));
  });

  it("the doctor examines the host where the spool cannot be opened", async (t) => {
    const env = installationIn(tempDir(t));
    mkdirSync(env.DATA_DIR ?? "", { mode: 0o700 });
    writeFileSync(
      join(env.DATA_DIR ?? "", "postrider.db"),
      "no database, for more than the hundred bytes of a header".repeat(4),
    );
    const { code, stdout } = await runCli(["doctor", "--json"], env);
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    const spool = findings.find(({ check }) => check === "spool");
    assert.deepEqual([code, spool?.state], [0, "problem"]);
    assert.match(
      spool?.detail ?? "",
      /^The spool cannot be opened\. DATA_DIR=.*file is not a database; postrider\.db is damaged.*\.$/,
    );
    const { code: refused } = await runCli(["domains", "list"], env);
    assert.equal(refused, 1);
  });

  it("commands that set up create it, and report it once", async (t) => {
    const env = installationIn(tempDir(t));
    const first = await runCli(["domains", "add", "shop.example", "--json"], env);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(JSON.parse(first.stdout).domain, "shop.example");
    const notes = [`created a new spool in ${env.DATA_DIR}`, `created a new master key in ${env.CERTS_DIR}`];
    assert.equal(first.stderr, notes.map((note) => `postrider: ${note}\n`).join(""));
    const second = await runCli(["domains", "add", "club.example"], env);
    assert.deepEqual([second.code, second.stderr], [0, ""]);
  });

  it("a refusal is one line, also if a spool was created first", async (t) => {
    const env = installationIn(tempDir(t));
    const { code, stderr } = await runCli(["domains", "add", "com"], env);
    assert.equal(code, 1);
    assert.match(stderr, /^postrider: com cannot be added: [^\n]*; created a new spool in [^\n]*\n$/);
  });
});

describe("with the wrong installation", { timeout: 60_000 }, () => {
  it("names the setting of a directory that cannot be used", async (t) => {
    const dir = tempDir(t);
    const file = join(dir, "file");
    writeFileSync(file, "");
    const env = installationIn(dir);
    const create = (more: Record<string, string>) => runCli(["domains", "add", "shop.example"], { ...env, ...more });
    const data = await create({ DATA_DIR: file });
    assert.equal(data.stderr, `postrider: DATA_DIR=${file} is a file, not a directory\n`);
    const certs = await create({ CERTS_DIR: file });
    assert.ok(certs.stderr.startsWith(`postrider: CERTS_DIR=${file} is a file, not a directory`));
    assert.deepEqual([data.code, certs.code], [1, 1]);
    writeFileSync(join(dir, "postrider.db"), "no database, but longer than the head of one".repeat(4));
    const odd = await runCli(["keys", "list"], { ...env, DATA_DIR: dir });
    const words = `postrider: DATA_DIR=${dir}: the spool cannot be used: file is not a database; ${DAMAGED}\n`;
    assert.deepEqual(odd, { code: 1, stdout: "", stderr: words });
  });

  it("seals no domain key with a second master key", async (t) => {
    const dir = tempDir(t);
    const env = installationIn(dir);
    assert.equal((await runCli(["domains", "add", "shop.example"], env)).code, 0);
    const stray = join(dir, "stray");
    const refused = await runCli(["domains", "add", "club.example"], { ...env, CERTS_DIR: stray });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^postrider: CERTS_DIR=\S+ has no master\.key, [^\n]*\n$/);
    assert.ok(!existsSync(stray));
    assert.equal((await runCli(["domains", "add", "club.example"], env)).code, 0);
  });

  it("names an invalid setting before opening anything; help needs no settings", async (t) => {
    const env: Record<string, string> = { ...installationIn(tempDir(t)), DNS_SERVERS: "127.0.0.1:0" };
    const { code, stderr } = await runCli(["keys", "create", "--name", "web"], env);
    assert.equal(code, 2);
    assert.match(stderr, /^postrider: DNS_SERVERS=127\.0\.0\.1:0 is not valid: [^\n]*\n$/);
    assert.ok(!existsSync(env.DATA_DIR ?? ""));
    const help = await runCli(["keys", "help"], env);
    assert.deepEqual([help.code, help.stderr], [0, ""]);
    assert.match(help.stdout, /^ {2}keys create --name TEXT \[--test\] \[--permissions send,read,…\]/m);
    const bare = await runCli(["keys"], env);
    assert.deepEqual([bare.code, bare.stdout, bare.stderr], [2, "", help.stdout]);
  });
});
