/** The header for a mail host without SMTPUTF8: ASCII, but for a sender's address that is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAscii } from "../../../src/message/address.ts";
import { HEADER_OCTETS_MAX } from "../../../src/message/content.ts";
import { decodeWords } from "../../../src/message/encoded-words.ts";
import { withAsciiHeader } from "../../../src/message/header/ascii-header.ts";

const BODY = "\r\nBody with ü\r\n";
const FROM = "From: =?UTF-8?Q?J=C3=B6rg?= <hello@shop.example>";

/** The header's fields as a reader shows them, with single spaces. */
function shown(...fields: string[]): string[] {
  const content = withAsciiHeader(Buffer.from(`${[FROM, ...fields].join("\r\n")}\r\n${BODY}`));
  assert.ok(content !== null);
  const text = content.toString();
  assert.ok(text.endsWith(`\r\n${BODY}`), "the body is the same");
  const header = text.slice(0, -BODY.length);
  assert.ok(isAscii(header), header);
  assert.ok(header.startsWith(`${FROM}\r\n`), "From is the same");
  return header
    .slice(FROM.length)
    .replace(/\r\n[ \t]/g, " ")
    .trim()
    .split("\r\n")
    .map((field) => decodeWords(field).replace(/ +/g, " ").trim());
}

test("an address that has no form in ASCII becomes text in every field but From", () => {
  for (const name of [
    "To",
    "Cc",
    "Reply-To",
    "Sender",
    "Resent-From",
    "Resent-To",
    "Disposition-Notification-To",
    "X-Sender",
  ]) {
    assert.deepEqual(shown(`${name}: jörg@customers.example`), [`${name}: jörg@customers.example :;`], name);
    assert.deepEqual(shown(`${name}: Ann <jörg@customers.example>`), [`${name}: Ann jörg@customers.example :;`], name);
  }
});

test("other addresses beside it stay, and so do all other fields", () => {
  assert.deepEqual(
    shown(
      "To: a@customers.example,",
      " jörg@customers.example, Bob <b@customers.example>",
      "Subject: Hello",
      "X-Empty:",
    ),
    ["To: a@customers.example, jörg@customers.example :;, Bob <b@customers.example>", "Subject: Hello", "X-Empty:"],
  );
});

test("a group with such a member becomes one without members, and other groups stay", () => {
  assert.deepEqual(shown("Cc: Team: a@b.example, jörg@b.example;, Staff: c@d.example;"), [
    "Cc: Team a@b.example, jörg@b.example :;, Staff: c@d.example;",
  ]);
  assert.deepEqual(shown("Cc: Team: jörg@b.example"), ["Cc: Team jörg@b.example :;"]);
});

test("a header with a sender's address that has no form in ASCII is not converted", () => {
  assert.equal(withAsciiHeader(Buffer.from(`From: jörg@shop.example\r\nTo: b@customers.example\r\n${BODY}`)), null);
});

test("a header of the greatest length that is accepted is converted", () => {
  const address = `${"ü".repeat(30)}@customers.example`;
  const field = (from: number, count: number): string =>
    `Cc: ${Array.from({ length: count }, (_, index) => `${from + index}${address}`).join(",\r\n ")}`;
  const to = field(0, 2900);
  assert.ok(Buffer.byteLength(to) > HEADER_OCTETS_MAX * 0.9 && Buffer.byteLength(to) < HEADER_OCTETS_MAX);
  assert.match(shown(to)[0] ?? "", /^Cc: 0ü+@customers\.example :;, .*2899ü+@customers\.example :;$/u);
});
