/** The service as a program: starting, stopping, exit codes, and the error when it cannot start. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { describeStartFailure } from "../src/app/installation/startup-checks.ts";
import { readConfig } from "../src/config.ts";
import { listen } from "../src/http/server.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { tryStartService } from "../src/service/start-errors.ts";
import { programArgs } from "./support/program.ts";
import { selfSigned } from "./support/self-signed.ts";
import { tempDir } from "./support/temp-dir.ts";

/** An unprivileged user, for when the tests run as root. */
const NOBODY = 65_534;

interface Installation {
  dir: string;
  env: Record<string, string>;
}

function newInstallation(t: TestContext): Installation {
  const dir = tempDir(t);
  const env = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") };
  return {
    dir,
    env: { ...env, SENDING_IPS: "127.0.0.1", DNS_SERVERS: "127.0.0.1:1", MTA_HOSTNAME: "mta.shop.example" },
  };
}

function launch(t: TestContext, env: Record<string, string>, uid?: number) {
  const child = spawn(process.execPath, programArgs("src/main.ts"), {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 180_000,
    killSignal: "SIGKILL",
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stderr: output.stderr }));
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, output };
}

const onFatal = (error: Error): void => {
  throw error;
};

/** The error of a start in this process that fails before anything runs. */
async function refusal(env: Record<string, string>): Promise<string> {
  const started = await tryStartService(readConfig(env), silentLog, { onFatal });
  if (typeof started === "string") return started;
  await started.stop();
  assert.fail("it started");
}

/** The error of a start whose listener fails; the listener is the last part, so only it is started. */
async function listenRefusal(env: Record<string, string>): Promise<string> {
  const config = readConfig(env);
  const { host, port, certsDir } = config;
  const [clock, answer] = [systemClock, () => {}];
  try {
    const listener = await listen({ host, port, certsDir, clock, log: silentLog, answer, rejected: () => {} });
    await listener.close();
  } catch (error) {
    return describeStartFailure(error, config);
  }
  return assert.fail("it listens");
}

/** The error of a process whose start fails. */
async function refusalOfProcess(t: TestContext, env: Record<string, string>, uid?: number): Promise<string> {
  const { code, stderr } = await launch(t, env, uid).ended;
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^postrider: [^\n]+\n$/);
  return stderr.slice("postrider: ".length, -1);
}

describe("a start that fails names the setting, in one line, with exit code 1", { timeout: 180_000 }, () => {
  it("a port in use, and an address of another host", async (t) => {
    const { env } = newInstallation(t);
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    t.after(() => other.close());
    const { port } = other.address() as { port: number };
    const inUse = `PORT=${port} cannot be used: another program is listening on it at 127.0.0.1 (EADDRINUSE)`;
    assert.equal(await refusalOfProcess(t, { ...env, PORT: String(port) }), inUse);
    const elsewhere = "HOST=192.0.2.77 cannot be used: it is not an address of this server (EADDRNOTAVAIL)";
    assert.equal(await listenRefusal({ ...env, HOST: "192.0.2.77" }), elsewhere);
  });

  it("a directory that is a file, or cannot be created", async (t) => {
    const { dir, env } = newInstallation(t);
    const file = join(dir, "file");
    writeFileSync(file, "");
    for (const setting of ["DATA_DIR", "CERTS_DIR"]) {
      const where = `${setting}=${file}`;
      assert.equal(await refusal({ ...env, [setting]: file }), `${where} is a file, not a directory`);
    }
    const below = join(file, "data");
    const partly = `DATA_DIR=${below} cannot be created: not a directory (ENOTDIR)`;
    assert.equal(await refusal({ ...env, DATA_DIR: below }), partly);
    // Node's recursive mkdir never returns for this path.
    const nowhere = "DATA_DIR=/proc/postrider cannot be created: no such file or directory (ENOENT)";
    assert.equal(await refusal({ ...env, DATA_DIR: "/proc/postrider" }), nowhere);
  });

  it("a directory without permission", async (t) => {
    const { dir, env } = newInstallation(t);
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const own = (path: string) => {
      mkdirSync(path);
      if (uid !== undefined) chownSync(path, uid, uid);
      return path;
    };
    if (uid !== undefined) chownSync(dir, uid, uid);
    const data = own(join(dir, "read-only"));
    chmodSync(data, 0o500);
    const unwritable = `DATA_DIR=${data} is not writable: permission denied (EACCES)`;
    assert.equal(await refusalOfProcess(t, { ...env, DATA_DIR: data }, uid), unwritable);
    const certs = own(join(dir, "unreadable"));
    writeFileSync(join(certs, "master.key"), "");
    chmodSync(join(certs, "master.key"), 0);
    const unreadable = `CERTS_DIR=${certs}: ${join(certs, "master.key")} is not readable: permission denied (EACCES)`;
    assert.equal(await refusalOfProcess(t, { ...env, CERTS_DIR: certs }, uid), unreadable);
  });

  it("files with invalid content", async (t) => {
    const { dir, env } = newInstallation(t);
    const data = join(dir, "odd-data");
    mkdirSync(data);
    writeFileSync(join(data, "postrider.db"), "no database, but longer than the head of one".repeat(4));
    assert.equal(
      await refusal({ ...env, DATA_DIR: data }),
      `DATA_DIR=${data}: the spool cannot be used: file is not a database; postrider.db is damaged and was not changed: restore a backup, or recover what can be read (docs/MONITORING.md#when-the-spools-file-is-damaged)`,
    );
    const certs = join(dir, "odd-certs");
    mkdirSync(certs);
    for (const name of ["http.crt", "http.key"]) writeFileSync(join(certs, name), "no PEM");
    const odd = `CERTS_DIR=${certs}: http.crt and http.key cannot be used: `;
    assert.ok((await refusalOfProcess(t, { ...env, CERTS_DIR: certs })).startsWith(odd));
    writeFileSync(join(certs, "http.crt"), selfSigned("localhost").cert);
    writeFileSync(join(certs, "http.key"), "");
    assert.ok((await listenRefusal({ ...env, CERTS_DIR: certs })).startsWith(odd));
  });
});

