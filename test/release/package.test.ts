/** The npm package: which files it has, and that its command line, sink and service start from these alone. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { licencesIn } from "../../ops/release/components.ts";
import { compileBuild, packPackage, stagePackage } from "../../ops/release/npm-package.ts";
import packageJson from "../../package.json" with { type: "json" };
import { tempDir } from "../support/temp-dir.ts";

const NEEDED = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "ops/install.sh",
  "ops/command.sh",
  "ops/postrider.service",
  "docs/README.md",
  "package.json",
];
const ENTRIES = ["cli", "main", "sink", "demo", "healthcheck", "delivery/signing/signer-thread"];
/** What a secret of Postrider or a key file looks like. */
const SECRET = /svc_(?:live|test)_[A-Za-z0-9_-]{43}|BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]{40}/g;

/** An expression of SPDX: where it is a choice, one licence that asks for no more than a notice is enough. */
const isPermissive = (licence: string): boolean =>
  licence
    .replace(/^\(|\)$/g, "")
    .split(" OR ")
    .some((each) => !/GPL|SSPL|BUSL|UNLICENSED/i.test(each));

test("the package", { timeout: 600_000 }, async (t) => {
  const dir = tempDir(t);
  const [build, stage, app] = [join(dir, "build"), join(dir, "package"), join(dir, "app")];
  compileBuild(build);
  await stagePackage(build, stage);
  const files = packPackage(stage, dir);
  mkdirSync(app);
  execFileSync("tar", ["-xzf", join(dir, `postrider-${packageJson.version}.tgz`), "-C", app]);
  const unpacked = join(app, "package");

  await t.test("has what it needs, and no test, source or secret", () => {
    for (const file of [...NEEDED, ...ENTRIES.map((entry) => `dist/${entry}.js`)])
      assert.ok(files.includes(file), file);
    const others = files.filter((file) => !NEEDED.includes(file) && !/^(dist|ops|docs)\//.test(file));
    assert.deepEqual(others, []);
    assert.deepEqual(
      files.filter((file) => /\.tsx?$|(^|\/)test\/|\.test\.|\.env$|\.key$|\.db$/.test(file)),
      [],
    );
    for (const file of files) {
      const found = readFileSync(join(unpacked, file), "utf8").match(SECRET) ?? [];
      assert.deepEqual(
        found.filter((secret) => !secret.includes("EXAMPLE-EXAMPLE")),
        [],
        file,
      );
    }
    assert.notEqual(statSync(join(unpacked, "dist/cli.js")).mode & 0o100, 0);
  });

  await t.test("depends on what cannot be bundled, and has no script", () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
    assert.deepEqual(Object.keys(manifest.dependencies), ["better-sqlite3-13", "uplot"]);
    assert.deepEqual(Object.keys(manifest.optionalDependencies), ["better-sqlite3"]);
    assert.equal(manifest.version, packageJson.version);
    assert.equal(manifest.bin.postrider, "dist/cli.js");
    assert.ok(!("scripts" in manifest) && !("private" in manifest) && !("devDependencies" in manifest));
  });

  await t.test("shows its help and version with its files alone", () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(unpacked, "dist/cli.js"), ...args], { encoding: "utf8", cwd: app });
    assert.ok(!existsSync(join(unpacked, "node_modules")));
    const help = run();
    assert.deepEqual([help.status, help.stderr], [0, ""]);
    for (const command of ["preflight", "demo", "sink"]) assert.match(help.stdout, new RegExp(`^  ${command} `, "m"));
    assert.equal(run("--version").stdout, `${packageJson.version}\n`);
    assert.match(run("sink", "--port", "many").stderr, /^sink: --port many is not a port number\n$/);
  });

  await t.test("runs the demo with the addon for SQLite", () => {
    // The build's dependencies were installed without running scripts; those of the checkout load on this Node.
    symlinkSync(join(import.meta.dirname, "../../node_modules"), join(app, "node_modules"));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(unpacked, "dist/cli.js"), "demo"], {
      encoding: "utf8",
      cwd: app,
    });
    assert.deepEqual([status, stderr], [0, ""], stdout);
    assert.match(stdout, /✔ All results are as expected\.\n$/);
  });

  await t.test("proves on the disk that mail survives kills", () => {
    const args = ["prove", "--minutes", "0.05", "--dir", app, "--json"];
    const { stdout, stderr } = spawnSync(process.execPath, [join(unpacked, "dist/cli.js"), ...args], {
      encoding: "utf8",
      cwd: app,
    });
    const proof = JSON.parse(stdout || assert.fail(stderr));
    assert.ok(proof.accepted > 0);
    assert.deepEqual([proof.lost, proof.doubled], [[], []], stdout);
  });

  await t.test("states the licence of each dependency, none of which asks for more than a notice", () => {
    const licences = licencesIn(build);
    assert.ok(licences.some(({ component }) => component.startsWith("better-sqlite3 13")));
    assert.deepEqual(
      licences.filter(({ component, licence }) => component === "" || !isPermissive(licence)),
      [],
    );
  });
});
