/** The MIME-Version of a message that was submitted without one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toSevenBit } from "../../../src/message/compose/seven-bit.ts";

const converted = (...lines: string[]): string[] =>
  (toSevenBit(Buffer.from(lines.join("\r\n"))) ?? assert.fail("not converted")).toString("latin1").split("\r\n");

test("a message that gets a transfer encoding gets a MIME-Version", () => {
  assert.deepEqual(converted("From: a@b.example", "", "ü", ""), [
    "From: a@b.example",
    "MIME-Version: 1.0",
    "Content-Transfer-Encoding: base64",
    "",
    "w7wNCg==",
    "",
  ]);
});

test("one that has it keeps it, and parts get none", () => {
  const lines = converted(
    "mime-version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "ü",
    "--b",
    "Content-Type: message/rfc822",
    "",
    "From: a@b.example",
    "",
    "ä",
    "--b--",
    "",
  );
  assert.equal(lines[0], "mime-version: 1.0");
  assert.equal(lines.filter((line) => /^mime-version/i.test(line)).length, 2);
  // That of the attached message.
  assert.equal(lines[lines.indexOf("From: a@b.example") + 1], "MIME-Version: 1.0");
});

test("a message in 7 bits is not changed", () => {
  assert.deepEqual(converted("From: a@b.example", "", "u", ""), ["From: a@b.example", "", "u", ""]);
});
