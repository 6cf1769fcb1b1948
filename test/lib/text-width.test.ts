/** The width of text on a terminal. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { padToWidth, textWidth } from "../../src/lib/text-width.ts";

it("counts wide characters twice, and combining ones not at all", () => {
  const widths: [string, number][] = [
    ["", 0],
    ["plain text", 10],
    ["Köln", 4],
    ["Ko\u0308ln", 4],
    ["日本語", 6],
    ["한국어", 6],
    ["ｆｕｌｌ", 8],
    ["👍", 2],
    ["👩‍💻", 2],
    ["🇩🇪", 2],
    ["☎", 1],
    ["☎\uFE0F", 2],
    ["e\u0301\u0323", 1],
    ["a\u200Db", 2],
    ["क्षि", 1],
    ["𠀀", 2],
    ["…→“”", 4],
  ];
  for (const [text, columns] of widths) assert.equal(textWidth(text), columns, JSON.stringify(text));
});

it("pads to a width, and never cuts", () => {
  assert.equal(padToWidth("日本", 6), "日本  ");
  assert.equal(padToWidth("日本", 2), "日本");
});
