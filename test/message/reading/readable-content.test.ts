/** The parts of a stored message that a page shows: decoded correctly and within limits for any content. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compose } from "../../../src/message/compose/compose.ts";
import {
  HTML_BYTES_MAX,
  htmlDocumentOf,
  readContent,
  SHOWN_BYTES_MAX,
} from "../../../src/message/reading/readable-content.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";

/** Quadratic time at this length is minutes. */
const LENGTH = 4 * 1024 * 1024;
const filled = (filler: string, length = LENGTH): string => filler.repeat(Math.ceil(length / filler.length));

function message(fields: string[], body: string): Buffer {
  return Buffer.from([...fields, "", body].join("\r\n"), "latin1");
}

const textOf = (fields: string[], body: string): string | undefined => readContent(message(fields, body)).text?.text;
const quotedPrintable = (body: string): string | undefined =>
  textOf(["Content-Transfer-Encoding: Quoted-Printable"], body);

test("text and HTML of a composed message", () => {
  const html = `<p>${"Grüße, ".repeat(40)}</p>`;
  const text = `Grüße = so\nlang wie ${"x".repeat(200)}  \n.`;
  const attachments = [
    { filename: "a.txt", content: Buffer.from("attached").toString("base64"), content_type: "text/plain" },
  ];
  const body = { from: "a@sender.example", to: "b@b.example", subject: "s", text, html, attachments };
  const result = validateSendRequest(body, { recipientsMax: 50 });
  assert.ok(result.type === "valid");
  const { bytes: content } = compose(result.submission, {
    messageId: "<id@sender.example>",
    date: new Date(0),
    boundary: "boundary",
  });
  const shown = readContent(content);
  assert.equal(shown.text?.text.trimEnd(), text.replaceAll("\n", "\r\n"));
  assert.equal(htmlDocumentOf(content)?.toString().trimEnd(), html);
  assert.deepEqual(shown.source, { text: content.toString(), isTruncated: false });
  assert.equal(shown.sizeBytes, content.length);
});

test("quoted-printable: escapes, soft line breaks, trailing blanks, invalid escapes", () => {
  assert.equal(quotedPrintable("a=3Db =c3=a4=\r\nc= \t\r\nd"), "a=b äcd");
  assert.equal(quotedPrintable("a \t\r\nb=20\r\nc  \r\n"), "a\r\nb \r\nc\r\n");
  assert.equal(quotedPrintable("= =x =3 =G0 =="), "= =x =3 =G0 ==");
  assert.equal(quotedPrintable("a="), "a=");
});

test("known charsets and encodings are decoded, unknown encodings are left as they are", () => {
  assert.equal(textOf(["Content-Type: text/plain; charset=ISO-8859-1"], "\xfc"), "ü");
  assert.equal(textOf(['Content-Type: text/plain; charset="x-none"'], "\xfc"), "ü");
  assert.equal(textOf(["Content-Transfer-Encoding: base64"], "R3L8\r\nw58="), "Gr\ufffdß");
  assert.equal(textOf(["Content-Transfer-Encoding: x-uuencode"], "=3D"), "=3D");
  assert.equal(
    textOf(["Content-Type: text/plain;\r\n\tcharset=utf-8", "content-TRANSFER-encoding:\r\n base64"], "w7w="),
    "ü",
  );
});

test("multiparts: nested, with preamble and epilogue, unterminated, without attachments", () => {
  const multipart = (boundary: string, ...lines: string[]): string[] => [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    "preamble",
    ...lines,
  ];
  const inner = multipart("in", "--in", "Content-Type: text/html", "", "<b>", "--in \t", "", "plain", "--in--", "end");
  const attached = ["Content-Disposition: attachment", "", "no"];
  const content = Buffer.from(multipart("a b", "--a b", ...attached, "--a b", ...inner).join("\r\n"));
  assert.deepEqual(readContent(content).text, { text: "plain", isTruncated: false });
  assert.equal(htmlDocumentOf(content)?.toString(), "<b>");
  const none = Buffer.from(multipart("x", "--y", "", "plain").join("\r\n"));
  assert.deepEqual([readContent(none).text, readContent(none).hasHtml, htmlDocumentOf(none)], [null, false, null]);
  assert.equal(readContent(Buffer.from("\r\nno header")).text?.text, "no header");
  assert.equal(readContent(Buffer.alloc(0)).text?.text, "");
});

