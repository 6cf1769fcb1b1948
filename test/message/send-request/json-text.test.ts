/** Texts that would block the parser are detected before parsing; other large texts are not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { JSON_PARTS_MAX, parseJson } from "../../../src/message/send-request/json-text.ts";

function hasTooMany(json: string): boolean {
  const parsed = parseJson(Buffer.from(json));
  if (parsed.type !== "invalid" || parsed.code !== "invalid_request") return false;
  return parsed.errors.some(({ detail }) => detail.startsWith("The body has more than"));
}

test("too many arrays, objects or entries, terminated or not", () => {
  for (const part of ["[", '{"a":', "[],", "{},", "1,", '"",', '"\\"",', '"\\\\",', '"é":1,'])
    assert.equal(hasTooMany(`${part.repeat(JSON_PARTS_MAX + 1)}`), true, part);
  assert.equal(hasTooMany(`[${"[".repeat(JSON_PARTS_MAX)}`), true);
  assert.equal(hasTooMany(`[${"1,".repeat(JSON_PARTS_MAX - 1)}1]`), false, "exactly the maximum");
  assert.equal(hasTooMany(`[${"1,".repeat(JSON_PARTS_MAX)}1]`), true, "one more");
});

test("brackets and commas in strings do not count, however they are escaped", () => {
  for (const text of ["[{,", '"[', '\\"[,', "\\[", "\\\\", "[\n", "ü[😀,"]) {
    const body = JSON.stringify({ text: text.repeat(JSON_PARTS_MAX) });
    assert.equal(hasTooMany(body), false, text);
    assert.equal(hasTooMany(`${body.slice(0, -1)},"to":[${"1,".repeat(JSON_PARTS_MAX)}1]}`), true, `beside ${text}`);
  }
  assert.equal(
    hasTooMany(`"${"[".repeat(JSON_PARTS_MAX + 1)}`),
    false,
    "an unterminated string is rejected by the parser",
  );
});

test("the maximum number of entries in every field is allowed", () => {
  const to = Array.from({ length: 10_000 }, (_, i) => `user-${i}@customers.example`);
  const named = Object.fromEntries(to.map((name) => [name, "a, [b] and {c}"]));
  assert.equal(
    hasTooMany(JSON.stringify({ to, cc: to, bcc: to, reply_to: to, tags: to, headers: named, metadata: named })),
    false,
  );
});
