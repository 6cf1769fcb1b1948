/** Copies, replies, header fields, attachments, tags, metadata and expiry in send requests: what is accepted and what is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, payloadHash, readSubmission, type Submission } from "../../src/message/submission.ts";

const request = { from: "ada@a.example", to: "b@b.example", subject: "Hi", text: "Hello" };
const file = { filename: "a.txt", content: "SGVsbG8=" };

const read = (more: object, recipientsMax = 5) => readSubmission({ ...request, ...more }, { recipientsMax });

function accepted(more: object): Submission {
  const outcome = read(more);
  assert.ok(outcome.type === "valid", JSON.stringify(outcome));
  return outcome.submission;
}

function faults(more: object): FieldError[] {
  const outcome = read(more);
  assert.ok(outcome.type === "invalid", JSON.stringify(more).slice(0, 200));
  for (const { detail } of outcome.errors) assert.match(detail, /^[A-Z].*\.$/);
  return outcome.errors;
}

const fields = (more: object): string[] => faults(more).map((error) => error.field);
const addresses = (mailboxes: { address: string }[] | undefined) => mailboxes?.map(({ address }) => address);

test("cc, bcc and reply_to are an address or an array of them", () => {
  for (const field of ["cc", "bcc", "reply_to"] as const) {
    const name = field === "reply_to" ? "replyTo" : field;
    assert.deepEqual(addresses(accepted({ [field]: "Cy <c@c.example>" })[name]), ["c@c.example"]);
    assert.deepEqual(addresses(accepted({ [field]: ["c@c.example", "d@d.example"] })[name]), [
      "c@c.example",
      "d@d.example",
    ]);
    assert.deepEqual(accepted({ [field]: [] }), accepted({}), "an empty list is none");
    assert.deepEqual(fields({ [field]: "nobody" }), [field]);
    assert.deepEqual(fields({ [field]: ["c@c.example", "nobody", 7] }).toSorted(), [`${field}[1]`, `${field}[2]`]);
    for (const value of [null, 7, {}]) {
      assert.deepEqual(faults({ [field]: value }), [
        { field, detail: "This must be a string or an array of strings." },
      ]);
    }
  }
});

test("a recipient counts once over to, cc and bcc, where it comes first; replies may go to one of them", () => {
  const submission = accepted({
    to: ["a@a.example", "b@b.example"],
    cc: ["b@B.example", "c@c.example"],
    bcc: ["C <c@c.example>", "d@d.example", "a@a.example"],
    reply_to: "a@a.example",
  });
  assert.deepEqual(addresses(submission.to), ["a@a.example", "b@b.example"]);
  assert.deepEqual(addresses(submission.cc), ["c@c.example"]);
  assert.deepEqual(addresses(submission.bcc), ["d@d.example"]);
  assert.deepEqual(addresses(submission.replyTo), ["a@a.example"]);
  assert.equal(accepted({ cc: "b@b.example" }).cc, undefined);
});

test("all recipients together are limited", () => {
  const more = { cc: ["c@c.example", "d@d.example"], bcc: ["e@e.example"] };
  assert.equal(read(more, 4).type, "valid");
  const excess = read(more, 3);
  assert.ok(excess.type === "invalid" && excess.code === "too_many_recipients");
  assert.match(excess.errors[0]?.detail ?? "", /There are 4 recipients; at most 3/);
});

test("headers are names with one line each", () => {
  const headers = { "List-Unsubscribe": " <https://shop.example/u> ", "X-Größe": "x" };
  assert.deepEqual(fields({ headers }), ["headers.X-Größe"]);
  assert.deepEqual(accepted({ headers: { "List-Unsubscribe": " <https://shop.example/u> ", "X-A": "é" } }).headers, [
    { name: "List-Unsubscribe", value: "<https://shop.example/u>" },
    { name: "X-A", value: "é" },
  ]);
  const names = ["", "A B", "A:", "A\r\nBcc", "A\0", "é", "x".repeat(77)];
  for (const name of names) assert.equal(fields({ headers: { [name]: "x" } }).length, 1, JSON.stringify(name));
  for (const value of [
    "a\r\nBcc: x@y.example",
    "a\nb",
    "a\rb",
    "a\0b",
    "a\tb",
    "\ud800",
    "",
    " ",
    "x".repeat(901),
    7,
    null,
  ]) {
    assert.deepEqual(fields({ headers: { "X-A": value } }), ["headers.X-A"], JSON.stringify(value));
  }
  assert.deepEqual(fields({ headers: { "X-A": "1", "x-a": "2" } }), ["headers.x-a"]);
  assert.deepEqual(faults({ headers: [] }), [{ field: "headers", detail: "This must be an object of strings." }]);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`X-${i}`, "x"]));
  assert.deepEqual(fields({ headers: many }), ["headers"]);
});

test("header fields that are ours or mail servers' to write are refused, in any letter case", () => {
  const refused = [
    ..."From To Cc Bcc Reply-To Subject Date Message-ID MIME-Version Sender Received Return-Path".split(" "),
    ..."Content-Type Content-Transfer-Encoding Content-ID DKIM-Signature DomainKey-Signature ARC-Seal".split(" "),
    ..."Resent-To Resent-From Authentication-Results Delivered-To Received-SPF".split(" "),
  ];
  for (const name of [...refused, ...refused.map((name) => name.toUpperCase())]) {
    assert.deepEqual(fields({ headers: { [name]: "x" } }), [`headers.${name}`]);
  }
  assert.match(faults({ headers: { "reply-to": "x" } })[0]?.detail ?? "", /field reply_to/);
  const allowed = "In-Reply-To References List-Unsubscribe-Post List-Id Auto-Submitted Precedence X-Mailer constructor";
  for (const name of allowed.split(" ")) assert.equal(accepted({ headers: { [name]: "x" } }).headers?.length, 1);
  const proto = JSON.parse('{"headers":{"__proto__":"x"}}');
  assert.deepEqual(accepted(proto).headers, [{ name: "__proto__", value: "x" }]);
});

test("a data URL is refused with what to send instead, white space or not", () => {
  for (const content of ["data:,SGVsbG8=", " data:text/plain;base64,SGVsbG8=", "\r\nd a\tt\na :"]) {
    assert.deepEqual(read({ attachments: [{ filename: "a.txt", content }] }), {
      type: "invalid",
      code: "invalid_request",
      errors: [
        { field: "attachments[0].content", detail: 'This starts with "data:"; send only what follows the comma.' },
      ],
    });
  }
});

test("attachments are files with a name, base64 and a type", () => {
  const [attachment] = accepted({ attachments: [{ ...file, content: "SGVs\r\nbG8=" }] }).attachments ?? [];
  assert.deepEqual(attachment, {
    filename: "a.txt",
    contentType: "text/plain; charset=utf-8",
    contentId: null,
    content: Buffer.from("Hello"),
  });
  const typeOf = (more: object) => accepted({ attachments: [{ ...file, ...more }] }).attachments?.[0]?.contentType;
  assert.equal(typeOf({ filename: "a.PDF" }), "application/pdf");
  assert.equal(typeOf({ filename: "a.unheard-of" }), "application/octet-stream");
  assert.equal(typeOf({ filename: "mail.eml" }), "application/octet-stream", "message/rfc822 must not be base64");
  assert.equal(
    typeOf({ content_type: "text/calendar; method=REQUEST" }),
    "text/calendar; method=REQUEST; charset=utf-8",
  );
  assert.equal(typeOf({ content_type: 'text/csv; charset="latin1"' }), 'text/csv; charset="latin1"');
  assert.equal(typeOf({ content: "/w==" }), "text/plain", "not UTF-8");
});

test("what is wrong with an attachment is told at its place", () => {
  const cases: [object, string][] = [
    [{ content: "not base64!" }, "content"],
    [{ content: "data:text/plain;base64,SGVsbG8=" }, "content"],
    [{ content: "\u0141BCD" }, "content"],
    [{ content: "SGVsbG8" }, "content"],
    [{ content: "SGVsbG8-" }, "content"],
    [{ content: "SGVs=G8=" }, "content"],
    [{ content: "SGVsbG8é" }, "content"],
    [{ content: "====" }, "content"],
    [{ content: "SGVsbG8=SGVsbG8=" }, "content"],
    [{ content: 7 }, "content"],
    [{ filename: "" }, "filename"],
    [{ filename: "a\r\nb" }, "filename"],
    [{ filename: "\ud800" }, "filename"],
    [{ filename: "x".repeat(256) }, "filename"],
    [{ content_type: "pdf" }, "content_type"],
    [{ content_type: "text/plain\r\nBcc: x@y.example" }, "content_type"],
    [{ content_type: "message/rfc822" }, "content_type"],
    [{ content_type: "multipart/mixed" }, "content_type"],
    [{ content_id: "<logo>" }, "content_id"],
    [{ content_id: "a b" }, "content_id"],
    [{ content_id: "" }, "content_id"],
    [{ contentType: "text/plain" }, "contentType"],
    [{ path: "/etc/passwd" }, "path"],
  ];
  for (const [change, field] of cases) {
    const attachments = [file, { ...file, ...change }];
    assert.deepEqual(fields({ html: "<p>", attachments }), [`attachments[1].${field}`], JSON.stringify(change));
  }
  assert.deepEqual(fields({ attachments: [{}] }).toSorted(), ["attachments[0].content", "attachments[0].filename"]);
  assert.deepEqual(fields({ attachments: ["x", file] }), ["attachments[0]"]);
  assert.deepEqual(faults({ attachments: file }), [
    { field: "attachments", detail: "This must be an array of objects." },
  ]);
  assert.deepEqual(fields({ attachments: Array.from({ length: 101 }, () => file) }), ["attachments"]);
});

test("an inline image needs an html body and an id of its own", () => {
  const image = { ...file, filename: "logo.png", content_id: "logo@shop.example" };
  assert.deepEqual(fields({ attachments: [image] }), ["attachments[0].content_id"]);
  assert.deepEqual(fields({ html: "", attachments: [image] }), ["attachments[0].content_id"]);
  assert.deepEqual(fields({ html: "<img>", attachments: [image, image] }), ["attachments[1].content_id"]);
  assert.equal(accepted({ html: "<img>", attachments: [image] }).attachments?.[0]?.contentId, "logo@shop.example");
});

test("tags are a few short words, each once", () => {
  assert.deepEqual(accepted({ tags: ["welcome", "grün", "welcome"] }).tags, ["welcome", "grün"]);
  assert.deepEqual(fields({ tags: ["", "a\nb", "x".repeat(129), 7, "\udc00"] }).toSorted(), [
    "tags[0]",
    "tags[1]",
    "tags[2]",
    "tags[3]",
    "tags[4]",
  ]);
  assert.deepEqual(fields({ tags: "welcome" }), ["tags"]);
  assert.deepEqual(fields({ tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }), ["tags"]);
});

test("metadata is an object of short strings, under any names", () => {
  const metadata = JSON.parse('{"order":"1042","__proto__":"x","constructor":"two\\nlines"}');
  assert.deepEqual(JSON.stringify(accepted({ metadata }).metadata), JSON.stringify(metadata));
  assert.deepEqual(fields({ metadata: { order: 1042, a: "x".repeat(501), "": "x", ok: "x" } }).toSorted(), [
    "metadata.",
    "metadata.a",
    "metadata.order",
  ]);
  assert.deepEqual(fields({ metadata: ["x"] }), ["metadata"]);
  assert.deepEqual(fields({ metadata: { ["n".repeat(41)]: "x" } }), [`metadata.${"n".repeat(41)}`]);
});

test("expires_in is seconds or a duration", () => {
  assert.equal(accepted({ expires_in: 600 }).expiresInMs, 600_000);
  assert.equal(accepted({ expires_in: "10m" }).expiresInMs, 600_000);
  for (const value of [0, -1, 1.5, "0s", "10", "ten minutes", "", null, true, {}]) {
    assert.deepEqual(fields({ expires_in: value }), ["expires_in"], JSON.stringify(value));
  }
  assert.ok(Number.isSafeInteger(accepted({ expires_in: 1e300 }).expiresInMs));
});

test("every extra counts in the payload, however it is written", () => {
  const image = { ...file, content_id: "logo" };
  const bodies = [
    {},
    { cc: "c@c.example" },
    { bcc: "c@c.example" },
    { reply_to: "c@c.example" },
    { headers: { "X-A": "1" } },
    { headers: { "X-A": "2" } },
    { attachments: [file] },
    { attachments: [{ ...file, content: "SGVsbG9v" }] },
    { attachments: [{ ...file, filename: "b.txt" }] },
    { attachments: [{ ...file, content_type: "text/csv" }] },
    { html: "x", attachments: [file] },
    { html: "x", attachments: [image] },
    { tags: ["a"] },
    { tags: ["b"] },
    { metadata: { a: "b" } },
    { metadata: { b: "a" } },
    { expires_in: 5 },
  ];
  const hashOf = (more: object): string => payloadHash(accepted(more));
  assert.equal(new Set(bodies.map(hashOf)).size, bodies.length);
  const same: [object, object][] = [
    [{ cc: "c@c.example" }, { cc: ["c@C.example"] }],
    [{ expires_in: 600 }, { expires_in: "10m" }],
    [{ metadata: { a: "1", b: "2" } }, { metadata: { b: "2", a: "1" } }],
    [{ headers: { "X-A": "1", "X-B": "2" } }, { headers: { "X-B": "2", "X-A": "1" } }],
    [{ tags: [], metadata: {}, attachments: [], headers: {}, cc: [], bcc: [], reply_to: [] }, {}],
  ];
  for (const [one, other] of same) assert.equal(hashOf(one), hashOf(other), JSON.stringify(one));
});

test("no answer about an extra echoes much of its request", () => {
  const long = "x".repeat(5000);
  const more = {
    headers: { [long]: long, "X-A": `${long}\n` },
    attachments: [{ filename: `${long}\n`, content: `${long}!`, content_type: long, content_id: `${long} ` }],
    tags: [long],
    metadata: { [long]: long },
    expires_in: long,
  };
  for (const { field, detail } of faults(more)) {
    assert.ok(!detail.includes("xxxxx"));
    assert.ok(field.length <= 100);
  }
});
