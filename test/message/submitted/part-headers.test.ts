/** The headers of parts in ASCII: text is encoded at any depth, and all else of the body stays octet for octet. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withAsciiPartHeaders } from "../../../src/message/submitted/part-headers.ts";
import { fieldsOf } from "../header/fields.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** `body`: one character for each octet. */
function written(body: string, type = "multipart/mixed; boundary=b"): string {
  const result = withAsciiPartHeaders(fieldsOf(`Content-Type: ${type}`), latin1(body));
  assert.ok(result.type === "valid", JSON.stringify(result));
  return Buffer.concat(result.pieces).toString("latin1");
}

function faultOf(body: string, type?: string): string {
  const result = withAsciiPartHeaders(fieldsOf(`Content-Type: ${type ?? "multipart/mixed; boundary=b"}`), latin1(body));
  assert.ok(result.type === "invalid", "it is valid");
  return result.detail;
}

const FILE = `Content-Disposition: attachment; filename=${utf8("ü")}.pdf\r\n`;
const SENT_FILE = "Content-Disposition: attachment; filename*=utf-8''%C3%BC.pdf\r\n";

describe("the header of a part", () => {
  it("is in ASCII, and the octets around it stay", () => {
    const around = [`\u00ff preamble\r\n--b \t\r\n`, "\r\n--b\r\n\r\nx\u00fe\r\n--b\r\n\r\n--b--\r\n epilogue \u00fd"];
    assert.equal(written(around.join(`${FILE}\r\n\u0080 body`)), around.join(`${SENT_FILE}\r\n\u0080 body`));
  });

  it("is in ASCII at any depth, and in attached messages", () => {
    const body = (file: string, subject: string): string =>
      [
        '--b\r\nContent-Type: multipart/alternative (c); boundary = "in ner"\r\n\r\n--in ner\r\n',
        `Content-Type: message/rfc822\r\n\r\n${subject}Content-Type: multipart/mixed; boundary=z\r\n\r\n--z\r\n`,
        `${file}\r\nx\u00e9\r\n--z--\r\n--in ner--\r\n--b--\r\n`,
      ].join("");
    assert.equal(
      written(body(FILE, `Subject: ${utf8("Grüße")}\r\n`)),
      body(SENT_FILE, "Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n"),
    );
  });

  it("may lack the empty line after it, and the last delimiter", () => {
    assert.equal(written(`--b\r\n${FILE}--b--`), `--b\r\n${SENT_FILE}--b--`);
    assert.equal(written(`--b\r\n${FILE.trimEnd()}\r\n--b--`), `--b\r\n${SENT_FILE.trimEnd()}\r\n--b--`);
    assert.equal(written(`--b\r\n${FILE}\r\nx`), `--b\r\n${SENT_FILE}\r\nx`);
  });

  it("that is not UTF-8 is read as Windows-1252", () => {
    assert.equal(
      written('--b\r\nContent-Disposition: attachment; filename="f\u00fcr \u0080.pdf"\r\n\r\nx\r\n--b--\r\n'),
      "--b\r\nContent-Disposition: attachment; filename*=utf-8''f%C3%BCr%20%E2%82%AC.pdf\r\n\r\nx\r\n--b--\r\n",
    );
  });

  it("stays in what is signed, in a message/global, and where the structure cannot be read", () => {
    const body = `--b\r\n${FILE}\r\nx\r\n--b--\r\n`;
    const types = [
      "multipart/signed; boundary=b",
      "multipart/encrypted; boundary=b",
      "message/global",
      "text/plain",
      "multipart/mixed",
      `multipart/mixed; boundary=${"b".repeat(71)}`,
      "multipart/mixed; boundary=c",
    ];
    for (const type of types) assert.equal(written(body, type), body, type);
    const noField = `--b\r\nno field ${utf8("ü")}\r\n${FILE}\r\nx\r\n--b--\r\n`;
    assert.equal(written(noField), noField);
    const encoded = body.replace("--b\r\n", "--b\r\nContent-Type: multipart/mixed; boundary=z\r\n\r\n--z\r\n");
    const inBase64 = encoded.replace("boundary=z", "boundary=z\r\nContent-Transfer-Encoding: base64");
    assert.equal(written(inBase64), inBase64);
  });
});

describe("a body", () => {
  it("of more than 1,000 parts, or 20 levels, is not read further", () => {
    const parts = (count: number): string => `${`--b\r\n${FILE}\r\nx\r\n`.repeat(count)}--b--\r\n`;
    assert.equal(written(parts(999)), parts(999).replaceAll(FILE, SENT_FILE));
    assert.equal(written(parts(1000)), parts(1000));
    const nested = (levels: number, file: string): string => {
      const open = Array.from(
        { length: levels },
        (_, n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary=b${n + 1}\r\n\r\n`,
      );
      return `${open.join("")}--b${levels}\r\n${file}\r\nx\r\n--b${levels}--\r\n`;
    };
    const type = "multipart/mixed; boundary=b0";
    assert.equal(written(nested(20, FILE), type), nested(20, SENT_FILE));
    assert.equal(written(nested(21, FILE), type), nested(21, FILE));
  });

  it("is rejected if a boundary is not ASCII, or a field has no place to fold", () => {
    const inner = `--b\r\nContent-Type: multipart/mixed; boundary="${utf8("ü")}"\r\n\r\n--${utf8("ü")}\r\n\r\nx\r\n--b--\r\n`;
    assert.match(faultOf(inner), /^The boundary of a multipart is not ASCII/);
    assert.match(
      faultOf(`--b\r\nContent-ID: <${utf8("ü".repeat(400))}>\r\n\r\nx\r\n--b--\r\n`),
      /^Content-ID has a line/,
    );
  });
});
