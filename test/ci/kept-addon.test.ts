/** ops/keep-addon.js: the next `npm ci` restores a compiled addon without a compiler. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../support/temp-dir.ts";

const require = createRequire(import.meta.url);
const keepAddon = fileURLToPath(new URL("../../ops/keep-addon.js", import.meta.url));
const installerConfig = fileURLToPath(new URL("../../.prebuild-installrc", import.meta.url));
const released = dirname(require.resolve("better-sqlite3/package.json"));
const installer = createRequire(join(released, "package.json")).resolve("prebuild-install/bin.js");
const compiled = join(released, "build", "Release", "better_sqlite3.node");

/** Any binary that this Node loads: if 12 was not compiled, the one of 13. */
function loadableBinary(): string {
  if (existsSync(compiled)) return compiled;
  const name = `${process.platform}-${process.arch}.node`;
  return join(dirname(require.resolve("better-sqlite3-13/package.json")), "prebuilds", name);
}

function checkout(t: TestContext): { root: string; addon: string; binary: string } {
  const root = tempDir(t);
  const addon = join(root, "node_modules", "better-sqlite3");
  mkdirSync(addon, { recursive: true });
  cpSync(join(released, "package.json"), join(addon, "package.json"));
  cpSync(installerConfig, join(root, ".prebuild-installrc"));
  return { root, addon, binary: join(addon, "build", "Release", "better_sqlite3.node") };
}

/** Without a kept addon the installer would download; nothing listens at this address. */
const env = { ...process.env, npm_config_better_sqlite3_binary_host: "http://127.0.0.1:9" };
const install = (addon: string) => execFileSync(process.execPath, [installer], { cwd: addon, env, stdio: "ignore" });

test("a compiled addon is kept and used by the installer", (t) => {
  const { root, addon, binary } = checkout(t);
  mkdirSync(dirname(binary), { recursive: true });
  cpSync(loadableBinary(), binary);
  writeFileSync(join(addon, "build", "Makefile"), "");

  execFileSync(process.execPath, [keepAddon], { cwd: root });
  rmSync(join(addon, "build"), { recursive: true });
  install(addon);
  assert.deepEqual(readFileSync(binary), readFileSync(loadableBinary()));

  // A restored addon is not packed again.
  const kept = join(root, ".prebuilds");
  const [archive] = readdirSync(kept);
  rmSync(join(kept, String(archive)));
  execFileSync(process.execPath, [keepAddon], { cwd: root });
  assert.deepEqual(readdirSync(kept), []);
});

test("if nothing was compiled or nothing can be kept, the installation continues", (t) => {
  const { root, addon, binary } = checkout(t);
  execFileSync(process.execPath, [keepAddon], { cwd: root });
  assert.equal(existsSync(join(root, ".prebuilds")), false);

  mkdirSync(dirname(binary), { recursive: true });
  writeFileSync(binary, "");
  writeFileSync(join(addon, "build", "Makefile"), "");
  writeFileSync(join(root, ".prebuilds"), "a file in place of the folder");
  execFileSync(process.execPath, [keepAddon], { cwd: root, stdio: "ignore" });
});
