import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { isSecret, newSecret, secretKey, sign } from "../../src/webhooks/signature.ts";

test("the signature is that of the specification's example", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const content = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampS: 1614265330,
    body: '{"test": 2432232314}',
  };
  const expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  assert.equal(sign(secret, content), expected);
  assert.equal(sign(secretKey(secret), content), expected);
});

test("a receiver with the published library verifies a new secret, and a body that is not ASCII", () => {
  const secret = newSecret();
  assert.equal(isSecret(secret), true);
  assert.notEqual(secret, newSecret());
  const timestampS = Math.floor(Date.now() / 1000);
  const body = '{"subject":"Grüße 🎉"}';
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(timestampS),
    "webhook-signature": sign(secret, { id: "evt_1", timestampS, body }),
  };
  assert.deepEqual(new Webhook(secret).verify(body, headers), { subject: "Grüße 🎉" });
  assert.throws(() => new Webhook(secret).verify(body.replace("🎉", "!"), headers), /No matching signature/);
  assert.throws(() => new Webhook(newSecret()).verify(body, headers), /No matching signature/);
});

test("a secret is the prefix and 24 to 64 bytes in base64", () => {
  const encoded = (sizeBytes: number) => `whsec_${randomBytes(sizeBytes).toString("base64")}`;
  for (const sizeBytes of [24, 32, 64]) assert.equal(isSecret(encoded(sizeBytes)), true, String(sizeBytes));
  for (const sizeBytes of [0, 23, 65]) assert.equal(isSecret(encoded(sizeBytes)), false, String(sizeBytes));
  const bare = encoded(32).slice("whsec_".length);
  const faulty = [
    bare,
    `WHSEC_${bare}`,
    `whsec_${bare} `,
    `whsec_ ${bare}`,
    `whsec_${bare.slice(0, -1)}`,
    `whsec_-${bare}`,
  ];
  for (const text of faulty) {
    assert.equal(isSecret(text), false, text);
    assert.throws(
      () => sign(text, { id: "evt_1", timestampS: 1, body: "{}" }),
      (error: Error) => /signing secret/.test(error.message) && !error.message.includes(bare.slice(0, 10)),
    );
  }
});
