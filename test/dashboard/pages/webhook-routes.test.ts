/** Webhook endpoints in the dashboard: forms, secrets, test events, deliveries, and what users of other accounts see. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { webhookBody } from "../../../src/app/webhooks/webhook-body.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import type { Endpoint, WebhookResult } from "../../../src/spool/port/webhooks.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { clientOf, type FormFields } from "../../support/dashboard/sign-in.ts";
import { startWebhookReceiver } from "../../support/webhook-receiver.ts";
import { bindVerified } from "../../support/world.ts";

const URL_1 = "https://hooks.example/postrider?a=1&b=2";
const ALL = { all_types: "yes", all_keys: "yes", all_domains: "yes" };

async function scene(t: TestContext, env: Record<string, string> = {}) {
  const installation = await installWithOperator(t, { env });
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  const page = async (path: string) => (await client.get(path)).text();
  const endpoint = async (): Promise<Endpoint> => (await spool.endpoints("acc_default")).at(-1) ?? assert.fail();
  const create = async (fields: FormFields = {}): Promise<Endpoint> => {
    const answer = await client.post("/webhooks", { url: URL_1, ...ALL, ...fields });
    assert.equal(answer.status, 302, await answer.text());
    return endpoint();
  };
  return { installation, client, spool, page, endpoint, create };
}

/** Settles attempts as the sender does. */
async function settle(
  { spool, endpoint }: Pick<Awaited<ReturnType<typeof scene>>, "spool" | "endpoint">,
  results: WebhookResult[],
  more: { disable?: "gone"; position?: number } = {},
): Promise<void> {
  const { id, version, position } = await endpoint();
  await spool.settleWebhooks({
    endpointId: id,
    version,
    atMs: Date.now(),
    position,
    blocked: [],
    gone: [],
    isRecovered: false,
    disable: null,
    ...more,
    results,
  });
}

interface Attempted {
  event?: Partial<WebhookResult["event"]>;
  attempt?: Partial<WebhookResult["attempt"]>;
  outcome?: WebhookResult["outcome"];
}

function resultOf({ event, attempt, outcome = { type: "sent" } }: Attempted = {}): WebhookResult {
  const id = "evt_aaaaaaaaaaaaaaaa";
  return {
    event: { number: 1, id, type: "recipient.delivered", messageId: "msg_1", orderKey: 1, ...event },
    attempt: { atMs: Date.now(), durationMs: 12, attempt: 1, status: 204, error: null, response: "", ...attempt },
    outcome,
  };
}

it("shows a new endpoint's secret once, and the endpoint in the list", async (t) => {
  const { client, page, endpoint } = await scene(t);
  assert.match(await page("/webhooks"), /No webhook endpoints yet/);
  const answer = await client.post("/webhooks", { url: URL_1, ...ALL });
  const path = (answer.headers.get("location") ?? "").replace("/dashboard", "");
  const shown = await page(path);
  assert.match(shown, /<code>whsec_[A-Za-z0-9+/]{43}=<\/code>/);
  const again = await page(path);
  assert.match(again, /This secret has already been shown/);
  assert.doesNotMatch(again, /whsec_/);
  const { id, types, keys, domains } = await endpoint();
  assert.deepEqual([types, keys, domains], [null, null, null]);
  assert.ok(shown.includes(`/dashboard/webhooks/${id}`));
  const list = await page("/webhooks");
  assert.match(
    list,
    new RegExp(`href="/dashboard/webhooks/${id}">https://hooks\\.example/postrider\\?a=1&amp;b=2</a>`),
  );
  assert.match(list, /class="state">Active</);
  assert.match(list, /aria-current="page"[^>]*>.*Webhooks/s);
});

