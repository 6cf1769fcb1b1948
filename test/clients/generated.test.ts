/** The generated files of the clients are those that the document gives, and the packages are of this version. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generatedClients } from "../../clients/generate/outputs.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { CHECKOUT } from "../support/program.ts";

const read = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");

test("the committed files are those that `npm run clients` writes", () => {
  for (const [path, text] of generatedClients()) assert.ok(read(path) === text, `${path}: run npm run clients`);
});

test("each operation is a method of both clients", () => {
  const paths = openApiDocument().paths as Record<string, Record<string, { operationId: string }>>;
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  assert.ok(ids.length > 60);
  const typescript = read("clients/typescript/src/generated/operations.ts");
  const python = read("clients/python/postrider/_operations.py");
  for (const id of ids) {
    assert.ok(typescript.includes(`\n  ${id}(`), id);
    assert.ok(python.includes(`\n    def ${id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}(\n`), id);
  }
});

test("the packages have the version and the licence of the project", () => {
  const { version, license } = JSON.parse(read("package.json"));
  const npm = JSON.parse(read("clients/typescript/package.json"));
  assert.deepEqual([npm.version, npm.license, npm.dependencies], [version, license, undefined]);
  const python = read("clients/python/pyproject.toml");
  // PEP 440 writes a pre-release without the signs.
  assert.match(python, new RegExp(`^version = "${version.replace(/-rc\.(\d+)$/, "rc$1")}"$`, "m"));
  assert.match(python, new RegExp(`^license = \\{ text = "${license}" \\}$`, "m"));
  for (const client of ["typescript", "python"]) assert.equal(read(`clients/${client}/LICENSE`), read("LICENSE"));
});
