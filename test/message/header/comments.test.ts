/** Comments of a structured field, and the text between them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { splitComments } from "../../../src/message/header/comments.ts";

/** Each piece, a comment marked with "#". */
const split = (value: string): string[] | null =>
  splitComments(value)?.map(({ text, isComment }) => (isComment ? `#${text}` : text)) ?? null;

test("a value is split at its comments, which may be nested", () => {
  assert.deepEqual(split("a b"), ["a b"]);
  assert.deepEqual(split("(a)"), ["#(a)"]);
  assert.deepEqual(split("(a)(b)"), ["#(a)", "#(b)"]);
  assert.deepEqual(split("x (a (b) c) y) z"), ["x ", "#(a (b) c)", " y) z"]);
});

test("parentheses in quoted strings are text, quotes in comments are not, and a backslash escapes in both", () => {
  assert.deepEqual(split('"(" (a) "\\"("'), ['"(" ', "#(a)", ' "\\"("']);
  assert.deepEqual(split('(") <a@b> (") c'), ['#(")', " <a@b> ", '#(")', " c"]);
  assert.deepEqual(split("(a\\)\\\\) b"), ["#(a\\)\\\\)", " b"]);
  assert.deepEqual(split("\\(a) b"), ["\\", "#(a)", " b"]);
});

test("what does not end is null", () => {
  for (const value of ["(", "a (b", "((a)", "(a\\)", "(a\\", '(a) "b']) assert.equal(split(value), null, value);
});
