/** Long requests in a limited heap: a thread that runs out of heap ends the process. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { LOADER } from "../../support/program.ts";

/** 25 % more than parsing needs: V8 stores the JSON text and the text in it, with two bytes a character if any needs two. */
const HEAP_MB = 44;

for (const [width, last] of [
  ["one byte", ""],
  ["two bytes", "€"],
] as const) {
  test(`a text of 10 MB in ${width} a character is composed in ${HEAP_MB} MB of heap`, async (t) => {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
    const program = fileURLToPath(new URL(`../small-heap${extension}`, import.meta.url));
    const execArgv = [...LOADER, `--max-old-space-size=${HEAP_MB}`];
    const child = fork(program, [last], { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    t.after(() => child.kill());
    let errors = "";
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    const [code, signal] = await once(child, "close");
    assert.deepEqual([code, signal], [0, null], errors.slice(0, 2000));
  });
}
