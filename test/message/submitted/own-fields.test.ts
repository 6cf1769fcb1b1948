/** Postrider's header fields: what they set, and which are rejected by name. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOwn, type OwnFields, ownFieldName, readOwnFields } from "../../../src/message/submitted/own-fields.ts";
import { fieldsOf } from "../header/fields.ts";

function read(...lines: string[]): OwnFields {
  const result = readOwnFields(fieldsOf(...lines));
  assert.ok(result.type === "valid", JSON.stringify(result));
  const { idempotencyKey, request } = result;
  return { idempotencyKey, request };
}

function faultOf(...lines: string[]): string {
  const result = readOwnFields(fieldsOf(...lines));
  assert.ok(result.type === "invalid", JSON.stringify(result));
  return result.detail;
}

describe("Postrider's fields", () => {
  it("are none in most messages", () => {
    const lines = ["From: a@b.example", "X-Tag: a", "X-Postriders: a"];
    assert.deepEqual(read(...lines), { idempotencyKey: null, request: {} });
    assert.ok(!fieldsOf(...lines).some(isOwn));
  });

  it("are read in any case, with encoded words decoded", () => {
    const lines = [
      "x-postrider-idempotency-key: password-reset-1042",
      "X-POSTRIDER-TAG: reset",
      "X-Postrider-Tag: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
      "X-Postrider-Metadata-orderNo: 10",
      " 42",
      "X-Postrider-Metadata-Name: Jörg",
      "X-Postrider-Expires-In: 10m",
    ];
    assert.deepEqual(read(...lines), {
      idempotencyKey: "password-reset-1042",
      request: { tags: ["reset", "Grüße"], metadata: { orderNo: "10 42", Name: "Jörg" }, expires_in: "10m" },
    });
    assert.ok(fieldsOf(...lines).every(isOwn));
  });

  it("take an expiry in seconds as a number", () => {
    assert.deepEqual(read("X-Postrider-Expires-In: 600").request, { expires_in: 600 });
    assert.deepEqual(read("X-Postrider-Expires-In: soon").request, { expires_in: "soon" });
    assert.deepEqual(read("X-Postrider-Expires-In: 1234567890").request, { expires_in: "1234567890" });
  });

  it("ask for an unsubscribe link with true, and any other text than false is not valid", () => {
    assert.deepEqual(read("X-Postrider-Unsubscribe: true").request, { unsubscribe: true });
    assert.deepEqual(read("x-postrider-unsubscribe: TRUE").request, { unsubscribe: true });
    assert.deepEqual(read("X-Postrider-Unsubscribe: False").request, { unsubscribe: false });
    assert.deepEqual(read("X-Postrider-Unsubscribe: yes").request, { unsubscribe: "yes" });
    assert.deepEqual(read("X-Postrider-Unsubscribe:").request, { unsubscribe: "" });
    assert.match(faultOf("X-Postrider-Unsubscribe: true", "X-Postrider-Unsubscribe: true"), /occurs more than once/);
  });

  it("keep metadata of any name as an entry", () => {
    const { request } = read("X-Postrider-Metadata-__proto__: 1", "X-Postrider-Metadata-: 2");
    assert.deepEqual(Object.entries(request.metadata ?? {}), [
      ["__proto__", "1"],
      ["", "2"],
    ]);
  });

  it("are rejected by name if they are unknown or repeated", () => {
    assert.equal(
      faultOf("X-Postrider-Tags: a"),
      "X-Postrider-Tags is not a known field. Known are X-Postrider-Tag, X-Postrider-Metadata-NAME, X-Postrider-Idempotency-Key, X-Postrider-Expires-In and X-Postrider-Unsubscribe.",
    );
    assert.equal(
      faultOf("X-Postrider-: a"),
      "X-Postrider- is not a known field. Known are X-Postrider-Tag, X-Postrider-Metadata-NAME, X-Postrider-Idempotency-Key, X-Postrider-Expires-In and X-Postrider-Unsubscribe.",
    );
    assert.equal(
      faultOf("X-Postrider-Expires-In: 5", "X-postrider-expires-in: 6"),
      "X-postrider-expires-in occurs more than once.",
    );
    // Two names that differ in case alone are the same field.
    assert.equal(
      faultOf("X-Postrider-Metadata-A: 1", "X-Postrider-Metadata-a: 1"),
      "X-Postrider-Metadata-a occurs more than once.",
    );
  });

  it("have an idempotency key of 1 to 256 printable ASCII characters", () => {
    assert.equal(read(`X-Postrider-Idempotency-Key: ${"k".repeat(256)}`).idempotencyKey?.length, 256);
    assert.equal(read("X-Postrider-Idempotency-Key: two words").idempotencyKey, "two words");
    for (const value of ["", "k".repeat(257), "ü", "=?utf-8?q?=01?=", "=?utf-8?q?=0A?="]) {
      assert.match(faultOf(`X-Postrider-Idempotency-Key: ${value}`), /must be 1 to 256 printable ASCII characters/);
    }
  });
});

it("the fields of a send request have the names of their header fields in errors", () => {
  const names = ["tags", "tags[3]", "metadata", "metadata.order", "expires_in", "unsubscribe"].map(ownFieldName);
  const expected = ["Tag", "Tag", "Metadata", "Metadata-order", "Expires-In", "Unsubscribe"].map(
    (name) => `X-Postrider-${name}`,
  );
  assert.deepEqual(names, expected);
});
