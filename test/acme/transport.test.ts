/** The bounds of requests to the authority, and what is kept of its replies. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { orderCertificate } from "../../src/acme/order.ts";
import { AcmeError } from "../../src/acme/transport.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { json, type Respond, startAuthority, upToOrder } from "../support/fake-authority.ts";
import { selfSigned } from "../support/self-signed.ts";

/** An order at an authority that responds like this. Resolves with its error. */
async function failing(t: TestContext, respond: Respond, signal = new AbortController().signal): Promise<AcmeError> {
  const { url, ca } = await startAuthority(t, respond);
  const parts = {
    clock: systemClock,
    account: { key: selfSigned("x").key, url: `${url}/account`, email: "ops@shop.test", directory: `${url}/dir` },
    type: "http-01" as const,
    publish: async () => {},
    registered: async () => {},
    signal,
    ca,
  };
  return orderCertificate(parts, ["a.test", "b.test"]).then(
    () => assert.fail("it succeeded"),
    (error: unknown) => {
      assert.ok(error instanceof AcmeError, String(error));
      return error;
    },
  );
}

test("a reply that is an error has its type, its sentence and the wait that it demands", async (t) => {
  const type = "urn:ietf:params:acme:error:rateLimited";
  const error = await failing(
    t,
    upToOrder((_req, res) => json(res, 429, { type, detail: "too many\u001b[31m orders" }, { "Retry-After": "7200" })),
  );
  assert.deepEqual([error.type, error.retryAfterMs], ["rateLimited", 7_200_000]);
  assert.match(error.message, /^localhost:\d+ has replied 429: too many\uFFFD\[31m orders$/);
});

test("a wait that is a date is understood, and bounded", async (t) => {
  const headers = { "Retry-After": new Date(Date.now() + 60 * 86_400_000).toUTCString() };
  const error = await failing(
    t,
    upToOrder((_req, res) => json(res, 503, {}, headers)),
  );
  assert.equal(error.retryAfterMs, 7 * 86_400_000);
});

test("a reply that is too long is not read", async (t) => {
  const error = await failing(t, (_req, res) => {
    res.writeHead(200, { "Content-Type": "application/json" });
    res.end(`{"a":"${"x".repeat(300_000)}"}`);
  });
  assert.match(error.message, /cannot be read: too_large/);
});

test("redirects are not followed, nor URLs without TLS", async (t) => {
  const location = { Location: "http://127.0.0.1:1/" };
  const moved = await failing(
    t,
    upToOrder((_req, res) => json(res, 302, {}, location)),
  );
  assert.match(moved.message, /has replied 302/);
  const plain = await failing(t, (_req, res) =>
    json(res, 200, { newNonce: "http://127.0.0.1:1/nonce", newOrder: "x" }),
  );
  assert.match(plain.message, /an invalid URL: http:\/\/127\.0\.0\.1:1\/nonce/);
});

test("a stop ends a request that gets no reply", async (t) => {
  const stop = new AbortController();
  const error = await failing(t, () => stop.abort(), stop.signal);
  assert.match(error.message, /^no reply from localhost:\d+/);
});

test("an authorization for a name that was not ordered is not answered", async (t) => {
  const error = await failing(
    t,
    upToOrder((req, res, url) => {
      if (req.url === "/order")
        json(res, 201, { status: "pending", authorizations: [`${url}/authz`] }, { Location: `${url}/1` });
      else json(res, 200, { status: "pending", identifier: { type: "dns", value: "evil.test" }, challenges: [] });
    }),
  );
  assert.match(error.message, /authorization for another name/);
});
