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
import { House } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const WIDTH = 40;
const MAILS = 300;
const FILE = "postrider.db";
const LOG = `${FILE}-wal`;

export const spoolFiles: Story = { name: "spool-files", tell };

async function tell({ chance, rounds }: StoryOptions): Promise<Told> {
  const house = await House.build({ chance, rates: { peer_defers: 0.1 } });
  const violations: string[] = [];
  try {
    const stops = Math.min(5, rounds);
    for (let i = 0; i < stops; i += 1) violations.push(...(await copied(house, chance, i)));
    const before = house.books.answered.length;
    violations.push(...(await killedAndRestored(house, chance)));
    return { figures: `${stops} copies after a stop, with ${before} mails answered 202 in the last`, violations };
  } finally {
    await house.close();
  }
}

/** A stop under load, a copy of the one file, and a start from the copy. */
async function copied(house: House, chance: StoryOptions["chance"], round: number): Promise<string[]> {
  const service = await house.startOrFail();
  newIntents(house.books, chance, MAILS);
  const sending = send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
  await delay(200 + chance.next() * 800);
  const { code } = await service.kill("SIGTERM");
  await sending;
  const stopped = dataDir(house);
  const left = readdirSync(stopped).filter((name) => name.startsWith(`${FILE}-`) && name !== `${FILE}-id`);
  if (code !== 0 || left.length > 0) return [`SIGTERM ended with ${code} and left ${left.join(", ")}`];
  house.env.DATA_DIR = join(house.dir, `copy-${round}`);
  mkdirSync(dataDir(house), { mode: 0o700 });
  copyFileSync(join(stopped, FILE), join(dataDir(house), FILE));
  const inCopy = await house.audit({ expectEnd: false });
  const started = await house.startOrFail();
  const isDrained = await house.drained();
  await started.kill("SIGTERM");
  return [
    ...inCopy.map((violation) => `in the copy: ${violation}`),
    ...must(isDrained, "mail in the copy still waits"),
    ...(await house.audit({ expectEnd: true })),
  ];
}

/** A backup, more mail, a SIGKILL under load, and the ways to put the backup back. */
async function killedAndRestored(house: House, chance: StoryOptions["chance"]): Promise<string[]> {
  const service = await house.startOrFail();
  const answered = [...house.books.answered];
  const backup = join(house.dir, "backup");
  const made = await cli(house, ["backup", backup]);
  newIntents(house.books, chance, MAILS);
  const sending = send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
  while (house.books.answered.length < answered.length + 50) await delay(10);
  await service.kill("SIGKILL");
  await sending;
  const crashed = dataDir(house);
  const heldBack = [
    ...must(/bytes, as of/.test(made), `backup said: ${made}`),
    ...(await restoreIsRefused(house, backup, FILE)),
    ...(await withoutFile(house, backup)),
    ...(await copyIsRefused(house, backup)),
  ];
  house.env.DATA_DIR = crashed;
  renameSync(crashed, `${crashed}.old`);
  const restored = await cli(house, ["restore", backup]);
  const lost = answered.filter(({ id }) => house.count(`SELECT count(*) FROM messages WHERE id = '${id}'`) === 0);
  const next = await house.start();
  if (!("refused" in next)) await next.kill("SIGTERM");
  house.env.DATA_DIR = `${crashed}.old`;
  const old = await house.audit({ expectEnd: false });
  return [
    ...heldBack,
    ...must(/Delivery is paused/.test(restored), `with everything moved away, restore said: ${restored}`),
    ...must(lost.length === 0, `${lost.length} mails of the backup are not there after the restore`),
    ...must(!("refused" in next), "the service does not start on what was restored"),
    ...old.map((violation) => `in what was moved away: ${violation}`),
  ];
}

/** The command refuses in one line that names the file, and changes nothing. */
async function restoreIsRefused(house: House, backup: string, named: string): Promise<string[]> {
  const before = digests(dataDir(house));
  const said = await cli(house, ["restore", backup]);
  return [
    ...must(/^postrider: [^\n]+\n$/.test(said) && said.includes(named), `beside ${named}, restore said: ${said}`),
    ...must(digests(dataDir(house)) === before, `a restore beside ${named} changed files`),
  ];
}

/** The file moved away, and its log forgotten. */
async function withoutFile(house: House, backup: string): Promise<string[]> {
  const [crashed, moved] = [dataDir(house), join(house.dir, "moved")];
  cpSync(crashed, moved, { recursive: true });
  house.env.DATA_DIR = moved;
  renameSync(join(moved, FILE), join(house.dir, "moved.db"));
  const violations = [...(await restoreIsRefused(house, backup, LOG)), ...(await startIsRefused(house, "missing"))];
  house.env.DATA_DIR = crashed;
  return violations;
}

/** The backup copied over the file by hand, beside the log. */
async function copyIsRefused(house: House, backup: string): Promise<string[]> {
  const [crashed, by] = [dataDir(house), join(house.dir, "by-hand")];
  cpSync(crashed, by, { recursive: true });
  house.env.DATA_DIR = by;
  copyFileSync(backup, join(by, FILE));
  const violations = await startIsRefused(house, "the log of another");
  house.env.DATA_DIR = crashed;
  return violations;
}

async function startIsRefused(house: House, words: string): Promise<string[]> {
  const before = digests(dataDir(house));
  const started = await house.start();
  if (!("refused" in started)) {
    await started.kill("SIGKILL");
    return [`a start was not refused: ${words}`];
  }
  const { code, stderr } = started.refused;
  return [
    ...must(code === 1 && /^postrider: [^\n]+\n$/.test(stderr) && stderr.includes(words), `a start said: ${stderr}`),
    ...must(digests(dataDir(house)) === before, `a start that was refused changed files: ${words}`),
  ];
}

const dataDir = (house: House): string => house.env.DATA_DIR ?? "";

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

async function cli(house: House, args: string[]): Promise<string> {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  await runCommandLine(args, { env: house.env, input: (async function* () {})(), write, writeError: write });
  return said;
}
