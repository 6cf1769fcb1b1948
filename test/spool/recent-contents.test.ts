/** Contents kept for the first attempt: bounded, handed out once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentContents } from "../../src/spool/sqlite/recent-contents.ts";

const MB = 1024 * 1024;

test("beyond 24 MiB the oldest goes, and what is put twice counts once", () => {
  const recent = new RecentContents();
  const content = Buffer.alloc(5 * MB);
  for (let times = 0; times < 6; times++) recent.put("again", content);
  for (const id of ["a", "b", "c"]) recent.put(id, content);
  assert.equal(recent.take("again"), content, "four times 5 MiB fit");
  for (const id of ["d", "e"]) recent.put(id, content);
  assert.equal(recent.take("a"), null);
  assert.equal(recent.take("e"), content);
  assert.equal(recent.take("e"), null);
});
