/**
 * `npm run check` runs this: a value that a file exports must be imported by another one. Exits 1 with one line for each that is not.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const EXPORT = /^export (?:abstract |async )*(?:const|let|function\*?|class|enum) (\w+)/gm;
/** A static import: its names, or `* as name`, and the path. */
const IMPORT = /^(?:import|export)\s(?:type )?([^;"]*?)\s*from\s+"(\.[^"]+)"/gm;
/** An import in code that is generated: the path is not known here. */
const GENERATED_IMPORT = /^import \{([^}]*)\} from \$\{/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*"(\.[^"]+)"/g;
/** The client imports its files by the names that they have when they are compiled. */
const JS_OF_SOURCE = /(?<=^clients\/typescript\/src\/.*)\.js$/;
/** Compiled and run apart, beside a client that is generated. */
const APART = "test/generated-clients/clients/";
const FOLDERS = ["src", "test", "bench", "simulate", "torture", "lint", "docs", "clients", "ops"];

/** Sources by their paths, relative to the root. */
export type Sources = ReadonlyMap<string, string>;

export function readSources(root: string): Sources {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const typescript = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith(APART));
  return new Map(typescript.sort().map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

/** Describes each exported name that no other file imports, in one line. */
export function unusedExports(sources: Sources): string[] {
  const imported = new Set([...sources].flatMap(([file, source]) => importedBy(file, source)));
  return [...sources].flatMap(([file, source]) =>
    [...source.matchAll(EXPORT)]
      .map(([, name]) => name)
      .filter((name) => ![`${file} ${name}`, `${file} *`, `${ANY_FILE} ${name}`].some((use) => imported.has(use)))
      .map((name) => `${file} exports ${name}, which no other file imports`),
  );
}

const ANY_FILE = "*";

/** Returns what a file imports, as the path and the name; `*` for all names. */
function importedBy(file: string, source: string): string[] {
  const pathOf = (specifier: string): string => normalize(join(dirname(file), specifier)).replace(JS_OF_SOURCE, ".ts");
  const statically = [...source.matchAll(IMPORT)].flatMap(([, what = "", specifier = ""]) =>
    namesIn(what).map((name) => `${pathOf(specifier)} ${name}`),
  );
  // A dynamic import uses those of the module's names that the file mentions.
  const words = new Set(source.match(/\b\w+\b/g));
  const dynamically = [...source.matchAll(DYNAMIC_IMPORT)].flatMap(([, specifier = ""]) =>
    [...words].map((word) => `${pathOf(specifier)} ${word}`),
  );
  const generated = [...source.matchAll(GENERATED_IMPORT)].flatMap(([, names = ""]) => names.split(","));
  return [...statically, ...dynamically, ...generated.map((name) => `${ANY_FILE} ${name.trim()}`)];
}

function namesIn(what: string): string[] {
  if (what.includes("*")) return ["*"];
  const [, named = ""] = /\{([^}]*)\}/.exec(what) ?? [];
  return named.split(",").map((part) =>
    part
      .trim()
      .replace(/^type /, "")
      .replace(/ as .*$/, ""),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const unused = unusedExports(readSources(join(import.meta.dirname, "..")));
  for (const line of unused) process.stderr.write(`${line}\n`);
  if (unused.length > 0) process.exitCode = 1;
}
