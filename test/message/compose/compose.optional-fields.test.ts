/** Copies, header fields and attachments in a composed message, parsed by the tests' MIME reader. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compose } from "../../../src/message/compose/compose.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import { type Part, partOf, valuesOf } from "../../support/mime.ts";

const stamp = { messageId: "<id@mx.example>", date: new Date("2024-02-29T12:34:56Z"), boundary: "b0undary" };
const request = { from: "a@a.example", to: "b@b.example", subject: "Hi", text: "Hello" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const file = { filename: "a.txt", content: base64("A file.\n") };
const image = { filename: "logo.png", content: base64("\x89PNG"), content_id: "logo" };

/** Composes a message and asserts the invariants: 7-bit, only CRLF, at most 998 octets a line, no blank line in the header. */
function composed(more: object): Buffer {
  const read = validateSendRequest({ ...request, ...more }, { recipientsMax: 50 });
  assert.ok(read.type === "valid", JSON.stringify(read));
  const content = compose(read.submission, stamp).bytes;
  const text = content.toString("latin1");
  assert.doesNotMatch(text, /[^\t\r\n -~]/, "7-bit");
  assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n/, "only CRLF");
  for (const line of text.split("\r\n")) assert.ok(line.length <= 998);
  for (const line of text.split("\r\n\r\n")[0]?.split("\r\n") ?? []) assert.match(line, /\S/);
  return content;
}

/** The types as a tree: `multipart/mixed[text/plain,application/pdf]`. */
function shapeOf({ type, parts }: Part): string {
  return parts.length === 0 ? type : `${type}[${parts.map(shapeOf).join(",")}]`;
}

test("Cc and Reply-To are in the header, Bcc is nowhere", () => {
  const more = { cc: ["Cy <c@c.example>", "d@d.example"], bcc: ["Eve <e@e.example>"], reply_to: "help@a.example" };
  const content = composed(more);
  assert.deepEqual(valuesOf(content, "To"), ["b@b.example"]);
  assert.deepEqual(valuesOf(content, "Cc"), ["Cy <c@c.example>, d@d.example"]);
  assert.deepEqual(valuesOf(content, "Reply-To"), ["help@a.example"]);
  assert.deepEqual(valuesOf(content, "Bcc"), []);
  assert.doesNotMatch(content.toString(), /e@e\.example|Eve/);
  const { bcc: _, ...visible } = more;
  assert.deepEqual(content, composed(visible), "a Bcc recipient changes no byte");
});

test("custom header fields are unchanged, folded, and encoded only if necessary", () => {
  const url = `<https://shop.example/unsubscribe?t=${"x".repeat(300)}>`;
  const references = Array.from({ length: 30 }, (_, i) => `<message-${i}@shop.example>`).join(" ");
  const headers = {
    "List-Unsubscribe": `${url}, <mailto:u@shop.example>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    References: references,
    "X-Words": "Grüße, ✓ 👋",
    "X-Spaces": `a${" ".repeat(200)}b`,
    "X-Encoded": "=?utf-8?Q?a?=",
  };
  const content = composed({ headers });
  for (const name of ["List-Unsubscribe", "List-Unsubscribe-Post", "References", "X-Encoded"] as const) {
    assert.deepEqual(valuesOf(content, name), [headers[name]]);
  }
  assert.match(valuesOf(content, "X-Words")[0] ?? "", /^=\?UTF-8\?[QB]\?/);
  const folded = content
    .toString()
    .split("\r\n")
    .filter((line) => line.startsWith(" <message-"));
  assert.ok(folded.length > 3 && folded.every((line) => line.length <= 78));
});

test("a structured header field is never one encoded word: URLs, domains and identifiers have forms of their own", () => {
  const content = composed({
    headers: {
      "List-Unsubscribe": "<https://shop.example/off?n=Jörg>, <mailto:off@müller.example>",
      "List-Id": "Jörgs Liste <list.shop.example>",
      "Disposition-Notification-To": "Jörg <a@müller.example>",
      References: "<1@BÜRO-PC>",
      "List-Help": `<https://shop.example/> ${" ".repeat(60)}(help)`,
    },
  });
  const shown = (name: string): string | undefined => valuesOf(content, name)[0]?.replace(/\s+/g, " ");
  assert.equal(shown("List-Unsubscribe"), "<https://shop.example/off?n=J%C3%B6rg>, <mailto:off@xn--mller-kva.example>");
  assert.equal(shown("List-Id"), "=?UTF-8?Q?J=C3=B6rgs_Liste?= <list.shop.example>");
  assert.equal(shown("Disposition-Notification-To"), "=?UTF-8?Q?J=C3=B6rg?= <a@xn--mller-kva.example>");
  assert.equal(shown("References"), "<1@B%C3%9CRO-PC>");
  assert.equal(shown("List-Help"), "<https://shop.example/> (help)");
});

