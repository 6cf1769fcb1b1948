/**
 * Measures how the CPU time of a function grows when its input doubles. CPU time, not time: other processes and a slow machine change
 * it little.
 */

import { setTimeout as delay } from "node:timers/promises";

/** Linear work doubles; the rest allows for caches, collections and the logarithm of a sort. */
export const GROWTH_MAX = 2.5;
/**
 * What costs less at the doubled length is not measured further: a quadratic algorithm takes more there, because half the square of
 * 16,384 octets is 134 million steps. A step of memory, from a heap's page to a large object, costs up to 80 ns an octet on a machine
 * whose page faults are dear, and looks like growth.
 */
const FLOOR_MS = 12;
const FLOOR_NS_PER_OCTET = 200;
const DOUBT_MS = 80;
/**
 * Of each length, the cheapest run counts. After a failure, both are measured again, in turns and with more runs. The pauses let pass
 * what else runs on the machine: a core that another program shares makes each step dearer.
 */
const ROUNDS = [
  { runs: 3, pauseMs: 0 },
  { runs: 5, pauseMs: 0 },
  { runs: 9, pauseMs: 100 },
  { runs: 9, pauseMs: 500 },
  { runs: 9, pauseMs: 1000 },
];

/** Returns null for linear growth, or what was measured. `input` makes the input of a length, which is not measured. */
export async function excessiveGrowth<T>(
  run: (input: T) => unknown,
  input: (length: number) => T,
  length: number,
): Promise<string | null> {
  const [once, twice] = [input(length), input(2 * length)];
  const floorMs = Math.max(FLOOR_MS, (2 * length * FLOOR_NS_PER_OCTET) / 1e6);
  if ((await cpuMs(run, twice)) < floorMs) return null;
  let measured = "";
  let [onceMs, doubledMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { runs, pauseMs } of ROUNDS) {
    if (pauseMs > 0) await delay(pauseMs);
    for (let i = 0; i < runs; i += 1) {
      doubledMs = Math.min(doubledMs, await cpuMs(run, twice));
      onceMs = Math.min(onceMs, await cpuMs(run, once));
    }
    if (doubledMs < floorMs) return null;
    if (doubledMs <= GROWTH_MAX * onceMs) return null;
    measured = `${onceMs.toFixed(1)} ms at ${length}, ${doubledMs.toFixed(1)} ms at ${2 * length}`;
    // A collection or another thread does not take so long.
    if (doubledMs > DOUBT_MS) break;
  }
  return (await growsFurther(run, input(4 * length), doubledMs)) ? measured : null;
}

/**
 * Whether the next doubling costs as much again. Where strings become large objects, or the machine is in use, one doubling may cost
 * more than the next; an input over a limit is refused at less cost, and then the first doubling decides.
 */
async function growsFurther<T>(run: (input: T) => unknown, input: T, beforeMs: number): Promise<boolean> {
  const furtherMs = await cheapest(run, input);
  return furtherMs < beforeMs || furtherMs > GROWTH_MAX * beforeMs;
}

async function cheapest<T>(run: (input: T) => unknown, input: T): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i += 1) least = Math.min(least, await cpuMs(run, input));
  return least;
}

async function cpuMs<T>(run: (input: T) => unknown, input: T): Promise<number> {
  const before = process.cpuUsage();
  await run(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
