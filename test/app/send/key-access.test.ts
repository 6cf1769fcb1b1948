/** What a user enters for the access of an API key, and what a key may do with it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type AccessInput,
  type KeyContext,
  keyChangeFault,
  mayGive,
  networkRejection,
  permissionRejection,
  readableMessages,
  readsMessage,
  validateAccess,
} from "../../../src/app/send/key-access.ts";
import { type ApiKey, FULL_ACCESS } from "../../../src/spool/port/api-keys.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";

const registry = { domains: async () => [{ name: "shop.example" }, { name: "xn--bcher-kva.example" }] as Domain[] };
const NOW_MS = Date.parse("2026-01-01T00:00:00Z");
const context = {
  registry,
  accountId: "acc_1",
  former: ["gone.example"],
  nowMs: NOW_MS,
  isTest: false,
  mayGive: mayGive({ isOperator: false, isOwner: true }),
};

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
    ...FULL_ACCESS,
    domains: ["shop.example", "xn--bcher-kva.example"],
  });
  const former = await validateAccess({ permissions: null, domains: ["gone.example"] }, context);
  assert.deepEqual(former.type === "valid" && former.domains, ["gone.example"]);
});

it("is rejected with the field and the fault", async () => {
  for (const [permissions, domains, field, detail] of [
    [["write"], null, "permissions", /“write” is not a permission. There are send, read, manage and operate/],
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

it("has networks in canonical form, and an end", async () => {
  const entered = {
    permissions: ["operate", "manage"],
    domains: null,
    networks: ["192.0.2.7", " 2001:DB8::/32", "::ffff:192.0.2.7"],
    expiresAt: "2026-01-01T01:00:00+01:00",
  };
  const access = await validateAccess(entered, {
    ...context,
    mayGive: mayGive({ isOperator: true, isOwner: false }),
    nowMs: NOW_MS - 1,
  });
  assert.deepEqual(access, {
    type: "valid",
    permissions: ["manage", "operate"],
    domains: null,
    networks: ["192.0.2.7/32", "2001:db8::/32"],
    expiresAtMs: NOW_MS,
  });
});

it("is rejected where it would give what the creator or the kind of key does not have", async () => {
  const faultOf = async (input: Partial<AccessInput>, changes: Partial<KeyContext> = {}): Promise<string> => {
    const result = await validateAccess({ permissions: null, domains: null, ...input }, { ...context, ...changes });
    return result.type === "valid" ? "valid" : `${result.field}: ${result.detail}`;
  };
  assert.match(await faultOf({ permissions: ["operate"] }), /^permissions: Only an operator/);
  assert.equal(
    await faultOf({ permissions: ["operate"] }, { mayGive: mayGive({ isOperator: true, isOwner: false }) }),
    "valid",
  );
  const developer = { mayGive: mayGive({ isOperator: false, isOwner: false }) };
  assert.match(await faultOf({ permissions: ["manage"] }, developer), /^permissions: Only an owner/);
  assert.match(keyChangeFault({ permissions: ["operate"] }, context.mayGive) ?? "", /Only an operator changes/);
  assert.match(keyChangeFault({ permissions: ["send", "manage"] }, developer.mayGive) ?? "", /Only an owner changes/);
  assert.equal(keyChangeFault({ permissions: ["send", "read"] }, developer.mayGive), null);
  assert.match(await faultOf({ permissions: ["manage"] }, { isTest: true }), /^permissions: A test key cannot/);
  const restricted = { permissions: ["manage"], domains: ["shop.example"] };
  assert.match(await faultOf(restricted), /^permissions: .*cannot be restricted to domains/);
  for (const networks of [[], ["192.0.2.0/33"], ["shop.example"], ["192.0.2.0/24/8"], ["fe80::1%eth0"]])
    assert.match(await faultOf({ networks }), /^networks: /, String(networks));
  const many = Array.from({ length: 51 }, (_, i) => `192.0.2.${i}`);
  assert.match(await faultOf({ networks: many }), /^networks: A key can have at most 50/);
  for (const expiresAt of ["tomorrow", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00Z"])
    assert.match(await faultOf({ expiresAt }), /^expiresAt: It must be a time in the future/);
});

it("cannot be used from elsewhere than its networks", () => {
  const networks = ["192.0.2.0/24", "2001:db8::/32"];
  for (const address of ["192.0.2.255", "::ffff:192.0.2.1", "2001:db8:1::1"])
    assert.equal(networkRejection({ networks }, address), null, address);
  for (const address of ["192.0.3.0", "2001:db9::1", "", "nonsense"])
    assert.equal(networkRejection({ networks }, address)?.code, "permission_denied", address);
  assert.equal(networkRejection({ networks: null }, "192.0.3.0"), null);
  assert.equal(networkRejection({ networks: [] }, "192.0.2.1")?.code, "permission_denied");
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