test("attachments follow the text, byte for byte", () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256));
  const attachments = [file, { filename: "all.bin", content: bytes.toString("base64") }];
  const whole = partOf(composed({ attachments }));
  assert.equal(shapeOf(whole), "multipart/mixed[text/plain,text/plain,application/octet-stream]");
  const [body, first, second] = whole.parts;
  assert.equal(body?.content.toString().trimEnd(), "Hello");
  assert.equal(first?.content.toString(), "A file.\n");
  assert.equal(first?.fields.get("content-disposition"), "attachment; filename=a.txt");
  assert.equal(first?.fields.get("content-type"), "text/plain; charset=utf-8");
  assert.deepEqual(second?.content, bytes);
});

test("inline images are related to the HTML, within the alternative, within the mixed part", () => {
  const tree = (more: object): string => shapeOf(partOf(composed(more)));
  const html = '<img src="cid:logo">';
  const related = "multipart/related[text/html,image/png]";
  assert.equal(tree({ text: undefined, html, attachments: [image] }), related);
  assert.equal(tree({ html, attachments: [image] }), `multipart/alternative[text/plain,${related}]`);
  assert.equal(
    tree({ html, attachments: [file, image] }),
    `multipart/mixed[multipart/alternative[text/plain,${related}],text/plain]`,
  );
  assert.equal(tree({ text: "", html, attachments: [file] }), "multipart/mixed[text/html,text/plain]");
  const [, part] = partOf(composed({ text: undefined, html, attachments: [image] })).parts;
  assert.equal(part?.fields.get("content-id"), "<logo>");
  assert.equal(part?.fields.get("content-disposition"), "inline; filename=logo.png");
});

test("file names survive encoding (RFC 2231)", () => {
  const names = [
    "plain.pdf",
    "two words.pdf",
    "Rechnung März.pdf",
    'say "hi"; now.txt',
    "back\\slash.txt",
    "it's 100%.txt",
    "日本語".repeat(40),
    `${"long".repeat(60)}.txt`,
    "=?utf-8?Q?a?=.txt",
    "😀.png",
  ];
  for (const filename of names) {
    const [, part] = partOf(composed({ attachments: [{ ...file, filename }] })).parts;
    assert.equal(fileNameIn(part?.fields.get("content-disposition") ?? ""), filename);
  }
});

/** RFC 2231 §3 and §4. */
function fileNameIn(disposition: string): string {
  const parameters = [...disposition.matchAll(/; ?(filename[*\d]*)=(?:"((?:[^"\\]|\\.)*)"|([^; ]*))/g)];
  const pieces = parameters.map(([, name = "", quoted, bare = ""]) => {
    const text = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    return name.endsWith("*") ? decodeURIComponent(text.replace(/^utf-8''/, "")) : text;
  });
  return pieces.join("");
}

test("a boundary inside a text does not end a part", () => {
  for (const kind of ["", "mixed-", "related-"]) {
    const text = `before\n--=_${kind}b0undary\n\n--=_${kind}b0undary--\nafter`;
    const whole = partOf(composed({ text, html: `<pre>${text}`, attachments: [file, image] }));
    const texts = whole.parts[0]?.parts[0]?.content.toString();
    assert.equal(texts?.replaceAll("\r\n", "\n").trimEnd(), text);
    assert.equal(whole.parts.length, 2);
  }
});
