/** Errors of Resend's API under /compat/resend: their form, and the limits that are those of the own API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bindDomain } from "../../src/app/domains/bind-domain.ts";
import { openVault } from "../../src/security/vault.ts";
import { type Batch, email, errorOf, ResendApi } from "../support/resend-api.ts";
import { RECIPIENT_DOMAIN, startWorld, type World } from "../support/world.ts";
import { exchange, requestBytes } from "./raw-http.ts";

const BYTES_MAX = 200_000;

test("errors have Resend's form", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { MESSAGE_BYTES_MAX: String(BYTES_MAX), RECIPIENTS_MAX: "3" });
  const api = new ResendApi(world);
  const send = (status: number, name: string, parts: Record<string, unknown>, headers: Record<string, string> = {}) =>
    api.error("POST /emails", status, name, { body: email(parts), headers });

  await t.test("without a valid key nothing is served", async () => {
    for (const request of ["POST /emails", "POST /emails/batch", "GET /emails", "GET /emails/msg_x"]) {
      const missing = await api.ask(request, { headers: { Authorization: "" } });
      assert.equal(missing.headers.get("www-authenticate"), "Bearer");
      await errorOf(missing, 401, "missing_api_key");
      for (const Authorization of ["Bearer re_123456789", "Bearer svc_live_x", "Basic x"]) {
        await api.error(request, 403, "invalid_api_key", { headers: { Authorization } });
      }
    }
  });

  await t.test("what Postrider does not have is rejected by name", async () => {
    for (const [field, value] of [
      ["scheduled_at", "in 1 hour"],
      ["template", { id: "welcome" }],
      ["topic_id", "b6d24b8e-af0b-4c3c-be0c-359bbd97381e"],
      ["colour", "red"],
      ["expires_in", 60],
    ] as const) {
      const { message } = await send(422, "validation_error", { [field]: value });
      assert.ok(message.startsWith(`${field}: `), message);
    }
    const remote = [{ filename: "a.pdf", path: "https://shop.example/a.pdf" }];
    const { message } = await send(422, "invalid_attachment", { attachments: remote });
    assert.match(message, /^attachments\[0\]\.path: /);
  });

  await t.test("invalid messages", async () => {
    await send(422, "missing_required_field", { to: undefined });
    await send(422, "missing_required_field", { html: undefined });
    await send(422, "invalid_from_address", { from: "nobody" });
    await send(422, "validation_error", { to: "nobody" });
    await send(422, "validation_error", { to: Array.from({ length: 4 }, (_, i) => `a${i}@${RECIPIENT_DOMAIN}`) });
    await send(422, "invalid_attachment", { attachments: [{ filename: "a", content: "?" }] });
    await send(413, "validation_error", { text: "x".repeat(BYTES_MAX) });
    await send(413, "validation_error", { text: "é".repeat(0.45 * BYTES_MAX) });
    await send(403, "validation_error", { from: "a@elsewhere.example" });
    await send(400, "invalid_idempotency_key", {}, { "Idempotency-Key": "x".repeat(257) });
    await api.error("POST /emails", 415, "validation_error", { body: "x", headers: { "Content-Type": "text/plain" } });
    await api.error("POST /emails", 400, "validation_error", { body: "{" });
  });

  await t.test("a domain that is bound and not verified", async () => {
    const { message } = await unverified(world, api);
    assert.match(message, /^The domain new\.example is not verified\./);
  });

  await t.test("other endpoints of Resend are named as not served", async () => {
    const id = await api.send();
    for (const request of [
      "POST /audiences",
      "GET /contacts",
      "POST /broadcasts",
      "GET /domains/x/claim",
      "GET /templates",
      "GET /emails/metrics",
      "GET /emails/receiving",
      "GET /emails/receiving/msg_x",
      `POST /emails/${id}/share`,
      `GET /emails/${id}/attachments`,
      "GET /",
    ]) {
      const [method, path = ""] = request.split(" ");
      const { message } = await api.error(request, 404, "not_found");
      assert.ok(
        message.startsWith(`Postrider does not serve ${method} ${path.replace(/msg_[^/]+/, "{id}")} of`),
        message,
      );
    }
    for (const request of [`PUT /emails/${id}`, "DELETE /emails", "PUT /emails/batch", "PATCH /domains/x"]) {
      const response = await api.ask(request, { body: request.startsWith("D") ? undefined : {} });
      assert.notEqual(response.headers.get("allow"), null);
      await errorOf(response, 405, "method_not_allowed");
    }
  });

  await t.test("an id that is unknown, malformed or another key's has the same error", async () => {
    const other = new ResendApi(world, { key: (await world.newKey()).key });
    const foreign = await other.send();
    const bodies = new Set<string>();
    for (const id of [foreign, "msg_000000000000000000000000", "4ef9a417-02e9-4d39-ad75-9611e0fcc33c", "%00"]) {
      bodies.add((await api.error(`GET /emails/${id}`, 404, "not_found")).message);
    }
    assert.equal(bodies.size, 1);
  });

  await t.test("requests that are rejected before the API", async () => {
    const path = "/compat/resend/emails";
    const repeated = requestBytes({ path, headers: ["Authorization: a", "Authorization: b"], body: "{}" });
    await errorOf(await exchange(world.service.url, repeated), 400, "validation_error");
    const headers = ["Expect: the unexpected"];
    await errorOf(await exchange(world.service.url, requestBytes({ path, headers })), 417, "validation_error");
  });
});

async function unverified(world: World, api: ResendApi) {
  const vault = openVault(world.env.CERTS_DIR ?? "");
  const domain = { accountId: "acc_default", name: "new.example", nowMs: Date.now(), domainsMax: 10 };
  await bindDomain(world.service.registry, vault, domain);
  return api.error("POST /emails", 403, "validation_error", { body: email({ from: "a@new.example" }) });
}

test("the rate", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "0.001", RATE_BURST: "3" });
  const api = new ResendApi(world);
  const rateOf = ({ headers }: Response) =>
    ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) => headers.get(name));

  await t.test("each message of a batch counts, and responses have the fields that Resend's clients read", async () => {
    assert.deepEqual(rateOf(await api.ask("GET /emails")), ["3", "3", "0"]);
    assert.deepEqual(rateOf(await api.ask("POST /emails", { body: email() })).slice(0, 2), ["3", "2"]);
    const batch = await api.ask("POST /emails/batch", { body: [email(), email(), email(), email()] });
    assert.deepEqual([batch.status, ...rateOf(batch).slice(0, 2)], [200, "3", "0"]);
    for (const [request, body] of [
      ["POST /emails", email()],
      ["POST /emails/batch", [email()]],
    ] as const) {
      const limited = await api.ask(request, { body });
      assert.deepEqual(rateOf(limited).slice(0, 2), ["3", "0"]);
      const retryAfter = Number(limited.headers.get("retry-after"));
      assert.ok(retryAfter > 2000 && retryAfter <= 3000, `${retryAfter}`);
      await errorOf(limited, 429, "rate_limit_exceeded");
    }
    const own = await world.post(email());
    assert.equal(own.status, 429, "the own API has the same rate");
  });
});

test("the quota", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { QUOTA_DAILY: "5" });
  const api = new ResendApi(world);
  const batch = Array.from({ length: 8 }, (_, i) => email({ subject: `No ${i}` }));
  const refused = (asked: object) => api.error("POST /emails/batch", 429, "daily_quota_exceeded", asked);

  await t.test("a strict batch that exceeds it names what was accepted, and sends only that", async () => {
    const headers = { "Idempotency-Key": "a" };
    const { message } = await refused({ body: batch, headers });
    assert.match(
      message,
      / Already accepted: 0 to 4\. Repeat the batch with the same Idempotency-Key: those are not sent/,
    );
    assert.equal((await refused({ body: batch, headers })).message, message);
    const { data } = await api.ok<{ data: { subject: string }[] }>("GET /emails");
    assert.equal(data.length, 5);
  });
  await t.test("a batch of which nothing is accepted is an error, also a permissive one", async () => {
    const { message } = await refused({ body: batch });
    assert.doesNotMatch(message, /accepted/);
    await refused({ body: [7, ...batch], headers: { "x-batch-validation": "permissive" } });
    await api.error("POST /emails", 429, "daily_quota_exceeded", { body: email() });
  });
});

test("a strict batch without a key says which messages must not be sent again", { timeout: 60_000 }, async (t) => {
  const api = new ResendApi(await startWorld(t, { QUOTA_DAILY: "2" }));
  const body = [email(), email(), email()];
  const { message } = await api.error("POST /emails/batch", 429, "daily_quota_exceeded", { body });
  assert.match(message, / Already accepted: 0 to 1\. Do not send those again\.$/);
});

test("a permissive batch returns what the quota left out", { timeout: 60_000 }, async (t) => {
  const api = new ResendApi(await startWorld(t, { QUOTA_DAILY: "2" }));
  const headers = { "x-batch-validation": "permissive" };
  const { data, errors = [] } = await api.ok<Batch>("POST /emails/batch", {
    body: [email(), 7, email(), email()],
    headers,
  });
  assert.equal(data.length, 2);
  assert.deepEqual(
    errors.map(({ index }) => index),
    [1, 3],
  );
});
