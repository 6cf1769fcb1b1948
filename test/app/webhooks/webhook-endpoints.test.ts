/** Webhook endpoints: what is rejected and why, the secrets, and the test event. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { eventView } from "../../../src/app/webhooks/event-view.ts";
import { FORMER_SECRET_MS, WebhookEndpoints, type WebhookParts } from "../../../src/app/webhooks/webhook-endpoints.ts";
import type { EndpointInput } from "../../../src/app/webhooks/webhook-filter.ts";
import type { WebhookRequest } from "../../../src/app/webhooks/webhook-test-event.ts";
import { openVault, webhookSealName } from "../../../src/security/vault.ts";
import type { ApiKey } from "../../../src/spool/port/api-keys.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import { EVENT_TYPES, type OutboxEvent } from "../../../src/spool/port/events.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeEndpointStore } from "../../support/fake-endpoint-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const ACCOUNT = "acc_1";
const URL_1 = "https://hooks.example/postrider";
const RESPONSE = { status: 204, error: null, response: "", durationMs: 3 };

function scene(t: TestContext, parts: Partial<WebhookParts> = {}) {
  const store = new FakeEndpointStore();
  const clock = fakeClock();
  const vault = openVault(tempDir(t));
  const key = (id: string, revokedAtMs: number | null = null) => ({ id, revokedAtMs }) as ApiKey;
  const registry = {
    keys: new Map([[ACCOUNT, [key("key_web"), key("key_app"), key("key_old", 1)]]]),
    domains: new Map([[ACCOUNT, ["shop.example", "xn--bcher-kva.example"]]]),
  };
  const posted: WebhookRequest[] = [];
  let secrets = 0;
  const webhooks = new WebhookEndpoints({
    store,
    clock,
    vault: async () => vault,
    registry: {
      keys: async (accountId) => registry.keys.get(accountId) ?? [],
      domains: async (accountId) =>
        (registry.domains.get(accountId) ?? []).map((name) => ({ accountId, name }) as Domain),
    },
    newSecret() {
      secrets += 1;
      return `whsec_${secrets}`;
    },
    async post(request) {
      posted.push(request);
      return RESPONSE;
    },
    limits: { webhooksMax: 2, webhookAllowPrivate: false },
    ...parts,
  });
  const create = (input: Partial<EndpointInput> = {}, accountId = ACCOUNT) =>
    webhooks.create(accountId, { url: URL_1, types: null, keys: null, domains: null, ...input });
  const created = async (input: Partial<EndpointInput> = {}) => {
    const result = await create(input);
    assert.ok(result.type === "created", JSON.stringify(result));
    return { accountId: ACCOUNT, endpointId: result.id };
  };
  return { webhooks, store, clock, vault, registry, posted, create, created };
}

describe("a new endpoint", () => {
  it("has an id, and a secret that is stored sealed under it", async (t) => {
    const { create, store, vault } = scene(t);
    const result = await create({ url: `  ${URL_1} ` });
    assert.ok(result.type === "created");
    assert.match(result.id, /^end_[\w-]{16}$/);
    assert.deepEqual([result.url, result.secret], [URL_1, "whsec_1"]);
    const [stored] = await store.endpoints(ACCOUNT);
    const [secret] = stored?.secrets ?? [];
    assert.ok(stored && secret);
    assert.equal(vault.open(webhookSealName(result.id), secret.bytes), "whsec_1");
    assert.deepEqual([stored.types, stored.keys, stored.domains], [null, null, null]);
  });

  it("has a filter without repetitions, in the stored spelling", async (t) => {
    const { created, store } = scene(t);
    await created({
      types: ["recipient.failed", "message.accepted", "recipient.failed"],
      keys: ["key_app", "key_web", "key_app"],
      domains: ["Bücher.example", "shop.example.", "shop.example"],
    });
    const [stored] = await store.endpoints(ACCOUNT);
    assert.deepEqual(stored?.types, ["message.accepted", "recipient.failed"]);
    assert.deepEqual(stored?.keys, ["key_app", "key_web"]);
    assert.deepEqual(stored?.domains, ["xn--bcher-kva.example", "shop.example"]);
  });

  it("is rejected with the field and the value at fault", async (t) => {
    const { create, store } = scene(t);
    const faults: [Partial<EndpointInput>, string, RegExp][] = [
      [{ url: "hooks" }, "url", /URL/],
      [{ url: "https://127.0.0.1/x" }, "url", /127\.0\.0\.1/],
      [{ types: [] }, "types", /^Select at least one event type\.$/],
      [{ types: ["recipient.opened"] }, "types", /^“recipient\.opened” is not an event type\. There are message\.acc/],
      [{ types: ["toString"] }, "types", /^“toString” is not/],
      [{ keys: [] }, "keys", /^Select at least one API key\.$/],
      [{ keys: ["key_web", "key_none"] }, "keys", /^The account has no API key “key_none”\.$/],
      [{ keys: ["key_old"] }, "keys", /^The API key key_old is revoked\.$/],
      [{ domains: [] }, "domains", /^Select at least one domain\.$/],
      [{ domains: ["club.example"] }, "domains", /^The account has no domain “club\.example”\.$/],
      [{ domains: ["a b"] }, "domains", /^The account has no domain “a b”\.$/],
      [{ types: ["domain.lost"], keys: ["key_web"] }, "keys", /^Events of domains belong to no API key/],
    ];
    for (const [input, field, detail] of faults) {
      const result = await create(input);
      assert.ok(result.type === "invalid", JSON.stringify(input));
      assert.equal(result.field, field);
      assert.match(result.detail, detail);
    }
    assert.deepEqual(await store.endpoints(null), []);
  });

  it("may have http and a private address only where the setting allows it", async (t) => {
    const limits = { webhooksMax: 2, webhookAllowPrivate: true };
    assert.equal((await scene(t, { limits }).create({ url: "http://127.0.0.1:9/x" })).type, "created");
    assert.equal((await scene(t).create({ url: "http://hooks.example/" })).type, "invalid");
  });

  it("is one too many at the limit of its account, and of no other", async (t) => {
    const { create } = scene(t);
    assert.deepEqual([(await create()).type, (await create()).type], ["created", "created"]);
    assert.deepEqual(await create(), { type: "too_many" });
    assert.equal((await create({}, "acc_2")).type, "created");
  });
});

describe("an edit", () => {
  it("replaces URL and filter, and keeps revoked keys and removed domains that were in the filter", async (t) => {
    const { webhooks, created, registry, store } = scene(t);
    const name = await created({ keys: ["key_web"], domains: ["shop.example"] });
    registry.keys.set(ACCOUNT, [{ id: "key_web", revokedAtMs: 1 } as ApiKey]);
    registry.domains.set(ACCOUNT, []);
    const input = { url: "https://hooks.example/2", types: ["message.accepted"], keys: ["key_web"] };
    assert.deepEqual(await webhooks.edit(name, { ...input, domains: ["shop.example"] }), { type: "edited" });
    const [stored] = await store.endpoints(ACCOUNT);
    assert.deepEqual([stored?.url, stored?.types], [input.url, input.types]);
    assert.equal((await webhooks.edit(name, { ...input, domains: ["club.example"] })).type, "invalid");
    assert.equal((await webhooks.edit(name, { ...input, keys: null, domains: null })).type, "edited");
    assert.equal((await webhooks.edit(name, { ...input, domains: null })).type, "invalid", "the key is not in it now");
  });

  it("of an endpoint of another account changes nothing", async (t) => {
    const { webhooks, created, store } = scene(t);
    const name = { ...(await created()), accountId: "acc_2" };
    const input = { url: "https://evil.example/", types: null, keys: null, domains: null };
    assert.deepEqual(await webhooks.edit(name, input), { type: "not_found" });
    assert.deepEqual(
      [await webhooks.pause(name), await webhooks.resume(name), await webhooks.replay(name, 0)],
      [false, false, "not_found"],
    );
    assert.deepEqual(
      [await webhooks.rotate(name), await webhooks.test(name), await webhooks.remove(name)],
      [null, null, false],
    );
    assert.deepEqual(store.changes, []);
  });
});

it("a rotation returns the new secret, and both sign for 24 hours", async (t) => {
  const { webhooks, created, clock, posted } = scene(t);
  const name = await created();
  assert.equal(await webhooks.rotate(name), "whsec_2");
  await clock.advance(FORMER_SECRET_MS - 1);
  assert.deepEqual(await webhooks.test(name), RESPONSE);
  await clock.advance(1);
  await webhooks.test(name);
  assert.deepEqual(
    posted.map(({ secrets }) => secrets),
    [["whsec_2", "whsec_1"], ["whsec_2"]],
  );
});

it("passes pauses, resumes and replays to the store with the time", async (t) => {
  const { webhooks, created, clock, store } = scene(t);
  const name = await created();
  const nowMs = clock.now();
  const event = { accountId: ACCOUNT, number: 7, type: "recipient.failed", keyId: "key_1", domain: "shop.example" };
  store.outbox.push(event as OutboxEvent);
  assert.equal(await webhooks.pause(name), true);
  assert.equal(await webhooks.resume(name), true);
  assert.equal(await webhooks.replay(name, 5), "replayed");
  assert.equal(await webhooks.replay(name, nowMs + 1), "in_future");
  assert.equal(await webhooks.replayOne(name, 7), "replayed");
  assert.equal(await webhooks.replayOne(name, 8), "not_found", "the event is not kept any more");
  assert.deepEqual(store.changes, [
    { type: "pause", atMs: nowMs },
    { type: "resume" },
    { type: "replay", sinceMs: 5 },
    { type: "replay_one", eventNumber: 7, atMs: nowMs },
  ]);
  assert.equal(await webhooks.remove(name), true);
  assert.equal(await webhooks.find(name), null);
});

it("a test event has the form of real ones, and differs only in its test mark", async (t) => {
  const { webhooks, created, posted, clock } = scene(t);
  const name = await created({ types: [EVENT_TYPES[0]] });
  await webhooks.pause(name);
  await webhooks.test(name);
  await webhooks.test(name);
  const [first, second] = posted;
  assert.ok(first && second);
  assert.notEqual(first.id, second.id);
  assert.deepEqual([first.url, first.atMs], [URL_1, clock.now()]);
  const body = JSON.parse(first.body);
  assert.deepEqual(Object.keys(body), ["type", "timestamp", "data"]);
  const { data } = body;
  assert.deepEqual([body.type, body.timestamp, data.id], ["recipient.delivered", data.at, first.id]);
  assert.match(data.id, /^evt_[\w-]{16}$/);
  assert.match(data.message_id, /^msg_[\w-]{24}$/);
  assert.deepEqual(Object.keys(data), Object.keys(eventView({ atMs: 0, recipient: null } as OutboxEvent)));
  assert.deepEqual([data.test, data.recipient.result, data.recipient.smtp.code], [true, "delivered", 250]);
});

it("does not send an event again that the filter leaves out", async (t) => {
  const { webhooks, created, store } = scene(t);
  const name = await created();
  const event = { accountId: ACCOUNT, number: 7, type: "recipient.failed", keyId: "key_1", domain: "shop.example" };
  store.outbox.push(event as OutboxEvent);
  const input = { url: "https://hooks.example/", types: ["recipient.delivered"], keys: null, domains: null };
  assert.deepEqual(await webhooks.edit(name, input), { type: "edited" });
  assert.equal(await webhooks.replayOne(name, 7), "filtered");
});
