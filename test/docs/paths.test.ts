/** The files and directories that the contributors' documents name exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { CHECKOUT } from "../support/program.ts";

/**
 * Code spans that look like a path. A bare file name is at the root of src/, or beside the path named before it; another path may begin in
 * the folder named before it.
 */
function pathsIn(document: string): string[][] {
  const text = readFileSync(join(CHECKOUT, document), "utf8").replace(/```[\s\S]*?```/g, "");
  const spans = [...text.matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)].map(([, path]) => path ?? "");
  let dir = "";
  let folder = "";
  return spans.map((path) => {
    if (!path.includes("/")) return [path, dir + path];
    const candidates = [path, folder + path];
    if (path.endsWith("/")) folder = path;
    dir = path.endsWith("/") ? path : `${dirname(path)}/`;
    return candidates;
  });
}

const exists = (path: string): boolean => existsSync(join(CHECKOUT, path)) || existsSync(join(CHECKOUT, "src", path));
const isPattern = (path = ""): boolean => path.includes("TOPIC");

for (const document of ["docs/ARCHITECTURE.md", "CONTRIBUTING.md"]) {
  test(`the paths that ${document} names exist`, () => {
    const paths = pathsIn(document).filter(([path]) => !isPattern(path));
    assert.ok(paths.length > 20);
    assert.deepEqual(
      paths.filter((candidates) => !candidates.some(exists)),
      [],
    );
  });
}
