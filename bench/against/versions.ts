/**
 * Versions of Postrider and of Node to compare. Each has a directory with the modules that this Node needs, which is kept for the next run:
 * a clone of another commit, or a copy of this checkout.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

export interface Version {
  name: string;
  /** Its checkout, with `dist`. */
  dir: string;
}

/** Versions and programs of former runs. */
const KEPT_DIR = join(tmpdir(), "postrider-bench-kept");

/** What `--against baseline` names. */
const BASELINE_FILE = "bench/BASELINE";

/** What a service and bench/against/account-maker.ts need of this checkout. */
const OWN_FILES = ["package.json", "package-lock.json", "tsconfig.json", "Dockerfile", "bench", "dist", "src"];

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

/** The commit that `--against` names. Throws if there is none. */
export function commitNamed(name: string): string {
  const commit = name === "baseline" ? readFileSync(BASELINE_FILE, "utf8").trim() : name;
  return git("rev-parse", "--verify", "--quiet", `${commit}^{commit}`);
}

/** Builds a commit for a major version of Node. Needs the npm registry the first time. */
export function builtCommit(commit: string, node: string): Version {
  const name = commit.slice(0, 8);
  const dir = join(KEPT_DIR, `${name}-node-${node}`);
  if (!existsSync(dir)) {
    make(dir, node, (made, run) => {
      git("clone", "--quiet", "--no-checkout", ".", made);
      run("git", "checkout", "--quiet", commit);
      installModules(made, node, run);
      run("npm", "run", "--silent", "build");
    });
  }
  return { name, dir };
}

/** This checkout, which `npm run bench` has built, for a major version of Node. */
export function ownVersion(node: string): Version {
  const name = "this checkout";
  if (isOwnNode(node)) return { name, dir: resolve(".") };
  const dir = join(KEPT_DIR, `own-node-${node}`);
  const isSame = (file: string): boolean =>
    existsSync(join(dir, file)) && readFileSync(file).equals(readFileSync(join(dir, file)));
  if (!isSame("package-lock.json")) {
    rmSync(dir, { recursive: true, force: true });
    make(dir, node, (made, run) => {
      for (const file of OWN_FILES) cpSync(file, join(made, file), { recursive: true });
      installModules(made, node, run);
    });
  }
  for (const file of OWN_FILES) {
    rmSync(join(dir, file), { recursive: true, force: true });
    cpSync(file, join(dir, file), { recursive: true, preserveTimestamps: true });
  }
  return { name, dir };
}

/** The version of Node that the image has. */
export function nodeOfImage(): string {
  const [, version] = /^FROM node:(\d+)/m.exec(readFileSync("Dockerfile", "utf8")) ?? [];
  if (version === undefined) throw new Error("the Dockerfile names no version of Node");
  return version;
}

/** Returns the program of a major version of Node. Needs the npm registry the first time, unless this process runs on it. */
export function nodeProgram(major: string): string {
  if (isOwnNode(major)) return process.execPath;
  makeKeptDir();
  const dir = execFileSync(".ci/node", [major, KEPT_DIR], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return join(dir.trim(), "bin", "node");
}

const isOwnNode = (major: string): boolean => process.versions.node.startsWith(`${major}.`);

type Run = (command: string, ...args: string[]) => void;

/** Makes a directory whole or not at all. `run` runs a command in it, with this Node. */
function make(dir: string, node: string, fill: (made: string, run: Run) => void): void {
  makeKeptDir();
  const made = `${dir}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made);
  const env = { ...process.env, PATH: `${dirname(nodeProgram(node))}${delimiter}${process.env.PATH}` };
  fill(made, (command, ...args) => {
    execFileSync(command, args, { cwd: made, env, stdio: ["ignore", "ignore", "inherit"] });
  });
  renameSync(made, dir);
}

/** Only Node 20 needs a compiled addon. Its installer uses the binary in .prebuilds, if there is one. */
function installModules(made: string, node: string, run: Run): void {
  if (existsSync(".prebuilds")) cpSync(".prebuilds", join(made, ".prebuilds"), { recursive: true });
  const scripts = Number(node) < 22 ? [] : ["--ignore-scripts"];
  run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", ...scripts);
}

function makeKeptDir(): void {
  mkdirSync(KEPT_DIR, { recursive: true });
  chmodSync(KEPT_DIR, 0o755);
}
