/**
 * The programs of a compiled tree, each in one file with its libraries, and so the threads that every service has: a
 * process that a test starts is there after half the time.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { PROGRAMS_DIR } from "./support/program.ts";

const PROGRAMS = ["src/main.js", "src/cli.js", "src/sink.js"];
const THREADS = ["src/spool/sqlite/writer-thread.js", "src/delivery/signing/signer-thread.js"];

/** What libraries written as CommonJS expect to be there. Node says nothing of what is deprecated in them, here neither. */
const BANNER = `import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);
const __dirname = import.meta.dirname;
process.noDeprecation = true;`;

/** Bundles what is to be bundled, where support/program.ts and the service find it. Rejects where that fails. */
export async function bundlePrograms(tree: string): Promise<void> {
  await Promise.all([
    bundle(tree, PROGRAMS, (source) => `${PROGRAMS_DIR}/${basename(source)}`),
    // In their places: nothing but a service loads them.
    bundle(tree, THREADS, (source) => source),
  ]);
}

async function bundle(tree: string, sources: string[], placeOf: (source: string) => string): Promise<void> {
  const places = sources.map((source) => [source, placeOf(source)] as const);
  await build({
    absWorkingDir: tree,
    entryPoints: places.map(([source, place]) => ({ in: source, out: place.replace(/\.js$/, "") })),
    outdir: tree,
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: BANNER },
    plugins: [urlsOf(tree, new Map(places))],
  });
}

/** Each file goes on to find what is beside it, as it does by its own URL; a program knows itself as what was started. */
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
