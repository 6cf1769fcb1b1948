import assert from "node:assert/strict";
import { it } from "node:test";
import { metadataOf, tagsOf } from "../../../src/spool/records/message-labels.ts";

it("decodes tags and metadata", () => {
  assert.deepEqual(tagsOf('["a","b"]'), ["a", "b"]);
  assert.deepEqual(metadataOf('{"order":"7"}'), { order: "7" });
});

it("reads what is absent or cannot be decoded as none", () => {
  for (const json of [null, "[1]", "{", '"a"']) assert.deepEqual(tagsOf(json), []);
  for (const json of [null, '{"order":7}', "[]", "{"]) assert.deepEqual(metadataOf(json), {});
});
