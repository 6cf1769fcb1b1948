/** `postrider sink` and `postrider demo` start the same programs as `npm run sink` and `npm run demo`, with their options. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createTransport } from "nodemailer";
import { programArgs } from "./support/program.ts";
import { runCli, spawnCli } from "./support/run-cli.ts";
import { tempDir } from "./support/temp-dir.ts";

test("sink takes a message, and ends with a signal", { timeout: 60_000 }, async (t) => {
  const dir = tempDir(t);
  const child = spawn(process.execPath, [
    ...programArgs("src/cli.ts"),
    "sink",
    "--port",
    "0",
    "--dir",
    dir,
    "--no-tls",
  ]);
  t.after(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [, port] = /^SMTP sink on 127\.0\.0\.1:(\d+), without TLS$/.exec(String((await lines.next()).value)) ?? [];
  const sent = await createTransport({ host: "127.0.0.1", port: Number(port) }).sendMail({
    from: "app@shop.test",
    to: "delivered@customers.test",
    subject: "Hello",
    text: "Hi",
  });
  assert.deepEqual(sent.accepted, ["delivered@customers.test"]);
  for await (const line of { [Symbol.asyncIterator]: () => lines })
    if (/ from <app@shop\.test> to delivered@customers\.test: accepted, dkim=none /.test(line)) break;
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("faults in the options of a program are wrong usage", async () => {
  const refused = await spawnCli(["sink", "--port", "many"], {});
  assert.deepEqual(refused, { code: 2, stdout: "", stderr: "sink: --port many is not a port number\n" });
  assert.equal((await runCli(["demo", "--port", "1"], {})).code, 2);
  const json = await runCli(["demo", "--json"], {}, "", { runProgram: async () => 0 });
  assert.deepEqual(json, { code: 2, stdout: "", stderr: "postrider: demo has no output for --json\n" });
});

test("a program gets its options alone, and its exit code is that of the command line", async () => {
  const started: [string, string[]][] = [];
  const runProgram = async (name: string, args: string[]): Promise<number> => {
    started.push([name, args]);
    return 3;
  };
  assert.equal((await runCli(["--no-color", "demo", "--stay"], {}, "", { runProgram })).code, 3);
  await runCli(["sink", "--no-tls", "--host", "::1"], {}, "", { runProgram });
  assert.deepEqual(started, [
    ["demo", ["--stay"]],
    ["sink", ["--host=::1", "--no-tls"]],
  ]);
});
