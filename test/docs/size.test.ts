/** The documents stay short enough to be read. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const DOCS = new URL("../../docs/", import.meta.url);
const PAGES_MAX = 30;
const WORDS_MAX = 60_000;

test("there are at most 30 pages and 60,000 words", () => {
  const pages = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
  assert.ok(pages.length <= PAGES_MAX, `${pages.length} pages`);
  const words = pages.map((name) => readFileSync(new URL(name, DOCS), "utf8").match(/\S+/g)?.length ?? 0);
  const total = words.reduce((sum, count) => sum + count, 0);
  assert.ok(total <= WORDS_MAX, `${total} words`);
});
