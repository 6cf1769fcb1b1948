/** Texts that would hold up the parser are known before it sees them; large ones that would not are let through. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasTooManyParts, JSON_PARTS_MAX } from "../../src/message/json-text.ts";

const MOST = JSON_PARTS_MAX;
const of = (json: string): boolean => hasTooManyParts(Buffer.from(json));

test("too many lists, objects or entries, whether or not they end", () => {
  for (const part of ["[", '{"a":', "[],", "{},", "1,", '"",', '"\\"",', '"\\\\",', '"é":1,'])
    assert.equal(of(`${part.repeat(MOST + 1)}`), true, part);
  assert.equal(of(`[${"[".repeat(MOST)}`), true);
  assert.equal(of(`[${"1,".repeat(MOST - 1)}1]`), false, "exactly as many as may be");
  assert.equal(of(`[${"1,".repeat(MOST)}1]`), true, "one more");
});

test("what stands in a string is no part, however it is escaped", () => {
  for (const text of ["[{,", '"[', '\\"[,', "\\[", "\\\\", "[\n", "ü[😀,"]) {
    const body = JSON.stringify({ text: text.repeat(MOST) });
    assert.equal(of(body), false, text);
    assert.equal(of(`${body.slice(0, -1)},"to":[${"1,".repeat(MOST)}1]}`), true, `beside ${text}`);
  }
  assert.equal(of(`"${"[".repeat(MOST + 1)}`), false, "a string without an end is the parser's to refuse");
});

test("as many entries as fields may have", () => {
  const to = Array.from({ length: 10_000 }, (_, i) => `user-${i}@customers.example`);
  const named = Object.fromEntries(to.map((name) => [name, "a, [b] and {c}"]));
  assert.equal(
    of(JSON.stringify({ to, cc: to, bcc: to, reply_to: to, tags: to, headers: named, metadata: named })),
    false,
  );
});
