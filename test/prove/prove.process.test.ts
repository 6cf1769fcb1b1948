/** The command as a process: a disk whose fsync does nothing, and Ctrl-C. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { programArgs } from "../support/program.ts";
import { spawnCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const hasCompiler = (() => {
  try {
    execFileSync("cc", ["--version"]);
    return process.platform === "linux";
  } catch {
    return false;
  }
})();
const skip = hasCompiler || process.env.CI === "true" ? false : "needs Linux and a C compiler";

/** As eatmydata has it. */
const SOURCE = "int fsync(int fd) { return 0; }\nint fdatasync(int fd) { return 0; }\n";

test("a disk whose fsync does nothing is reported", { skip }, async (t) => {
  const [dir, library] = [tempDir(t), join(tempDir(t), "lies.so")];
  writeFileSync(`${library}.c`, SOURCE);
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, `${library}.c`]);
  const env = { DATA_DIR: dir, LD_PRELOAD: library };
  const { code, stdout, stderr } = await spawnCli(["prove", "--minutes", "0.02"], env);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /the disk does not keep what it acknowledges/);
  assert.match(stdout, /problem +disk +.*faster than any disk: something acknowledges it without writing/);
  assert.match(stdout, /ok +lost +0$/m);
});

/** The processes whose environment has this text. */
const processesOf = (text: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
    } catch {
      return false;
    }
  });

test("Ctrl-C ends it without a verdict, and without its service and its folder", { skip }, async (t) => {
  const dir = tempDir(t);
  const child = spawn(process.execPath, [...programArgs("src/cli.ts"), "prove", "--minutes", "5"], {
    env: { PATH: process.env.PATH, DATA_DIR: dir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  const ended = once(child, "close");
  const out = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (out.stdout += chunk));
  child.stderr.on("data", (chunk) => (out.stderr += chunk));
  // The service has its spool, and the command has run that made it.
  const isServing = () =>
    readdirSync(dir).some((folder) => existsSync(join(dir, folder, "data", "postrider.db"))) &&
    processesOf(`${dir}/.prove-`).length > 0;
  while (!isServing()) await delay(20);
  // Under npm, it arrives twice.
  child.kill("SIGINT");
  child.kill("SIGINT");
  const [code] = await ended;
  assert.deepEqual(
    { code, ...out },
    {
      code: 1,
      stdout: "",
      stderr: "postrider: stopped before its end: there is no verdict\n",
    },
  );
  assert.deepEqual(readdirSync(dir), []);
  assert.deepEqual(processesOf(`${dir}/.prove-`), []);
});
