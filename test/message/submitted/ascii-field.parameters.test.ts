/** Parameters of header fields that are not ASCII. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inAscii } from "../../../src/message/submitted/ascii-field.ts";
import { headerFields } from "../../../src/message/submitted/header-fields.ts";

function written(field: string): string {
  const header = headerFields(Buffer.from(`${field}\r\n\r\n`));
  assert.ok(header.type === "valid" && header.fields[0] !== undefined);
  return inAscii(header.fields[0]);
}

test("a file name is encoded as RFC 2231 has it, and all around it stays", () => {
  assert.equal(
    written('Content-Disposition: attachment;\r\n\tfilename="a (ü\\"!).pdf"; x="1"'),
    "Content-Disposition: attachment;\r\n\tfilename*=utf-8''a%20%28%C3%BC%22%21%29.pdf; x=\"1\"\r\n",
  );
  assert.equal(written('content-type: image/png; name="ä"'), "content-type: image/png; name*=utf-8''%C3%A4\r\n");
});

test("a parameter that is not quoted, and a Message-ID, stay", () => {
  for (const field of ["Content-Disposition: attachment; filename=ü.pdf", "Message-ID: <ü@shop.example>"]) {
    assert.equal(written(field), `${field}\r\n`);
  }
});

test("a long value is continued on further lines", () => {
  const name = "ж".repeat(240);
  const text = written(`Content-Disposition: attachment; filename="${name}.pdf"; size=1`);
  for (const line of text.split("\r\n")) assert.ok(line.length <= 998, line);
  const pieces = [...text.matchAll(/;\r\n filename\*(\d+)\*=(?:utf-8'')?([^;\r]*)/g)];
  assert.deepEqual(
    pieces.map(([, number]) => number),
    pieces.map((_, i) => String(i)),
  );
  assert.equal(decodeURIComponent(pieces.map(([, , piece]) => piece).join("")), `${name}.pdf`);
  assert.match(text, /^Content-Disposition: attachment;\r\n filename\*0\*=utf-8''%D0%B6/);
  assert.match(text, /; size=1\r\n$/);
});
