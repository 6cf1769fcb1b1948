/** What the request log keeps of a problem: its bounds, and that it has no secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../../src/http/response/problems.ts";
import { requestFault } from "../../../src/http/response/request-fault.ts";

const octetsOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test("the detail and the fields are kept", () => {
  const errors = [{ field: "to[0]", detail: "This is not an email address." }];
  const problem = new Problem("invalid_request", "to[0]: This is not an email address.", { errors });
  assert.deepEqual(requestFault(problem), { detail: problem.message, errors, others: 0 });
  assert.deepEqual(requestFault(new Problem("not_found", "Nothing is at this path.")), {
    detail: "Nothing is at this path.",
    errors: [],
    others: 0,
  });
});

test("a fault is bounded in octets, and counts the fields that are left out", () => {
  const errors = Array.from({ length: 1000 }, (_, i) => ({ field: `to[${i}]`, detail: "Not an email address." }));
  const many = requestFault(new Problem("invalid_request", "x".repeat(100_000), { errors }));
  assert.equal(many.errors.length, 20);
  assert.equal(many.others, 980);
  const large = errors.map(({ field }) => ({ field, detail: "\u{1F4E7}".repeat(1000) }));
  const cut = requestFault(new Problem("invalid_request", "\u{1F4E7}".repeat(100_000), { errors: large }));
  assert.equal(cut.errors.length + cut.others, 1000);
  assert.ok(cut.errors.length >= 1);
  const control = errors.map(({ field }) => ({ field, detail: "\u0001".repeat(200) }));
  const grown = requestFault(new Problem("invalid_request", "No.", { errors: control }));
  assert.ok(grown.errors.length >= 1 && octetsOf(grown.errors) < 2500, `${octetsOf(grown.errors)} octets`);
  for (const fault of [many, cut]) assert.ok(octetsOf(fault) < 5000, `${octetsOf(fault)} octets`);
});

test("secrets and the local parts of email addresses are left out", () => {
  const errors = [
    { field: "svc_live_0123456789", detail: "There is no field svc_live_0123456789." },
    { field: "headers.whsec_c2VjcmV0", detail: "This is no name." },
  ];
  const problem = new Problem("invalid_request", "No domain covers Ann.Lee+x@shop.example: /unsubscribe/token", {
    errors,
  });
  const fault = requestFault(problem);
  assert.doesNotMatch(JSON.stringify(fault), /0123|c2Vj|Ann|Lee|\/token/);
  assert.equal(fault.detail, "No domain covers …@shop.example: /unsubscribe/…");
});

const MASKED: [text: string, masked: string][] = [
  ['from "Ann Lee"@shop.example', "from …@shop.example"],
  ['"a\\"b@c"@shop.example is unknown', "…@shop.example is unknown"],
  ["ann@[192.0.2.1]", "…@[192.0.2.1]"],
  ["ann@m\u00fcller.example, bob@\u4f8b.example", "…@m\u00fcller.example, …@\u4f8b.example"],
  ["<ann@shop.example>", "<…@shop.example>"],
  ["a field @ without a domain", "a field @ without a domain"],
  ["a@b@c.example", "…@…@c.example"],
];

for (const [text, masked] of MASKED) {
  test(`the local parts of ${text}`, () => {
    assert.equal(requestFault(new Problem("invalid_request", text)).detail, masked);
  });
}
