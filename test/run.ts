/**
 * `npm test`: runs every test/**\/*.test.ts with node:test and fails when none ran. The files are named one by one
 * because `node --test DIRECTORY` finds no TypeScript on Node 20 and calls that a success.
 * Arguments narrow the run: `npm test -- spool` takes the files whose path contains "spool".
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TEST_DIR = fileURLToPath(new URL(".", import.meta.url));

const wanted = process.argv.slice(2);
const files = readdirSync(TEST_DIR, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
  .map((file) => join(TEST_DIR, file));

if (files.length === 0) {
  process.stderr.write("No test file matches.\n");
  process.exit(1);
}

/** In CI the runs through failing exchangers are five times as long. */
const timeoutMs = process.env.CI === "true" ? 300_000 : 120_000;
const options = ["--import", "tsx", "--test", "--test-reporter=spec", "--test-concurrency=3"];
const child = spawn(process.execPath, [...options, `--test-timeout=${timeoutMs}`, ...files], {
  stdio: ["ignore", "pipe", "inherit"],
});
let tail = "";
child.stdout.on("data", (chunk: Buffer) => {
  process.stdout.write(chunk);
  tail = (tail + chunk.toString("utf8")).slice(-100_000);
});
child.on("close", (code, signal) => {
  const ran = Number(/^\S+ tests (\d+)$/m.exec(tail)?.[1] ?? 0);
  if (ran === 0) process.stderr.write("No test ran.\n");
  process.exitCode = ran === 0 || signal !== null ? 1 : (code ?? 1);
});
