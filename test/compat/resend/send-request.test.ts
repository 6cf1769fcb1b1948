/** Messages of Resend's API: what they are translated to, and which field an error names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { validateResendRequest } from "../../../src/compat/resend/send-request.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";

const LIMITS = { recipientsMax: 50 };
const BASIC = { from: "Shop <a@shop.example>", to: "b@b.example", subject: "Hello", html: "<p>Hi</p>" };

const validated = (body: unknown) => validateResendRequest(body, LIMITS);

/** The errors of an invalid request, as `field: detail`. */
function errorsOf(body: unknown): string[] {
  const result = validated(body);
  assert.ok(result.type === "invalid", JSON.stringify(result));
  return result.errors.map(({ field, detail }) => `${field}: ${detail}`);
}

const fieldsOf = (body: unknown): string[] => errorsOf(body).map((error) => error.split(": ")[0] ?? "");

test("a message with every field that both have is the same send request", () => {
  const same = {
    ...BASIC,
    to: ["b@b.example", "Cee <c@b.example>"],
    cc: "d@b.example",
    bcc: ["e@b.example"],
    reply_to: ["f@shop.example", "g@shop.example"],
    text: "Hi",
    headers: { "X-Entity-Ref-ID": "1" },
  };
  const file = { filename: "a.txt", content: "SGk=", content_type: "text/plain" };
  const image = { filename: "a.png", content: "SGk=", content_id: "logo" };
  const expected = validateSendRequest({ ...same, attachments: [file, image] }, LIMITS);
  assert.equal(expected.type, "valid");
  assert.deepEqual(validated({ ...same, attachments: [file, image] }), expected);
  const { content_id, ...rest } = image;
  const attachments = [
    { ...file, content: { type: "Buffer", data: "SGk=" } },
    { ...rest, inline_content_id: content_id },
  ];
  assert.deepEqual(validated({ ...same, attachments }), expected);
});

test("fields that are null count as absent, also those that are not served", () => {
  const nulls = {
    cc: null,
    text: null,
    headers: null,
    tags: null,
    attachments: null,
    scheduled_at: null,
    topic_id: null,
  };
  assert.deepEqual(validated({ ...BASIC, ...nulls }), validated(BASIC));
  const attachments = [{ filename: "a.txt", content: "SGk=", path: null, content_type: null, content_id: null }];
  assert.equal(validated({ ...BASIC, attachments }).type, "valid");
  assert.deepEqual(errorsOf({ ...BASIC, to: null }), ["to: This field is required."]);
});

test("scheduled_at is the time of sending, and at most 30 days ahead", () => {
  const nowMs = Date.parse("2030-01-01T00:00:00Z");
  const at = (scheduled_at: string) => validateResendRequest({ ...BASIC, scheduled_at }, { recipientsMax: 50, nowMs });
  const valid = at("2030-01-02T03:04:05.678Z");
  assert.ok(valid.type === "valid" && valid.submission.sendAtMs === Date.parse("2030-01-02T03:04:05.678Z"));
  const far = at("2030-03-01T00:00:00Z");
  assert.ok(far.type === "invalid" && far.errors[0]?.field === "scheduled_at");
});

test("what Postrider does not have is rejected by name, with what to do", () => {
  assert.deepEqual(errorsOf({ ...BASIC, scheduled_at: "in 1 hour", topic_id: "topic" }), [
    "topic_id: Postrider has no topics. Leave this field out.",
    'scheduled_at: This must be a time with its offset (RFC 3339), such as 2030-01-31T09:00:00Z or 2030-01-31T10:00:00+01:00. Postrider does not read phrases such as "in 1 min".',
  ]);
  assert.deepEqual(fieldsOf({ from: "a@b.example", to: "b@b.example", template: { id: "x" } }), [
    "template",
    "text",
    "subject",
  ]);
  const attachments = [{ filename: "a.pdf", path: "https://shop.example/a.pdf" }];
  assert.deepEqual(errorsOf({ ...BASIC, attachments }), [
    "attachments[0].path: Postrider does not fetch remote files. Send the file itself in content.",
    "attachments[0].content: This field is required.",
  ]);
});

test("unknown fields are rejected by name, also those that only the own API has", () => {
  const attachments = [{ filename: "a.txt", content: "SGk=", disposition: "inline" }];
  const unknown = { replyTo: "a@b.example", metadata: {}, expires_in: 60, __proto__: null, colour: 1, attachments };
  assert.deepEqual(errorsOf({ ...BASIC, ...unknown }), [
    "replyTo: This field is unknown.",
    "metadata: This field is unknown.",
    "expires_in: This field is unknown.",
    "colour: This field is unknown.",
    "attachments[0].disposition: This field is unknown.",
  ]);
  assert.deepEqual(fieldsOf(JSON.parse(`{"__proto__":1,"${"x".repeat(200)}":1}`)).slice(0, 2), [
    "__proto__",
    `${"x".repeat(99)}…`,
  ]);
});

test("errors of the own validation keep their field and their code", () => {
  assert.deepEqual(fieldsOf({}), ["text", "from", "to", "subject"]);
  assert.deepEqual(fieldsOf({ ...BASIC, to: ["b@b.example", "nobody"], subject: "a\nb" }), ["to[1]", "subject"]);
  assert.deepEqual(errorsOf([]), ["body: The body must be a JSON object."]);
  assert.deepEqual(errorsOf("x"), ["body: The body must be a JSON object."]);
  for (const attachments of ["x", [7], [{ filename: 7, content: [] }]]) {
    assert.ok(fieldsOf({ ...BASIC, attachments }).every((field) => field.startsWith("attachments")));
  }
  const to = Array.from({ length: 51 }, (_, i) => `a${i}@b.example`);
  const many = validated({ ...BASIC, to });
  assert.equal(many.type === "invalid" && many.code, "too_many_recipients");
  const both = validated({ ...BASIC, to, topic_id: "x" });
  assert.equal(both.type === "invalid" && both.code, "invalid_request");
});

test("a request of any size has a bounded number of errors", () => {
  const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x${i}`, 1]));
  const attachments = Array.from({ length: 9000 }, () => ({ path: "https://shop.example/" }));
  assert.equal(errorsOf({ ...BASIC, ...unknown }).length, 1000);
  assert.equal(errorsOf({ ...BASIC, attachments }).length, 1000);
});