it("prints the link that creates the first user at any log level, with the listener's address", async (t) => {
  const { dir, env } = newInstallation(t);
  const certs = join(dir, "certs");
  mkdirSync(certs);
  const { key, cert } = selfSigned("localhost");
  writeFileSync(join(certs, "http.key"), key);
  writeFileSync(join(certs, "http.crt"), cert);
  const port = await freePort();
  const { child, ended, output } = launch(t, { ...env, PORT: String(port), LOG_LEVEL: "error" });
  await Promise.race([once(child.stderr, "data"), ended]);
  const line =
    /^postrider: there is no user yet; create the first one at (https:\S+)\/dashboard\/setup\/[\w-]{32} \(the link works only on this server; .* PUBLIC_URL\)\n$/;
  assert.equal(line.exec(output.stderr)?.[1], `https://localhost:${port}`, output.stderr);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

describe("stopping", { timeout: 180_000 }, () => {
  it("counts one Ctrl-C that arrives twice, as under npm, once", async (t) => {
    const admin = { ADMIN_EMAIL: "ann@shop.example", ADMIN_PASSWORD: "correct horse battery" };
    const { child, ended, output } = launch(t, { ...newInstallation(t).env, ...admin });
    const waitForOutput = (words: RegExp) =>
      new Promise<string>((resolve, reject) => {
        child.stdout.on("data", () => words.test(output.stdout) && resolve(words.exec(output.stdout)?.[1] ?? ""));
        void ended.then(({ code }) => reject(new Error(`exit ${code}: ${output.stdout}${output.stderr}`)));
      });
    const port = Number(await waitForOutput(/"url":"http:[^"]*:(\d+)".*listening/));
    // An incomplete request delays the end.
    const client = connect(port, "127.0.0.1").on("error", () => {});
    await once(client, "connect");
    client.write("GET /healthz HTTP/1.1\r\n");
    child.kill("SIGINT");
    await waitForOutput(/("stopping")/);
    child.kill("SIGINT");
    client.destroy();
    assert.deepEqual(await ended, { code: 0, stderr: "" });
  });
});

describe("the service survives an output that cannot be written", { timeout: 180_000 }, () => {
  /** Starts it with `output` as both of its outputs, closes them here, waits until it is ready, and stops it. */
  async function runOn(t: TestContext, output: "pipe" | number): Promise<number | null> {
    const PORT = String(await freePort());
    const child = spawn(process.execPath, programArgs("src/main.ts"), {
      env: { PATH: process.env.PATH ?? "", ...newInstallation(t).env, PORT },
      stdio: ["ignore", output, output],
    });
    const ended = once(child, "exit");
    t.after(() => child.kill("SIGKILL"));
    child.stdout?.destroy();
    child.stderr?.destroy();
    const ready = async () => (await fetch(`http://127.0.0.1:${PORT}/healthz`).catch(() => null))?.ok === true;
    while (!(await ready())) {
      assert.equal(child.exitCode, null, "it ended");
      await delay(50);
    }
    // Each request logs a line: more lines than one write buffers.
    for (let n = 0; n < 50; n++)
      assert.equal((await fetch(`http://127.0.0.1:${PORT}/api/sending/messages`)).status, 401);
    assert.equal(await ready(), true);
    child.kill("SIGTERM");
    const [code] = await ended;
    return code;
  }

  it("a pipe whose reader has closed it", async (t) => {
    assert.equal(await runOn(t, "pipe"), 0);
  });

  it("a file on a full disk", async (t) => {
    const full = openSync("/dev/full", "w");
    t.after(() => closeSync(full));
    assert.equal(await runOn(t, full), 0);
  });
});
