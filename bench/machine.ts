/** Describes the machine for the first line of the output. */
import { closeSync, fsyncSync, mkdtempSync, openSync, statfsSync, writeSync } from "node:fs";
import { availableParallelism, cpus, release } from "node:os";
import { join } from "node:path";
import { signatureMs } from "./proc.ts";
import { median } from "./statistics.ts";

const SYNCS = 50;
/** statfs(2) types of file systems in memory, where a sync is free and durability cannot be measured. */
const TMPFS = 0x01021994;

export interface Machine {
  machine: string;
  cores: number;
  kernel: string;
  node: string;
  /** CPU time of one RSA-2048 signature. */
  signatureMs: number;
  /** The time until 4 KB are durable on the file system of the spools. */
  syncMs: number;
  /** Whether the spools are on a disk. */
  onDisk: boolean;
}

/** Measures the machine. `dir` holds the spools. */
export function describeMachine(dir: string): Machine {
  return {
    machine: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    kernel: release(),
    node: process.version,
    signatureMs: Number(signatureMs().toFixed(3)),
    syncMs: Number(syncMs(dir).toFixed(3)),
    onDisk: statfsSync(dir).type !== TMPFS,
  };
}

function syncMs(dir: string): number {
  const file = openSync(join(mkdtempSync(join(dir, "sync-")), "file"), "w");
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: SYNCS }, () => {
    const startMs = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  return median(times);
}
