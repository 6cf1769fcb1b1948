/**
 * Where the spool lies: how much room there is, whether the file system is one to keep mail on, and whether an fsync is
 * honest. What it measures it measures there, with a small file that it removes.
 */
import { type FileHandle, open, rm, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Finding } from "./finding.ts";

const DISK_LOW_BYTES = 1024 ** 3;
/** The spool's log and a few messages would fill it. */
const DISK_FULL_BYTES = 128 * 1024 ** 2;

export async function checkDisk(dataDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(await nearestExisting(resolve(dataDir)));
    return diskFinding(dataDir, bavail * bsize);
  } catch (error) {
    return { check: "disk", state: "problem", detail: `${dataDir} cannot be used: ${(error as Error).message}.` };
  }
}

/** The nearest directory above that is there: the spool may not be made yet. */
async function nearestExisting(dir: string): Promise<string> {
  const { code } = await statfs(dir).then(
    () => ({ code: null }),
    (error: NodeJS.ErrnoException) => ({ code: error.code }),
  );
  return code === "ENOENT" && dir !== dirname(dir) ? nearestExisting(dirname(dir)) : dir;
}

/** What so much free space means for the spool. */
export function diskFinding(dataDir: string, freeBytes: number): Finding {
  const check = "disk";
  const detail = `${Math.floor(freeBytes / 1024 ** 2)} MiB are free where the spool lies (${dataDir}).`;
  if (freeBytes >= DISK_LOW_BYTES) return { check, state: "ok", detail };
  if (freeBytes >= DISK_FULL_BYTES) {
    return { check, state: "warning", detail: `${detail} Make room: when it is full, nothing more is accepted.` };
  }
  return { check, state: "problem", detail: `${detail} Make room: when it is full, nothing is accepted or settled.` };
}

/** By the magic number of statfs(2): those that are common, and those that are no place for a spool. */
const FILE_SYSTEMS: Readonly<Record<number, { name: string; fault?: "memory" | "network" | "layer" }>> = {
  61267: { name: "ext4" },
  1481003842: { name: "XFS" },
  2435016766: { name: "btrfs" },
  801189825: { name: "ZFS" },
  4076150800: { name: "F2FS" },
  16914836: { name: "tmpfs", fault: "memory" },
  2240043254: { name: "ramfs", fault: "memory" },
  26985: { name: "NFS", fault: "network" },
  4283649346: { name: "CIFS", fault: "network" },
  4266872130: { name: "SMB", fault: "network" },
  16914839: { name: "9p", fault: "network" },
  2035054128: { name: "overlayfs", fault: "layer" },
};

export async function checkFileSystem(dataDir: string): Promise<Finding> {
  try {
    const { type } = await statfs(await nearestExisting(resolve(dataDir)));
    return fileSystemFinding(dataDir, type);
  } catch (error) {
    return { check: "file_system", state: "unclear", detail: `${dataDir}: ${(error as Error).message}.` };
  }
}

/** What it means that the spool lies on a file system with that magic number. */
export function fileSystemFinding(dataDir: string, magic: number): Finding {
  const check = "file_system";
  const known = FILE_SYSTEMS[magic >>> 0];
  const name = known?.name ?? `of type 0x${(magic >>> 0).toString(16)}`;
  const seen = `The spool's file system (${dataDir}) is ${name}`;
  switch (known?.fault) {
    case "memory":
      return {
        check,
        state: "problem",
        detail: `${seen}, which is memory: a restart loses accepted mail. Move DATA_DIR to a disk.`,
      };
    case "network":
      return {
        check,
        state: "problem",
        detail: `${seen}, a network file system: SQLite's locks and its log do not work there. Move DATA_DIR to a local disk.`,
      };
    case "layer":
      return {
        check,
        state: "warning",
        detail: `${seen}, a container's own layer: it goes with the container. Mount a volume at DATA_DIR.`,
      };
    default:
      if (known !== undefined) return { check, state: "ok", detail: `${seen}.` };
      return {
        check,
        state: "unclear",
        detail: `${seen}, which is not known here: whether it keeps what is synced cannot be told. Ext4, XFS, btrfs and ZFS do.`,
      };
  }
}

const ROUNDS = 15;
const BLOCK = Buffer.alloc(4096, 1);
/** Flash with a cache that survives a power cut takes some 50 µs; what is much quicker has not been at any disk. */
const PLAUSIBLE_US = 25;
const SLOW_US = 100_000;
/** A disk this slow has been measured enough. */
const MEASURE_LIMIT_MS = 3000;

export async function checkFsync(dataDir: string): Promise<Finding> {
  const file = join(await nearestExisting(resolve(dataDir)), `.doctor-${process.pid}-${Date.now()}`);
  try {
    return fsyncFinding(await fsyncUs(file));
  } catch (error) {
    const detail = `The time of an fsync could not be measured: ${(error as Error).message}.`;
    return { check: "fsync", state: "unclear", detail };
  }
}

/** The median time of an fsync after a write of 4 KiB, in µs, less what any call to the file takes. Leaves no file. */
async function fsyncUs(file: string): Promise<number> {
  const handle = await open(file, "wx", 0o600);
  try {
    const [calls, syncs]: [number[], number[]] = [[], []];
    const sinceMs = performance.now();
    for (let round = 0; round < ROUNDS && performance.now() - sinceMs < MEASURE_LIMIT_MS; round += 1) {
      await handle.write(BLOCK, 0, BLOCK.length, 0);
      calls.push(await timeUs(() => handle.stat()));
      syncs.push(await timeUs(() => synced(handle)));
    }
    return Math.max(0, median(syncs) - median(calls));
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

const synced = (handle: FileHandle): Promise<void> => handle.sync();

async function timeUs(run: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await run();
  return (performance.now() - sinceMs) * 1000;
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** What it means that an fsync takes so long. */
export function fsyncFinding(us: number): Finding {
  const check = "fsync";
  const time = us < 1000 ? `${Math.round(us)} µs` : `${(us / 1000).toFixed(1)} ms`;
  if (us < PLAUSIBLE_US) {
    const detail = `An fsync takes ${time}, quicker than any disk: something on the way answers for it (eatmydata, a virtual disk with cache=unsafe, a file system in memory), and a power cut would lose accepted mail. Turn it off.`;
    return { check, state: "warning", detail };
  }
  if (us > SLOW_US) {
    const detail = `An fsync takes ${time}: each answer to a send waits for one. Give the spool a quicker disk, or look for what keeps this one busy.`;
    return { check, state: "warning", detail };
  }
  return { check, state: "ok", detail: `An fsync takes ${time}.` };
}
