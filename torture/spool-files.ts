/**
 * The spool's files in the hands of an operator. After a clean stop under load, postrider.db alone is copied elsewhere and
 * started: every message that was answered 202 is in it. After a SIGKILL, a backup is put back beside what the kill has left,
 * by command and by hand: both are refused, nothing is changed, and with the leftovers moved away the whole backup is there.
 */
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommandLine } from "../src/app/wiring/command-line.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

const WIDTH = 40;
const MAILS = 300;
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
    return { figures: `${stops} copies after a stop, with ${before} mails answered 202 in the last`, violations };
  } finally {
    await harness.close();
  }
}

/** A stop under load, a copy of the one file, and a start from the copy. */
async function copied(harness: Harness, prng: ScenarioOptions["prng"], round: number): Promise<string[]> {
  const service = await harness.startOrFail();
  newIntents(harness.history, prng, MAILS);
  const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  await delay(200 + prng.next() * 800);
  const { code } = await service.kill("SIGTERM");
  await sending;
  const stopped = dataDir(harness);
  const left = readdirSync(stopped).filter((name) => name.startsWith(`${FILE}-`) && name !== `${FILE}-id`);
  if (code !== 0 || left.length > 0) return [`SIGTERM ended with ${code} and left ${left.join(", ")}`];
  harness.env.DATA_DIR = join(harness.dir, `copy-${round}`);
  mkdirSync(dataDir(harness), { mode: 0o700 });
  copyFileSync(join(stopped, FILE), join(dataDir(harness), FILE));
  const inCopy = await harness.checkInvariants({ expectEnd: false });
  const started = await harness.startOrFail();
  const isDrained = await harness.waitUntilDrained();
  await started.kill("SIGTERM");
  return [
    ...inCopy.map((violation) => `in the copy: ${violation}`),
    ...violationUnless(isDrained, "mail in the copy still waits"),
    ...(await harness.checkInvariants({ expectEnd: true })),
  ];
}

/** A backup, more mail, a SIGKILL under load, and the ways to put the backup back. */
async function killedAndRestored(harness: Harness, prng: ScenarioOptions["prng"]): Promise<string[]> {
  const service = await harness.startOrFail();
  const answered = [...harness.history.acceptedSends];
  const backup = join(harness.dir, "backup");
  const made = await cli(harness, ["backup", backup]);
  newIntents(harness.history, prng, MAILS);
  const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  while (harness.history.acceptedSends.length < answered.length + 50) await delay(10);
  await service.kill("SIGKILL");
  await sending;
  const crashed = dataDir(harness);
  const heldBack = [
    ...violationUnless(/bytes, as of/.test(made), `backup said: ${made}`),
    ...(await restoreIsRefused(harness, backup, FILE)),
    ...(await withoutFile(harness, backup)),
    ...(await copyIsRefused(harness, backup)),
  ];
  harness.env.DATA_DIR = crashed;
  renameSync(crashed, `${crashed}.old`);
  const restored = await cli(harness, ["restore", backup]);
  const lost = answered.filter(({ id }) => harness.count(`SELECT count(*) FROM messages WHERE id = '${id}'`) === 0);
  const next = await harness.start();
  if (!("refused" in next)) await next.kill("SIGTERM");
  harness.env.DATA_DIR = `${crashed}.old`;
  const old = await harness.checkInvariants({ expectEnd: false });
  return [
    ...heldBack,
    ...violationUnless(/Delivery is paused/.test(restored), `with everything moved away, restore said: ${restored}`),
    ...violationUnless(lost.length === 0, `${lost.length} mails of the backup are not there after the restore`),
    ...violationUnless(!("refused" in next), "the service does not start on what was restored"),
    ...old.map((violation) => `in what was moved away: ${violation}`),
  ];
}

/** The command refuses in one line that names the file, and changes nothing. */
async function restoreIsRefused(harness: Harness, backup: string, named: string): Promise<string[]> {
  const before = digests(dataDir(harness));
  const said = await cli(harness, ["restore", backup]);
  return [
    ...violationUnless(
      /^postrider: [^\n]+\n$/.test(said) && said.includes(named),
      `beside ${named}, restore said: ${said}`,
    ),
    ...violationUnless(digests(dataDir(harness)) === before, `a restore beside ${named} changed files`),
  ];
}

/** The file moved away, and its log forgotten. */
async function withoutFile(harness: Harness, backup: string): Promise<string[]> {
  const [crashed, moved] = [dataDir(harness), join(harness.dir, "moved")];
  cpSync(crashed, moved, { recursive: true });
  harness.env.DATA_DIR = moved;
  renameSync(join(moved, FILE), join(harness.dir, "moved.db"));
  const violations = [...(await restoreIsRefused(harness, backup, LOG)), ...(await startIsRefused(harness, "missing"))];
  harness.env.DATA_DIR = crashed;
  return violations;
}

/** The backup copied over the file by hand, beside the log. */
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
      `a start said: ${stderr}`,
    ),
    ...violationUnless(digests(dataDir(harness)) === before, `a start that was refused changed files: ${words}`),
  ];
}

const dataDir = (harness: Harness): string => harness.env.DATA_DIR ?? "";

/** The spool's files with what is in them; the shared memory is made anew whenever it is looked at. */
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

async function cli(harness: Harness, args: string[]): Promise<string> {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  await runCommandLine(args, { env: harness.env, input: (async function* () {})(), write, writeError: write });
  return said;
}
