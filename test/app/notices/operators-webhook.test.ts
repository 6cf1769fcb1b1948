/** The operators' webhook: its URL, its secret and its requests. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { noticeView, testNotice } from "../../../src/app/notices/notice.ts";
import { DEFAULT_KINDS, OperatorsWebhook } from "../../../src/app/notices/operators-webhook.ts";
import type { WebhookRequest } from "../../../src/app/webhooks/webhook-test-event.ts";
import { Vault } from "../../../src/security/vault.ts";

function scene() {
  const values = new Map<string, string>();
  const secrets = new Map<string, Buffer>();
  const posted: WebhookRequest[] = [];
  let number = 0;
  const parts = {
    store: {
      readValue: async (name: string) => values.get(name) ?? null,
      writeValue: async (name: string, text: string) => void values.set(name, text),
      readSecret: async (name: string) => secrets.get(name) ?? null,
      async addSecret(name: string, sealed: Buffer, inPlaceOf?: Buffer) {
        if (secrets.get(name) === inPlaceOf) secrets.set(name, sealed);
      },
    },
    vault: new Vault(randomBytes(32)),
    newSecret() {
      number += 1;
      return `whsec_${number}`;
    },
    allowPrivate: false,
    async post(request: WebhookRequest) {
      posted.push(request);
      return { status: 204, error: null, response: "", durationMs: 1 };
    },
  };
  const view = noticeView(testNotice(1_700_000_000_000), { publicUrl: "https://mail.example", nameOf: () => null });
  return { parts, values, posted, view, webhook: new OperatorsWebhook(parts) };
}

it("rejects a URL that no webhook may have", async () => {
  const { webhook } = scene();
  const set = await webhook.set({ url: "http://127.0.0.1/", kinds: [] });
  assert.equal(set.type, "invalid");
  assert.equal(await webhook.settings(), null);
});

it("keeps its secret with its URL, sealed apart from its settings, and signs requests with it", async () => {
  const { webhook, values, view, posted } = scene();
  const url = "https://hooks.example/notices";
  assert.deepEqual(await webhook.set({ url: ` ${url} `, kinds: [...DEFAULT_KINDS, "unknown"] }), {
    type: "set",
    secret: "whsec_1",
  });
  assert.deepEqual(await webhook.settings(), { url, kinds: DEFAULT_KINDS });
  assert.deepEqual(await webhook.set({ url, kinds: ["key_held"] }), { type: "set", secret: null });
  assert.equal((await webhook.send({ url }, view)).status, 204);
  const body = JSON.stringify({ type: "notice.test", timestamp: view.at, data: view });
  assert.deepEqual(posted, [{ url, id: view.id, atMs: 1_700_000_000_000, body, secrets: ["whsec_1"] }]);
  const moved = await webhook.set({ url: "https://other.example/", kinds: [] });
  assert.deepEqual(moved, { type: "set", secret: "whsec_2" });
  assert.ok(![...values.values()].join().includes("whsec"));
  await webhook.remove();
  assert.equal(await webhook.settings(), null);
});

it("sends nothing where its secret does not open, and no settings where they cannot be read", async () => {
  const { parts, values, view, posted, webhook } = scene();
  await webhook.set({ url: "https://hooks.example/", kinds: ["key_held"] });
  const other = new OperatorsWebhook({ ...parts, vault: new Vault(randomBytes(32)) });
  const { status, error } = await other.send({ url: "https://hooks.example/" }, view);
  assert.equal(status, null);
  assert.match(error ?? "", /does not open/);
  assert.equal(posted.length, 0);
  values.set("operators-webhook", "{");
  assert.equal(await webhook.settings(), null);
});
