/**
 * The disk of the spool: its free space, whether the file system is suitable, and whether fsync reaches the disk. Measures
 * with a small temporary file in the data directory.
 */
import { type FileHandle, open, rm, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Finding } from "./finding.ts";

const DISK_LOW_BYTES = 1024 ** 3;
/** The spool's write-ahead log and a few messages would fill the disk. */
const DISK_FULL_BYTES = 128 * 1024 ** 2;

export async function checkDisk(dataDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(await nearestExisting(resolve(dataDir)));
    return diskFinding(dataDir, bavail * bsize);
  } catch (error) {
    return {
      check: "disk",
      state: "problem",
      detail: `DATA_DIR=${dataDir} is not accessible: ${(error as Error).message}.`,
    };
  }
}

/** The nearest existing parent directory: the spool may not exist yet. */
export async function nearestExisting(dir: string): Promise<string> {
  const { code } = await statfs(dir).then(
    () => ({ code: null }),
    (error: NodeJS.ErrnoException) => ({ code: error.code }),
  );
  return code === "ENOENT" && dir !== dirname(dir) ? nearestExisting(dirname(dir)) : dir;
}

/** The finding for this much free space. */
export function diskFinding(dataDir: string, freeBytes: number): Finding {
  const check = "disk";
  const detail = `${Math.floor(freeBytes / 1024 ** 2)} MiB are free on the disk of the spool (${dataDir}).`;
  if (freeBytes >= DISK_LOW_BYTES) return { check, state: "ok", detail };
  if (freeBytes >= DISK_FULL_BYTES) {
    return {
      check,
      state: "warning",
      detail: `${detail} Free some space: when the disk is full, no message is accepted.`,
    };
  }
  return {
    check,
    state: "problem",
    detail: `${detail} Free some space: when the disk is full, no message is accepted and no result is recorded.`,
  };
}

const FILE_SYSTEM_FAULTS = {
  memory: {
    state: "problem",
    advice: "which is in memory: a restart loses accepted messages. Move DATA_DIR to a disk.",
  },
  network: {
    state: "problem",
    advice:
      "a network file system: SQLite's locks and write-ahead log do not work there. Move DATA_DIR to a local disk.",
  },
  layer: {
    state: "warning",
    advice: "the writable layer of a container, which is removed with the container. Mount a volume at DATA_DIR.",
  },
  unknown: {
    state: "unclear",
    advice: "which is unknown to this check: it may lose synced data. Ext4, XFS, btrfs and ZFS do not.",
  },
} as const;

export interface FileSystem {
  name: string;
  /** Why a spool should not be there; null if it may. */
  fault: keyof typeof FILE_SYSTEM_FAULTS | null;
}

/** Common and unsuitable file systems, by the magic number of statfs(2). */
const FILE_SYSTEMS: Readonly<Record<number, { name: string; fault?: FileSystem["fault"] }>> = {
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

/** The file system with this magic number. */
export function fileSystemOf(magic: number): FileSystem {
  const type = magic >>> 0;
  const { name, fault = null } = FILE_SYSTEMS[type] ?? { name: `of type 0x${type.toString(16)}`, fault: "unknown" };
  return { name, fault };
}

export async function checkFileSystem(dataDir: string): Promise<Finding> {
  try {
    const { type } = await statfs(await nearestExisting(resolve(dataDir)));
    return fileSystemFinding(dataDir, type);
  } catch (error) {
    return { check: "file_system", state: "unclear", detail: `${dataDir}: ${(error as Error).message}.` };
  }
}

/** The finding for the file system with this magic number. */
export function fileSystemFinding(dataDir: string, magic: number): Finding {
  const check = "file_system";
  const { name, fault } = fileSystemOf(magic);
  const found = `The spool's file system (${dataDir}) is ${name}`;
  if (fault === null) return { check, state: "ok", detail: `${found}.` };
  const { state, advice } = FILE_SYSTEM_FAULTS[fault];
  return { check, state, detail: `${found}, ${advice}` };
}

const ROUNDS = 15;
const BLOCK = Buffer.alloc(4096, 1);
/** Flash with a power-loss-protected cache takes about 50 µs; a much faster fsync did not reach any disk. */
export const PLAUSIBLE_US = 25;
const SLOW_US = 100_000;
/** Measuring stops after this long. */
const MEASURE_LIMIT_MS = 3000;

export async function checkFsync(dataDir: string): Promise<Finding> {
  const file = join(await nearestExisting(resolve(dataDir)), `.doctor-${process.pid}-${Date.now()}`);
  try {
    return fsyncFinding(await fsyncUs(file));
  } catch (error) {
    const detail = `Measuring fsync failed: ${(error as Error).message}.`;
    return { check: "fsync", state: "unclear", detail };
  }
}

/** The median time of an fsync after a 4 KiB write in µs, minus the time of any file call. Removes the file. */
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

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** `60 µs`, `1.7 ms`. */
export function durationText(us: number): string {
  return us < 1000 ? `${Math.round(us)} µs` : `${(us / 1000).toFixed(1)} ms`;
}

/** The finding for an fsync of this duration. */
export function fsyncFinding(us: number): Finding {
  const check = "fsync";
  const time = durationText(us);
  if (us < PLAUSIBLE_US) {
    const detail = `An fsync takes ${time}, faster than any disk: something intercepts it (eatmydata, a virtual disk with cache=unsafe, a file system in memory), and a power failure would lose accepted messages. Turn that off.`;
    return { check, state: "warning", detail };
  }
  if (us > SLOW_US) {
    const detail = `An fsync takes ${time}, and each response to a send waits for one. Move the spool to a faster disk, or find out what keeps this one busy.`;
    return { check, state: "warning", detail };
  }
  return { check, state: "ok", detail: `An fsync takes ${time}.` };
}
