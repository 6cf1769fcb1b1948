/** A message in 7 bits: 8-bit parts become base64, all others stay, and a structure that does not allow it is not converted. */
import assert from "node:assert/strict";
import { isAscii } from "node:buffer";
import { describe, it } from "node:test";
import { toSevenBit } from "../../../src/message/compose/seven-bit.ts";
import { type Part, partOf } from "../../support/mime.ts";

const lines = (...each: string[]): Buffer => Buffer.from(each.map((line) => `${line}\r\n`).join(""));

function converted(message: Buffer): Buffer {
  const result = toSevenBit(message);
  assert.ok(result !== null, message.toString());
  assert.ok(isAscii(result), result.toString());
  assert.doesNotMatch(result.toString(), /(?<!\r)\n|\r(?!\n)/);
  return result;
}

const encodingOf = ({ fields }: Part): string | undefined => fields.get("content-transfer-encoding");
const HEADER = ["From: a@shop.example", "MIME-Version: 1.0"];

describe("a message with an 8-bit body", () => {
  it("becomes base64, whatever its encoding was named", () => {
    for (const encoding of [[], ["Content-Transfer-Encoding: 8BIT"], ["content-transfer-encoding: binary"]]) {
      const message = lines(
        ...HEADER,
        "Content-Type: text/plain; charset=utf-8",
        ...encoding,
        "X-A:  b ",
        "",
        "Grüße",
        "",
      );
      const part = partOf(converted(message));
      assert.equal(part.content.toString(), "Grüße\r\n\r\n");
      assert.equal(encodingOf(part), "base64");
      assert.match(
        converted(message).toString(),
        /^From: a@shop\.example\r\nMIME-Version: 1\.0\r\n[\s\S]*\r\nX-A: {2}b \r\n/,
      );
      assert.equal(
        converted(message)
          .toString()
          .match(/transfer-encoding/gi)?.length,
        1,
      );
    }
  });

  it("of any octets and length is decoded as it was", () => {
    for (const size of [1, 57, 58, 1000, 100_000]) {
      const body = Buffer.from(Array.from({ length: size }, (_, i) => 255 - ((i * 7) % 256)));
      const message = Buffer.concat([lines(...HEADER, "Content-Type: application/octet-stream", ""), body]);
      assert.ok(partOf(converted(message)).content.equals(body), `${size} octets`);
    }
  });
});

describe("a message in ASCII", () => {
  it("is not changed", () => {
    const message = lines(...HEADER, "Content-Transfer-Encoding: 8bit", "", "Hi");
    assert.ok(toSevenBit(message)?.equals(message));
  });

  it("keeps its body where only the header has UTF-8", () => {
    const body = "--x\r\nanything\r\n";
    const message = lines(
      ...HEADER,
      "Subject: Grüße",
      'Content-Disposition: attachment; filename="ü (1).pdf"',
      "",
      body,
    );
    const text = converted(message).toString();
    assert.equal(text.slice(text.indexOf("\r\n\r\n") + 4), `${body}\r\n`);
    assert.match(text, /^Subject: =\?UTF-8\?/m);
    assert.match(text, /^Content-Disposition: attachment; filename\*=utf-8''%C3%BC%20%281%29\.pdf\r$/m);
    assert.doesNotMatch(text, /transfer-encoding/i);
  });
});

describe("a multipart", () => {
  const ALTERNATIVE = [
    "--in",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    "Grüße",
    "--in",
    "",
    "no header: ü",
    "--in",
    "Content-Type: text/plain",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Gr=C3=BC=C3=9Fe",
    "--in--",
  ];
  const MIXED = [
    ...HEADER,
    'Content-Type: multipart/mixed; boundary="out (1)"',
    "Content-Transfer-Encoding: 8bit",
    "",
    "preamble",
    "--out (1)",
    "Content-Type: multipart/alternative; boundary=in",
    "",
    ...ALTERNATIVE,
    "--out (1) ",
    "Content-Type: application/pdf",
    "Content-Transfer-Encoding: base64",
    "",
    "AAECAw==",
    "--out (1)--",
    "epilogue",
  ];

  it("has its 8-bit parts converted, at each level, and no other", () => {
    const message = lines(...MIXED);
    const text = converted(message).toString();
    const root = partOf(Buffer.from(text.replace("--out (1) \r\n", "--out (1)\r\n")));
    assert.equal(encodingOf(root), "7bit");
    const [either, pdf] = root.parts;
    assert.equal(encodingOf(either as Part), undefined);
    assert.deepEqual(
      either?.parts.map((part) => [encodingOf(part), part.content.toString()]),
      [
        ["base64", "Grüße"],
        ["base64", "no header: ü"],
        ["quoted-printable", "Grüße"],
      ],
    );
    assert.deepEqual([...(pdf?.content ?? [])], [0, 1, 2, 3]);
    assert.ok(text.includes("\r\npreamble\r\n--out (1)\r\n") && text.endsWith("\r\n--out (1)--\r\nepilogue\r\n"));
    assert.ok(text.includes("\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe\r\n--in--"));
  });

  it("loses an 8-bit text before and after its parts", () => {
    const text = converted(
      lines(...MIXED.map((line) => line.replace("preamble", "ü").replace("epilogue", "ü"))),
    ).toString();
    assert.match(text, /7bit(\r\n)+--out \(1\)\r\n/);
    assert.ok(
      text.endsWith("--out (1)--\r\n\r\n") || text.endsWith("--out (1)--\r\n"),
      JSON.stringify(text.slice(-30)),
    );
  });

  it("ends a part at its own boundary alone", () => {
    const message = lines(
      ...HEADER,
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "",
      "ü",
      "--bc",
      "x--b",
      "--b--x",
      "--b--",
    );
    const [part, ...others] = partOf(converted(message)).parts;
    assert.equal(part?.content.toString(), "ü\r\n--bc\r\nx--b\r\n--b--x");
    assert.deepEqual(others, []);
  });

  it("has messages within it converted", () => {
    const inner = ["From: b@shop.example", "Subject: Grüße", "", "ü"];
    for (const type of ["message/rfc822", "message/global"]) {
      const message = lines(
        ...HEADER,
        "Content-Type: multipart/digest; boundary=b",
        "",
        "--b",
        `Content-Type: ${type}`,
        "",
        ...inner,
        "--b--",
      );
      const text = converted(message).toString();
      const [whole = ""] = /From: b@shop[\s\S]*(?=\r\n--b--)/.exec(text) ?? [];
      const part = partOf(Buffer.from(whole));
      assert.equal(part.content.toString(), "ü", type);
      assert.match(part.fields.get("subject") ?? "", /^=\?UTF-8\?/);
    }
  });
});

