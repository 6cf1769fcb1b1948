/** Send requests: valid ones, and all errors of invalid ones in one result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "../../../src/message/field-errors.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import type { Submission } from "../../../src/message/send-request/submission.ts";

const request = { from: "Ada <ada@a.example>", to: "b@b.example", subject: "Hi", text: "Hello" };
const without = (field: string) => Object.fromEntries(Object.entries(request).filter(([name]) => name !== field));

function validate(body: unknown, recipientsMax = 5) {
  return validateSendRequest(body, { recipientsMax });
}

function accepted(body: unknown): Submission {
  const result = validate(body);
  assert.ok(result.type === "valid", JSON.stringify(result));
  return result.submission;
}

function errorsOf(body: unknown, recipientsMax = 5): FieldError[] {
  const result = validate(body, recipientsMax);
  assert.ok(result.type === "invalid");
  return result.errors;
}

const fields = (body: unknown) => errorsOf(body).map((error) => error.field);

test("a request becomes a submission", () => {
  assert.deepEqual(accepted(request), {
    from: { name: "Ada", address: "ada@a.example", local: "ada", domain: "a.example" },
    to: [{ name: null, address: "b@b.example", local: "b", domain: "b.example" }],
    subject: "Hi",
    html: null,
    text: "Hello",
  });
});

test("subject, html and text may be empty", () => {
  assert.equal(accepted({ ...request, subject: "", text: "" }).text, "");
  assert.equal(accepted({ ...without("text"), html: "" }).html, "");
});

test("a body that is not an object is rejected as a whole", () => {
  for (const body of [null, [], "x", 1, undefined]) assert.deepEqual(fields(body), ["body"]);
});

test("missing fields are named, one error each", () => {
  assert.deepEqual(fields({}).toSorted(), ["from", "subject", "text", "to"]);
  for (const field of ["from", "to", "subject", "text"]) assert.deepEqual(fields(without(field)), [field]);
});

test("wrong types are named, one error each, in sentences", () => {
  for (const value of [1, {}, true]) {
    for (const field of ["from", "to", "subject", "html", "text"]) {
      const errors = errorsOf({ ...request, [field]: value });
      assert.deepEqual(
        errors.map((error) => error.field),
        [field],
      );
      assert.match(
        errors[0]?.detail ?? "",
        field === "to" ? /^This must be a string or an array of strings\.$/ : /^This must be a string\.$/,
      );
    }
  }
  assert.deepEqual(fields({ ...request, to: [1, "b@b.example", null] }), ["to[0]", "to[2]"]);
  assert.deepEqual(fields({ ...request, to: [] }), ["to"]);
});

test("unknown fields are rejected by name", () => {
  assert.deepEqual(fields({ ...request, Subject: "x", "bcc/~": 1 }), ["Subject", "bcc/~"]);
  assert.deepEqual(fields(JSON.parse(`{"__proto__":{"from":"x@y.example"},${JSON.stringify(request).slice(1)}`)), [
    "__proto__",
  ]);
});

test("all errors are in one result", () => {
  const body = { from: "nobody", to: ["b@b.example", "a@b@c", 7], subject: "a\nb", html: "\0", extra: 1 };
  assert.deepEqual(fields(body).toSorted(), ["extra", "from", "html", "subject", "to[1]", "to[2]"]);
});

test("the error of an address names its index", () => {
  assert.deepEqual(errorsOf({ ...request, to: ["b@b.example", "c"] }), [
    { field: "to[1]", detail: 'The address has no "@".' },
  ]);
  assert.deepEqual(fields({ ...request, to: "c@d.example, e@f.example" }), ["to"]);
});

test("values that would inject a header or are not valid UTF-8 are rejected by field", () => {
  for (const subject of ["a\rb", "a\nBcc: x@y.example", "a\0b", "a\ud800b"]) {
    assert.deepEqual(fields({ ...request, subject }), ["subject"]);
  }
  for (const from of ["A\r\nBcc: x@y.example <a@a.example>", "a\0@a.example"]) {
    assert.deepEqual(fields({ ...request, from }), ["from"]);
  }
  for (const body of ["a\0b", "\udc00"]) {
    assert.deepEqual(fields({ ...request, text: body }), ["text"]);
    assert.deepEqual(fields({ ...request, html: body }), ["html"]);
  }
});

test("a repeated recipient counts once, at its first occurrence", () => {
  const to = ["a@b.example", "B <b@b.example>", "Again <a@B.example>", "c@b.example", "b@b.example"];
  const result = validate({ ...request, to }, 3);
  assert.ok(result.type === "valid");
  assert.deepEqual(
    result.submission.to.map((mailbox) => mailbox.address),
    ["a@b.example", "b@b.example", "c@b.example"],
  );
  assert.equal(result.submission.to[0]?.name, null);
});

test("too many recipients have a code of their own, unless there are other errors", () => {
  const to = ["a@b.example", "b@b.example", "c@b.example"];
  const alone = validate({ ...request, to }, 2);
  assert.ok(alone.type === "invalid");
  assert.equal(alone.code, "too_many_recipients");
  assert.deepEqual(
    alone.errors.map((error) => error.field),
    ["to"],
  );
  const among = validate({ ...request, to, subject: "\n" }, 2);
  assert.ok(among.type === "invalid");
  assert.equal(among.code, "invalid_request");
  assert.deepEqual(
    among.errors.map((error) => error.field),
    ["subject", "to"],
  );
});

test("errors echo little of the request", () => {
  const long = "x".repeat(5000);
  const body = { from: long, to: [long, `${long}@b.example`], subject: `${long}\n`, html: `${long}\0`, [long]: 1 };
  for (const error of errorsOf(body)) {
    assert.ok(!error.detail.includes("xxxxx"));
    assert.ok(error.field.length <= 100);
  }
  const many = errorsOf({ ...request, to: Array.from({ length: 100_000 }, () => "x") });
  assert.ok(many.length <= 1000);
});
