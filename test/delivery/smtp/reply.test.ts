import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LINE_BYTES_MAX,
  LINES_MAX,
  MESSAGE_BYTES_MAX,
  type ParsedReplies,
  ReplyParser,
} from "../../../src/delivery/smtp/reply.ts";

function parse(text: string | Buffer): ParsedReplies {
  return new ReplyParser().push(Buffer.from(text as string));
}

function onlyReply(text: string | Buffer) {
  const { replies, error } = parse(text);
  assert.equal(error, null);
  assert.equal(replies.length, 1);
  return replies[0];
}

test("a reply of one line", () => {
  assert.deepEqual(onlyReply("250 OK\r\n"), { code: 250, enhanced_code: null, message: "OK" });
  assert.deepEqual(onlyReply("250\r\n"), { code: 250, enhanced_code: null, message: "" });
  assert.deepEqual(onlyReply("250 \r\n"), { code: 250, enhanced_code: null, message: "" });
});

test("a multi-line reply keeps all lines, with any line ends", () => {
  assert.deepEqual(onlyReply("250-one\r\n250-\n250 three\n"), {
    code: 250,
    enhanced_code: null,
    message: "one\n\nthree",
  });
});

test("fragmentation does not change the replies", () => {
  const bytes = Buffer.from("220-grüezi\r\n220 mx\r\n550-5.1.1 no\r\n550 5.1.1 such user\r\n250 ok\r\n");
  const whole = parse(bytes);
  assert.equal(whole.replies.length, 3);
  for (const size of [1, 2, 3, 7]) {
    const parser = new ReplyParser();
    const replies = [];
    for (let at = 0; at < bytes.length; at += size) replies.push(...parser.push(bytes.subarray(at, at + size)).replies);
    assert.deepEqual(replies, whole.replies);
    assert.equal(parser.midReply, false);
  }
});

test("an incomplete reply is not returned", () => {
  for (const part of ["2", "250 ok", "250 ok\r", "250-ok\r\n"]) {
    const parser = new ReplyParser();
    assert.deepEqual(parser.push(Buffer.from(part)), { replies: [], error: null });
    assert.equal(parser.midReply, true);
  }
});

test("an enhanced code is removed from the text when its class agrees with the code's", () => {
  assert.deepEqual(onlyReply("550-5.1.1 no such\r\n550 5.1.1 user\r\n"), {
    code: 550,
    enhanced_code: "5.1.1",
    message: "no such\nuser",
  });
  assert.deepEqual(onlyReply("450 4.7.10\r\n"), { code: 450, enhanced_code: "4.7.10", message: "" });
  const withSign = onlyReply("550-#5.1.0 Address rejected.\r\n550 5.1.0 a@b.example\r\n");
  assert.deepEqual(withSign, { code: 550, enhanced_code: "5.1.0", message: "Address rejected.\na@b.example" });
});

test("an enhanced code of another class, or a similar text, stays in the text", () => {
  const texts = ["5.1.1 later", "2.0.0 fine", "4.7 x", "4.7.1x", "4.7.1234 x"];
  for (const text of texts) {
    assert.deepEqual(onlyReply(`451 ${text}\r\n`), { code: 451, enhanced_code: null, message: text });
  }
  assert.equal(onlyReply("354 2.0.0 go\r\n")?.enhanced_code, null);
});

test("text is UTF-8 with invalid bytes and control characters replaced", () => {
  const reply = onlyReply(Buffer.from("550 caf\xe9 gr\xc3\xbcn\x1b[31m\x00 \ra\tb\r\n", "latin1"));
  assert.equal(reply?.message, "caf\uFFFD grün\uFFFD[31m\uFFFD \uFFFDa b");
});

test("a long text is truncated between characters, with an ellipsis", () => {
  const line = `550-${"ü".repeat(1_000)}\r\n`;
  const message = onlyReply(`${line.repeat(4)}550 end\r\n`)?.message ?? "";
  assert.ok(Buffer.byteLength(message) <= MESSAGE_BYTES_MAX);
  assert.ok(Buffer.byteLength(message) > MESSAGE_BYTES_MAX - 5);
  assert.match(message, /ü…$/u);
  assert.doesNotMatch(message, /\uFFFD/u);
});

test("a malformed reply is an error, and everything after it is ignored", () => {
  const malformed = [
    "ok\r\n",
    "\r\n",
    "25 ok\r\n",
    "2500 ok\r\n",
    "250_ok\r\n",
    "150 ok\r\n",
    "600 ok\r\n",
    "-250 ok\r\n",
    " 250 ok\r\n",
    "HTTP/1.1 200 OK\r\n",
    "550-a\r\n250 b\r\n",
    "220-a\r\n354 b\r\n",
    "250-a\r\n550-b\r\n250 c\r\n",
    "250-a\r\nb\r\n",
    "\xff\xfe\r\n",
  ];
  for (const text of malformed) {
    const parser = new ReplyParser();
    const { replies, error } = parser.push(Buffer.from(`${text}250 ok\r\n`, "latin1"));
    assert.deepEqual(replies, [], text);
    assert.notEqual(error, null, text);
    assert.deepEqual(parser.push(Buffer.from("250 ok\r\n")), { replies: [], error });
  }
});

test("the code of the last line counts, and the text of all lines is kept", () => {
  const replies: [text: string, code: number, enhanced: string | null, message: string][] = [
    ["220-mx.example\r\n521 no mail here\r\n", 521, null, "mx.example\nno mail here"],
    ["550-5.7.1 not taken\r\n554 5.7.1 spam\r\n", 554, "5.7.1", "not taken\nspam"],
    ["451-4.7.1 later\r\n550-no\r\n554 5.7.1 never\r\n", 554, "5.7.1", "4.7.1 later\nno\nnever"],
    ["250-a\r\n251 b\r\n", 251, null, "a\nb"],
    ["550-a\r\n421 b\r\n", 421, null, "a\nb"],
  ];
  for (const [text, code, enhanced, message] of replies) {
    assert.deepEqual(onlyReply(text), { code, enhanced_code: enhanced, message });
  }
});

test("replies before the malformed line are returned", () => {
  const { replies, error } = parse("250 ok\r\nrubbish\r\n250 ok\r\n");
  assert.deepEqual(
    replies.map(({ code }) => code),
    [250],
  );
  assert.match(error ?? "", /rubbish/u);
});

test("a line has 4096 bytes at most, complete or not", () => {
  const longest = `250 ${"x".repeat(LINE_BYTES_MAX - 4)}`;
  assert.equal(parse(`${longest}\r\n`).error, null);
  assert.equal(parse(`${longest}\r`).error, null);
  assert.notEqual(parse(`${longest}x\r\n`).error, null);
  assert.notEqual(parse(`${longest}x`).error, null);
});

test("a reply has 200 lines at most", () => {
  assert.equal(parse(`${"250-x\r\n".repeat(LINES_MAX - 1)}250 x\r\n`).replies.length, 1);
  assert.notEqual(parse(`${"250-x\r\n".repeat(LINES_MAX)}250 x\r\n`).error, null);
});
