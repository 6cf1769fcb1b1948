/** Composed messages, parsed by a small MIME reader: header fields, bodies, line ends, lengths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMailbox } from "../../../src/message/address.ts";
import { compose } from "../../../src/message/compose/compose.ts";
import type { Submission } from "../../../src/message/send-request/submission.ts";

const stamp = { messageId: "<id@mx.example>", date: new Date("2024-02-29T12:34:56Z"), boundary: "b0undary" };

function mailbox(text: string) {
  const parsed = parseMailbox(text);
  assert.ok(parsed.type === "valid", text);
  const { type: _, ...rest } = parsed;
  return rest;
}

function submission(changes: Partial<Submission> = {}): Submission {
  return {
    from: mailbox("a@a.example"),
    to: [mailbox("b@b.example")],
    subject: "Hi",
    html: null,
    text: "Hello",
    ...changes,
  };
}

interface Entity {
  fields: [name: string, value: string][];
  body: string;
}

/** Splits header and body and unfolds. Asserts the invariants: line ends, lengths, well-formed fields. */
function readEntity(content: string): Entity {
  assert.doesNotMatch(content, /\r(?!\n)|(?<!\r)\n/, "only CRLF");
  for (const line of content.split("\r\n")) assert.ok(Buffer.byteLength(line) <= 998, "998 octets at most");
  const end = content.indexOf("\r\n\r\n");
  const fields = content
    .slice(0, end)
    .replace(/\r\n(?=[ \t]*[^ \t\r\n])(?=[ \t])/g, "")
    .split("\r\n")
    .map((line): [string, string] => {
      const [, name = "", value = ""] = /^([!-9;-~]+): ?(.*)$/s.exec(line) ?? assert.fail(`not a field: ${line}`);
      return [name, value];
    });
  return { fields, body: content.slice(end + 4) };
}

async function composed(changes: Partial<Submission> = {}): Promise<Entity> {
  return readEntity(compose(submission(changes), stamp).bytes.toString());
}

function field(entity: Entity, name: string): string {
  const values = entity.fields.filter(([key]) => key.toLowerCase() === name.toLowerCase());
  assert.equal(values.length, 1, `one ${name} field`);
  return values[0]?.[1] ?? "";
}

/** RFC 2047; §6.2: white space between adjacent encoded words is not part of the text. */
function decodeWords(value: string): string {
  for (const word of value.match(/=\?\S+/g) ?? [])
    assert.ok(word.length <= 75, "an encoded word has 75 characters at most");
  return value.replace(/\?=\s+=\?/g, "?==?").replace(/(?:=\?UTF-8\?[QB]\?[^?]*\?=)+/g, (words) => {
    const parts = [...words.matchAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/g)].map(([, encoding, text = ""]) => {
      const part = encoding === "B" ? Buffer.from(text, "base64") : decodeQuoted(text.replaceAll("_", " "));
      assert.doesNotMatch(part.toString(), /\ufffd/, "no character is split between two words");
      return part;
    });
    return Buffer.concat(parts).toString();
  });
}

