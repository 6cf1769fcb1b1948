/** What a user enters for the access of an API key, and what a key may do with it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  permissionRejection,
  readableMessages,
  readsMessage,
  validateAccess,
} from "../../../src/app/send/key-access.ts";
import { type ApiKey, FULL_ACCESS } from "../../../src/spool/port/api-keys.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";

const registry = { domains: async () => [{ name: "shop.example" }, { name: "xn--bcher-kva.example" }] as Domain[] };
const context = { registry, accountId: "acc_1", former: ["gone.example"] };

it("is full access without an entry, and otherwise in a fixed form", async () => {
  assert.deepEqual(await validateAccess({ permissions: null, domains: null }, context), {
    type: "valid",
    ...FULL_ACCESS,
  });
  const entered = {
    permissions: ["read", "send", "send"],
    domains: ["Shop.Example", "bücher.example", "shop.example"],
  };
  assert.deepEqual(await validateAccess(entered, context), {
    type: "valid",
    permissions: ["send", "read"],
    domains: ["shop.example", "xn--bcher-kva.example"],
  });
  const former = await validateAccess({ permissions: null, domains: ["gone.example"] }, context);
  assert.deepEqual(former.type === "valid" && former.domains, ["gone.example"]);
});

it("is rejected with the field and the fault", async () => {
  for (const [permissions, domains, field, detail] of [
    [["write"], null, "permissions", /“write” is not a permission. There are send and read/],
    [[], null, "permissions", /at least one permission/],
    [null, [], "domains", /at least one domain/],
    [null, ["other.example"], "domains", /no domain “other.example”/],
    [["send"], ["not a domain"], "domains", /no domain “not a domain”/],
  ] as const) {
    const fault = await validateAccess({ permissions, domains }, context);
    assert.ok(fault.type === "invalid", field);
    assert.equal(fault.field, field);
    assert.match(fault.detail, detail);
  }
});

it("lacks what it does not name", () => {
  assert.equal(permissionRejection(FULL_ACCESS, "send"), null);
  const rejection = permissionRejection({ permissions: ["read"] }, "send");
  assert.equal(rejection?.code, "permission_denied");
  assert.match(rejection?.detail ?? "", /lacks the permission send: it has only read/);
  assert.match(permissionRejection({ permissions: [] }, "read")?.detail ?? "", /it has none/);
});

it("reads the messages of its own key, and a live one without the permission to send those of all", () => {
  const key = { id: "key_1", test: false, ...FULL_ACCESS } as ApiKey;
  const reads = (changes: Partial<ApiKey>, keyId: string, senderDomain: string | null = "shop.example"): boolean =>
    readsMessage({ ...key, ...changes }, { keyId, senderDomain });
  assert.deepEqual([reads({}, "key_1"), reads({}, "key_2")], [true, false]);
  assert.equal(reads({ permissions: ["read"] }, "key_2"), true);
  assert.equal(reads({ permissions: ["read"], test: true }, "key_2"), false);
  const domains = ["shop.example", "news.example"];
  for (const [permissions, keyId] of [
    [FULL_ACCESS.permissions, "key_1"],
    [["read"] as const, "key_2"],
  ] as const) {
    assert.equal(reads({ permissions, domains }, keyId), true);
    for (const other of ["other.example", null]) assert.equal(reads({ permissions, domains }, keyId, other), false);
    const filter = { accountId: "acc_1", senderDomains: domains, ...(keyId === "key_1" ? { keyId } : {}) };
    assert.deepEqual(readableMessages({ ...key, accountId: "acc_1", permissions, domains }), filter);
  }
});
