/** The request of an operation, with the examples of the document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleRequest, ownExample } from "../../../src/dashboard/views/example-request.ts";

test("an operation is requested with the document's example, from the account's own domain", () => {
  const operation = {
    operationId: "send",
    summary: "Send",
    tags: [],
    responses: {},
    method: "POST",
    path: "/send/{id}",
    parameters: [{ name: "id", in: "path", description: "", schema: {}, example: "msg_1" }],
    requestBody: { content: { "application/json": { schema: {}, example: { from: "Shop <hello@example.com>" } } } },
  } as const;
  const target = { url: "https://mail.example" };
  const body = (from: string) => ({ type: "application/json", value: { from } });
  const shared = { method: "POST", url: "https://mail.example/send/msg_1", needsKey: true };
  assert.deepEqual(exampleRequest(operation, { ...target, domain: "shop.example" }), {
    ...shared,
    body: body("Shop <hello@shop.example>"),
  });
  assert.deepEqual(exampleRequest(operation, { ...target, domain: null }), {
    ...shared,
    body: body("Shop <hello@example.com>"),
  });
  assert.deepEqual(ownExample({ domain: "example.com" }, { domain: "shop.example" }), { domain: "shop.example" });
});
