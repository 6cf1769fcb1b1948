/** Text for a terminal: no control characters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeJson, sanitizeLine, sanitizeLines } from "../../src/lib/terminal-text.ts";

test("escapeJson keeps the value and has no control character", () => {
  const value = { subject: "\u001b[2J\u009b\u007f\u202e\nGrüße ✓ 😀" };
  const json = escapeJson(JSON.stringify(value, null, 2));
  assert.doesNotMatch(json.replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
  assert.deepEqual(JSON.parse(json), value);
});

test("line feeds are kept by sanitizeLines and replaced by sanitizeLine", () => {
  assert.equal(sanitizeLine("a\nb\tc"), "a\uFFFDb\uFFFDc");
  assert.equal(sanitizeLines("a\n\u001bb"), "a\n\uFFFDb");
  assert.equal(sanitizeLine("Grüße ✓ 😀 日本語"), "Grüße ✓ 😀 日本語");
});
