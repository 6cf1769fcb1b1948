/** Text for a terminal: no control characters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inJson, inLine, inLines } from "../../src/lib/terminal-text.ts";

test("inJson keeps the value and has no control character", () => {
  const value = { subject: "\u001b[2J\u009b\u007f\u202e\nGrüße ✓ 😀" };
  const json = inJson(JSON.stringify(value, null, 2));
  assert.doesNotMatch(json.replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
  assert.deepEqual(JSON.parse(json), value);
});

test("line feeds are kept by inLines and replaced by inLine", () => {
  assert.equal(inLine("a\nb\tc"), "a\uFFFDb\uFFFDc");
  assert.equal(inLines("a\n\u001bb"), "a\n\uFFFDb");
  assert.equal(inLine("Grüße ✓ 😀 日本語"), "Grüße ✓ 😀 日本語");
});
