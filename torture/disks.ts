/**
 * Disks that say no: a small one that fills under load and is given room again, one that turns read-only and back. What was
 * answered 202 stays, what cannot be stored is answered 503 with `retry_after`, and once the disk is well all goes on.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { House, type Running } from "./house.ts";
import { newIntents, send, unanswered } from "./load.ts";
import { must, type Story, type StoryOptions, type Told } from "./story.ts";

const SIZE = "64m";
const WIDTH = 20;
const MAILS = 200;

const isRoot = (): string | null => {
  if (process.getuid?.() !== 0) return "mounting a small disk needs root";
  return process.platform === "linux" ? null : "mounting a small disk is known for Linux only";
};

export const fullDisk: Story = { name: "full-disk", obstacle: isRoot, tell: (options) => onSmallDisk(options, fill) };
export const readOnlyDisk: Story = {
  name: "read-only-disk",
  obstacle: isRoot,
  tell: (options) => onSmallDisk(options, turnReadOnly),
};

interface SmallDisk {
  dir: string;
  house: House;
  service: Running;
  chance: StoryOptions["chance"];
}

async function onSmallDisk({ chance }: StoryOptions, story: (disk: SmallDisk) => Promise<Told>): Promise<Told> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", dir], { stdio: "pipe" });
  } catch {
    rmSync(dir, { recursive: true });
    return { figures: "skipped, this machine lets nobody mount", violations: [] };
  }
  const house = await House.build({ chance, dir });
  try {
    return await story({ dir, house, service: await house.startOrFail(), chance });
  } finally {
    await house.close();
    execFileSync("umount", [dir]);
    rmSync(dir, { recursive: true });
  }
}

async function load({ house, service, chance }: SmallDisk, count: number) {
  newIntents(house.books, chance, count);
  return send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
}

const statusOf = async ({ url }: Running, path: string): Promise<number> => (await fetch(`${url}${path}`)).status;

async function fill(disk: SmallDisk): Promise<Told> {
  const { dir, house, service } = disk;
  const ballast = join(dir, "ballast");
  const before = await load(disk, MAILS);
  writeUntilFull(ballast);
  const full = await load(disk, MAILS);
  const isReady = await statusOf(service, "/readyz");
  const isAlive = await statusOf(service, "/healthz");
  const heldBack = await house.audit({ expectEnd: false });
  rmSync(ballast);
  return ended(disk, {
    figures: `${before.accepted} accepted before, ${full.accepted} while full`,
    refused: full.refused,
    violations: [
      ...heldBack,
      ...must(isReady === 503, `/readyz was ${isReady} on a full disk`),
      ...must(isAlive === 200, `/healthz was ${isAlive} on a full disk`),
    ],
  });
}

async function turnReadOnly(disk: SmallDisk): Promise<Told> {
  const { dir, house, service } = disk;
  const before = await load(disk, MAILS);
  await house.drained();
  // A file system with files open for writing is only turned read-only as a whole, by force.
  const remount = (mode: "ro" | "rw"): boolean => {
    try {
      execFileSync("mount", ["-o", `remount,${mode}`, dir], { stdio: "pipe" });
      return true;
    } catch {
      return false;
    }
  };
  if (!remount("ro")) return refusedStart(disk, remount);
  const during = await load(disk, MAILS);
  const isAlive = await statusOf(service, "/healthz");
  remount("rw");
  return ended(disk, {
    figures: `${before.accepted} accepted before, ${during.accepted} while read-only`,
    refused: during.refused,
    violations: must(isAlive === 200, `/healthz was ${isAlive} on a read-only disk`),
  });
}

/** A disk that cannot turn read-only under an open file is read-only at a start: refused in one line that names the setting. */
async function refusedStart({ house, service }: SmallDisk, remount: (mode: "ro" | "rw") => boolean): Promise<Told> {
  await service.kill("SIGTERM");
  if (!remount("ro")) return { figures: "skipped, the disk cannot be made read-only", violations: [] };
  const started = await house.start();
  remount("rw");
  const said = "refused" in started ? started.refused.stderr : "it started";
  if (!("refused" in started)) await started.kill("SIGTERM");
  const isOneLine = /^postrider: DATA_DIR=[^\n]+read-only[^\n]*\n$/.test(said);
  return {
    figures: `a start on it says: ${said.trim()}`,
    violations: [
      ...must(isOneLine, `a start on a read-only disk said: ${said}`),
      ...(await house.audit({ expectEnd: true })),
    ],
  };
}

interface Ending {
  figures: string;
  refused: Map<string, number>;
  violations: string[];
}

/** The disk is well again: everything is taken and ends, and nothing but a 503 was said meanwhile. */
async function ended(disk: SmallDisk, { figures, refused, violations }: Ending): Promise<Told> {
  const { house, service, chance } = disk;
  const others = [...refused.keys()].filter((name) => name !== "503 engine_unavailable");
  const count = refused.get("503 engine_unavailable") ?? 0;
  await send({ house, chance, url: service.url, intents: unanswered(house.books), width: WIDTH });
  const left = unanswered(house.books).filter((intent) => intent.key !== null).length;
  const isDrained = await house.drained();
  const { code } = await service.kill("SIGTERM");
  return {
    figures: `${figures}, ${count} answered 503, ${house.books.taken.length} recipients taken`,
    violations: [
      ...violations,
      ...must(count > 0, "nothing was refused: the disk was not in the way"),
      ...must(others.length === 0, `answered ${others.join(", ")}`),
      ...must(left === 0, `${left} mails were not accepted once the disk was well`),
      ...must(isDrained, "mail still waits once the disk is well"),
      ...must(code === 0, `the service ended with ${code}`),
      ...(await house.audit({ expectEnd: true })),
    ],
  };
}

function writeUntilFull(file: string): void {
  for (const sizeBytes of [1 << 20, 1 << 16, 1 << 12]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(sizeBytes), { flag: "a" });
    } catch {
      // Full, for pieces of this size.
    }
  }
  if (!readdirSync(join(file, "..")).includes("ballast")) throw new Error("nothing could be written at all");
}
