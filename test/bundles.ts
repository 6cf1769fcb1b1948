/**
 * Bundles the programs and threads of a compiled tree with their libraries into one file each. It halves the start
 * time of a process.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { PROGRAMS_DIR } from "./support/program.ts";

const PROGRAMS = ["src/main.js", "src/cli.js", "src/sink.js"];

/** The entries of threads. */
const threadsIn = (tree: string): string[] =>
  readdirSync(join(tree, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("-thread.js"))
    .map((file) => `src/${file}`);

/**
 * CommonJS libraries expect these names. Node does not report deprecations in its own node_modules, so they are
 * silent here too.
 */
const BANNER = `import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);
const __dirname = import.meta.dirname;
process.noDeprecation = true;`;

/**
 * Bundles the programs where support/program.ts finds them, and the threads where the service does. Rejects on an
 * error.
 */
export async function bundlePrograms(tree: string): Promise<void> {
  await Promise.all([
    bundle(tree, PROGRAMS, (source) => `${PROGRAMS_DIR}/${basename(source)}`),
    // In their original paths, where the module that starts one looks for it.
    bundle(tree, threadsIn(tree), (source) => source),
  ]);
}

async function bundle(tree: string, sources: string[], placeOf: (source: string) => string): Promise<void> {
  const places = sources.map((source) => [source, placeOf(source)] as const);
  await build({
    absWorkingDir: tree,
    entryPoints: places.map(([source, place]) => ({ in: source, out: place.replace(/\.js$/, "") })),
    outdir: tree,
    // What a command loads on demand stays apart: each test of the command line starts several processes.
    splitting: true,
    chunkNames: `${PROGRAMS_DIR}/[hash]`,
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: BANNER },
    plugins: [urlsOf(tree, new Map(places))],
  });
}

/**
 * Keeps each file's own `import.meta.url`, to find the files next to it; a program gets the URL of its bundle, as the
 * started file.
 */
function urlsOf(tree: string, places: Map<string, string>): Plugin {
  return {
    name: "urls",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.js$/ }, ({ path }) => {
        if (!path.startsWith(join(tree, "src"))) return null;
        const source = path.slice(tree.length + 1);
        const { href } = pathToFileURL(join(tree, places.get(source) ?? source));
        return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(href)) };
      });
    },
  };
}
