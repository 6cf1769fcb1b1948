/** The pieces of a release that need no build: manifests, unit, notes, licences, and what a person is told to do. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { licenceDocument, licencesIn } from "../../ops/release/components.ts";
import { notesOf } from "../../ops/release/notes.ts";
import { buildManifest, packageManifest, packageUnit, readManifest } from "../../ops/release/npm-package.ts";
import { publishingDocument } from "../../ops/release/publishing.ts";
import packageJson from "../../package.json" with { type: "json" };
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const { version } = packageJson;
const read = (name: string): string => readFileSync(join(CHECKOUT, name), "utf8");

test("the package depends on the addon without a compiler, and on the one for Node 20 where it can be had", () => {
  const manifest = packageManifest(readManifest(), (name) => `1.0.0-of-${name}`);
  assert.deepEqual(manifest.dependencies, {
    "better-sqlite3-13": "npm:better-sqlite3@1.0.0-of-better-sqlite3-13",
    uplot: "1.0.0-of-uplot",
  });
  assert.deepEqual(manifest.optionalDependencies, { "better-sqlite3": "1.0.0-of-better-sqlite3" });
  const { dependencies } = buildManifest(readManifest());
  assert.ok(!("tsx" in dependencies) && "better-sqlite3-13" in dependencies && "koa" in dependencies);
});

test("a unit of another form is not changed by guess", () => {
  assert.throws(() => packageUnit("ExecStart=node --import tsx src/other.ts"), /is not as expected/);
});

test("the changelog has notes for this version", () => {
  assert.match(
    notesOf(read("CHANGELOG.md"), version),
    new RegExp(`^# Postrider ${version.replaceAll(".", "\\.")}\n\n`),
  );
  const changelog = "# Changelog\n\n## 2.0.0 (2027-01-02)\n\nNew.\n\n### Part\n\nMore.\n\n## 1.0.0\n\nOld.\n";
  assert.equal(notesOf(changelog, "2.0.0"), "# Postrider 2.0.0\n\nNew.\n\n### Part\n\nMore.\n");
  assert.throws(() => notesOf(changelog, "3.0.0"), /no section "## 3\.0\.0"/);
});

test("every file that names the version names this one", () => {
  const lock = JSON.parse(read("package-lock.json")) as { version: string; packages: { "": { version: string } } };
  assert.deepEqual([lock.version, lock.packages[""].version], [version, version]);
  assert.equal(JSON.parse(read("clients/typescript/package.json")).version, version);
  assert.ok(read("clients/python/pyproject.toml").includes(`version = "${version.replace("-rc.", "rc")}"`));
  for (const name of ["compose.yaml", "compose.cluster.yaml"])
    assert.ok(read(name).includes(`\${POSTRIDER_IMAGE:-postrider:${version}}`), name);
});

test("licences with the same text stand together, and a package without one is a fault", (t) => {
  const dir = tempDir(t);
  const add = (name: string, license: string | undefined, text: string): void => {
    const place = join(dir, "node_modules", name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: "1.0.0", license }));
    writeFileSync(join(place, "LICENSE"), text);
  };
  add("one", "MIT", "Do as you like.\n");
  add("@scope/two", "MIT", "Do as you like.\n");
  add("three/node_modules/four", "ISC", "Other words.\n");
  add("three", "ISC", "Third words.\n");
  const document = licenceDocument(licencesIn(dir));
  assert.match(document, /@scope\/two 1\.0\.0\none 1\.0\.0\n\nLicence: MIT\n\nDo as you like\.\n/);
  assert.match(document, /four 1\.0\.0\n\nLicence: ISC\n\nOther words\./);
  add("five", undefined, "");
  assert.throws(() => licencesIn(dir), /five 1\.0\.0 states no licence/);
});

test("the steps of publishing name what was made, what was not, and each image", () => {
  const made = ["it was tried"];
  const images = [`postrider-${version}-amd64.oci.tar`, `postrider-${version}-arm64.oci.tar`];
  const text = publishingDocument({ commit: "c0ffee", made, leftOut: ["arm64: no emulator"] }, images);
  for (const part of ["Built from c0ffee", "- it was tried", "- arm64: no emulator", `oci-archive:${images[1]}`])
    assert.ok(text.includes(part), part);
  const none = publishingDocument({ commit: "c0ffee", made: [], leftOut: [] }, []);
  assert.match(none, /## Left out\n\n- nothing\n/);
  assert.match(none, /none was built/);
});
