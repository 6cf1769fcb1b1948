/** Texts of any content and length, encoded and decoded: text, line lengths, line ends, and buffer size. */
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { test } from "node:test";
import fc from "fast-check";
import { assemble, fileEntity, MESSAGE_TYPE, multipart, textEntity } from "../../../src/message/compose/mime.ts";
import { runs } from "../../fuzz/hostile.ts";
import { partOf, valuesOf } from "../../support/mime.ts";

const BOUNDARY = "b0undary";
/** Characters of a piece in which texts in 7bit are converted. */
const PIECE_LENGTH = 16 * 1024;

const encodedText = (text: string): Buffer => assemble(textEntity("text/plain", text, BOUNDARY)).bytes;
const encodingOf = (message: Buffer): string => valuesOf(message, "Content-Transfer-Encoding").join();
const bodyOf = (message: Buffer): string => message.subarray(message.indexOf("\r\n\r\n") + 4).toString("latin1");
const withCrlf = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n");

/** Asserts that the message contains this text, its last line terminated. */
function assertText(message: Buffer, text: string): void {
  const ended = (whole: string): string => (whole.endsWith("\r\n") ? whole : `${whole}\r\n`);
  const isSame = ended(partOf(message).content.toString()) === ended(withCrlf(text));
  // Not assert.equal: a diff of long texts is unreadable.
  assert.ok(isSame, `${encodingOf(message)} of ${text.length} characters: ${JSON.stringify(text).slice(0, 200)}`);
}

/** Asserts the invariants: 7-bit, only CRLF, at most 76 characters a line, no UTF-8 sequence split across lines. */
function assertLines(message: Buffer): void {
  const body = bodyOf(message);
  assert.ok(body.endsWith("\r\n"));
  assert.doesNotMatch(body, /[^\t\r\n -~]/, "7-bit");
  assert.doesNotMatch(body, /\r(?!\n)|(?<!\r)\n/, "only CRLF");
  const lines = body.split("\r\n");
  for (const line of lines) assert.ok(line.length <= 76, line);
  if (encodingOf(message) !== "quoted-printable") return;
  for (const line of lines) {
    assert.doesNotMatch(line, /[ \t]$/, "no blank at the end of a line");
    assert.match(line, /^([^=]|=[0-9A-F]{2})*=?$/);
    const bytes = line.replace(/=$/, "").replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    assert.ok(isUtf8(Buffer.from(bytes, "latin1")), line);
  }
}

function assertEncoded(text: string): void {
  const message = encodedText(text);
  assertText(message, text);
  assertLines(message);
}

const FRAGMENTS = [
  "\n",
  "\r",
  "\r\n",
  " ",
  "\t",
  "=",
  ".",
  "x",
  "é",
  "€",
  "日本",
  "😀",
  "\u0001",
  "\u007f",
  "\u0085",
  "\ufeff",
  "a line\n",
  "a line\r\n",
  "blanks \n",
  "tab\t\r",
  "From me",
  "=3D=\n",
  "\n.\n",
  `--=_${BOUNDARY}`,
  BOUNDARY,
  ...[74, 75, 76, 77].map((length) => "x".repeat(length)),
];

const fragments = fc
  .array(fc.tuple(fc.constantFrom(...FRAGMENTS), fc.integer({ min: 1, max: 120 })), { maxLength: 8 })
  .map((parts) => parts.map(([fragment, count]) => fragment.repeat(count)).join(""));
const words = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 200 }).map((parts) => parts.join(""));

test("any text survives encoding", () => {
  fc.assert(fc.property(fc.oneof(fragments, words), assertEncoded), runs(1500));
});

test("a 7bit text of any length survives encoding, with any line end at the boundary of two pieces", () => {
  const line = fc.tuple(fc.constantFrom(0, 1, 2, 37, 75, 76), fc.constantFrom("\n", "\r", "\r\n"));
  const block = fc.array(line, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(block, fc.integer({ min: 0, max: 76 }), fc.integer({ min: -3, max: 3 }), (lines, shift, excess) => {
      const part = lines.map(([length, end]) => "x".repeat(length) + end).join("");
      const whole = `${"y".repeat(shift)}\n${part.repeat((3 * PIECE_LENGTH) / part.length)}`;
      for (const text of [whole, whole.slice(0, PIECE_LENGTH + excess)]) {
        assertEncoded(text);
        assert.equal(encodingOf(encodedText(text)), "7bit");
      }
    }),
    runs(200),
  );
});