test("tags that take effect before the content security policy are renamed", () => {
  const html = "<META http-equiv=refresh><link/><base\n><linked><metal><a>";
  const document = htmlDocumentOf(message(["Content-Type: text/html"], html));
  assert.equal(document?.toString(), "<x-META http-equiv=refresh><x-link/><x-base\n><linked><metal><a>");
});

test("a text is truncated between characters and marked as truncated", () => {
  const shown = readContent(Buffer.from(`\r\nx${"ü".repeat(SHOWN_BYTES_MAX)}`));
  assert.deepEqual(shown.text, { text: `x${"ü".repeat(SHOWN_BYTES_MAX / 2 - 1)}`, isTruncated: true });
  assert.equal(shown.source.isTruncated, true);
});

test("a long run of any content in any encoding takes linear time and is truncated", () => {
  const fillers = ["=", "=3D", "=\r\n", "= ", " ", " \r\n", "\t", "<", "&", "\r\n", "\r", "PDw8", "\xff", ";", '"'];
  for (const filler of fillers) {
    for (const encoding of ["7bit", "quoted-printable", "base64"]) {
      for (const type of ["text/plain", "text/html"]) {
        const fields = [`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`];
        const content = message(fields, filled(filler));
        const { text, source, sizeBytes } = readContent(content);
        const name = JSON.stringify([filler, encoding, type]);
        assert.ok(Buffer.byteLength(text?.text ?? "") <= 3 * SHOWN_BYTES_MAX, name);
        assert.ok(text === null || text.isTruncated, name);
        assert.ok(source.isTruncated && source.text.length <= SHOWN_BYTES_MAX, name);
        assert.equal(sizeBytes, content.length);
        assert.ok((htmlDocumentOf(content)?.length ?? 0) <= 3 * HTML_BYTES_MAX, name);
      }
    }
  }
});

test("worst-case headers and structures take linear time", () => {
  const multipart = (boundary: string, body: string): string =>
    `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${body}`;
  const found = "--b\r\n\r\nfound";
  let nested = `Content-Type: text/plain\r\n\r\n${filled("x")}`;
  for (let i = 0; i < 12; i += 1) nested = multipart(`b${i}`, `--b${i}\r\n${nested}\r\n--b${i}--`);
  const long = "a".repeat(70);
  const cases: [name: string, content: string, text: string | null][] = [
    ["empty parts", multipart("b", filled("--b\r\nContent-Type: image/png\r\n\r\n\r\n")), null],
    ["unterminated parts", multipart("b", filled("--b\r\n")), ""],
    [
      "more parts than the limit",
      multipart("b", `${"--b\r\nContent-Type: a/b\r\n\r\n\r\n".repeat(2000)}${found}`),
      null,
    ],
    [
      "parts within the limit",
      multipart("b", `${"--b\r\nContent-Type: a/b\r\n\r\n\r\n".repeat(900)}${found}`),
      "found",
    ],
    ["levels", nested, null],
    ["near misses of the delimiter", multipart(long, filled(`\r\n--${long.slice(1)}`)), null],
    ["a boundary over the limit", multipart("b".repeat(100), `--${"b".repeat(100)}\r\n\r\nx`), null],
    ["a header of many fields", `${filled("X-A: b\r\n")}\r\nx`, "x"],
    ["a header of one folded field", `Content-Type: multipart/mixed${filled("\r\n ;")}\r\n\r\nx`, null],
    ["a header of one line", `Content-Type: multipart/mixed${filled("; ")}\r\n\r\nx`, null],
    ["a header of blanks", `Content-Type: multipart/mixed;${filled(" ")}boundary=b\r\n\r\n${found}`, null],
    ["an unterminated header", filled("Content-Type: text/html\r\n"), null],
  ];
  for (const [name, content, text] of cases) {
    assert.equal(readContent(Buffer.from(content)).text?.text ?? null, text, name);
  }
});
