/** Creates a directory that is removed after the test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "postrider-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
