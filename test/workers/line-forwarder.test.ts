/** Lines of several writers in one stream. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { forwardLines } from "../../src/workers/line-forwarder.ts";

test("whole lines are forwarded, however they are split, and an incomplete last one at the end", async () => {
  const written: string[] = [];
  const from = new PassThrough();
  forwardLines(from, (lines) => void written.push(lines));
  const bytes = Buffer.from("first\nsécond\nthird\n\nfifth");
  for (const byte of bytes) {
    from.write(Buffer.of(byte));
    assert.ok(written.every((lines) => lines.endsWith("\n")));
  }
  from.end();
  await once(from, "end");
  assert.equal(written.join(""), "first\nsécond\nthird\n\nfifth\n");
});

test("lines that arrive together are written together, before the beginning of the next one", async () => {
  const written: string[] = [];
  const from = new PassThrough();
  forwardLines(from, (lines) => void written.push(lines));
  for (const chunk of ["a\nb\nc", "", "d\n"]) {
    from.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  from.end();
  await once(from, "end");
  assert.deepEqual(written, ["a\nb\n", "cd\n"]);
});
