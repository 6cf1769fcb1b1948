/** Process statistics of Linux: CPU time, memory and bytes written. See proc(5). */
import { generateKeyPairSync, sign } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ is 100 on all common Linux builds. */
const TICK_MS = 10;

interface Stat {
  parent: number;
  /** CPU time of the process and its waited-for children. */
  cpuMs: number;
}

function statOf(pid: string, path = `/proc/${pid}/stat`): Stat | null {
  try {
    const text = readFileSync(path, "latin1");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, cpuMs: (user + system + endedUser + endedSystem) * TICK_MS };
  } catch {
    return null;
  }
}

function familyOf(roots: readonly number[]): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null;
    if (stat !== null) stats.set(Number(name), stat);
  }
  const descends = (pid: number): boolean =>
    roots.includes(pid) || (stats.has(pid) && descends(stats.get(pid)?.parent ?? 0));
  return new Map([...stats].filter(([pid]) => descends(pid)));
}

/** CPU time of processes with all their threads and descendants, including those that have ended. */
export function cpuMs(...roots: number[]): number {
  let sum = 0;
  for (const stat of familyOf(roots).values()) sum += stat.cpuMs;
  return sum;
}

/** CPU time of a process's first thread, which is the one that runs JavaScript. */
export const mainThreadMs = (pid: number): number => statOf(String(pid), `/proc/${pid}/task/${pid}/stat`)?.cpuMs ?? 0;

function fieldOf(path: string, name: string): number {
  const [, value] = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(path, "latin1")) ?? [];
  if (value === undefined) throw new Error(`${path} has no ${name}`);
  return Number(value);
}

/** Current and maximum resident memory. */
export function memoryMb(pid: number): { now: number; peak: number } {
  const path = `/proc/${pid}/status`;
  return { now: fieldOf(path, "VmRSS") / 1024, peak: fieldOf(path, "VmHWM") / 1024 };
}

/** Bytes that a process caused to be written to a disk, in whole pages of the page cache. */
export const writtenBytes = (pid: number): number => fieldOf(`/proc/${pid}/io`, "write_bytes");

const SIGNATURES = 300;
/** One measurement takes 5 ms, 2 % of one core. */
const SIGNATURES_IN_LOOK = 20;
const LOOK_EVERY_MS = 250;
let yardstick: ReturnType<typeof generateKeyPairSync>["privateKey"] | undefined;

/** The current CPU time of one RSA-2048 signature. */
export function signatureMs(count = SIGNATURES): number {
  yardstick ??= generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const digest = Buffer.alloc(256);
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) sign("RSA-SHA256", digest, yardstick);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / count;
}

/**
 * Measures the cost of a signature periodically; the returned function stops and returns the mean. The speed of a
 * virtual machine varies by a third within seconds, and an idle machine runs at another speed than a busy one.
 */
export function watchSignatures(): () => number {
  const looks = [signatureMs(SIGNATURES_IN_LOOK)];
  const timer = setInterval(() => looks.push(signatureMs(SIGNATURES_IN_LOOK)), LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return looks.reduce((sum, ms) => sum + ms, 0) / looks.length;
  };
}

/** CPU time that the whole machine has used. */
function machineBusyMs(): number {
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line.trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq) * TICK_MS;
}

/** Starts measuring; the returned function returns the mean number of cores that other processes have used since. */
export function watchOthers(): () => number {
  const others = (): number => machineBusyMs() - cpuMs(process.pid);
  const [before, startMs] = [others(), performance.now()];
  return () => Math.max(0, (others() - before) / (performance.now() - startMs));
}
