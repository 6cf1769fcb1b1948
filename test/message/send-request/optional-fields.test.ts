/** Copies, Reply-To, header fields, attachments, tags, metadata, expiry and unsubscribe of send requests: valid and invalid values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "../../../src/message/field-errors.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import type { Submission } from "../../../src/message/send-request/submission.ts";

const request = { from: "ada@a.example", to: "b@b.example", subject: "Hi", text: "Hello" };
const file = { filename: "a.txt", content: "SGVsbG8=" };

const validate = (more: object, recipientsMax = 5) => validateSendRequest({ ...request, ...more }, { recipientsMax });

function accepted(more: object): Submission {
  const result = validate(more);
  assert.ok(result.type === "valid", JSON.stringify(result));
  return result.submission;
}

function errorsOf(more: object): FieldError[] {
  const result = validate(more);
  assert.ok(result.type === "invalid", JSON.stringify(more).slice(0, 200));
  for (const { detail } of result.errors) assert.match(detail, /^[A-Z].*[.?]$/);
  return result.errors;
}

const fields = (more: object): string[] => errorsOf(more).map((error) => error.field);
const addresses = (mailboxes: { address: string }[] | undefined) => mailboxes?.map(({ address }) => address);

test("cc, bcc and reply_to are an address or an array of them", () => {
  for (const field of ["cc", "bcc", "reply_to"] as const) {
    const name = field === "reply_to" ? "replyTo" : field;
    assert.deepEqual(addresses(accepted({ [field]: "Cy <c@c.example>" })[name]), ["c@c.example"]);
    assert.deepEqual(addresses(accepted({ [field]: ["c@c.example", "d@d.example"] })[name]), [
      "c@c.example",
      "d@d.example",
    ]);
    assert.deepEqual(accepted({ [field]: [] }), accepted({}), "an empty list counts as absent");
    assert.deepEqual(fields({ [field]: "nobody" }), [field]);
    assert.deepEqual(fields({ [field]: ["c@c.example", "nobody", 7] }).toSorted(), [`${field}[1]`, `${field}[2]`]);
    for (const value of [7, {}]) {
      assert.deepEqual(errorsOf({ [field]: value }), [
        { field, detail: "This must be a string or an array of strings." },
      ]);
    }
  }
});

test("a recipient in several of to, cc and bcc counts once, at its first occurrence; reply_to may repeat it", () => {
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

test("the limit applies to the recipients of to, cc and bcc together", () => {
  const more = { cc: ["c@c.example", "d@d.example"], bcc: ["e@e.example"] };
  assert.equal(validate(more, 4).type, "valid");
  const excess = validate(more, 3);
  assert.ok(excess.type === "invalid" && excess.code === "too_many_recipients");
  assert.match(excess.errors[0]?.detail ?? "", /has 4 recipients; at most 3/);
});

test("headers are names with single-line values", () => {
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
  ]) {
    assert.deepEqual(fields({ headers: { "X-A": value } }), ["headers.X-A"], JSON.stringify(value));
  }
  assert.deepEqual(fields({ headers: { "X-A": "1", "x-a": "2" } }), ["headers.x-a"]);
  assert.deepEqual(errorsOf({ headers: [] }), [{ field: "headers", detail: "This must be an object of strings." }]);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`X-${i}`, "x"]));
  assert.deepEqual(fields({ headers: many }), ["headers"]);
});

test("header fields of Postrider and of mail servers are rejected, in any letter case", () => {
  const reserved = [
    ..."From To Cc Bcc Reply-To Subject Date Message-ID MIME-Version Sender Received Return-Path".split(" "),
    ..."Content-Type Content-Transfer-Encoding Content-ID DKIM-Signature DomainKey-Signature ARC-Seal".split(" "),
    ..."Resent-To Resent-From Authentication-Results Delivered-To Received-SPF".split(" "),
  ];
  for (const name of [...reserved, ...reserved.map((name) => name.toUpperCase())]) {
    assert.deepEqual(fields({ headers: { [name]: "x" } }), [`headers.${name}`]);
  }
  assert.match(errorsOf({ headers: { "reply-to": "x" } })[0]?.detail ?? "", /field reply_to/);
  const allowed = "In-Reply-To References List-Unsubscribe-Post List-Id Auto-Submitted Precedence X-Mailer constructor";
  for (const name of allowed.split(" ")) assert.equal(accepted({ headers: { [name]: "x" } }).headers?.length, 1);
  const proto = JSON.parse('{"headers":{"__proto__":"x"}}');
  assert.deepEqual(accepted(proto).headers, [{ name: "__proto__", value: "x" }]);
});

test("a data URL is rejected with advice, with or without white space", () => {
  for (const content of ["data:,SGVsbG8=", " data:text/plain;base64,SGVsbG8=", "\r\nd a\tt\na :"]) {
    assert.deepEqual(validate({ attachments: [{ filename: "a.txt", content }] }), {
      type: "invalid",
      code: "invalid_request",
      errors: [
        { field: "attachments[0].content", detail: 'This starts with "data:"; send only the part after the comma.' },
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

test("an attachment's errors name its index and field", () => {
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
  assert.deepEqual(errorsOf({ attachments: file }), [
    { field: "attachments", detail: "This must be an array of objects." },
  ]);
  assert.deepEqual(fields({ attachments: Array.from({ length: 101 }, () => file) }), ["attachments"]);
});

test("an inline image needs an HTML body and a unique content_id", () => {
  const image = { ...file, filename: "logo.png", content_id: "logo@shop.example" };
  assert.deepEqual(fields({ attachments: [image] }), ["attachments[0].content_id"]);
  assert.deepEqual(fields({ html: "", attachments: [image] }), ["attachments[0].content_id"]);
  assert.deepEqual(fields({ html: "<img>", attachments: [image, image] }), ["attachments[1].content_id"]);
  assert.equal(accepted({ html: "<img>", attachments: [image] }).attachments?.[0]?.contentId, "logo@shop.example");
});

test("tags are a few short strings without repetitions", () => {
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

test("metadata is an object of short strings with any names", () => {
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
  for (const value of [0, -1, 1.5, "0s", "10", "ten minutes", "", true, {}]) {
    assert.deepEqual(fields({ expires_in: value }), ["expires_in"], JSON.stringify(value));
  }
  assert.ok(Number.isSafeInteger(accepted({ expires_in: 1e300 }).expiresInMs));
});

test("errors echo little of the request", () => {
  const long = "x".repeat(5000);
  const more = {
    headers: { [long]: long, "X-A": `${long}\n` },
    attachments: [{ filename: `${long}\n`, content: `${long}!`, content_type: long, content_id: `${long} ` }],
    tags: [long],
    metadata: { [long]: long },
    expires_in: long,
  };
  for (const { field, detail } of errorsOf(more)) {
    assert.ok(!detail.includes("xxxxx"));
    assert.ok(field.length <= 100);
  }
});

test("unsubscribe is true or false, and false counts as absent", () => {
  assert.equal(accepted({ unsubscribe: true }).unsubscribe, true);
  assert.deepEqual(accepted({ unsubscribe: false }), accepted({}));
  for (const value of ["true", 1, {}]) assert.deepEqual(fields({ unsubscribe: value }), ["unsubscribe"]);
});

test("unsubscribe needs exactly one recipient in to, cc and bcc together", () => {
  for (const more of [
    { to: ["b@b.example", "c@b.example"] },
    { cc: "c@b.example" },
    { bcc: ["c@b.example", "d@b.example"] },
  ]) {
    const [error, ...others] = errorsOf({ ...more, unsubscribe: true });
    assert.deepEqual([error?.field, others], ["unsubscribe", []]);
    assert.match(error?.detail ?? "", /exactly one recipient, because the link identifies the recipient/);
    accepted({ ...more, unsubscribe: false });
  }
  assert.equal(accepted({ to: ["b@b.example", "B <b@B.example>"], cc: "b@b.example", unsubscribe: true }).to.length, 1);
  assert.deepEqual(fields({ to: "nobody", unsubscribe: true }), ["to"], "an invalid address is the only error");
});

test("unsubscribe does not go with a link of the client's own", () => {
  const headers = {
    "list-unsubscribe": "<https://a.example/u>",
    "List-Unsubscribe-Post": "x",
    "List-Id": "<l.a.example>",
  };
  const own = ["headers.list-unsubscribe", "headers.List-Unsubscribe-Post"];
  assert.deepEqual(fields({ unsubscribe: true, headers }), own);
  assert.equal(accepted({ headers }).headers?.length, 3);
});
