/**
 * Which test files share a process. Starting a process and loading the service costs a second of CPU, more than most files
 * need for their tests, so files share a few processes. Within a group they run one after another, each as a suite with the
 * file's name. A group is a generated file that imports its test files.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Directories whose files run for minutes in CI: each file gets a process of its own, and they start first. */
const LONG_IN_CI = ["peers", "simulate", "torture"];

const IN_CI = process.env.CI === "true";

export interface Group {
  /** The generated file. */
  path: string;
  /** Relative to the directory of the tests. */
  files: string[];
}

export interface Split {
  /** Where the compiled test files are. */
  testDir: string;
  /** Where the generated files go. */
  groupDir: string;
  /** Groups, besides those of one long file. */
  count: number;
  /** For each file. */
  timeoutMs: number;
}

/** Deals the files out in turns, so that neighbours, which often take as long, are in different groups. */
export function splitIntoGroups(files: string[], split: Split): Group[] {
  const isLong = (file: string): boolean => IN_CI && LONG_IN_CI.some((dir) => file.startsWith(`${dir}/`));
  const others = files.filter((file) => !isLong(file));
  const count = Math.min(split.count, others.length);
  const dealt = Array.from({ length: count }, (_, i) => others.filter((_file, j) => j % count === i));
  return [...files.filter(isLong).map((file) => [file]), ...dealt].map((files, i) => {
    const path = join(split.groupDir, `group-${i + 1}.mjs`);
    writeFileSync(path, sourceOf(files, split));
    return { path, files };
  });
}

/**
 * A suite is asynchronous while its file loads; the next one begins after that, so that each test finds its own. No test
 * runs before all files are loaded: to load one stops everything else.
 */
function sourceOf(files: string[], { testDir, timeoutMs }: Split): string {
  const urlOf = (file: string): string => pathToFileURL(join(testDir, file.replace(/\.ts$/, ".js"))).href;
  const imports = files.map((file) => [file, urlOf(file)]);
  const first = IN_CI ? "" : `import ${JSON.stringify(urlOf("support/cheap-passwords.ts"))};\n`;
  // Failures name the line of the TypeScript source.
  return `${first}process.setSourceMapsEnabled(true);
import { describe } from "node:test";
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
