/** Keys of both kinds, and what is not one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { beginsAsApiKey, hashApiKey, isTestKey, newApiKey } from "../../src/security/api-key-format.ts";

test("a key is a live key unless it is made as a test key, and has the hash that is stored", () => {
  for (const [made, form] of [
    [newApiKey(), /^svc_live_[\w-]{43}$/],
    [newApiKey({ test: true }), /^svc_test_[\w-]{43}$/],
  ] as const) {
    assert.match(made.key, form);
    assert.deepEqual(hashApiKey(made.key), made.hash);
    assert.equal(made.lastFour, made.key.slice(-4));
    assert.ok(beginsAsApiKey(made.key));
  }
  assert.deepEqual(
    [newApiKey(), newApiKey({ test: true })].map(({ key }) => isTestKey(key)),
    [false, true],
  );
});

test("a text in another form has no hash", () => {
  const { key } = newApiKey();
  for (const text of ["", key.slice(1), `${key}a`, key.slice(0, -1), key.replace("live", "mock"), `${key}\n`])
    assert.equal(hashApiKey(text), null, text);
});

test("a live key and a test key with the same secret have different hashes", () => {
  const { key, hash } = newApiKey();
  assert.notDeepEqual(hashApiKey(key.replace("svc_live_", "svc_test_")), hash);
});
