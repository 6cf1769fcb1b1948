/**
 * `npm run check` runs this: every import in src/ must be allowed by import-table.ts, no file may import itself through
 * others (type imports included), and message/ must not use Node's I/O modules. Exits 1 with one line for each violation.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { IMPORT_TABLE } from "./import-table.ts";

/** Imports by file; paths are relative to the checked directory, packages and Node's modules as they are written. */
export type ImportGraph = Map<string, string[]>;

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
const ROOT_FILES_MAX = 6;
/** Modules that read or write outside the process. */
const IO_MODULE = /^node:(fs|net|tls|dns|http|https|http2|dgram|child_process|worker_threads)(\/|$)/;

/** Reads the imports of every TypeScript file below `dir`. */
export function readImports(dir: string): ImportGraph {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  return new Map(files.sort().map((file) => [file, importsOf(file, readFileSync(join(dir, file), "utf8"))]));
}

function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? "";
    return specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier;
  });
}

/** The row of the table that a file belongs to. */
export function folderOf(file: string): string {
  if (file === "config.ts") return "config";
  if (!file.includes("/")) return "programs";
  const folders = Object.keys(IMPORT_TABLE).filter((folder) => file.startsWith(`${folder}/`));
  return folders.reduce((longest, folder) => (folder.length > longest.length ? folder : longest), "");
}

/** Describes each violation of the table, each cycle, and each I/O module in message/, in one line. */
export function violations(graph: ImportGraph): string[] {
  const root = [...graph.keys()].filter((file) => !file.includes("/"));
  return [
    ...(root.length > ROOT_FILES_MAX ? [`src/ has ${root.length} files at its root, at most ${ROOT_FILES_MAX}`] : []),
    ...[...graph].flatMap(([file, imports]) => deniedImports(file, imports)),
    ...cycles(graph).map((cycle) => `import cycle: ${cycle.join(" -> ")}`),
  ];
}

function deniedImports(file: string, imports: string[]): string[] {
  const folder = folderOf(file);
  const allowed = IMPORT_TABLE[folder];
  if (allowed === undefined) return [`${file} is in a folder without a row in lint/import-table.ts`];
  return imports.flatMap((target) => {
    if (IO_MODULE.test(target) && folder === "message") return [`${file} imports ${target}: message/ does no I/O`];
    if (!/\.tsx?$/.test(target) || target.startsWith("..")) return [];
    const to = folderOf(target);
    return to === folder || allowed.includes(to) ? [] : [`${file} imports ${target}: ${folder} may not import ${to}`];
  });
}

/** One path for each file that closes a cycle; empty for an acyclic graph. */
function cycles(graph: ImportGraph): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = violations(readImports(fileURLToPath(new URL("../src", import.meta.url))));
  for (const line of found) process.stderr.write(`${line}\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
