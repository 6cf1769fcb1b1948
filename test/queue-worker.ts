/**
 * A worker of a queue of test files (queue.ts): runs in its process what it takes, until nothing is left. Each file is a suite with the
 * file's name. A process that does not exit after its last test fails.
 */
import { setPriority } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { costs } from "./file-costs.ts";
import {
  endSchedule,
  filesIn,
  hasSchedule,
  isComputing,
  isOnSchedule,
  isOpen,
  takeFile,
  WORKER_OPTIONS,
  type WorkerOptions,
} from "./queue.ts";
import { makeCryptoCheap } from "./support/cheap-crypto.ts";

const COMPUTING_WORKERS = [2, 3];
const LOW_PRIORITY = 10;

/** For what the tests left open to close. */
const EXIT_LIMIT_MS = 90_000;
const LOOK_EVERY_MS = 500;

const options = JSON.parse(process.env[WORKER_OPTIONS] ?? "") as WorkerOptions;
delete process.env[WORKER_OPTIONS];
const { directory, tree, worker, timeoutMs } = options;
makeCryptoCheap(tree);
const cost = costs(tree);
const files = filesIn(directory);

if (!isOpen(directory)) {
  await runBeforeOpening();
  while (!isOpen(directory)) await delay(LOOK_EVERY_MS);
}
await runAll(() => true);
setTimeout(endOpen, EXIT_LIMIT_MS).unref();

async function runBeforeOpening(): Promise<void> {
  if (hasSchedule(worker)) {
    await runAll((file) => isOnSchedule(file, worker));
    endSchedule(options);
  } else if (COMPUTING_WORKERS.includes(worker)) {
    setPriority(LOW_PRIORITY);
    await runAll((file) => isComputing(file) && !isOpen(directory));
    restorePriority();
  }
}

/** Only the superuser may raise it again. */
function restorePriority(): void {
  try {
    setPriority(0);
  } catch {
    // The worker goes on with what the others leave.
  }
}

async function runAll(isWanted: (file: string) => boolean): Promise<void> {
  for (const [index, file] of files.entries()) if (isWanted(file) && takeFile(options, index)) await run(file);
}

/** Resolves after the file's last test. A suite at its limit does not call its hooks. */
async function run(file: string): Promise<void> {
  const url = pathToFileURL(join(tree, "test", file.replace(/\.ts$/, ".js"))).href;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, timeoutMs).unref();
    describe(file, { timeout: timeoutMs }, async () => {
      before(() => cost.begin());
      after(() => {
        cost.end(file);
        resolve();
      });
      await import(url).catch((error) => {
        resolve();
        throw error;
      });
    });
  });
}

function endOpen(): void {
  const open = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) open.set(kind, (open.get(kind) ?? 0) + 1);
  process.stderr.write(`A test left open: ${[...open].map(([kind, count]) => `${count} ${kind}`).join(", ")}\n`);
  process.exit(1);
}