test("lines of 76 characters stay in 7bit at any boundary of two pieces", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const lines = `${"x".repeat(76)}${end}`.repeat(1.5 * (PIECE_LENGTH / 77));
    for (let shift = 0; shift <= 76; shift += 1) {
      const text = `${"y".repeat(shift)}${end}${lines}`;
      assert.equal(encodingOf(encodedText(text)), "7bit");
      assertEncoded(text);
    }
  }
});

test("a single line that is too long is detected at any position", () => {
  const lines = `${"x".repeat(76)}\r\n`.repeat((2 * PIECE_LENGTH) / 78);
  for (let at = PIECE_LENGTH - 160; at < PIECE_LENGTH + 160; at += 1) {
    const text = `${lines.slice(0, at)}xx${lines.slice(at)}`;
    const isLong = /[^\r\n]{77}/.test(text);
    assert.equal(encodingOf(encodedText(text)), isLong ? "quoted-printable" : "7bit");
    assertEncoded(text);
  }
});

test("the shortest possible encoding is selected", () => {
  const encodings: [text: string, encoding: string][] = [
    ["", "7bit"],
    ["Hello\n", "7bit"],
    ["x".repeat(76), "7bit"],
    ["x".repeat(77), "quoted-printable"],
    [`a ${BOUNDARY}`, "quoted-printable"],
    ["=".repeat(1000), "quoted-printable"],
    ["é", "base64"],
    ["Grüße aus Köln, und bis bald in unserer Stadt", "quoted-printable"],
    ["日本\n".repeat(PIECE_LENGTH), "base64"],
    [`${"A line.\n".repeat(PIECE_LENGTH)}é`, "quoted-printable"],
  ];
  for (const [text, encoding] of encodings) {
    assert.equal(encodingOf(encodedText(text)), encoding, text.slice(0, 20));
    assertEncoded(text);
  }
});

test("a line of 76 characters is not broken; a longer one has at most 76 with the equals sign", () => {
  const linesOf = (text: string): string[] =>
    bodyOf(encodedText(`${text}\nünd nun\n`))
      .split("\r\n")
      .slice(0, -2);
  assert.deepEqual(linesOf("x".repeat(76)), ["x".repeat(76)]);
  assert.deepEqual(linesOf("x".repeat(77)), [`${"x".repeat(75)}=`, "xx"]);
  assert.deepEqual(linesOf(`${"x".repeat(73)}=`), [`${"x".repeat(73)}=3D`]);
  assert.deepEqual(linesOf(`${"x".repeat(74)}=`), [`${"x".repeat(74)}=`, "=3D"]);
  assert.deepEqual(linesOf(`${"x".repeat(64)}😀`), [`${"x".repeat(64)}=F0=9F=98=80`]);
  assert.deepEqual(linesOf(`${"x".repeat(65)}😀`), [`${"x".repeat(65)}=`, "=F0=9F=98=80"]);
  assert.deepEqual(linesOf("blanks \t"), ["blanks =09"]);
});

test("an attached message is not encoded; any other file is in base64", () => {
  const content = Buffer.from("Subject: x\r\n\r\nHi =3D\r\n");
  const attached = (contentType: string): Buffer => {
    const file = fileEntity({ filename: "a.eml", contentType, contentId: null, content });
    return assemble(multipart("mixed", BOUNDARY, [textEntity("text/plain", "See below", BOUNDARY), file])).bytes;
  };
  const message = attached(MESSAGE_TYPE);
  assert.ok(message.includes(`\r\n\r\n${content}\r\n--=_mixed-${BOUNDARY}--\r\n`));
  assert.match(message.toString(), /Content-Type: message\/rfc822\r\nContent-Transfer-Encoding: 7bit\r\n/);
  assert.ok(attached("application/octet-stream").includes(content.toString("base64")));
});

test("the buffer of a message is large enough for any text, and at most 5 % too large", () => {
  // After 64 characters of a line, the last fragment causes the most soft line breaks.
  for (const fragment of [...FRAGMENTS, `😀${"x".repeat(52)}`]) {
    for (const shift of [0, 1, 2, 3, 63, 64, 65]) {
      const text = `${"x".repeat(shift)}${fragment.repeat(4000 / fragment.length)}\n${"plain ".repeat(3000)}`;
      const message = encodedText(text);
      assert.ok(message.buffer.byteLength <= message.length * 1.05 + 2, JSON.stringify(fragment));
      assertEncoded(text);
    }
  }
});

test("one multipart holds parts of every encoding", () => {
  const texts = ["Hello", "é".repeat(100), `${"word ".repeat(100)}ü`, ""];
  const entities = texts.map((text) => textEntity("text/html", text, BOUNDARY));
  const message = assemble(multipart("alternative", BOUNDARY, entities)).bytes;
  assert.deepEqual(
    partOf(message).parts.map(({ content }) => content.toString()),
    texts,
  );
});
