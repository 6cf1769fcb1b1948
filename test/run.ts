/**
 * `npm test`: runs every test/**\/*.test.ts with node:test, in a few processes (queue.ts) on a compiled copy of the
 * checkout (compiled-tree.ts, bundles.ts). Fails if a test fails, a file has no test, or no file matches. Arguments
 * select files: `npm test -- spool` runs those whose path contains "spool". Without arguments, LONG_FILES run in CI only.
 */
import { readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { bundlePrograms } from "./bundles.ts";
import { compileTree } from "./compiled-tree.ts";
import { dearestFiles } from "./file-costs.ts";
import { LONG_FILES } from "./long-files.ts";
import { filesTakenBy, makeQueue, openQueue } from "./queue.ts";
import { storeRsaKeys } from "./support/cheap-crypto.ts";
import { NAMED_ONLY } from "./support/postgres/installation.ts";
import { offerSharedPostgres } from "./support/postgres/shared-server.ts";

const TEST_DIR = fileURLToPath(new URL(".", import.meta.url));
/** More workers than cores, because many tests mostly wait for the disk, a timer or a process. */
const WORKERS = Math.max(8, 4 * availableParallelism());
/** The last octets that a worker wrote to its standard error: why its process failed, if it did. */
const ERROR_TEXT = 4_000;
/** Runs of a file that failed beside others. More such files have a common cause. */
const RUNS_ALONE = 2;
const ALONE_MAX = 6;
/** A file over this limit hangs. In CI some take minutes, on a machine in use many. */
const FILE_LIMIT_MS = 2_400_000;
const RUN_LIMIT_MS = 2 * FILE_LIMIT_MS;

const wanted = process.argv.slice(2);
if (wanted.length > 0) process.env[NAMED_ONLY] = "1";
const all = readdirSync(TEST_DIR, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
const unknown = LONG_FILES.filter((file) => !all.includes(file));
const runsLong = process.env.CI === "true" || wanted.length > 0;
const files = all
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .filter((file) => runsLong || !LONG_FILES.includes(file))
  .sort();

if (files.length === 0) {
  process.stderr.write("No test file matches.\n");
  process.exit(1);
}

const tree = compileTree(join(TEST_DIR, ".."));
await Promise.all([bundlePrograms(tree), storeRsaKeys(tree)]);
// The workers' processes run compiled files, so they do not need this process's tsx loader.
process.execArgv = [];
const postgres = await offerSharedPostgres(join(tree, "postgres.sock"));
const withTests = new Set<string>();
const failed = new Set<string>();
let queues = 0;
const brokenFiles = await runBrokenAgain(await runFiles(files));
for (const file of await failedAlone()) fail(`Failed: ${file}`);
await postgres.close();
if (runsLong && wanted.length === 0) process.stdout.write(dearestFiles(tree));
rmSync(tree, { recursive: true });

if (!runsLong)
  process.stdout.write(
    `Not run: ${LONG_FILES.length} files that take long. They run with CI=true, or if they are named.\n`,
  );
for (const file of unknown) fail(`LONG_FILES names ${file}, which does not exist.`);
for (const files of brokenFiles) fail(`The process of these files failed: ${files.join(", ")}`);
for (const file of files.filter((file) => !withTests.has(file))) fail(`No test ran in ${file}.`);

/**
 * The files that fail when nothing runs beside them, of those that failed. Two cores run six processes, and a test of what a
 * service does in time may fail for lack of CPU alone. A failure that a second run hides is still in the report.
 */
async function failedAlone(): Promise<string[]> {
  const beside = [...failed];
  if (wanted.length > 0 || beside.length > ALONE_MAX) return beside;
  const alone: string[] = [];
  for (const file of beside) {
    failed.clear();
    for (let count = 1; count <= RUNS_ALONE && failed.size === 0; count += 1) {
      process.stdout.write(`${file} failed beside other tests: run ${count} of ${RUNS_ALONE} alone\n`);
      await runFiles([file]);
    }
    if (failed.size > 0) alone.push(file);
  }
  const passed = beside.filter((file) => !alone.includes(file));
  if (passed.length > 0) process.stdout.write(`Failed beside other tests, passed alone: ${passed.join(", ")}\n`);
  return alone;
}

/**
 * Where a process failed before its last file, runs the files of which nothing is known again, in other processes. Returns the files
 * of each process that failed, as `broken`, without those processes.
 */
async function runBrokenAgain(broken: string[][]): Promise<string[][]> {
  const again = files.filter((file) => !withTests.has(file));
  const isUnknown = (file: string): boolean => again.includes(file);
  if (broken.length === 0 || again.length === 0) return broken;
  process.stdout.write(`${again.length} files run again, whose process had failed.\n`);
  const rest = broken.filter((files) => !files.some(isUnknown));
  return [...rest, ...(await runFiles(again))];
}

function fail(line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

/**
 * Prints the report. Adds the files in which a test ran, and those in which one failed. Returns the files of each process that failed
 * as a whole.
 */
async function runFiles(files: string[]): Promise<string[][]> {
  queues += 1;
  const queue = makeQueue(files, { tree, name: `queue-${queues}`, workers: WORKERS, timeoutMs: FILE_LIMIT_MS });
  const { workers } = queue;
  const broken: string[][] = [];
  let inSuite = 0;
  const stream = run({ files: workers, concurrency: WORKERS, timeout: RUN_LIMIT_MS });
  // A suite is reported after its tests, and the workers are reported one after another.
  const errorTexts = new Map<string, string>();
  stream.on("test:stderr", ({ file, message }) => {
    errorTexts.set(file, `${errorTexts.get(file) ?? ""}${message}`.slice(-ERROR_TEXT));
  });
  const onResult = ({ name, nesting }: { name: string; nesting: number }): void => {
    if (nesting > 0) {
      inSuite += 1;
      return;
    }
    if (inSuite > 0) withTests.add(name);
    inSuite = 0;
  };
  stream.on("test:pass", onResult);
  stream.on("test:fail", (event) => {
    if (event.nesting === 0 && files.includes(event.name)) failed.add(event.name);
    onResult(event);
    if (workers.includes(event.name)) {
      broken.push(filesTakenBy(queue, event.name));
      openQueue(queue);
      const { exitCode = null, signal = null } = event.details.error as { exitCode?: number; signal?: string };
      const ended = `The process of ${event.name} ended with ${signal ?? `exit code ${exitCode}`}.`;
      process.stdout.write(
        `${ended} The last that it wrote to its standard error:\n${errorTexts.get(event.name) ?? ""}\n`,
      );
    }
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  process.stdout.write("\n");
  return broken;
}
