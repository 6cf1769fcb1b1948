/**
 * Reads the .cpuprofile files of one process: the self time of each thread within a window, by stage and by function.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Frame, type Stage, stageOf } from "./stages.ts";

interface ProfileNode {
  id: number;
  callFrame: Frame;
  children?: number[];
}

interface CpuProfile {
  nodes: ProfileNode[];
  /** Microseconds of CLOCK_MONOTONIC. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

export interface ThreadProfile {
  thread: string;
  stages: Map<Stage, number>;
  /** Self time by `file function`; line numbers are omitted, because the loader changes them. */
  functions: Map<string, number>;
}

/** A time span on CLOCK_MONOTONIC, in microseconds. */
export interface Window {
  fromUs: number;
  toUs: number;
}

const LOADER = "loader";

export const monotonicUs = (): number => Number(process.hrtime.bigint() / 1000n);

/**
 * Returns the service's threads from the profiles in `dir`, without those that only loaded modules. Times are in
 * microseconds.
 */
export function readProfiles(dir: string, window: Window): ThreadProfile[] {
  const files = readdirSync(dir).filter((name) => name.endsWith(".cpuprofile"));
  const threads = files.map((name) => summarise(JSON.parse(readFileSync(join(dir, name), "utf8")), window));
  return threads.filter(({ thread }) => thread !== LOADER);
}

function summarise(profile: CpuProfile, { fromUs, toUs }: Window): ThreadProfile {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const selfUs = new Map<number, number>();
  let atUs = profile.startTime;
  for (const [i, id] of profile.samples.entries()) {
    atUs += profile.timeDeltas[i] ?? 0;
    // A sample covers the time until the next one.
    const lastsUs = profile.timeDeltas[i + 1] ?? 0;
    if (atUs >= fromUs && atUs < toUs) selfUs.set(id, (selfUs.get(id) ?? 0) + lastsUs);
  }
  const stages = new Map<Stage, number>();
  const functions = new Map<string, number>();
  for (const [id, us] of selfUs) {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = nodes.get(at)?.callFrame;
      if (frame !== undefined) stack.push(frame);
    }
    const stage = stageOf(stack);
    stages.set(stage, (stages.get(stage) ?? 0) + us);
    const name = nameOf(stack);
    functions.set(name, (functions.get(name) ?? 0) + us);
  }
  return { thread: threadOf(profile.nodes), stages, functions };
}

function threadOf(nodes: readonly ProfileNode[]): string {
  const has = (file: string): boolean => nodes.some(({ callFrame }) => callFrame.url.endsWith(file));
  if (has("/src/main.ts") || has("/src/service/service.ts")) return "main";
  if (has("/src/spool/engine/sqlite/connection/writer.ts")) return "writer";
  if (has("/src/delivery/signing/signer-thread.ts")) return "signer";
  return LOADER;
}

/** A native function is named after its nearest caller with a file. */
function nameOf(stack: readonly Frame[]): string {
  const [self] = stack;
  if (self === undefined) return "?";
  const place = stack.find(({ url }) => url !== "");
  const name = self.functionName === "" ? "(anonymous)" : self.functionName;
  if (place === undefined) return name;
  const file = place.url.replace(/^.*\/(node_modules|src)\//, (_, root) => (root === "src" ? "src/" : ""));
  return self.url === "" ? `${name} ← ${file} ${place.functionName}` : `${file} ${name}`;
}
