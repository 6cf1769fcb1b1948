/** Reads that calls share between two commits. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import { PointReader } from "../../../../../src/spool/engine/sqlite/connection/point-reader.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("calls with the same key share a read until the next commit; a read that fails is repeated", async (t) => {
  const dataDir = tempDir(t);
  const db = openDatabase(dataDir, "write");
  openStore(db);
  const reader = new PointReader(openDatabase(dataDir, "read"), { note: () => {} });
  t.after(() => {
    reader.close();
    db.close();
  });
  let reads = 0;
  const read = reader.cached(
    async (_session, name: string) => {
      reads += 1;
      if (name === "fails") throw new Error("cannot be read");
      return `${name} ${reads}`;
    },
    (name) => name,
  );
  assert.equal(read("a"), read("a"));
  assert.deepEqual(await Promise.all([read("a"), read("b"), read("a")]), ["a 1", "b 2", "a 1"]);
  db.exec("INSERT INTO key_values VALUES ('name', 'text')");
  reader.committed();
  assert.equal(await read("a"), "a 3");
  for (let time = 1; time <= 2; time += 1) await assert.rejects(read("fails"), /cannot be read/);
  assert.equal(reads, 5);
  reader.refuse();
  await assert.rejects(read("a"), SpoolUnavailable);
});