it("reads the chosen types, keys and domains, and edits them", async (t) => {
  const { client, page, endpoint, create, installation } = await scene(t);
  await client.post("/domains", { name: "shop.example" });
  await client.post("/keys", { name: "web" });
  const [key] = await installation.service.registry.keys("acc_default");
  assert.ok(key);
  await create({
    all_types: "no",
    types: ["recipient.failed", "message.accepted"],
    all_keys: "no",
    keys: [key.id],
    all_domains: "no",
    domains: ["shop.example"],
  });
  const { id, types, keys, domains } = await endpoint();
  assert.deepEqual([types, keys, domains], [["message.accepted", "recipient.failed"], [key.id], ["shop.example"]]);
  const one = await page(`/webhooks/${id}`);
  assert.match(one, /<dd>message\.accepted, recipient\.failed<\/dd>.*<dd>web<\/dd>.*<dd>shop\.example<\/dd>/s);
  await client.post(`/keys/${key.id}/revoke`);
  await client.post("/domains/shop.example/remove");
  const form = await page(`/webhooks/${id}/edit`);
  assert.match(form, new RegExp(`name="keys" value="${key.id}" checked/> web \\(….{4}, revoked\\)`));
  assert.match(form, /name="domains" value="shop\.example" checked\/> shop\.example \(removed\)/);
  assert.match(form, /name="types" value="recipient\.failed" checked/);
  assert.doesNotMatch(form, /name="types" value="recipient\.delivered" checked/);
  const edit = { url: "https://hooks.example/2", all_types: "yes", all_keys: "no", keys: [key.id], all_domains: "yes" };
  assert.match(await client.submit(`/webhooks/${id}/edit`, edit), /notice good.*Endpoint changed/s);
  const edited = await endpoint();
  assert.deepEqual([edited.url, edited.types, edited.keys, edited.domains], [edit.url, null, [key.id], null]);
});

it("rejects a form with the reason at its field, and keeps what was typed", async (t) => {
  const { client, create, spool } = await scene(t, { WEBHOOKS_MAX: "1" });
  const faults: [FormFields, RegExp][] = [
    [
      { url: "http://hooks.example/" },
      /value="http:\/\/hooks\.example\/"[^>]*aria-invalid.*field-url-error.*HTTPS only/s,
    ],
    [{ all_types: "no" }, /field-types-error.*Select at least one event type\./s],
    [{ all_types: "no", types: "opened" }, /“opened” is not an event type/],
    [{ all_keys: "no" }, /Select at least one API key\./],
    [{ all_domains: "no", domains: "club.example" }, /The account has no domain “club\.example”\./],
  ];
  for (const [fields, reason] of faults) {
    const answer = await client.post("/webhooks", { url: URL_1, ...ALL, ...fields });
    assert.equal(answer.status, 400, JSON.stringify(fields));
    assert.match(await answer.text(), reason);
  }
  assert.deepEqual(await spool.endpoints(null), []);
  const { id } = await create();
  const rejected = await client.post(`/webhooks/${id}/edit`, { url: "hooks", ...ALL });
  assert.deepEqual([rejected.status, /This is not an absolute URL/.test(await rejected.text())], [400, true]);
  const full = await client.post("/webhooks", { url: URL_1, ...ALL });
  assert.equal(full.status, 400);
  assert.match(await full.text(), /reached its limit of 1 webhook endpoint \(WEBHOOKS_MAX\)\. Remove one first\./);
});

it("pauses, resumes, rotates and removes, the last two after a confirmation", async (t) => {
  const { client, create, page, endpoint, spool } = await scene(t);
  const { id } = await create();
  const path = `/webhooks/${id}`;
  const paused = await client.submit(`${path}/pause`);
  assert.match(paused, /badge quiet.*Paused.*notice quiet.*Events wait until you resume the endpoint/s);
  assert.match(await client.submit(`${path}/resume`), /badge good.*Active.*Endpoint resumed/s);
  const confirmation = await page(`${path}/rotate`);
  assert.match(confirmation, /Rotate the secret of .*24 hours/s);
  assert.doesNotMatch(confirmation, /ends it at once/);
  const rotated = await client.submit(`${path}/rotate`);
  assert.match(rotated, /New secret created.*whsec_.*The former secret stays valid for 24 hours/s);
  assert.equal((await endpoint()).secrets.length, 2);
  assert.match(await page(path), /Former secret<\/dt><dd>valid until/);
  assert.match(await page(`${path}/rotate`), /notice warn.*Another rotation ends it at once/s);
  assert.match(await page(`${path}/remove`), /cannot be undone/);
  assert.match(await client.submit(`${path}/remove`), /Endpoint removed\./);
  assert.deepEqual(await spool.endpoints(null), []);
  assert.equal((await client.get(path)).status, 404);
});

