/**
 * Whether a file system keeps what it acknowledges: by its type, and by the time of an fsync, as pg_test_fsync of PostgreSQL measures it.
 * Both are hints: only a power cut proves what survives one.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { durationText, type FileSystem, fileSystemOf, median, PLAUSIBLE_US } from "./disk.ts";

/** The size of a page of SQLite, the least that a commit writes. */
const BLOCK = Buffer.alloc(4096, 1);
/** The file has its size before, so that the measured writes do not extend it. */
const BLOCKS = 1024;
const SYNCS_MAX = 20_000;
const TURN_MS = 50;
/** Flash has to be programmed before it answers, unless its cache is protected. That takes several hundred µs. */
const UNCACHED_US = 250;

export interface SyncRate {
  /** The median time of an fsync after a write of 4 KiB. */
  fsyncUs: number;
  /** Writes of 4 KiB with an fsync each, one after the other. */
  syncedPerSecond: number;
}

/** Measures for about this long, with a temporary file in `dir` that is removed. */
export async function measureSyncs(dir: string, forMs: number): Promise<SyncRate> {
  const path = join(dir, `.fsync-${process.pid}-${Date.now()}`);
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, Buffer.alloc(BLOCK.length * BLOCKS, 1));
    fsyncSync(file);
    return await rateOf(file, forMs);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

/** Synchronous calls: a turn of the event loop would take longer than a fast fsync. */
async function rateOf(file: number, forMs: number): Promise<SyncRate> {
  const syncsUs: number[] = [];
  let workedMs = 0;
  while (workedMs < forMs && syncsUs.length < SYNCS_MAX) {
    const turnMs = performance.now();
    do {
      writeSync(file, BLOCK, 0, BLOCK.length, (syncsUs.length % BLOCKS) * BLOCK.length);
      const startMs = performance.now();
      fsyncSync(file);
      syncsUs.push((performance.now() - startMs) * 1000);
    } while (performance.now() - turnMs < TURN_MS && syncsUs.length < SYNCS_MAX);
    workedMs += performance.now() - turnMs;
    await nextTurn();
  }
  return { fsyncUs: median(syncsUs), syncedPerSecond: (syncsUs.length / workedMs) * 1000 };
}

/** `no`: it loses what it has acknowledged. `unclear`: that cannot be known from here. */
export type Keeps = "no" | "unclear" | "plausible";

export interface Durability {
  keeps: Keeps;
  /** One sentence for each hint. */
  hints: string[];
}

/** The file system of a directory. */
export const fileSystemAt = async (dir: string): Promise<FileSystem> => fileSystemOf((await statfs(dir)).type);

const FAULT_HINTS: Readonly<Record<NonNullable<FileSystem["fault"]>, { keeps: Keeps; hint: string }>> = {
  memory: { keeps: "no", hint: "is in memory: nothing survives a power cut or a restart there" },
  network: {
    keeps: "unclear",
    hint: "is a network file system: the server decides what survives, and SQLite's locks and write-ahead log do not work there",
  },
  layer: {
    keeps: "unclear",
    hint: "is the writable layer of a container: it is removed with the container, whatever its disk keeps",
  },
  unknown: { keeps: "unclear", hint: "is unknown to this command: it may lose synced data" },
};

/** What the type of the file system and the time of an fsync hint at. */
export function durabilityOf({ name, fault }: FileSystem, fsyncUs: number): Durability {
  const timing = timingHint(fsyncUs);
  if (fault === null) return { keeps: timing.keeps, hints: [timing.hint] };
  const { keeps, hint } = FAULT_HINTS[fault];
  const sentence = `The file system, ${name}, ${hint}.`;
  // In memory there is no disk that an fsync could reach.
  if (fault === "memory") return { keeps, hints: [sentence] };
  return { keeps: timing.keeps === "no" ? "no" : keeps, hints: [sentence, timing.hint] };
}

function timingHint(fsyncUs: number): { keeps: Keeps; hint: string } {
  const took = `An fsync takes ${fsyncUs < 1 ? "less than 1 µs" : durationText(fsyncUs)} (median)`;
  if (fsyncUs < PLAUSIBLE_US) {
    const hint = `${took}, faster than any disk: something acknowledges it without writing (eatmydata, a virtual disk with cache=unsafe), and a power cut would lose accepted messages.`;
    return { keeps: "no", hint };
  }
  if (fsyncUs < UNCACHED_US) {
    const hint = `${took}, which takes a write cache. If that is protected against a power cut (by capacitors or a battery), nothing is lost; if not, accepted messages are. The time does not show which: ask your hoster, or read the data sheet of the drive.`;
    return { keeps: "unclear", hint };
  }
  return {
    keeps: "plausible",
    hint: `${took}, as with disks that write before they acknowledge. That is a hint, not a proof.`,
  };
}
