/**
 * Failing disks: a small one that becomes full under load and is freed, and one that turns read-only and back.
 * Accepted messages must survive, sends that cannot be stored must get a 503 with `retry_after`, and operation must
 * resume when the disk works again.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { RunningService } from "./service-process.ts";

const SIZE = "64m";
const WIDTH = 20;
const MESSAGES = 200;

const mountObstacle = (): string | null => {
  if (process.getuid?.() !== 0) return "mounting a small disk needs root";
  return process.platform === "linux" ? null : "mounting a small disk is known for Linux only";
};

export const fullDisk: Scenario = {
  name: "full-disk",
  obstacle: mountObstacle,
  run: (options) => runOnSmallDisk(options, fill),
};
export const readOnlyDisk: Scenario = {
  name: "read-only-disk",
  obstacle: mountObstacle,
  run: (options) => runOnSmallDisk(options, turnReadOnly),
};

interface SmallDisk {
  dir: string;
  harness: Harness;
  service: RunningService;
  prng: ScenarioOptions["prng"];
}

async function runOnSmallDisk(
  { prng }: ScenarioOptions,
  scenario: (disk: SmallDisk) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", dir], { stdio: "pipe" });
  } catch {
    rmSync(dir, { recursive: true });
    return { figures: "skipped, mounting is not permitted", violations: [] };
  }
  const harness = await Harness.create({ prng, dir });
  try {
    return await scenario({ dir, harness, service: await harness.startOrFail(), prng });
  } finally {
    await harness.close();
    execFileSync("umount", [dir]);
    rmSync(dir, { recursive: true });
  }
}

async function load({ harness, service, prng }: SmallDisk, count: number) {
  newIntents(harness.history, prng, count);
  return send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
}

const statusOf = async ({ url }: RunningService, path: string): Promise<number> =>
  (await fetch(`${url}${path}`)).status;

async function fill(disk: SmallDisk): Promise<ScenarioResult> {
  const { dir, harness, service } = disk;
  const ballast = join(dir, "ballast");
  const before = await load(disk, MESSAGES);
  writeUntilFull(ballast);
  const full = await load(disk, MESSAGES);
  const isReady = await statusOf(service, "/readyz");
  const isAlive = await statusOf(service, "/healthz");
  const heldBack = await harness.checkInvariants({ expectEnd: false });
  rmSync(ballast);
  return finish(disk, {
    figures: `${before.accepted} accepted before, ${full.accepted} while full`,
    refused: full.refused,
    violations: [
      ...heldBack,
      ...violationUnless(isReady === 503, `/readyz was ${isReady} on a full disk`),
      ...violationUnless(isAlive === 200, `/healthz was ${isAlive} on a full disk`),
    ],
  });
}

async function turnReadOnly(disk: SmallDisk): Promise<ScenarioResult> {
  const { dir, harness, service } = disk;
  const before = await load(disk, MESSAGES);
  await harness.waitUntilDrained();
  // With files open for writing, Linux only turns the whole file system read-only.
  const remount = (mode: "ro" | "rw"): boolean => {
    try {
      execFileSync("mount", ["-o", `remount,${mode}`, dir], { stdio: "pipe" });
      return true;
    } catch {
      return false;
    }
  };
  if (!remount("ro")) return refusedStart(disk, remount);
  const during = await load(disk, MESSAGES);
  const isAlive = await statusOf(service, "/healthz");
  remount("rw");
  return finish(disk, {
    figures: `${before.accepted} accepted before, ${during.accepted} while read-only`,
    refused: during.refused,
    violations: violationUnless(isAlive === 200, `/healthz was ${isAlive} on a read-only disk`),
  });
}

/**
 * If the disk cannot become read-only while files are open, it is read-only at a start. The start must fail with one
 * line that names the setting.
 */
async function refusedStart(
  { harness, service }: SmallDisk,
  remount: (mode: "ro" | "rw") => boolean,
): Promise<ScenarioResult> {
  await service.kill("SIGTERM");
  if (!remount("ro")) return { figures: "skipped, the disk cannot be made read-only", violations: [] };
  const started = await harness.start();
  remount("rw");
  const output = "refused" in started ? started.refused.stderr : "it started";
  if (!("refused" in started)) await started.kill("SIGTERM");
  const isOneLine = /^postrider: DATA_DIR=[^\n]+read-only[^\n]*\n$/.test(output);
  return {
    figures: `a start on it prints: ${output.trim()}`,
    violations: [
      ...violationUnless(isOneLine, `a start on a read-only disk printed: ${output}`),
      ...(await harness.checkInvariants({ expectEnd: true })),
    ],
  };
}

interface FinishOptions {
  figures: string;
  refused: Map<string, number>;
  violations: string[];
}

/** Once the disk works again, all messages must be accepted and become final. Until then only 503 is allowed. */
async function finish(disk: SmallDisk, { figures, refused, violations }: FinishOptions): Promise<ScenarioResult> {
  const { harness, service, prng } = disk;
  const others = [...refused.keys()].filter((name) => name !== "503 engine_unavailable");
  const count = refused.get("503 engine_unavailable") ?? 0;
  await send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  const left = unsent(harness.history).filter((intent) => intent.key !== null).length;
  const isDrained = await harness.waitUntilDrained();
  const { code } = await service.kill("SIGTERM");
  return {
    figures: `${figures}, ${count} rejected with 503, ${harness.history.deliveries.length} deliveries to peers`,
    violations: [
      ...violations,
      ...violationUnless(count > 0, "no send was rejected: the disk had no effect"),
      ...violationUnless(others.length === 0, `answered ${others.join(", ")}`),
      ...violationUnless(left === 0, `${left} messages were not accepted after the disk recovered`),
      ...violationUnless(isDrained, "messages are still pending after the disk recovered"),
      ...violationUnless(code === 0, `the service exited with ${code}`),
      ...(await harness.checkInvariants({ expectEnd: true })),
    ],
  };
}

function writeUntilFull(file: string): void {
  for (const sizeBytes of [1 << 20, 1 << 16, 1 << 12]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(sizeBytes), { flag: "a" });
    } catch {
      // The disk is full for writes of this size.
    }
  }
  if (!readdirSync(join(file, "..")).includes("ballast")) throw new Error("nothing could be written");
}