it("shows the response to a test event, once", async (t) => {
  const receiver = await startWebhookReceiver(t);
  const { client, create, page } = await scene(t, { WEBHOOK_ALLOW_PRIVATE: "true" });
  const { id } = await create({ url: receiver.url });
  assert.match(await client.submit(`/webhooks/${id}/test`), /notice good.*accepted the test event\. Status 204 after/s);
  receiver.response = { status: 503, body: "<b>closed</b>" };
  const refused = await client.submit(`/webhooks/${id}/test`);
  assert.match(refused, /notice bad.*did not accept the test event\. Status 503.*&lt;b>closed&lt;\/b>/s);
  assert.equal(receiver.received.length, 2);
  assert.equal(JSON.parse(receiver.received[0]?.body ?? "").data.test, true);
  assert.doesNotMatch(await page(`/webhooks/${id}`), /test event\. Status/);
});

it("explains on its page and on the overview that an endpoint is failing or disabled", async (t) => {
  const here = await scene(t);
  const { id } = await here.create();
  const version = async () => ((await (await here.client.get("/data/overview")).json()) as { version: string }).version;
  const overview = () => here.page("/?range=24h");
  assert.doesNotMatch(await overview(), /webhook endpoint/);
  const before = await version();
  await settle(here, [resultOf({ attempt: { status: 500 }, outcome: { type: "given_up" } })]);
  assert.match(await here.page(`/webhooks/${id}`), /badge warn.*Failing.*notice warn.*After 5 days without a success/s);
  const failing = await overview();
  assert.ok(failing.includes("<strong>https://hooks.example/postrider?a=1&amp;b=2</strong>"));
  assert.ok(failing.includes(`href="/dashboard/webhooks/${id}">Open the endpoint</a>`));
  assert.match(failing, /task warn.*does not accept events: attempts began to fail/s);
  assert.notEqual(await version(), before);
  await settle(here, [resultOf({ attempt: { status: 410 }, outcome: { type: "given_up" } })], { disable: "gone" });
  const disabled = await here.page(`/webhooks/${id}`);
  assert.match(disabled, /badge bad.*Disabled.*notice bad.*it responded with 410 Gone.*deleted 30 days after/s);
  assert.match(disabled, /<button type="submit" class="primary">Enable</);
  assert.match(await overview(), /task bad.*was disabled <time[^>]*>[^<]*<\/time>; its events wait\./s);
  await here.client.post(`/webhooks/${id}/resume`);
  assert.doesNotMatch(await overview(), /webhook endpoint/);
});

