/**
 * `--profile`: end-to-end load on a service under `node --cpu-prof`, and the time of each thread. It is wall-clock
 * time: waiting for the disk in a commit, or for a core, counts as work.
 */
import { type Bench, CLIENTS } from "../figures/figure.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { monotonicUs, readProfiles, type ThreadProfile } from "./read.ts";
import type { Stage } from "./stages.ts";

const FUNCTIONS_SHOWN = 25;

/**
 * Returns Markdown tables: microseconds per message by stage and thread, then the most expensive functions of each
 * thread.
 */
export async function profile(bench: Bench): Promise<string> {
  const { options, newDir, progress } = bench;
  const dir = newDir("profile");
  const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${dir}`];
  const account = await (options.spool === "postgres"
    ? bench.newDatabaseAccount("profile")
    : bench.newAccount("profile"));
  const service = await startPostrider({ account, nodeArgs });
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
  const { messages } = options;
  await service.burst(sink, { messages: Math.ceil(messages / 4), clients: CLIENTS });
  const fromUs = monotonicUs();
  const { endToEndPerS, cpuMs } = await service.burst(sink, { messages, clients: CLIENTS });
  const window = { fromUs, toUs: monotonicUs() };
  await service.stop();
  await sink.stop();
  progress(`profiles are in ${dir}${options.dir === null ? "; name a --dir to keep them" : ""}`);
  const threads = readProfiles(dir, window);
  const head = `${Math.round(endToEndPerS)} messages a second, ${cpuMs.toFixed(2)} ms of CPU each, while being profiled`;
  return [head, stageTable(threads, messages), ...threads.map((t) => functionTable(t, messages))].join("\n\n");
}

const total = (threads: readonly ThreadProfile[], stage: Stage): number =>
  threads.reduce((sum, { stages }) => sum + (stages.get(stage) ?? 0), 0);

function stageTable(threads: readonly ThreadProfile[], messages: number): string {
  const stages = [...new Set(threads.flatMap((t) => [...t.stages.keys()]))];
  const idleLast = (stage: string): number => (stage === "idle" ? 1 : 0);
  stages.sort((a, b) => idleLast(a) - idleLast(b) || total(threads, b) - total(threads, a));
  const heads = ["µs a message", ...threads.map(({ thread }) => thread), "all"];
  const rows = stages.map((stage) => {
    const cells = threads.map((t) => ((t.stages.get(stage) ?? 0) / messages).toFixed(1));
    return [stage, ...cells, (total(threads, stage) / messages).toFixed(1)];
  });
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function functionTable({ thread, functions }: ThreadProfile, messages: number): string {
  const costliest = [...functions].filter(([name]) => name !== "(idle)").sort(([, a], [, b]) => b - a);
  const rows = costliest
    .slice(0, FUNCTIONS_SHOWN)
    .map(([name, us]) => `${(us / messages).toFixed(1).padStart(7)}  ${name}`);
  return [`${thread}, µs a message`, ...rows].join("\n");
}