describe("a structure that does not allow 7 bits", () => {
  const multipart = (type: string, ...body: string[]): Buffer => lines(...HEADER, `Content-Type: ${type}`, "", ...body);

  it("is not converted", () => {
    const cases: [name: string, message: Buffer][] = [
      ["8-bit in base64", lines(...HEADER, "Content-Transfer-Encoding: base64", "", "ü")],
      ["8-bit in quoted-printable", lines(...HEADER, "Content-Transfer-Encoding: quoted-printable", "", "ü")],
      ["an unknown encoding", lines(...HEADER, "Content-Transfer-Encoding: x-uuencode", "", "ü")],
      ["no boundary", multipart("multipart/mixed", "--b", "", "ü", "--b--")],
      ["an empty boundary", multipart('multipart/mixed; boundary=""', "--", "", "ü", "----")],
      ["no part", multipart("multipart/mixed; boundary=b", "ü")],
      ["no end", multipart("multipart/mixed; boundary=b", "--b", "", "ü")],
      ["a part without a header", multipart("multipart/mixed; boundary=b", "--b", "ü", "--b--")],
      ["an address in UTF-8", lines("From: jörg@shop.example", "", "ü")],
    ];
    for (const [name, message] of cases) assert.equal(toSevenBit(message), null, name);
  });

  it("is nested in more than 20 levels", () => {
    const nested = (levels: number): Buffer => {
      const open = Array.from({ length: levels }, (_, i) => [
        `Content-Type: multipart/mixed; boundary=b${i}.`,
        "",
        `--b${i}.`,
      ]);
      const close = Array.from({ length: levels }, (_, i) => `--b${levels - 1 - i}.--`);
      return lines(...HEADER, ...open.flat(), "Content-Type: text/plain", "", "ü", ...close);
    };
    converted(nested(20));
    assert.equal(toSevenBit(nested(21)), null);
  });

  it("has more than 1,000 parts, whatever they contain", () => {
    const withParts = (count: number, ...part: string[]): Buffer =>
      multipart("multipart/mixed; boundary=b", ...Array(count).fill(part).flat(), "--b", "", "ü", "--b--");
    for (const part of [["--b", "", "x"], ["--b", "", "ü"], ["--b", ""], ["--bx"]]) {
      converted(withParts(998, ...part));
      assert.equal(toSevenBit(withParts(1000, ...part)), null, JSON.stringify(part));
    }
  });

  it("has more than 256 KiB of headers", () => {
    const part = ["--b", ...Array(90).fill(`X-A: ${"a".repeat(993)}`), "", "ü"];
    const withParts = (count: number): Buffer =>
      multipart("multipart/mixed; boundary=b", ...Array(count).fill(part).flat(), "--b--");
    converted(withParts(2));
    assert.equal(toSevenBit(withParts(3)), null);
  });

  it("has a boundary of more than 70 octets", () => {
    const bounded = (boundary: string): Buffer =>
      multipart(`multipart/mixed; boundary="${boundary}"`, `--${boundary}`, "", "ü", `--${boundary}--`);
    converted(bounded("b".repeat(70)));
    assert.equal(toSevenBit(bounded("b".repeat(71))), null);
  });

  it("is found in a field of any length", () => {
    const runs = ["; boundary=".repeat(80), ';a="'.repeat(200), ";".repeat(900), "; \t".repeat(300), '\\"'.repeat(400)];
    for (const run of runs) {
      const folded = Array.from({ length: 100 }, () => ` ${run}`);
      const message = lines(...HEADER, "Content-Type: multipart/mixed", ...folded, "", "ü");
      assert.equal(toSevenBit(message), null);
      converted(lines(...HEADER, "X-A: ü", ...folded, "", "x"));
    }
  });
});
