/**
 * Which test files share a process. Starting one and loading the service costs a second of CPU, more than most files
 * need for their tests, so that files go together in a few groups. Within a group they run one after another, each as a
 * suite that bears the file's name. A group is a generated file that imports its test files.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Files that keep a process of their own, and why. */
const ALONE: Record<string, string> = {};

export interface Group {
  /** The generated file. */
  path: string;
  /** Relative to the directory of the tests. */
  files: string[];
}

/** Where files are from, where generated ones go, and how many groups there are besides the files that stay alone. */
export interface Split {
  testDir: string;
  groupDir: string;
  count: number;
  /** For each file. */
  timeoutMs: number;
}

/** Deals files to groups, neighbours to different ones, since what stands together tends to be alike in weight. */
export function splitIntoGroups(files: string[], split: Split): Group[] {
  const alone = files.filter((file) => ALONE[file] !== undefined);
  const others = files.filter((file) => ALONE[file] === undefined);
  const dealt = Array.from({ length: Math.min(split.count, others.length) }, (_, group) =>
    others.filter((_, i) => i % split.count === group),
  );
  return [...alone.map((file) => [file]), ...dealt].map((members, i) => {
    const path = join(split.groupDir, `group-${i + 1}.mjs`);
    writeFileSync(path, sourceOf(members, split));
    return { path, files: members };
  });
}

/**
 * A suite is asynchronous while its file loads; the next one begins after that, so that each test finds its own. No test
 * runs before all files are loaded: to load one stops everything else.
 */
function sourceOf(files: string[], { testDir, timeoutMs }: Split): string {
  const imports = files.map((file) => [file, pathToFileURL(join(testDir, file)).href]);
  return `import { describe } from "node:test";
let begin;
const allLoaded = new Promise((resolve) => { begin = resolve; });
for (const [name, url] of ${JSON.stringify(imports)}) {
  await new Promise((loaded) => {
    describe(name, { timeout: ${timeoutMs} }, () => import(url).finally(loaded).then(() => allLoaded));
  });
}
begin();
`;
}
