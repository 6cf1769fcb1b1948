/** What each test file costs in CPU time and time, for the end of a whole run's report: it shows what a run's time goes to. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "costs.ndjson";
/** CPU seconds from which on a file is in long-files.ts. */
const SHOWN_MIN_S = 2;
/** Clock ticks of /proc, which Linux has at 100 a second everywhere. */
const TICKS_PER_S = 100;

interface Cost {
  file: string;
  cpuS: number;
  timeS: number;
}

/** Notes in `directory` what each file costs, of those that run one after another in this process. */
export function costs(directory: string): { begin: () => void; end: (file: string) => void } {
  let began = now();
  return {
    begin: () => {
      began = now();
    },
    end: (file) => {
      const { cpuS, timeS } = now();
      const cost: Cost = { file, cpuS: cpuS - began.cpuS, timeS: timeS - began.timeS };
      appendFileSync(join(directory, FILE), `${JSON.stringify(cost)}\n`);
    },
  };
}

/** A table of the files noted in `directory` that cost most, for long-files.ts. */
export function dearestFiles(directory: string): string {
  const path = join(directory, FILE);
  if (!existsSync(path)) return "";
  const noted = readFileSync(path, "utf8").trim().split("\n");
  const all = noted.map((line) => JSON.parse(line) as Cost).sort((a, b) => b.cpuS - a.cpuS);
  const total = all.reduce((sum, { cpuS }) => sum + cpuS, 0);
  const shown = all.filter(({ cpuS }) => cpuS >= SHOWN_MIN_S);
  const lines = shown.map(
    ({ file, cpuS, timeS }) => `${cpuS.toFixed(1).padStart(8)} ${timeS.toFixed(1).padStart(8)}  ${file}`,
  );
  return [`CPU, s   time, s  (${all.length} files: ${total.toFixed(0)} s of CPU)`, ...lines, ""].join("\n");
}

/** Of this process and the children that have ended. */
function now(): { cpuS: number; timeS: number } {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const ticks = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15);
  return { cpuS: ticks.reduce((sum, text) => sum + Number(text), 0) / TICKS_PER_S, timeS: performance.now() / 1000 };
}
