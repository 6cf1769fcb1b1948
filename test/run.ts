/**
 * `npm test`: runs every test/**\/*.test.ts with node:test, in a few processes (groups.ts) on a compiled copy of the
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
import { type Group, splitIntoGroups } from "./groups.ts";
import { LONG_FILES } from "./long-files.ts";
import { NAMED_ONLY } from "./support/postgres/installation.ts";
import { offerSharedPostgres } from "./support/postgres/shared-server.ts";

const TEST_DIR = fileURLToPath(new URL(".", import.meta.url));
/** More groups than cores, because many tests mostly wait for the disk, a timer or a process. */
const GROUPS = Math.max(6, 2 * availableParallelism());
/** A file over this limit hangs. In CI some take minutes, on a machine in use many. */
const FILE_LIMIT_MS = 2_400_000;
const GROUP_LIMIT_MS = 2 * FILE_LIMIT_MS;

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
await bundlePrograms(tree);
const split = { testDir: join(tree, "test"), groupDir: tree, count: GROUPS, timeoutMs: FILE_LIMIT_MS };
// The groups' processes run compiled files, so they do not need this process's tsx loader.
process.execArgv = [];
const groups = splitIntoGroups(files, split);
const postgres = await offerSharedPostgres(join(tree, "postgres.sock"));
const { withTests, broken } = await runGroups(groups);
await postgres.close();
rmSync(tree, { recursive: true });

if (!runsLong)
  process.stdout.write(
    `Not run: ${LONG_FILES.length} files that take long. They run with CI=true, or if they are named.\n`,
  );
for (const file of unknown) fail(`LONG_FILES names ${file}, which does not exist.`);
for (const { files } of broken) fail(`The process of these files failed: ${files.join(", ")}`);
for (const file of files.filter((file) => !withTests.has(file))) fail(`No test ran in ${file}.`);

function fail(line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

/** Prints the report. Resolves with the files in which a test ran, and the groups that failed as a whole. */
async function runGroups(groups: Group[]): Promise<{ withTests: Set<string>; broken: Group[] }> {
  const withTests = new Set<string>();
  const broken: Group[] = [];
  let inSuite = 0;
  const stream = run({ files: groups.map(({ path }) => path), concurrency: GROUPS, timeout: GROUP_LIMIT_MS });
  // A suite is reported after its tests, and the groups are reported one after another.
  const onResult = ({ name, nesting }: { name: string; nesting: number }): void => {
    if (nesting > 0) {
      inSuite += 1;
      return;
    }
    if (inSuite > 0) withTests.add(name);
    inSuite = 0;
    broken.push(...groups.filter(({ path }) => path === name));
  };
  stream.on("test:pass", onResult);
  stream.on("test:fail", (event) => {
    process.exitCode = 1;
    onResult(event);
  });
  for await (const text of stream.compose(new spec())) process.stdout.write(text);
  process.stdout.write("\n");
  return { withTests, broken };
}
