/**
 * The programs of a compiled tree, each in one file with its libraries, and so the thread that every service has for its
 * spool: a process that a test starts is there after half the time.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { PROGRAMS_DIR } from "./support/program.ts";

const PROGRAMS = ["main", "cli", "sink"];
const THREAD = "src/spool/sqlite/thread.js";

/** What libraries written as CommonJS expect to be there. */
const BANNER = `import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);
const __dirname = import.meta.dirname;`;

/** Bundles what is to be bundled, where it is found by support/program.ts and the service. Rejects where that fails. */
export async function bundlePrograms(tree: string): Promise<void> {
  await Promise.all([
    ...PROGRAMS.map((name) => bundle(tree, `src/${name}.js`, `${PROGRAMS_DIR}/${name}.mjs`)),
    // In its place: nothing but a service loads it.
    bundle(tree, THREAD, THREAD),
  ]);
}

async function bundle(tree: string, source: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: tree,
    entryPoints: [source],
    outfile,
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: BANNER },
    plugins: [placesIn(tree, { [join(tree, source)]: join(tree, outfile) })],
  });
}

/** Each file goes on to find what is beside it, as it does by its own URL; a program knows itself as what was started. */
function placesIn(tree: string, program: Record<string, string>): Plugin {
  return {
    name: "places",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.js$/ }, ({ path }) => {
        if (!path.startsWith(join(tree, "src"))) return null;
        const { href } = pathToFileURL(program[path] ?? path);
        return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(href)) };
      });
    },
  };
}
