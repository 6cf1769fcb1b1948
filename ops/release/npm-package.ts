/**
 * The npm package: the programs and threads of a build, each bundled with its libraries, and a manifest of its own. Only what cannot be
 * bundled is a dependency: the addons for SQLite, and the files of a chart library. So it installs in seconds and starts fast, and each
 * library is the one of package-lock.json, which the tests ran with.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { outputOf, ROOT, run } from "./place.ts";

export interface CheckoutManifest {
  name: string;
  version: string;
  description: string;
  license: string;
  type: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: Record<string, string>;
}

/** Files of the checkout that the package has, by their place in it. */
const COPIED: Record<string, string> = {
  LICENSE: "LICENSE",
  "CHANGELOG.md": "CHANGELOG.md",
  "README.md": "ops/release/package-readme.md",
  "ops/install.sh": "ops/install.sh",
  "ops/command.sh": "ops/command.sh",
  "ops/alerts.yml": "ops/alerts.yml",
  "ops/grafana.json": "ops/grafana.json",
};

/** better-sqlite3 in the release for Node 20 alone, and in the one for later versions, which needs no compiler. */
const FOR_NODE_20 = "better-sqlite3";
const FOR_LATER = "better-sqlite3-13";
/** The dashboard sends files of it to browsers. */
const CHARTS = "uplot";
const NOT_BUNDLED = [FOR_NODE_20, FOR_LATER, CHARTS];

const PROGRAMS = ["main.js", "cli.js", "sink.js", "demo.js", "healthcheck.js"];

/**
 * CommonJS libraries expect these names. All files of the bundle find others relative to dist/. Node reports no deprecations within
 * node_modules, where these libraries come from, so they are silent here too.
 */
const BANNER = `import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);
const __dirname = import.meta.dirname;
const distUrl = import.meta.url.slice(0, import.meta.url.lastIndexOf("/dist/") + 6);
process.noDeprecation = true;`;

/** What a build needs: the dependencies of the checkout without tsx, which runs TypeScript. The addon for later versions is one of them. */
export function buildManifest({ dependencies, optionalDependencies, ...rest }: CheckoutManifest) {
  const { tsx: _, ...needed } = dependencies;
  return { ...pick(rest), dependencies: { ...needed, ...optionalDependencies }, overrides: rest.overrides };
}

type Identity = Pick<CheckoutManifest, "name" | "version" | "description" | "license" | "type" | "engines">;

const pick = ({ name, version, description, license, type, engines }: Identity): Identity => ({
  name,
  version,
  description,
  license,
  type,
  engines,
});

/**
 * The manifest of the package. `versionOf` returns the version of a dependency in the build. Where nothing can be compiled, npm leaves
 * the addon for Node 20 out.
 */
export function packageManifest(checkout: CheckoutManifest, versionOf: (dependency: string) => string) {
  return {
    ...pick(checkout),
    keywords: ["email", "transactional", "smtp", "mta", "self-hosted", "dkim"],
    bin: { postrider: "dist/cli.js" },
    dependencies: { [FOR_LATER]: `npm:better-sqlite3@${versionOf(FOR_LATER)}`, [CHARTS]: versionOf(CHARTS) },
    optionalDependencies: { [FOR_NODE_20]: versionOf(FOR_NODE_20) },
  };
}

/** The unit for the package as ops/install.sh installs it, made of that for a checkout. */
export function packageUnit(unit: string): string {
  const made = unit
    .replace(
      "from a checkout in /opt/postrider; docs/OPERATIONS.md says how to install it",
      "as install.sh installs it",
    )
    .replace("--import tsx src/main.ts", "node_modules/postrider/dist/main.js");
  if (made.includes("tsx") || made.includes("checkout")) throw new Error("ops/postrider.service is not as expected");
  return made;
}

export const readManifest = (): CheckoutManifest => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Compiles the checkout into `dir`, which must not exist, with its dependencies beside it. */
export function compileBuild(dir: string): void {
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), `${JSON.stringify(buildManifest(readManifest()), null, 2)}\n`);
  copyFileSync(join(ROOT, "package-lock.json"), join(dir, "package-lock.json"));
  // Corrects the lock file for the manifest of the build. No version changes.
  const options = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  run("npm", ["install", ...options], dir);
  run("npx", ["tsc", "-p", "tsconfig.build.json", "--outDir", join(dir, "dist")]);
  cpSync(join(ROOT, "src/dashboard/assets"), join(dir, "dist/dashboard/assets"), {
    recursive: true,
    dereference: true,
  });
}

/** Bundles the build and writes the package's files into `dir`. */
export async function stagePackage(buildDir: string, dir: string): Promise<void> {
  const compiled = join(buildDir, "dist");
  const threads = readdirSync(compiled, { recursive: true, encoding: "utf8" }).filter((file) =>
    /-thread\.js$/.test(file),
  );
  await build({
    absWorkingDir: compiled,
    entryPoints: [...PROGRAMS, ...threads],
    outbase: compiled,
    outdir: join(dir, "dist"),
    chunkNames: "chunks/[hash]",
    splitting: true,
    bundle: true,
    external: NOT_BUNDLED,
    platform: "node",
    target: "node20",
    format: "esm",
    legalComments: "none",
    logLevel: "error",
    banner: { js: BANNER },
    plugins: [ownUrls(compiled)],
  });
  chmodSync(join(dir, "dist/cli.js"), 0o755);
  cpSync(join(compiled, "dashboard/assets"), join(dir, "dist/dashboard/assets"), {
    recursive: true,
    dereference: true,
  });
  for (const [to, from] of Object.entries(COPIED)) {
    mkdirSync(dirname(join(dir, to)), { recursive: true });
    copyFileSync(join(ROOT, from), join(dir, to));
  }
  // The dashboard shows them.
  for (const file of readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")))
    cpSync(join(ROOT, "docs", file), join(dir, "docs", file));
  cpSync(join(ROOT, "docs/images"), join(dir, "docs/images"), { recursive: true });
  const unit = readFileSync(join(ROOT, "ops/postrider.service"), "utf8");
  writeFileSync(join(dir, "ops/postrider.service"), packageUnit(unit));
  const manifest = packageManifest(readManifest(), (name) => versionIn(buildDir, name));
  writeFileSync(join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

const versionIn = (buildDir: string, name: string): string =>
  (JSON.parse(readFileSync(join(buildDir, "node_modules", name, "package.json"), "utf8")) as { version: string })
    .version;

/** Keeps each module's own `import.meta.url`, by which it finds files next to it, such as those of its threads. */
const ownUrls = (compiled: string): Plugin => ({
  name: "own-urls",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const place = relative(compiled, path);
      if (place.startsWith("..")) return null;
      const own = `(distUrl + ${JSON.stringify(place)})`;
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", own) };
    });
  },
});

/** Packs the staged package. Returns the paths in the tarball. */
export function packPackage(dir: string, destination: string): string[] {
  const printed = outputOf("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", destination], dir);
  const parsed = JSON.parse(printed) as Record<string, { files: { path: string }[] }>;
  const [packed] = Object.values(parsed);
  return (packed?.files ?? []).map(({ path }) => path);
}
