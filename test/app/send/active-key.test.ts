/** The key that a client presents: found by its hash, and only as the kind that it was created as. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { activeKeyOf } from "../../../src/app/send/active-key.ts";
import { newApiKey } from "../../../src/security/api-key-format.ts";
import { type ApiKey, FULL_ACCESS } from "../../../src/spool/port/api-keys.ts";

const storedAs = (test: boolean): ApiKey => ({
  id: "key_1",
  accountId: "acc_1",
  name: "website",
  lastFour: "abcd",
  createdAtMs: 1,
  lastUsedAtMs: null,
  revokedAtMs: null,
  messagesSent: 0,
  suspended: false,
  test,
  ...FULL_ACCESS,
});

const NOW_MS = 1_790_000_000_000;

/** A registry with one key, and the hashes that it was asked for. */
function registryOf(hash: Buffer, key: ApiKey) {
  const asked: Buffer[] = [];
  const activeKey = async (of: Buffer): Promise<ApiKey | null> => {
    asked.push(of);
    return of.equals(hash) ? key : null;
  };
  return { asked, activeKey };
}

test("a key is found that is stored as what its text says", async () => {
  for (const test of [false, true]) {
    const { key, hash } = newApiKey({ test });
    const stored = storedAs(test);
    assert.equal(await activeKeyOf(registryOf(hash, stored), key, NOW_MS), stored);
    assert.equal(await activeKeyOf(registryOf(hash, stored), newApiKey({ test }).key, NOW_MS), null);
  }
});

test("a key is not found that is stored as the other kind: a test key never sends live messages", async () => {
  for (const test of [false, true]) {
    const { key, hash } = newApiKey({ test });
    assert.equal(await activeKeyOf(registryOf(hash, storedAs(!test)), key, NOW_MS), null);
  }
});

test("a key is not found from its end on", async () => {
  const { key, hash } = newApiKey({ test: false });
  const registry = registryOf(hash, { ...storedAs(false), expiresAtMs: NOW_MS });
  assert.notEqual(await activeKeyOf(registry, key, NOW_MS - 1), null);
  assert.equal(await activeKeyOf(registry, key, NOW_MS), null);
});

test("nothing is read for a text that is not in the format of a key", async () => {
  const registry = registryOf(Buffer.alloc(32), storedAs(false));
  assert.equal(await activeKeyOf(registry, "svc_live_short", NOW_MS), null);
  assert.deepEqual(registry.asked, []);
});
