/**
 * The spool's files as an operator handles them. After a clean stop under load, a copy of postrider.db alone must
 * contain every accepted message. After a SIGKILL, restoring a backup next to the leftover files, by command or by
 * hand, must be refused without changes; with the leftovers moved away, the restore must be complete.
 */
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cli } from "./cli.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const WIDTH = 40;
const MESSAGES = 300;
const FILE = "postrider.db";
const LOG = `${FILE}-wal`;

export const spoolFiles: Scenario = { name: "spool-files", run };

async function run({ prng, rounds }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, rates: { peer_defers: 0.1 } });
  const violations: string[] = [];
  try {
    const stops = Math.min(5, rounds);
    for (let i = 0; i < stops; i += 1) violations.push(...(await copied(harness, prng, i)));
    const before = harness.history.acceptedSends.length;
    violations.push(...(await killedAndRestored(harness, prng)));
    return { figures: `${stops} copies after a stop, with ${before} messages accepted in the last`, violations };
  } finally {
    await harness.close();
  }
}

/** Stops the service under load, copies postrider.db, and starts from the copy. */
async function copied(harness: Harness, prng: ScenarioOptions["prng"], round: number): Promise<string[]> {
  const service = await harness.startOrFail();
  newIntents(harness.history, prng, MESSAGES);
  const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  await delay(200 + prng.next() * 800);
  const { code } = await service.kill("SIGTERM");
  await sending;
  const stopped = dataDir(harness);
  const left = readdirSync(stopped).filter((name) => name.startsWith(`${FILE}-`) && name !== `${FILE}-id`);
  if (code !== 0 || left.length > 0) return [`SIGTERM exited with ${code} and left ${left.join(", ")}`];
  harness.env.DATA_DIR = join(harness.dir, `copy-${round}`);
  mkdirSync(dataDir(harness), { mode: 0o700 });
  copyFileSync(join(stopped, FILE), join(dataDir(harness), FILE));
  const inCopy = await harness.checkInvariants({ expectEnd: false });
  const started = await harness.startOrFail();
  const isDrained = await harness.waitUntilDrained();
  await started.kill("SIGTERM");
  return [
    ...inCopy.map((violation) => `in the copy: ${violation}`),
    ...violationUnless(isDrained, "messages in the copy are still pending"),
    ...(await harness.checkInvariants({ expectEnd: true })),
  ];
}

/** Makes a backup, sends more messages, kills the service under load, and tries each way to restore the backup. */
async function killedAndRestored(harness: Harness, prng: ScenarioOptions["prng"]): Promise<string[]> {
  const service = await harness.startOrFail();
  const accepted = [...harness.history.acceptedSends];
  const backup = join(harness.dir, "backup");
  const made = await cli(harness, ["backup", backup]);
  newIntents(harness.history, prng, MESSAGES);
  const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  while (harness.history.acceptedSends.length < accepted.length + 50) await delay(10);
  await service.kill("SIGKILL");
  await sending;
  const crashed = dataDir(harness);
  const heldBack = [
    ...violationUnless(/bytes, as of/.test(made), `backup printed: ${made}`),
    ...(await restoreIsRefused(harness, backup, FILE)),
    ...(await withoutFile(harness, backup)),
    ...(await copyIsRefused(harness, backup)),
  ];
  harness.env.DATA_DIR = crashed;
  renameSync(crashed, `${crashed}.old`);
  const restored = await cli(harness, ["restore", backup]);
  const lost = accepted.filter(({ id }) => harness.count(`SELECT count(*) FROM messages WHERE id = '${id}'`) === 0);
  const next = await harness.start();
  if (!("refused" in next)) await next.kill("SIGTERM");
  harness.env.DATA_DIR = `${crashed}.old`;
  const old = await harness.checkInvariants({ expectEnd: false });
  return [
    ...heldBack,
    ...violationUnless(/Delivery is paused/.test(restored), `with all files moved away, restore printed: ${restored}`),
    ...violationUnless(lost.length === 0, `${lost.length} messages of the backup are missing after the restore`),
    ...violationUnless(!("refused" in next), "the service does not start on the restored spool"),
    ...old.map((violation) => `in the moved spool: ${violation}`),
  ];
}

/** The command must exit with one line that names the file, and change nothing. */
async function restoreIsRefused(harness: Harness, backup: string, named: string): Promise<string[]> {
  const before = digests(dataDir(harness));
  const output = await cli(harness, ["restore", backup]);
  return [
    ...violationUnless(
      /^postrider: [^\n]+\n$/.test(output) && output.includes(named),
      `next to ${named}, restore printed: ${output}`,
    ),
    ...violationUnless(digests(dataDir(harness)) === before, `a restore next to ${named} changed files`),
  ];
}

/** The file is moved away, but its log is left. */
async function withoutFile(harness: Harness, backup: string): Promise<string[]> {
  const [crashed, moved] = [dataDir(harness), join(harness.dir, "moved")];
  cpSync(crashed, moved, { recursive: true });
  harness.env.DATA_DIR = moved;
  renameSync(join(moved, FILE), join(harness.dir, "moved.db"));
  const violations = [...(await restoreIsRefused(harness, backup, LOG)), ...(await startIsRefused(harness, "missing"))];
  harness.env.DATA_DIR = crashed;
  return violations;
}

/** The backup is copied over the file by hand, next to the log. */
async function copyIsRefused(harness: Harness, backup: string): Promise<string[]> {
  const [crashed, by] = [dataDir(harness), join(harness.dir, "by-hand")];
  cpSync(crashed, by, { recursive: true });
  harness.env.DATA_DIR = by;
  copyFileSync(backup, join(by, FILE));
  const violations = await startIsRefused(harness, "the log of another");
  harness.env.DATA_DIR = crashed;
  return violations;
}

async function startIsRefused(harness: Harness, words: string): Promise<string[]> {
  const before = digests(dataDir(harness));
  const started = await harness.start();
  if (!("refused" in started)) {
    await started.kill("SIGKILL");
    return [`a start was not refused: ${words}`];
  }
  const { code, stderr } = started.refused;
  return [
    ...violationUnless(
      code === 1 && /^postrider: [^\n]+\n$/.test(stderr) && stderr.includes(words),
      `a start printed: ${stderr}`,
    ),
    ...violationUnless(digests(dataDir(harness)) === before, `a refused start changed files: ${words}`),
  ];
}

const dataDir = (harness: Harness): string => harness.env.DATA_DIR ?? "";

/** Hashes the spool's files. The shared-memory file is excluded, because every reader recreates it. */
function digests(dir: string): string {
  const names = readdirSync(dir).filter((name) => name.startsWith(FILE) && !name.endsWith("-shm"));
  return names
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(dir, name)))
          .digest("hex")}`,
    )
    .join();
}