it("lists deliveries by pages, and the failed ones alone", async (t) => {
  const here = await scene(t);
  const { id } = await here.create();
  const nextAttemptAtMs = Date.now() + 3_600_000;
  await settle(here, [
    ...Array.from({ length: 20 }, (_, i) =>
      resultOf({ event: { orderKey: i + 10, messageId: `msg_${i + 10}` }, attempt: { attempt: i + 1 } }),
    ),
    resultOf({ attempt: { status: 500 }, outcome: { type: "deferred", nextAttemptAtMs } }),
    resultOf({
      event: { orderKey: 3, messageId: null, type: "domain.lost" },
      attempt: { status: null },
      outcome: { type: "given_up" },
    }),
  ]);
  const rows = (html: string) => html.split('id="deliveries"')[1]?.match(/<tr>/g)?.length ?? 0;
  const first = await here.page(`/webhooks/${id}`);
  assert.equal(rows(first), 21, "a head and a page");
  assert.match(first, /domain\.lost<\/a>.*badge bad.*No response.*–.*None: given up/s);
  assert.match(first, /badge warn.*500.*in 59 min|in 1 h/s);
  assert.match(first, /1 failed event to be sent again/);
  const [, next = ""] = /href="\/dashboard(\/webhooks\/[^"#]*)#deliveries" rel="next"/.exec(first) ?? [];
  const second = await here.page(next.replaceAll("&amp;", "&"));
  assert.equal(rows(second), 3);
  assert.doesNotMatch(second, /Older deliveries/);
  const failed = await here.page(`/webhooks/${id}?failed=1`);
  assert.equal(rows(failed), 3);
  assert.match(failed, /aria-current="true">Failed only/);
  const state = await here.client.get(`/webhooks/${id}/state`);
  const { version } = (await state.json()) as { version: string };
  assert.ok(first.includes(`data-version="${version}"`));
  await settle(here, [resultOf()]);
  assert.doesNotMatch(await (await here.client.get(`/webhooks/${id}/state`)).text(), new RegExp(version));
});

it("shows the time of the next attempt only where it still holds", async (t) => {
  const here = await scene(t);
  const { id } = await here.create();
  const deferred = (messageId: string | null, nextAttemptAtMs: number): WebhookResult =>
    resultOf({
      event: { orderKey: Number(messageId?.slice(4) ?? 9), messageId, ...(messageId ? {} : { type: "domain.lost" }) },
      attempt: { status: 500 },
      outcome: { type: "deferred", nextAttemptAtMs },
    });
  const soonMs = Date.now() + 2.5 * 3_600_000;
  await settle(here, [
    deferred("msg_1", soonMs),
    deferred("msg_1", soonMs + 3_600_000),
    deferred("msg_2", Date.now() - 1000),
    deferred(null, soonMs + 7_200_000),
    deferred("msg_3", soonMs),
    resultOf({ event: { messageId: "msg_3" } }),
  ]);
  const cells = async (query = "") =>
    [...(await here.page(`/webhooks/${id}${query}`)).matchAll(/<td class="secondary">(.*?)<\/td>/g)].map(
      ([, cell = ""]) => cell.replace(/<[^>]*>/g, ""),
    );
  const shown = async (number: number) =>
    /Next attempt<\/dt><dd>(.*?)<\/dd>/.exec(await here.page(`/webhooks/${id}/deliveries/${number}`))?.[1];
  const planned = ["in 4 h 29 min", "–", "in 3 h 29 min", "–"];
  assert.deepEqual(await cells(), ["–", "–", ...planned], "of msg_3 twice, a domain, msg_2, and msg_1 twice");
  assert.deepEqual(await cells("?failed=1"), ["–", ...planned], "a success that is not in the list counts too");
  assert.equal(await shown(1), "–");
  assert.match((await shown(2)) ?? "", /in 3 h 29 min/);
  await here.client.post(`/webhooks/${id}/pause`);
  const waiting = ["When resumed", "When resumed", "When resumed", "–"];
  assert.deepEqual(await cells("?failed=1"), ["–", ...waiting]);
  await settle(here, [deferred("msg_2", soonMs)], { disable: "gone" });
  assert.equal((await cells())[0], "When enabled");
});

