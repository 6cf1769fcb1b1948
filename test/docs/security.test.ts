/** The tests that test/security/THREATS.md refers to exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("every test named in the threat model exists", () => {
  const root = new URL("../../", import.meta.url);
  const text = readFileSync(new URL("test/security/THREATS.md", root), "utf8");
  const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((path) => !existsSync(new URL(path, root))),
    [],
  );
});
