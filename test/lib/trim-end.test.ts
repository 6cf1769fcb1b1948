import assert from "node:assert/strict";
import { test } from "node:test";
import { trimEndOf } from "../../src/lib/trim-end.ts";

test("trims the given characters at the end alone", () => {
  assert.equal(trimEndOf("; a; b ;; ", "; "), "; a; b");
  assert.equal(trimEndOf("https://a//", "/"), "https://a");
  assert.equal(trimEndOf("///", "/"), "");
  assert.equal(trimEndOf("a", "/"), "a");
  assert.equal(trimEndOf("", "/"), "");
});