it("shows a delivery's request and response, and sends its event again", async (t) => {
  const here = await scene(t);
  const { id, accountId } = await here.create();
  const { service, zone, certsDir } = here.installation;
  await bindVerified(
    { service, zone, certsDir, resolver: createResolver({ servers: [zone.address] }) },
    "shop.example",
  );
  const filter = { types: null, keys: null, domains: null };
  const found = await here.spool.events({ accountId, afterNumber: null, withDomains: true, limit: 10, filter });
  assert.ok(found !== "expired");
  const [event] = found.events;
  assert.ok(event !== undefined);
  const attempt = { atMs: Date.UTC(2026, 2, 1), status: 500, response: "<i>no</i>" };
  const outcome = { type: "deferred", nextAttemptAtMs: Date.now() + 3_600_000 } as const;
  await settle(here, [{ ...resultOf({ attempt, outcome }), event }], { position: event.number });
  const path = `/webhooks/${id}/deliveries/1`;
  const html = (await here.page(path)).replaceAll("&quot;", '"');
  assert.match(html, new RegExp(`webhook-id: ${event.id}\nwebhook-timestamp: 1772323200\nwebhook-signature: v1,…`));
  const [, body = ""] = /<pre[^>]*>(\{.*?)<\/pre>/s.exec(html) ?? [];
  assert.deepEqual(JSON.parse(body), JSON.parse(webhookBody(event)));
  assert.match(html, /badge warn.*500.*<h2>Response<\/h2>.*&lt;i>no&lt;\/i>/s);
  assert.match(await here.client.submit(`${path}/send-again`), /The event is being sent again/);
  const due = await here.spool.dueRetries(id, Date.now(), 10);
  assert.deepEqual(
    due.retries.map(({ event: { id: eventId }, attempts }) => [eventId, attempts]),
    [[event.id, 0]],
  );
  await here.client.post(`/webhooks/${id}/pause`);
  const paused = await here.client.submit(`${path}/send-again`);
  assert.match(paused, /The endpoint is paused: the event waits, and is sent again when you resume/);
});

it("shows a delivery whose event was deleted, without its body", async (t) => {
  const here = await scene(t);
  const { id } = await here.create();
  await settle(here, [resultOf({ attempt: { status: null, error: "The host has no address." } })]);
  const path = `/webhooks/${id}/deliveries/1`;
  const html = await here.page(path);
  assert.match(html, /The event was deleted after the retention period.*The host has no address\..*No body\./s);
  assert.doesNotMatch(html, /Send again/);
  assert.equal((await here.client.post(`${path}/send-again`)).status, 404);
  for (const number of ["0", "2", "1x", "99999999999999999999"]) {
    assert.equal((await here.client.get(`/webhooks/${id}/deliveries/${number}`)).status, 404, number);
  }
});

it("sends events again since a period or a time", async (t) => {
  const here = await scene(t);
  const { id, version } = await here.create();
  const replay = (fields: FormFields) => here.client.post(`/webhooks/${id}/replay`, fields);
  assert.match(
    await here.client.submit(`/webhooks/${id}/replay`, { period: "1d", since: "" }),
    /being sent again, the oldest/,
  );
  assert.equal((await replay({ period: "", since: "2026-03-14T09:05" })).status, 302);
  assert.equal((await here.endpoint()).version, version + 2);
  const rejected = await replay({ period: "1h", since: "soon" });
  assert.equal(rejected.status, 400);
  assert.match(await rejected.text(), /value="soon".*Enter a time such as/s);
  assert.equal((await replay({ period: "1y", since: "" })).status, 400);
  const future = await replay({ period: "1h", since: "2126-03-14T09:05" });
  assert.equal(future.status, 400);
  assert.match(await future.text(), /Enter a time in the past/);
});

it("reports endpoints of other accounts as not found", async (t) => {
  const { installation, create, spool, endpoint } = await scene(t);
  const { id, version } = await create();
  const other = await clientOf(installation.url, await addUser(installation, "blue", "eve@customers.example"));
  assert.match(await (await other.get("/webhooks")).text(), /No webhook endpoints yet/);
  for (const path of ["", "/state", "/edit", "/rotate", "/remove", "/deliveries/1"]) {
    assert.equal((await other.get(`/webhooks/${id}${path}`)).status, 404, path);
  }
  for (const path of ["edit", "pause", "resume", "rotate", "remove", "test", "replay", "deliveries/1/send-again"]) {
    const answer = await other.post(`/webhooks/${id}/${path}`, { url: URL_1, period: "1h", ...ALL });
    assert.equal(answer.status, 404, path);
  }
  assert.deepEqual([(await spool.endpoints(null)).length, (await endpoint()).version], [1, version]);
});
