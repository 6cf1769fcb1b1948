/** Null in an optional field of a send request: the field is absent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutNulls } from "../../../src/message/send-request/absent-fields.ts";
import { sendRequestSchema } from "../../../src/message/send-request/send-request-schema.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import { payloadHash } from "../../../src/message/send-request/submission.ts";

const request = { from: "a@a.example", to: "b@b.example", subject: "Hi", text: "Hello" };
const required: readonly string[] = sendRequestSchema.required;
const optional = Object.keys(sendRequestSchema.properties).filter((name) => !required.includes(name));

const validated = (body: unknown) => validateSendRequest(body, { recipientsMax: 5 });

function submissionOf(body: unknown) {
  const result = validated(body);
  assert.ok(result.type === "valid", JSON.stringify(result));
  return result.submission;
}

function fieldsAtFault(body: unknown): string[] {
  const result = validated(body);
  assert.ok(result.type === "invalid");
  return result.errors.map(({ field }) => field);
}

test("each optional field may be null, and the request is then the same", () => {
  assert.ok(optional.length > 8);
  const plain = submissionOf(request);
  const nulls = Object.fromEntries(optional.map((name) => [name, null]));
  const all = submissionOf({ ...nulls, ...request });
  assert.deepEqual(all, plain);
  assert.equal(payloadHash(all), payloadHash(plain));
});

test("null within attachments, headers and metadata is absent too", () => {
  const file = { filename: "a.txt", content: "aGk=" };
  const inner = { attachments: [file], headers: { "X-A": "1" }, metadata: { a: "1" } };
  const nulls = {
    attachments: [{ ...file, content_type: null, content_id: null }],
    headers: { "X-A": "1", "X-B": null },
    metadata: { a: "1", b: null },
  };
  assert.deepEqual(submissionOf({ ...request, ...nulls }), submissionOf({ ...request, ...inner }));
});

test("a required field that is null is an error, and so is an entry of a list", () => {
  for (const name of required) assert.deepEqual(fieldsAtFault({ ...request, [name]: null }), [name]);
  for (const name of ["filename", "content"]) {
    const file = { filename: "a.txt", content: "aGk=", [name]: null };
    assert.deepEqual(fieldsAtFault({ ...request, attachments: [file] }), [`attachments[0].${name}`]);
  }
  assert.deepEqual(fieldsAtFault({ ...request, to: [null] }), ["to[0]"]);
  assert.deepEqual(fieldsAtFault({ ...request, tags: [null] }), ["tags[0]"]);
  assert.deepEqual(fieldsAtFault({ ...request, text: null, html: null }), ["text"]);
});

test("an unknown field that is null stays unknown", () => {
  assert.deepEqual(fieldsAtFault({ ...request, colour: null }), ["colour"]);
});

test("a request without null is not copied", () => {
  assert.equal(withoutNulls(request), request);
});
