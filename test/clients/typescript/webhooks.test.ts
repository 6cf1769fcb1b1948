import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyWebhook, WebhookVerificationError } from "../../../clients/typescript/src/index.ts";
import { sign } from "../../../src/webhooks/signature.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const BODY = '{"type":"recipient.delivered","é":1}';
const NOW_S = 1_800_000_000;
const REQUEST = { body: BODY, secret: SECRET, nowMs: NOW_S * 1000 };

function headers(timestampS = NOW_S, by = SECRET): Record<string, string> {
  const wrong = sign(OTHER, { id: "evt_2", timestampS, body: BODY });
  return {
    "Webhook-Id": "evt_1",
    "Webhook-Timestamp": String(timestampS),
    "Webhook-Signature": `v1a,x v1,*** ${wrong} ${sign(by, { id: "evt_1", timestampS, body: BODY })}`,
  };
}

test("one right signature is enough, of one of several secrets, in each form of body and headers", async () => {
  const bytes = new TextEncoder().encode(BODY);
  for (const request of [
    { ...REQUEST, headers: headers() },
    { ...REQUEST, headers: headers(), secret: [OTHER, SECRET] },
    { ...REQUEST, headers: new Headers(headers()), body: bytes },
    { ...REQUEST, headers: headers(NOW_S - 299), body: bytes.buffer },
    { ...REQUEST, headers: headers(NOW_S + 299) },
  ])
    assert.equal((await verifyWebhook(request)).type, "recipient.delivered");
});

test("rejects other bodies, ids, secrets and times, and missing header fields", async () => {
  for (const request of [
    { ...REQUEST, headers: headers(), body: `${BODY} ` },
    { ...REQUEST, headers: { ...headers(), "Webhook-Id": "evt_3" } },
    { ...REQUEST, headers: headers(NOW_S, OTHER) },
    { ...REQUEST, headers: headers(NOW_S - 301) },
    { ...REQUEST, headers: headers(NOW_S + 301) },
    { ...REQUEST, headers: { ...headers(), "Webhook-Timestamp": "1e9" } },
    { ...REQUEST, headers: { "webhook-id": "evt_1" } },
    { ...REQUEST, headers: {} },
  ])
    await assert.rejects(verifyWebhook(request), WebhookVerificationError);
});

test("a secret that is none is the caller's error, and is not in its text", async () => {
  for (const secret of ["geheim", "whsec_", "whsec_***", []])
    await assert.rejects(
      verifyWebhook({ ...REQUEST, headers: headers(), secret }),
      (error: Error) => error instanceof TypeError && !error.message.includes("geheim"),
    );
});
