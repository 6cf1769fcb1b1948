/**
 * After `npm ci`: the better-sqlite3 that was compiled here is kept in .prebuilds, where the next `npm ci` finds it (its
 * installer looks there first, see .prebuild-installrc) instead of compiling for a minute again. The file's name says for
 * which release, Node ABI and system it is, so that nothing else is ever taken from it; delete the folder to compile anew.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";

const addon = join("node_modules", "better-sqlite3");
const object = join("build", "Release", "better_sqlite3.node");

/** The installer's own name for a binary of this system. */
function archiveName() {
  const { name, version } = JSON.parse(readFileSync(join(addon, "package.json"), "utf8"));
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "";
  return `${name}-v${version}-node-v${process.versions.modules}-${process.platform}${libc}-${process.arch}.tar.gz`;
}

// Only node-gyp leaves a Makefile: a downloaded binary has npm's cache already.
const compiled = existsSync(join(addon, object)) && existsSync(join(addon, "build", "Makefile"));
if (compiled && process.platform === "linux") {
  const archive = join(".prebuilds", archiveName());
  try {
    mkdirSync(".prebuilds", { recursive: true });
    execFileSync("tar", ["-czf", `${archive}.new`, "-C", addon, object]);
    renameSync(`${archive}.new`, archive);
  } catch (error) {
    process.stderr.write(`better-sqlite3 is not kept for the next npm ci: ${error.message}\n`);
  }
}
