/** How the access of an API key is stored. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { FULL_ACCESS, type KeyAccess } from "../../../src/spool/port/api-keys.ts";
import { accessOf, storedAccess, storedHash, storedHashes } from "../../../src/spool/records/key-access.ts";

const HASH = Buffer.from("00ff10", "hex");

it("survives being stored", () => {
  const all: KeyAccess[] = [
    FULL_ACCESS,
    { ...FULL_ACCESS, permissions: ["read"] },
    { ...FULL_ACCESS, permissions: ["manage", "operate"], networks: ["192.0.2.0/24"], expiresAtMs: 5 },
    { ...FULL_ACCESS, domains: ["a.example", "b.example"] },
  ];
  for (const access of all) assert.deepEqual(accessOf(storedAccess(access)), access);
});

it("that cannot be read allows nothing, and a permission of a later version is passed over", () => {
  const stored = { networks: "{", expiresAtMs: null };
  const nothing = { domains: [], networks: [], expiresAtMs: null };
  assert.deepEqual(accessOf({ ...stored, permissions: "", domains: "{" }), { permissions: [], ...nothing });
  const later = { ...stored, permissions: "send,later", domains: "[1]" };
  assert.deepEqual(accessOf(later), { permissions: ["send"], ...nothing });
});

it("with a restriction has the hash stored inverted, and twice is the hash", () => {
  assert.deepEqual(storedHash(HASH, FULL_ACCESS), HASH);
  for (const access of [
    { ...FULL_ACCESS, domains: [] },
    { ...FULL_ACCESS, permissions: ["send", "manage"] as const },
    { ...FULL_ACCESS, networks: ["192.0.2.0/24"] },
    { ...FULL_ACCESS, expiresAtMs: 5 },
  ]) {
    const stored = storedHash(HASH, access);
    assert.equal(stored.toString("hex"), "ff00ef");
    assert.deepEqual(storedHash(stored, access), HASH);
    assert.deepEqual(storedHashes(HASH), [HASH, stored]);
  }
});
