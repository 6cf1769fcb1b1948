import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { test } from "node:test";
import { createDomain } from "../../src/domains/new-domain.ts";

test("a new domain has a token, an RSA-2048 key pair, a selector derived from the key, and pending checks", async () => {
  const created = await createDomain({ accountId: "acc_1", name: "example.com", nowMs: 5 });
  assert.equal(Buffer.from(created.token, "base64url").length, 24);
  assert.match(created.token, /^[A-Za-z0-9_-]{32}$/);
  const der = Buffer.from(created.publicKey, "base64");
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2048);
  assert.match(created.privateKeyPem, /^-----BEGIN PRIVATE KEY-----/);
  const signature = sign("sha256", Buffer.from("x"), createPrivateKey(created.privateKeyPem));
  assert.ok(verify("sha256", Buffer.from("x"), publicKey, signature));
  assert.equal(created.selector, `pr${createHash("sha256").update(der).digest("hex").slice(0, 8)}`);
  assert.deepEqual([created.accountId, created.name, created.createdAtMs], ["acc_1", "example.com", 5]);
  for (const check of Object.values(created.checks)) {
    assert.equal(check.state, "pending");
    assert.equal(check.standing, false);
  }
  const other = await createDomain({ accountId: "acc_1", name: "example.com", nowMs: 5 });
  assert.notEqual(other.token, created.token);
  assert.notEqual(other.selector, created.selector);
});
