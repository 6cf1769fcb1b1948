/** The priority of one thread is lowered, not that of the process. */
import assert from "node:assert/strict";
import { getPriority } from "node:os";
import { test } from "node:test";
import { startThread } from "../../src/lib/thread.ts";

const skip = process.platform === "linux" ? false : "Linux alone has priorities of threads";

test("a thread lowers its own priority and not that of others", { skip }, async () => {
  const before = getPriority(process.pid);
  const thread = startThread(new URL("../support/nice-thread.ts", import.meta.url), null);
  const nice = await new Promise((resolve, reject) => thread.once("message", resolve).once("error", reject));
  assert.equal(nice, Math.max(5, before));
  assert.equal(getPriority(process.pid), before);
});
