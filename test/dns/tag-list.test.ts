/** Tag lists: what is a tag, and what makes a list malformed where it has to be valid as a whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTagList, readTags, tagValue } from "../../src/dns/tag-list.ts";

test("tags are read around parts that are none, and the first of a repeated tag counts", () => {
  const { tags, repeated, malformed } = readTags(" a = 1 ;b=;; c ;=d; a=2; A=3; e=f=g");
  assert.deepEqual(tags, [
    { name: "a", value: "1" },
    { name: "b", value: "" },
    { name: "A", value: "3" },
    { name: "e", value: "f=g" },
  ]);
  assert.deepEqual([repeated, malformed], [["a"], ["c", "=d"]]);
  assert.deepEqual([tagValue(tags, "a"), tagValue(tags, "x")], ["1", null]);
});

test("a list is malformed by a part without a tag, a repeated tag, or more than 50 tags", () => {
  assert.deepEqual(parseTagList("v=DKIM1; p=x;"), {
    type: "tags",
    tags: [
      { name: "v", value: "DKIM1" },
      { name: "p", value: "x" },
    ],
  });
  const long = Array.from({ length: 51 }, (_, i) => `t${i}=1`).join(";");
  for (const [text, detail] of [
    ["v=DKIM1; p", /“p” does not have the form/],
    ["v=DKIM1; v=DKIM1", /v= is repeated/],
    [long, /more than 50/],
  ] as const) {
    const list = parseTagList(text);
    assert.match(list.type === "malformed" ? list.detail : "", detail);
  }
});
