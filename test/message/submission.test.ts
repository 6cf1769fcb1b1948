/** Send requests: what is accepted, every fault in one answer, and when two say the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, payloadHash, readSubmission, type Submission } from "../../src/message/submission.ts";

const request = { from: "Ada <ada@a.example>", to: "b@b.example", subject: "Hi", text: "Hello" };
const without = (field: string) => Object.fromEntries(Object.entries(request).filter(([name]) => name !== field));

function read(body: unknown, recipientsMax = 5) {
  return readSubmission(body, { recipientsMax });
}

function accepted(body: unknown): Submission {
  const outcome = read(body);
  assert.ok(outcome.type === "valid", JSON.stringify(outcome));
  return outcome.submission;
}

function faults(body: unknown, recipientsMax = 5): FieldError[] {
  const outcome = read(body, recipientsMax);
  assert.ok(outcome.type === "invalid");
  return outcome.errors;
}

const fields = (body: unknown) => faults(body).map((error) => error.field);

test("a request becomes a submission", () => {
  assert.deepEqual(accepted(request), {
    from: { name: "Ada", address: "ada@a.example", local: "ada", domain: "a.example" },
    to: [{ name: null, address: "b@b.example", local: "b", domain: "b.example" }],
    subject: "Hi",
    html: null,
    text: "Hello",
  });
});

test("one address and an array of one are the same payload", () => {
  const one = accepted(request);
  const list = accepted({ ...request, to: ["b@b.example"] });
  assert.deepEqual(list, one);
  assert.equal(payloadHash(list), payloadHash(one));
  assert.match(payloadHash(one), /^[0-9a-f]{64}$/);
});

test("payloads that differ in anything that matters have other hashes", () => {
  const bodies = [
    request,
    { ...request, from: "ada@a.example" },
    { ...request, to: "c@b.example" },
    { ...request, to: ["b@b.example", "c@b.example"] },
    { ...request, subject: "Hi " },
    { ...request, text: "Hello\n" },
    { ...request, html: "" },
    { ...without("text"), html: "Hello" },
  ];
  assert.equal(new Set(bodies.map((body) => payloadHash(accepted(body)))).size, bodies.length);
});

test("a domain's spelling does not change the payload", () => {
  const spelled = accepted({ ...request, to: ["b@B.EXAMPLE", "b@b.example"] });
  assert.equal(payloadHash(spelled), payloadHash(accepted(request)));
});

test("subject, html and text may be empty", () => {
  assert.equal(accepted({ ...request, subject: "", text: "" }).text, "");
  assert.equal(accepted({ ...without("text"), html: "" }).html, "");
});

test("what is no object is refused as a whole", () => {
  for (const body of [null, [], "x", 1, undefined]) assert.deepEqual(fields(body), ["body"]);
});

test("missing fields are named, one entry each", () => {
  assert.deepEqual(fields({}).toSorted(), ["from", "subject", "text", "to"]);
  for (const field of ["from", "to", "subject", "text"]) assert.deepEqual(fields(without(field)), [field]);
});

test("wrong types are named, one entry each, in plain sentences", () => {
  for (const value of [null, 1, {}, true]) {
    for (const field of ["from", "to", "subject", "html", "text"]) {
      const errors = faults({ ...request, [field]: value });
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

test("unknown fields are refused by name", () => {
  assert.deepEqual(fields({ ...request, Subject: "x", "bcc/~": 1 }), ["Subject", "bcc/~"]);
  assert.deepEqual(fields(JSON.parse(`{"__proto__":{"from":"x@y.example"},${JSON.stringify(request).slice(1)}`)), [
    "__proto__",
  ]);
});

test("every fault is in one answer", () => {
  const body = { from: "nobody", to: ["b@b.example", "a@b@c", 7], subject: "a\nb", html: "\0", extra: 1 };
  assert.deepEqual(fields(body).toSorted(), ["extra", "from", "html", "subject", "to[1]", "to[2]"]);
});

test("an address at fault is explained at its place", () => {
  assert.deepEqual(faults({ ...request, to: ["b@b.example", "c"] }), [
    { field: "to[1]", detail: 'The address has no "@".' },
  ]);
  assert.deepEqual(fields({ ...request, to: "c@d.example, e@f.example" }), ["to"]);
});

test("what would inject a header, or cannot be UTF-8, is refused with the field's name", () => {
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

test("a repeated recipient counts once, at its first place", () => {
  const to = ["a@b.example", "B <b@b.example>", "Again <a@B.example>", "c@b.example", "b@b.example"];
  const outcome = read({ ...request, to }, 3);
  assert.ok(outcome.type === "valid");
  assert.deepEqual(
    outcome.submission.to.map((mailbox) => mailbox.address),
    ["a@b.example", "b@b.example", "c@b.example"],
  );
  assert.equal(outcome.submission.to[0]?.name, null);
});

test("too many recipients have a code of their own, unless something else is wrong too", () => {
  const to = ["a@b.example", "b@b.example", "c@b.example"];
  const alone = read({ ...request, to }, 2);
  assert.ok(alone.type === "invalid");
  assert.equal(alone.code, "too_many_recipients");
  assert.deepEqual(
    alone.errors.map((error) => error.field),
    ["to"],
  );
  const among = read({ ...request, to, subject: "\n" }, 2);
  assert.ok(among.type === "invalid");
  assert.equal(among.code, "invalid_request");
  assert.deepEqual(
    among.errors.map((error) => error.field),
    ["subject", "to"],
  );
});

test("no answer echoes much of its request", () => {
  const long = "x".repeat(5000);
  const body = { from: long, to: [long, `${long}@b.example`], subject: `${long}\n`, html: `${long}\0`, [long]: 1 };
  for (const error of faults(body)) {
    assert.ok(!error.detail.includes("xxxxx"));
    assert.ok(error.field.length <= 100);
  }
  const many = faults({ ...request, to: Array.from({ length: 100_000 }, () => "x") });
  assert.ok(many.length <= 1000);
});
