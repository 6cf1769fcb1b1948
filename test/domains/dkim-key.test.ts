import assert from "node:assert/strict";
import { it } from "node:test";
import { generateDkimKey, isGeneratedSelector } from "../../src/domains/dkim-key.ts";

it("a generated selector is recognised, others are not", async () => {
  assert.equal(isGeneratedSelector((await generateDkimKey()).selector), true);
  for (const other of ["", "google", "pr", "pr0123abcde", "PR0123abcd", "pr0123abcd.x"]) {
    assert.equal(isGeneratedSelector(other), false, other);
  }
});
