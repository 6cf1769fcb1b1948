import assert from "node:assert/strict";
import { test } from "node:test";
import { findText, plainText, textPatterns } from "../../../src/message/result/text-patterns.ts";

const found = (texts: string[], text: string) => findText(textPatterns(texts), plainText(text));

test("a text is found in any case and with any white space, the first of the table first", () => {
  assert.equal(found(["user unknown"], "Sorry, USER \r\n\tUnknown."), "user unknown");
  assert.equal(found(["b is here", "a is here"], "a is here, b is here"), "b is here");
  assert.equal(found(["user unknown"], "the user is unknown"), null);
});

test("a star matches up to 60 characters, and a number sign a number", () => {
  assert.equal(found(["mailbox * full"], "mailbox of ann is full"), "mailbox of ann is full");
  assert.equal(found(["mailbox * full"], `mailbox ${"x".repeat(61)} full`), null);
  assert.equal(found(["failed # attempts"], "failed 20 attempts"), "failed 20 attempts");
  assert.equal(found(["failed # attempts"], "failed some attempts"), null);
});

test("punctuation stands for itself", () => {
  assert.equal(found(["[ts0", "(s3140)"], "see (S3140)"), "(s3140)");
  assert.equal(found(["a.b * c"], "axb y c"), null);
});

test("short texts match whole words only", () => {
  assert.equal(found(["rbl"], "listed in RBL."), "rbl");
  assert.equal(found(["rbl"], "curblanguage"), null);
});

test("a run of fragments of the patterns takes linear time", () => {
  const patterns = textPatterns(["mailbox * full", "exceeded * quota", "attempt to deliver * again"]);
  for (const fragment of ["mailbox ", "exceeded ", "attempt to deliver "]) {
    assert.equal(findText(patterns, fragment.repeat(100_000)), null);
  }
});
