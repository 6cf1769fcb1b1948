/** The service and the command line on a PostgreSQL database. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/security/vault.ts";
import { tryStartService } from "../../src/service/start-errors.ts";
import { isFinal, pollUntil, send } from "../support/api-client.ts";
import { runToExit, startChild } from "../support/child-service.ts";
import { emptyDatabase, freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgres } from "../support/postgres/installation.ts";
import { startPostgres } from "../support/postgres/server.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld } from "../support/world.ts";

const onFatal = (error: Error): void => {
  throw error;
};

/** The line of a start in this process that fails. */
async function refusal(env: Record<string, string>): Promise<string> {
  const started = await tryStartService(readConfig(env), silentLog, { onFatal });
  if (typeof started === "string") return started;
  await started.stop();
  return assert.fail("it started");
}

/** An environment with directories that do not exist. */
function environment(t: TestContext, url: string): Record<string, string> {
  const dir = tempDir(t);
  const env = { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs"), DATABASE_URL: url };
  return { ...env, PORT: "0", HOST: "127.0.0.1", SENDING_IPS: "127.0.0.1", DNS_SERVERS: "127.0.0.1:1" };
}

/** Without its password. */
const shown = (url: string): string => url.replace(/:[^:@]*@/, "@");

describe("with DATABASE_URL", { skip: missingPostgres(), timeout: 120_000 }, () => {
  it("the service delivers, and the command line works beside it; DATA_DIR is not used", async (t) => {
    const { url } = await freshDatabase(t);
    const world = await startWorld(t, { DATABASE_URL: url, NODE_NAME: "a" });
    const door = { url: world.service.url, key: world.key };
    const id = await send(door, sendBody());
    assert.equal((await pollUntil(door, id, isFinal)).recipients[0]?.result, "delivered");
    assert.equal(world.sink.entries[0]?.dkim.result, "pass");
    const results = [
      [["messages", "show", id], /delivered@customers\.example: delivered/],
      [["queue", "list"], /./],
      [["accounts", "create", "blue"], /blue/],
      [["domains", "list"], /shop\.example/],
      [["domains", "add", "club.example"], /_domainkey\.club\.example/],
      [["keys", "create", "--name", "web"], /svc_live_/],
      [["suppressions", "list"], /./],
      [["webhooks", "create", "https://hooks.example/"], /whsec_/],
    ] as const;
    for (const [args, words] of results) {
      const { code, stdout, stderr } = await runCli([...args], world.env);
      assert.deepEqual([code, stderr], [0, ""], args.join(" "));
      assert.match(stdout, words);
    }
    assert.ok(!existsSync(world.env.DATA_DIR ?? ""));
    assert.equal(world.service.database, shown(url));
  });

  it("nodes may share their directories; each finds what the other has accepted", async (t) => {
    const { url } = await freshDatabase(t);
    const world = await startWorld(t, { DATABASE_URL: url, NODE_NAME: "a" });
    const other = await startSecondService(t, { ...world.env, NODE_NAME: "b" });
    const id = await send({ url: other.url, key: world.key }, sendBody());
    const final = await pollUntil({ url: world.service.url, key: world.key }, id, isFinal);
    assert.equal(final.recipients[0]?.result, "delivered");
  });

  it("a node without the master key of the others is refused, and makes none", async (t) => {
    const { url } = await freshDatabase(t);
    const world = await startWorld(t, { DATABASE_URL: url });
    const env = environment(t, url);
    const certs = env.CERTS_DIR ?? "";
    const lost = 'if it is lost, run "postrider master-key new"';
    const missing = `CERTS_DIR=${certs} has no master.key, but the nodes that use DATABASE_URL=${shown(url)} have one: copy it from one of them into ${certs}; ${lost}`;
    assert.equal(await refusal(env), missing);
    assert.deepEqual(readdirSync(certs), []);
    assert.deepEqual(await runCli(["queue", "list"], env), { code: 1, stdout: "", stderr: `postrider: ${missing}\n` });
    copyFileSync(join(world.env.CERTS_DIR ?? "", "master.key"), join(certs, "master.key"));
    const joined = await startSecondService(t, env);
    assert.equal((await fetch(`${joined.url}/healthz`)).status, 200);
  });

  it("a node with another master key is refused", async (t) => {
    const { url } = await freshDatabase(t);
    await startWorld(t, { DATABASE_URL: url });
    const env = environment(t, url);
    openVault(env.CERTS_DIR ?? "");
    const line = `CERTS_DIR=${env.CERTS_DIR} has another master.key than the nodes that use DATABASE_URL=${shown(url)}: copy master.key from one of them`;
    assert.equal(await refusal(env), line);
    assert.deepEqual(await runCli(["keys", "list"], env), { code: 1, stdout: "", stderr: `postrider: ${line}\n` });
  });

  it("of nodes that start at the same time on an empty database, one makes the master key", async (t) => {
    const { url } = await emptyDatabase(t);
    const envs = ["a", "b", "c"].map((NODE_NAME): Record<string, string> => ({ ...environment(t, url), NODE_NAME }));
    const started = await Promise.all(envs.map((env) => tryStartService(readConfig(env), silentLog, { onFatal })));
    const services = started.filter((service) => typeof service !== "string");
    const refusals = started.filter((service) => typeof service === "string");
    await Promise.all(services.map((service) => service.stop()));
    assert.deepEqual([services.length, refusals.length], [1, 2]);
    for (const line of refusals) assert.match(line, /^CERTS_DIR=\S+ has no master\.key, but the nodes that use/);
    assert.equal(envs.filter(({ CERTS_DIR = "" }) => existsSync(join(CERTS_DIR, "master.key"))).length, 1);
  });

  it("the command line makes the spool only where it sets it up", async (t) => {
    const { url } = await emptyDatabase(t);
    const env = environment(t, url);
    const none = `postrider: there is no spool in ${shown(url)}: set DATABASE_URL to the service's, or start the service once\n`;
    assert.deepEqual(await runCli(["queue", "list"], env), { code: 1, stdout: "", stderr: none });
    assert.ok(!existsSync(env.CERTS_DIR ?? ""));
    const created = await runCli(["accounts", "create", "blue"], env);
    const notes = [`created a new master key in ${env.CERTS_DIR}`, `created a new spool in ${shown(url)}`];
    assert.deepEqual([created.code, created.stderr], [0, notes.map((note) => `postrider: ${note}\n`).join("")]);
    assert.deepEqual((await runCli(["queue", "list"], env)).code, 0);
  });

  it("backups are left to PostgreSQL's tools", async (t) => {
    const { url } = await freshDatabase(t);
    const env = environment(t, url);
    await runCli(["accounts", "create", "blue"], env);
    const file = join(tempDir(t), "backup");
    for (const args of [
      ["backup", file],
      ["restore", "README.md"],
    ]) {
      const { code, stdout, stderr } = await runCli(args, env);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(
        stderr,
        /^postrider: [^\n]*: with DATABASE_URL, back up [^\n]* pg_dump or pg_basebackup[^\n]*CLUSTER\.md#backup\)\n$/,
      );
    }
    assert.ok(!existsSync(file));
  });

  it("the doctor examines the database instead of the disk", async (t) => {
    const { url } = await emptyDatabase(t);
    const env = environment(t, url);
    const examine = async (more = {}) => {
      const { stdout } = await runCli(["doctor", "--json"], { ...env, ...more });
      return JSON.parse(stdout) as { check: string; state: string; detail: string }[];
    };
    const finding = async (name: string, more = {}) => (await examine(more)).find(({ check }) => check === name);
    assert.match((await finding("spool"))?.detail ?? "", /^There is no spool in postgres:.*different DATABASE_URL\.$/);
    await runCli(["accounts", "create", "blue"], env);
    const found = await examine();
    const names = found.map(({ check }) => check);
    assert.deepEqual(
      names.filter((name) => ["disk", "file_system", "fsync", "spool_file"].includes(name)),
      [],
    );
    assert.match(
      found.find(({ check }) => check === "database")?.detail ?? "",
      /^The database has \d+ MiB\. .*PostgreSQL/,
    );
    const unreachable = await finding("spool", { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" });
    assert.equal(unreachable?.state, "problem");
    assert.match(
      unreachable.detail,
      /^The spool cannot be opened\. DATABASE_URL=postgres:\/\/u@127.* \(ECONNREFUSED\)\.$/,
    );
  });
});

describe("a DATABASE_URL that does not lead to a database", { timeout: 120_000 }, () => {
  it("is one line without the password, from the command line at once", async (t) => {
    const env = environment(t, "postgres://u:secret@127.0.0.1:1/d");
    const line = "DATABASE_URL=postgres://u@127.0.0.1:1/d: no server accepts connections there (ECONNREFUSED)";
    assert.deepEqual(await runCli(["queue", "list"], env), { code: 1, stdout: "", stderr: `postrider: ${line}\n` });
    assert.ok(!existsSync(env.CERTS_DIR ?? ""));
  });

  it("is refused with its password by the start at once", { skip: missingPostgres() }, async (t) => {
    const { url } = await emptyDatabase(t);
    const { href } = Object.assign(new URL(url), { password: "wrong-secret" });
    const line = `DATABASE_URL=${shown(url)}: password authentication failed for user "postgres": correct the user name and the password`;
    assert.equal(await refusal(environment(t, href)), line);
  });

  it("is an invalid setting if it is none", async (t) => {
    const { code, stderr } = await runToExit(t, environment(t, "postgres://u:se cret@host/d"));
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^postrider: DATABASE_URL is not of the form [^\n]+\n$/);
    assert.ok(!stderr.includes("cret"));
    assert.equal((await runCli(["queue", "list"], environment(t, "mysql://u:secret@host/d"))).code, 2);
  });
});

describe("a service whose database goes away", { skip: missingPostgres(), timeout: 120_000 }, () => {
  it("waits for it at the start, is not ready without it, and goes on with it", async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    await server.stop();
    const env = { ...environment(t, server.url), NODE_NAME: "a", ADDRESS_RATE_PER_SECOND: "0" };
    const starting = startChild(t, env);
    await server.restart();
    const service = await starting;
    const reasons = async () => {
      const response = await fetch(`${service.url}/readyz`);
      return { status: response.status, text: await response.text() };
    };
    await server.stop("immediate");
    const down = await reasons();
    assert.equal(down.status, 503);
    assert.match(down.text, /The spool cannot commit: the database is unavailable/);
    assert.doesNotMatch(down.text, /127\.0\.0\.1/);
    await server.restart();
    while (/The spool cannot commit/.test((await reasons()).text));
    const { stdout, stderr } = await service.kill("SIGTERM");
    const [, listening] = /(\{[^\n]*"msg":"listening"[^\n]*)/.exec(stdout) ?? [];
    const { node, database } = JSON.parse(listening ?? "{}");
    assert.deepEqual([node, database], ["a", shown(server.url)]);
    const { password } = new URL(server.url);
    assert.ok(!`${stdout}${stderr}`.includes(password));
  });
});
