/** WORKERS: several processes of the service on one port, as one program. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isFinal, pollUntil, send } from "./support/api-client.ts";
import { until } from "./support/peers.ts";
import { freshDatabase } from "./support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "./support/postgres/installation.ts";
import { programArgs } from "./support/program.ts";
import { runCli } from "./support/run-cli.ts";
import { tempDir } from "./support/temp-dir.ts";
import { sendBody, startWorld } from "./support/world.ts";

interface Line {
  msg: string;
  node?: string;
  url?: string;
  path?: string;
  worker?: number;
}

interface Program {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<number | null>;
  /** The log so far; every line must be JSON. */
  lines(): Line[];
  /** The nodes that have listened so far, in order. */
  listened(): (string | undefined)[];
  url(): string;
}

function launch(t: TestContext, env: Record<string, string>): Program {
  const child = spawn(process.execPath, programArgs("src/main.ts"), {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const lines = (): Line[] =>
    output.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const listening = (): Line[] => lines().filter(({ msg }) => msg === "listening");
  return {
    child,
    output,
    ended,
    lines,
    listened: () => listening().map(({ node }) => node),
    url: () => listening()[0]?.url ?? assert.fail("it does not listen"),
  };
}

async function environment(t: TestContext): Promise<Record<string, string>> {
  const [dir, { url }] = [tempDir(t), await freshDatabase(t)];
  const dirs = { DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") };
  const local = { PORT: "0", HOST: "127.0.0.1", SENDING_IPS: "127.0.0.1", DNS_SERVERS: "127.0.0.1:1" };
  return { ...dirs, ...local, DATABASE_URL: url, MTA_HOSTNAME: "mta.shop.example", NODE_NAME: "web", WORKERS: "2" };
}

async function startWorkers(t: TestContext, env: Record<string, string>): Promise<Program> {
  const program = launch(t, env);
  const hasEnded = program.ended.then((code) => assert.fail(`exit ${code}: ${program.output.stderr}`));
  await Promise.race([hasEnded, until("both workers", () => program.listened().length === 2)]);
  hasEnded.catch(() => {});
  return program;
}

/** The nodes whose metrics a scrape has. */
async function scraped(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^process_start_time_seconds\{node="(.*)"\}/gm)].map(([, node = ""]) => node).sort();
}

/** Resolves with what `look` returns once it is not null. */
async function eventually<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const giveUpMs = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > giveUpMs) throw new Error(`waited too long for: ${what}`);
    await delay(50);
  }
}

/** The process ids of the workers, by their numbers. */
function childrenOf({ pid = 0 }: ChildProcess): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const pids = readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number);
  const numbered = pids.map((each) => [each, readFileSync(`/proc/${each}/cmdline`, "utf8")] as const);
  return numbered.filter(([, command]) => /main\.[jt]s\0\d+\0$/.test(command)).map(([each]) => each);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function nodesOf(env: Record<string, string>): Promise<{ name: string; state: string }[]> {
  return JSON.parse((await runCli(["nodes", "list", "--json"], env)).stdout);
}

