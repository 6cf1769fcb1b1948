/**
 * Bundles the command line of a build: of dist/cli.js, and of the thread that reads lists, the modules of src/ become a few files,
 * because a command spends most of its start on loading some 200 small ones. Libraries stay where they are. Run by `npm run build`.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

/** Keeps each file's own `import.meta.url`, by which it finds the files next to it, such as those of its threads. */
const ownUrlsFrom = (dir) => ({
  name: "own-urls",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const place = JSON.stringify(relative(dir, path).split(sep).join("/"));
      const ownUrl = `new URL(${place}, import.meta.url).href`;
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", ownUrl) };
    });
  },
});

/** Modules that are loaded on demand get files of their own beside the entry, so that all of them have one base. */
async function bundle(entry) {
  const dir = dirname(join(DIST, entry));
  await build({
    entryPoints: [join(DIST, entry)],
    outdir: dir,
    chunkNames: "cli-[hash]",
    splitting: true,
    allowOverwrite: true,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
    plugins: [ownUrlsFrom(dir)],
  });
}

// Of a former build.
for (const name of readdirSync(DIST)) if (/^cli-\w+\.js$/.test(name)) rmSync(join(DIST, name));
await bundle("cli.js");
await bundle("spool/engine/sqlite/connection/reports-thread.js");