function decodeQuoted(text: string): Buffer {
  const joined = text.replace(/=\r\n/g, "");
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

function decodeBody(entity: Entity): string {
  const encoding = entity.fields.find(([name]) => name === "Content-Transfer-Encoding")?.[1] ?? "7bit";
  if (encoding === "base64") return Buffer.from(entity.body, "base64").toString();
  return encoding === "quoted-printable" ? decodeQuoted(entity.body).toString() : entity.body;
}

function parts(entity: Entity): Entity[] {
  const [, boundary = ""] = /^multipart\/alternative; boundary="(.+)"$/.exec(field(entity, "Content-Type")) ?? [];
  assert.notEqual(boundary, "");
  const [, ...pieces] = `\r\n${entity.body}`.split(`\r\n--${boundary}`);
  assert.match(pieces.pop() ?? "", /^--\r\n$/);
  return pieces.map((piece) => readEntity(piece.slice(2)));
}

test("a text message has each field exactly once and no others", async () => {
  const entity = await composed();
  assert.deepEqual(Object.fromEntries(entity.fields), {
    From: "a@a.example",
    To: "b@b.example",
    Subject: "Hi",
    "Message-ID": "<id@mx.example>",
    Date: "Thu, 29 Feb 2024 12:34:56 +0000",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Transfer-Encoding": "7bit",
  });
  assert.equal(entity.fields.length, 8);
  assert.equal(entity.body, "Hello\r\n");
});

test("HTML alone, and text and HTML as alternatives with HTML last (RFC 2046 §5.1.4)", async () => {
  const html = await composed({ html: "<p>é</p>", text: null });
  assert.match(field(html, "Content-Type"), /^text\/html; charset=utf-8$/);
  assert.equal(decodeBody(html).trimEnd(), "<p>é</p>");
  const [first, second, ...more] = parts(await composed({ html: "<p>Hello</p>", text: "Héllo" }));
  assert.ok(first && second && more.length === 0);
  assert.match(field(first, "Content-Type"), /^text\/plain/);
  assert.equal(decodeBody(first).trimEnd(), "Héllo");
  assert.match(field(second, "Content-Type"), /^text\/html/);
  assert.equal(decodeBody(second).trimEnd(), "<p>Hello</p>");
});

test("the same arguments return the same bytes", async () => {
  const one = submission({ html: "<p>é</p>", subject: "é", from: mailbox("É <a@a.example>") });
  assert.deepEqual(compose(one, stamp), compose(one, stamp));
});

test("bodies survive encoding, with CRLF line ends, in 7-bit lines of legal length", async () => {
  const texts = [
    "x".repeat(5000),
    "é".repeat(5000),
    "日本語😀".repeat(2000),
    `${"word ".repeat(400)}end`,
    "a\nb\rc\r\nd\r\r\n\n\re",
    ".\n..\n.a",
    "a  \n \t \nb\t",
    "\u00a0\u2028\u0085\ufeff",
    "\x01\x0b\x0c\x7f",
    "=3D=\n=",
    "From me",
    "--=_-b0undary-Part_1--",
    "\n".repeat(20_000),
    `${"long line ".repeat(30)}\n`.repeat(1000),
  ];
  for (const text of texts) {
    for (const changes of [{ text }, { html: text, text: null }, { html: "<p></p>", text }]) {
      const content = compose(submission(changes), stamp).bytes.toString("latin1");
      assert.doesNotMatch(content, /[\x80-\xff]/, "7-bit");
      const entity = readEntity(content);
      const part = "text" in changes && "html" in changes && changes.text !== null ? parts(entity)[0] : entity;
      const expected = text.replace(/\r\n?|\n/g, "\r\n");
      assert.equal(
        decodeBody(part ?? assert.fail()).replace(/\r\n$/, ""),
        expected.replace(/\r\n$/, ""),
        JSON.stringify(text.slice(0, 20)),
      );
    }
  }
});

test("an empty body is kept alone and omitted beside another", async () => {
  assert.equal((await composed({ text: "" })).body.trim(), "");
  assert.match(field(await composed({ html: "", text: null }), "Content-Type"), /^text\/html/);
  assert.match(field(await composed({ html: "<p>x</p>", text: "" }), "Content-Type"), /^text\/html/);
  assert.match(field(await composed({ html: "", text: "x" }), "Content-Type"), /^text\/plain/);
});

test("subjects survive encoding", async () => {
  const subjects = [
    "",
    "Hi",
    "é",
    "é".repeat(3000),
    "😀".repeat(300),
    "x".repeat(3000),
    "word ".repeat(300).trim(),
    `a${" ".repeat(300)}b`,
    " a ",
    "   ",
    'say "hi"',
    "=?utf-8?Q?a?=",
    "a =?utf-8?B?x",
    "a\tb\x01\x7f",
    "x".repeat(61),
    "a:b",
    "€".repeat(60),
    "a é".repeat(500),
    "_=?=_é",
  ];
  for (const subject of subjects) {
    const content = compose(submission({ subject }), stamp).bytes;
    const value = field(readEntity(content.toString()), "Subject");
    assert.equal(decodeWords(value), subject, JSON.stringify(subject.slice(0, 20)));
    const lines = content.toString().split("\r\n\r\n")[0]?.split("\r\n") ?? [];
    for (const line of lines) assert.ok(line.length <= 78, "RFC 5322 §2.1.1");
    for (const line of lines) assert.match(line, /\S/, "no line of white space only");
  }
});

test("display names survive encoding and never become an address", async () => {
  const names = [
    "Ada",
    "Ada Lovelace",
    "Zoë",
    'Quoted "Name", Inc.',
    "a@b.example",
    "x <y@z.example>",
    "back\\slash",
    "=?utf-8?Q?a?=",
    "a  b",
    "日本".repeat(100),
    "n".repeat(700),
    "n,".repeat(300),
    "J. Doe",
    "(comment)",
    "a;b:c",
  ];
  for (const name of names) {
    const quoted = `"${name.replace(/["\\]/g, "\\$&")}" <b@b.example>`;
    const value = field(await composed({ to: [mailbox(quoted)], from: mailbox(quoted) }), "To");
    const [, phrase = ""] = /^(.*) <b@b\.example>$/.exec(value) ?? assert.fail(value);
    const read = phrase.startsWith('"') ? phrase.slice(1, -1).replace(/\\(.)/g, "$1") : decodeWords(phrase);
    assert.equal(read, name);
    assert.doesNotMatch(phrase.startsWith('"') ? "" : phrase, /[@,;:<>"()\\.]/, "specials only in quotes");
  }
});

test("addresses are written unchanged, their domains as A-labels", async () => {
  const to = [
    '"x>y<z, w"@b.example',
    "O'Neil+tag@b.example",
    "c@bücher.example",
    "jörg@bücher.example",
    "à@b.example",
  ].map(mailbox);
  const content = compose(submission({ to }), stamp).bytes;
  assert.equal(
    field(readEntity(content.toString()), "To"),
    `<"x>y<z, w"@b.example>, O'Neil+tag@b.example, c@xn--bcher-kva.example, jörg@xn--bcher-kva.example, à@b.example`,
  );
});

test("many recipients are folded", async () => {
  const to = Array.from({ length: 200 }, (_, index) => mailbox(`Name ${index} <user${index}@b.example>`));
  assert.equal(field(await composed({ to }), "To").split(",").length, 200);
});

test("no header can be injected, even without validation", async () => {
  const injected = "x\r\nBcc: evil@e.example\r\n\r\nbody";
  const entity = await composed({ subject: injected, from: { ...mailbox("a@a.example"), name: injected } });
  assert.equal(entity.fields.length, 8);
  assert.equal(decodeWords(field(entity, "Subject")), injected);
  assert.equal(entity.body, "Hello\r\n");
});
