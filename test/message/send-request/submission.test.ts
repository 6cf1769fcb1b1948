/** The payload hash: equal for requests that differ only in spelling, different for all others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import { payloadHash, type Submission } from "../../../src/message/send-request/submission.ts";

const request = { from: "Ada <ada@a.example>", to: "b@b.example", subject: "Hi", text: "Hello" };
const file = { filename: "a.txt", content: "SGVsbG8=" };
const without = (field: string) => Object.fromEntries(Object.entries(request).filter(([name]) => name !== field));

function submissionOf(body: unknown): Submission {
  const result = validateSendRequest(body, { recipientsMax: 5 });
  assert.ok(result.type === "valid", JSON.stringify(result));
  return result.submission;
}

test("one address and an array of one address have the same hash", () => {
  const one = submissionOf(request);
  const list = submissionOf({ ...request, to: ["b@b.example"] });
  assert.deepEqual(list, one);
  assert.equal(payloadHash(list), payloadHash(one));
  assert.match(payloadHash(one), /^[0-9a-f]{64}$/);
});

test("requests with different values have different hashes", () => {
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
  assert.equal(new Set(bodies.map((body) => payloadHash(submissionOf(body)))).size, bodies.length);
});

test("the spelling of a domain does not change the hash", () => {
  const spelled = submissionOf({ ...request, to: ["b@B.EXAMPLE", "b@b.example"] });
  assert.equal(payloadHash(spelled), payloadHash(submissionOf(request)));
});

test("every optional field is part of the hash, whatever its spelling", () => {
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
    { unsubscribe: true },
  ];
  const hashOf = (more: object): string => payloadHash(submissionOf({ ...request, ...more }));
  assert.equal(new Set(bodies.map(hashOf)).size, bodies.length);
  const same: [object, object][] = [
    [{ cc: "c@c.example" }, { cc: ["c@C.example"] }],
    [{ expires_in: 600 }, { expires_in: "10m" }],
    [{ metadata: { a: "1", b: "2" } }, { metadata: { b: "2", a: "1" } }],
    [{ headers: { "X-A": "1", "X-B": "2" } }, { headers: { "X-B": "2", "X-A": "1" } }],
    [{ unsubscribe: false }, {}],
    [{ tags: [], metadata: {}, attachments: [], headers: {}, cc: [], bcc: [], reply_to: [] }, {}],
  ];
  for (const [one, other] of same) assert.equal(hashOf(one), hashOf(other), JSON.stringify(one));
});