describe("workers", { skip: missingPostgresOrTime(), timeout: 180_000 }, () => {
  it("share a port, a log and a scrape, and each is a node", async (t) => {
    const { url: database } = await freshDatabase(t);
    const world = await startWorld(t, { DATABASE_URL: database });
    await world.service.stop();
    const env = { ...world.env, NODE_NAME: "web", WORKERS: "2" };
    const { child, ended, lines, listened, url } = await startWorkers(t, env);
    assert.deepEqual(listened(), ["web#1", "web#2"]);
    const door = { url: url(), key: world.key };
    const ids = await Promise.all(Array.from({ length: 20 }, () => send(door, sendBody())));
    for (const id of ids) {
      const { recipients } = await pollUntil(door, id, isFinal);
      assert.equal(recipients[0]?.result, "delivered");
    }
    assert.deepEqual(
      (await nodesOf(env)).map(({ name, state }) => [name, state]),
      [
        ["web#1", "live"],
        ["web#2", "live"],
      ],
    );
    const text = await (await fetch(`${url()}/metrics`)).text();
    const accepted = [...text.matchAll(/^postrider_messages_accepted_total\{node="(web#\d)"\} (\d+)$/gm)];
    assert.deepEqual(accepted.map(([, node]) => node).sort(), ["web#1", "web#2"]);
    assert.equal(
      accepted.reduce((sum, [, , count]) => sum + Number(count), 0),
      ids.length,
    );
    assert.equal(text.match(/^# TYPE postrider_messages_accepted_total /gm)?.length, 1);
    const names = [...text.matchAll(/^postrider_node_info\{name="(.*?)",version=".*?",node="(.*?)"\} 1$/gm)];
    assert.deepEqual(
      names.map(([, name, node]) => [name, node]),
      [
        ["web#1", "web#1"],
        ["web#2", "web#2"],
      ],
    );

    child.kill("SIGTERM");
    assert.equal(await ended, 0);
    const answered = new Set(lines().flatMap(({ path, node }) => (path === undefined ? [] : [node])));
    assert.deepEqual(answered, new Set(["web#1", "web#2"]));
    assert.deepEqual(new Set(lines().map(({ node }) => node)), new Set(["web#1", "web#2", undefined]));
  });

  it("are drained together by the host's name, and the host is ready while one of them claims", async (t) => {
    const env = await environment(t);
    const { url } = await startWorkers(t, env);
    const isDraining = async (): Promise<boolean> => {
      const { reasons } = (await (await fetch(`${url()}/readyz`)).json()) as { reasons: string[] };
      return reasons.some((reason) => reason.startsWith("This node is draining"));
    };
    assert.equal((await runCli(["nodes", "drain", "web#1"], env)).code, 0);
    for (let requests = 0; requests < 6; requests += 1) assert.equal(await isDraining(), false);
    const last = await runCli(["nodes", "drain", "web"], env);
    assert.equal(
      last.stderr,
      "postrider: no node would deliver without web: start another node first, or stop web as it is\n",
    );
  });

  it("are replaced when they die, and print the setup link once", async (t) => {
    const env = await environment(t);
    const { child, ended, listened, lines, url, output } = await startWorkers(t, env);
    const link =
      /^postrider: there is no user yet; create the first one at \S+ \(the link works only on this server; .*\)\n$/;
    assert.match(output.stderr, link);
    assert.equal(output.stdout.match(/"setupUrl"/g)?.length, 1);
    assert.deepEqual(await scraped(url()), ["web#1", "web#2"]);

    const [, second] = childrenOf(child);
    // 0 would be all processes of the test run.
    assert.ok(second);
    process.kill(second, "SIGKILL");
    await until("the new worker", () => listened().length === 3);
    assert.equal(lines().find(({ msg }) => msg === "worker ended")?.worker, 2);
    assert.equal(listened()[2], "web#2");
    await eventually("its metrics", async () => ((await scraped(url())).length === 2 ? true : null));
    assert.match(output.stderr, link);

    // Ctrl-C in a terminal reaches all processes.
    for (const pid of childrenOf(child)) process.kill(pid, "SIGINT");
    child.kill("SIGINT");
    assert.equal(await ended, 0);
    // The registration of the worker that was killed expires.
    assert.equal(
      (await nodesOf(env)).some(({ name }) => name === "web#1"),
      false,
    );
  });

  it("end what is in progress and stop when their supervisor is killed", async (t) => {
    const env = await environment(t);
    const { child, ended, lines } = await startWorkers(t, env);
    const pids = childrenOf(child);
    child.kill("SIGKILL");
    await ended;
    await eventually("the end of the workers", async () => (pids.some(isRunning) ? null : true));
    assert.deepEqual(await nodesOf(env), []);
    assert.ok(lines().every(({ msg }) => msg !== "worker ended"));
  });

  it("are not started when the first one cannot start: one line, and its exit code", async (t) => {
    const env = await environment(t);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    t.after(() => other.close());
    const { port } = other.address() as { port: number };
    const { ended, output, listened } = launch(t, { ...env, PORT: String(port) });
    assert.equal(await ended, 1);
    const line = `PORT=${port} cannot be used: another program is listening on it at 127.0.0.1 (EADDRINUSE)`;
    assert.equal(output.stderr, `postrider: ${line}\n`);
    assert.deepEqual(listened(), []);
  });
});

it("several workers without a database are refused", async (t) => {
  const { ended, output } = launch(t, { WORKERS: "2" });
  assert.equal(await ended, 2);
  const line = "WORKERS=2 needs DATABASE_URL: without a database, the spool belongs to one process";
  assert.deepEqual(output, { stdout: "", stderr: `postrider: ${line}\n` });
});
