import assert from "node:assert/strict";
import { test } from "node:test";
import { isResourceShortage } from "../../src/lib/resource-shortage.ts";

const coded = (code: string, cause?: unknown): Error => Object.assign(new Error("x", { cause }), { code });

test("out of descriptors, buffers or memory, also as the cause of another error, is a shortage", () => {
  for (const code of ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "ERR_WORKER_INIT_FAILED"]) {
    assert.equal(isResourceShortage(coded(code)), true, code);
    assert.equal(isResourceShortage(coded("E_OTHER", coded(code))), true, code);
  }
  for (const error of [coded("ENOENT"), new Error("EMFILE"), null, undefined, "EMFILE", 24]) {
    assert.equal(isResourceShortage(error), false);
  }
});
