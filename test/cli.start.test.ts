/** `postrider start` runs the service, with the settings and the directory of the command, until a signal. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { programArgs } from "./support/program.ts";
import { tempDir } from "./support/temp-dir.ts";

const SETTINGS = { PORT: "0", HOST: "127.0.0.1", SENDING_IPS: "127.0.0.1", DNS_SERVERS: "127.0.0.1:1" };

it("runs until SIGTERM, and exits as the service does", async (t) => {
  const cwd = tempDir(t);
  const child = spawn(process.execPath, [...programArgs("src/cli.ts"), "start"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", MTA_HOSTNAME: "mta.shop.example", ...SETTINGS },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 180_000,
    killSignal: "SIGKILL",
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"listening"')) break;
  assert.ok(existsSync(join(cwd, "data", "postrider.db")));
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
});

it("ends with the service's exit code and its line, if it cannot start", async (t) => {
  const child = spawn(process.execPath, [...programArgs("src/cli.ts"), "start"], {
    cwd: tempDir(t),
    env: { PATH: process.env.PATH ?? "", PORT: "none" },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 180_000,
  });
  let error = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    error += text;
  });
  assert.deepEqual(await once(child, "close"), [2, null]);
  assert.match(error, /^[^\n]*PORT[^\n]*\n$/);
});
