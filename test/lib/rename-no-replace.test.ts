/** Renames without replacing a file, on file systems with and without hard links. */
import assert from "node:assert/strict";
import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { renameNoReplace } from "../../src/lib/rename-no-replace.ts";
import { installMasterKey } from "../../src/security/vault.ts";
import { makeBackup } from "../../src/spool/engine/sqlite/files/backup.ts";
import { readBackup, restoreBackup } from "../../src/spool/engine/sqlite/files/restore.ts";
import { fillSpool, NOW_MS, openSpool } from "../support/damaged-spool.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Makes links fail until the test ends, as on file systems without hard links. */
function withoutLinks(t: TestContext, code: string): void {
  t.mock.method(fs, "linkSync", () => {
    throw Object.assign(new Error(`${code}: link`), { code });
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

for (const code of ["", "EPERM", "ENOTSUP", "ENOSYS"]) {
  test(`renames to a free name, and leaves an existing file unchanged (${code || "with links"})`, (t) => {
    const [draft, file] = [join(tempDir(t), "draft"), join(tempDir(t), "file")];
    if (code !== "") withoutLinks(t, code);
    writeFileSync(draft, "first");
    renameNoReplace(draft, file);
    const second = `${draft}.second`;
    writeFileSync(second, "second");
    assert.throws(() => renameNoReplace(second, file), { code: "EEXIST" });
    assert.deepEqual([readFileSync(file, "utf8"), readFileSync(second, "utf8")], ["first", "second"]);
  });
}

test("rethrows errors that are not about links", (t) => {
  assert.throws(() => renameNoReplace(join(tempDir(t), "none"), join(tempDir(t), "file")), { code: "ENOENT" });
});

test("a backup, its restore and the master key work on a file system without hard links", async (t) => {
  const dir = tempDir(t);
  const [dataDir, other, certs] = ["data", "other", "certs"].map((name) => join(dir, name)) as [string, string, string];
  const spool = await openSpool(dataDir);
  const ids = await fillSpool(spool, { count: 3 });
  await spool.close();
  withoutLinks(t, "EPERM");
  const file = join(dir, "backup");
  const options = { dataDir, file, nowMs: NOW_MS, masterKey: "key" };
  assert.ok(makeBackup(options) > 0);
  assert.throws(() => makeBackup(options), { code: "EEXIST" });
  assert.ok(!existsSync(`${file}.partial`));
  assert.equal(readBackup(file)?.masterKey, "key");
  mkdirSync(other);
  restoreBackup({ file, dataDir: other, beforePlacing: () => {} });
  const restored = await openSpool(other);
  t.after(() => restored.close());
  assert.equal((await restored.report(ids[2] ?? ""))?.id, ids[2]);
  mkdirSync(certs);
  installMasterKey(certs, "a key\n");
  installMasterKey(certs, "another\n");
  assert.equal(readFileSync(join(certs, "master.key"), "utf8"), "a key\n");
});
