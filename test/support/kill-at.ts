/**
 * Preloaded into a program (`--import`): sends it SIGKILL just before its KILL_AT-th effect on secrets. An effect is
 * a change of a file in CERTS_DIR (or KILL_DIR, if set), or a statement that begins, seals or commits. SIGKILL skips
 * all cleanup. Appends the name of each effect to EFFECTS_FILE.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";

const { CERTS_DIR = "", KILL_DIR = CERTS_DIR, KILL_AT = "0", EFFECTS_FILE = "" } = process.env;
const append = fs.appendFileSync;
let effects = 0;

/** Leaves behind a partial write, as a process killed during the write does. */
type Half = () => void;

function effect(name: string, half: Half = () => {}): void {
  effects += 1;
  append(EFFECTS_FILE, `${name}\n`);
  if (effects !== Number(KILL_AT)) return;
  half();
  process.kill(process.pid, "SIGKILL");
}

const isSecret = (path: unknown): boolean => [CERTS_DIR, KILL_DIR].some((dir) => String(path).startsWith(dir));

function watchFiles(): void {
  const { writeFileSync, renameSync, chownSync, rmSync, fsyncSync, copyFileSync, linkSync, readFileSync } = fs;
  fs.writeFileSync = (path, data, options) => {
    if (isSecret(path)) effect("write", () => writeFileSync(path, String(data).slice(0, 20), { mode: 0o600 }));
    writeFileSync(path, data, options);
  };
  fs.renameSync = (from, to) => {
    if (isSecret(to)) effect("rename");
    renameSync(from, to);
  };
  fs.chownSync = (path, uid, gid) => {
    if (isSecret(path)) effect("chown");
    chownSync(path, uid, gid);
  };
  fs.rmSync = (path, options) => {
    if (isSecret(path)) effect("remove");
    rmSync(path, options);
  };
  fs.copyFileSync = (from, to, mode) => {
    if (isSecret(to)) effect("copy", () => writeFileSync(to, readFileSync(from).subarray(0, 50_000)));
    copyFileSync(from, to, mode);
  };
  fs.linkSync = (from, to) => {
    if (isSecret(to)) effect("link");
    linkSync(from, to);
  };
  fs.fsyncSync = (handle) => {
    effect("sync");
    fsyncSync(handle);
  };
  syncBuiltinESMExports();
}

function watchStatements(): void {
  const prototype = Object.getPrototypeOf(new Sqlite(":memory:").prepare("SELECT 1"));
  const { run } = prototype;
  prototype.run = function (this: { source: string }, ...args: unknown[]) {
    if (/^(BEGIN|COMMIT|UPDATE \w+ SET (former_)?sealed)/.test(this.source))
      effect(this.source.split(" SET ")[0] ?? "");
    return run.apply(this, args);
  };
}

if (isMainThread) {
  watchFiles();
  watchStatements();
}
