import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isResourceShortage } from "../../src/lib/resource-shortage.ts";
import { startThread } from "../../src/lib/thread.ts";
import { CHECKOUT } from "../support/program.ts";

test("an uncaught error in a thread reaches the parent with its message and code", async () => {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
    startThread(new URL("../support/failing-thread.ts", import.meta.url), null).once("error", resolve);
  });
  assert.deepEqual([error.message, error.code], ["database disk image is malformed", "SQLITE_CORRUPT"]);
  assert.ok(!isResourceShortage(error));
});

test("every thread reports its uncaught errors this way", () => {
  const files = readdirSync(join(CHECKOUT, "src"), { recursive: true, encoding: "utf8" });
  const threads = files.filter((name) => /(^|[/-])thread\.ts$/.test(name) && name !== join("lib", "thread.ts"));
  assert.ok(threads.length >= 6);
  for (const name of threads) {
    assert.match(readFileSync(join(CHECKOUT, "src", name), "utf8"), /^reportUncaughtErrors\(\);$/m, name);
  }
});

test("a thread whose files cannot be loaded is a shortage, whatever its error says", async () => {
  const error = await new Promise<Error>((resolve) => {
    startThread(new URL("../support/missing-thread.ts", import.meta.url), null).once("error", resolve);
  });
  assert.match(error.message, /^a thread could not load its files: /);
  assert.ok(isResourceShortage(error));
});

test("a thread that does not load its files in time is given up, and is a shortage too", async () => {
  const error = await new Promise<Error>((resolve) => {
    startThread(new URL("../support/stuck-thread.ts", import.meta.url), null, undefined, 500).once("error", resolve);
  });
  assert.equal(error.message, "a thread could not load its files: it took longer than 0.5 s");
  assert.ok(isResourceShortage(error));
});
