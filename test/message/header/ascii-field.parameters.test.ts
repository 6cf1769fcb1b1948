/** Parameters of header fields that are not ASCII. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inAscii } from "../../../src/message/header/ascii-field.ts";
import { headerFields } from "../../../src/message/header/header-fields.ts";

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

test("a name is encoded however it is written", () => {
  const cases: [written: string, sent: string][] = [
    ["attachment; filename=ü.pdf", "attachment; filename*=utf-8''%C3%BC.pdf"],
    ['attachment; filename = "ü.pdf"', "attachment; filename*=utf-8''%C3%BC.pdf"],
    [
      "attachment;\r\n\tfilename\r\n =\r\n ü (1).pdf ; size=1",
      "attachment;\r\n\tfilename*=utf-8''%C3%BC%20%281%29.pdf ; size=1",
    ],
    ["attachment; filename=ü.pdf (a; b)", "attachment; filename*=utf-8''%C3%BC.pdf"],
    ["attachment; filename=ü(1).pdf", "attachment; filename*=utf-8''%C3%BC%281%29.pdf"],
    ["attachment; filename=Über uns.pdf", "attachment; filename*=utf-8''%C3%9Cber%20uns.pdf"],
    ['attachment; filename="a;\r\n ü"', "attachment; filename*=utf-8''a%3B%20%C3%BC"],
    ['attachment (x;y); FileName(a;b)=(c)"ü"', "attachment (x;y); filename*=utf-8''%C3%BC"],
    ["attachment; filename*=utf-8''ü.pdf", "attachment; filename*=utf-8''%C3%BC.pdf"],
    [`attachment; filename="ü.pdf"; filename*=utf-8''%C3%BC.pdf`, "attachment; filename*=utf-8''%C3%BC.pdf"],
    ['attachment; filename*0="ü "; filename*1="b"; size=1', "attachment; filename*=utf-8''%C3%BC%20b; size=1"],
    [`attachment; filename*1="ß"; filename*0*=utf-8'de'%C3%BC`, "attachment; filename*=utf-8''%C3%BC%C3%9F"],
    ['attachment; filename="ü', "attachment; filename*=utf-8''%22%C3%BC"],
    ["", ""],
  ];
  for (const [value, expected] of cases) {
    assert.equal(written(`Content-Disposition: ${value}`), `Content-Disposition: ${expected}\r\n`);
  }
});

test("text that is no value of a parameter is ASCII too: a comment in encoded words, all else in octets", () => {
  assert.equal(
    written('Content-Type: text/plain (für alle); charset=utf-8; ü; x="a"'),
    'Content-Type: text/plain (=?UTF-8?Q?f=C3=BCr_alle?=); charset=utf-8; %C3%BC; x="a"\r\n',
  );
  // A name outside ASCII included, whatever its value is.
  assert.equal(
    written('Content-Disposition: attachment; größe=1; größe="ü"; größe*0*=a'),
    'Content-Disposition: attachment; gr%C3%B6%C3%9Fe=1; gr%C3%B6%C3%9Fe="%C3%BC"; gr%C3%B6%C3%9Fe*0*=a\r\n',
  );
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
  assert.match(text, /;\r\n size=1\r\n$/);
});
