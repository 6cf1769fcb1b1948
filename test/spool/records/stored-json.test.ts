import assert from "node:assert/strict";
import { it } from "node:test";
import { isObject, isReply, isTexts, soundJson } from "../../../src/spool/records/stored-json.ts";

it("decodes a value that is sound, and returns null for any other text", () => {
  assert.deepEqual(soundJson('["a","b"]', isTexts), ["a", "b"]);
  for (const text of ['["a",1]', '{"a":"b"}', "[", "", null]) assert.equal(soundJson(text, isTexts), null);
});

it("distinguishes objects from arrays and null, and replies by their code and text", () => {
  assert.deepEqual([{}, [], null, "a"].map(isObject), [true, false, false, false]);
  assert.equal(isReply({ code: 550, message: "No such user" }), true);
  for (const value of [{ code: "550", message: "No" }, { code: 550 }, [], null]) assert.equal(isReply(value), false);
});
