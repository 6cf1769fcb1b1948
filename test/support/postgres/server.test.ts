/** The PostgreSQL server of tests, as its clients see it: durable, restartable, gone with the process that started it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { until } from "../peers.ts";
import { LOADER } from "../program.ts";
import { fastDir } from "./fast-dir.ts";
import { missingPostgresOrTime } from "./installation.ts";
import { startPostgres } from "./server.ts";

/** The extension is another one if the tests are compiled. */
const SERVER = new URL(`server${extname(import.meta.url)}`, import.meta.url).href;

/** Ends with the server, if not before. */
async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** `once` would reject at the error that precedes the end. */
function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once("end", resolve));
}

/** A directory in which the server's user may have its own. */
function parentDir(t: TestContext): string {
  const dir = mkdtempSync(join(fastDir(), "postrider-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o777);
  return dir;
}

describe("a PostgreSQL server of a test", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("keeps what it committed over a SIGKILL", async (t) => {
    const server = await startPostgres({ parentDir: fastDir(), settings: { work_mem: "5MB" } });
    t.after(() => server.close());
    const client = await connected(server.url);
    await client.query("CREATE TABLE kept AS SELECT 1 AS id");
    const durable = await client.query("SHOW fsync");
    assert.deepEqual(durable.rows, [{ fsync: "on" }]);
    const [walBytes, { pid }] = [await server.walBytes(), server];
    const ended = endOf(client);
    await server.kill();
    await ended;
    assert.throws(() => server.pid, /^Error: PostgreSQL is not running$/);
    await assert.rejects(server.query("SELECT 1"), { code: "ECONNREFUSED" });

    await server.restart();
    assert.notEqual(server.pid, pid);
    assert.deepEqual(await server.query("SELECT id, current_setting('work_mem') AS mem FROM kept"), [
      { id: 1, mem: "5MB" },
    ]);
    assert.ok((await server.walBytes()) >= walBytes);
    assert.ok(server.cpuMs() >= 0);
  });

  it("continues with the data of an earlier server in the same directory", async (t) => {
    const dir = parentDir(t);
    const former = await startPostgres({ dir });
    await former.query("CREATE TABLE kept AS SELECT 2 AS id");
    await former.kill();
    await former.close();
    const server = await startPostgres({ dir });
    t.after(() => server.close());
    assert.deepEqual(await server.query("SELECT id FROM kept"), [{ id: 2 }]);
  });

  it("stops and removes its directory when its process is killed", async (t) => {
    const dir = parentDir(t);
    const source = `import { startPostgres } from ${JSON.stringify(SERVER)};
      const { url } = await startPostgres({ parentDir: ${JSON.stringify(dir)} });
      process.stdout.write(url);
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, [...LOADER, "--input-type=module", "-e", source], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => owner.kill("SIGKILL"));
    const [url] = await once(owner.stdout, "data");
    const client = await connected(String(url));
    const ended = endOf(client);
    owner.kill("SIGKILL");
    await ended;
    await until("the removal of the directory", () => readdirSync(dir).length === 0);
  });
});
