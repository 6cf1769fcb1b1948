/** A notice through the whole service: from its condition to the list, by email and to the operators' webhook; and who chooses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { addUser, installWithOperator, OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf } from "../support/dashboard/sign-in.ts";
import { until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import { bindVerified } from "../support/world.ts";

test("a held key is in the lists, in the owner's and the operator's mail, and at the operators' webhook", {
  timeout: 120_000,
}, async (t) => {
  const receiver = await startWebhookReceiver(t);
  const installation = await installWithOperator(t, { env: { WEBHOOK_ALLOW_PRIVATE: "true" } });
  const { service, url, zone, certsDir, sink, dataDir } = installation;
  const store = service.spool as Store;
  await bindVerified(
    { service, zone, certsDir, resolver: createResolver({ servers: [zone.address] }) },
    "shop.example",
  );
  const owner = await clientOf(url, await addUser(installation, "shop", "owner@customers.example"));
  const other = await clientOf(url, await addUser(installation, "other", "other@customers.example"));
  const operator = await clientOf(url);

  assert.equal((await operator.post("/operator/notices/webhook", { url: "nonsense" })).status, 400);
  const kinds = ["key_held", "key_warned"];
  const secretPage = await operator.submit("/operator/notices/webhook", { url: receiver.url, kinds });
  const [secret = ""] = /whsec_[\w+/]+=*/.exec(secretPage.replaceAll("<wbr/>", "")) ?? [];
  assert.match(await operator.submit("/operator/notices/webhook/test"), /accepted the test notice/);
  assert.equal(JSON.parse(receiver.received[0]?.body ?? "").type, "notice.test");

  // The owner wants no warnings, and the operator no mail about held keys.
  assert.match(await owner.submit("/you/notices", { key_warned: "off" }), /choice of notices is saved/);
  await operator.post("/you/notices", { key_held: "off", disk_fills: "nonsense" });
  const account = (await store.accountNamed("shop")) ?? assert.fail();
  const hold = async (name: string, change: "holdKey" | "warnKey"): Promise<string> => {
    const { hash, lastFour } = newApiKey();
    const of = { accountId: account.id, name, hash, lastFour, createdAtMs: Date.now(), keysMax: 9 };
    const key = await store.createKey(of);
    assert.ok(key !== "too_many");
    const cause = { kind: "rate", count: 201, limit: 200, per: "span" } as const;
    await store[change]({ accountId: account.id, keyId: key.id, atMs: Date.now(), cause });
    return key.id;
  };
  const id = await hold("<b>website</b>", "holdKey");
  await hold("newsletter", "warnKey");

  await until("both notices at the webhook", async () => receiver.received.length === 3);
  assert.ok(receiver.received.every((each) => each.isSignedWith(secret)));
  const bodies = receiver.received.slice(1).map(({ body }) => JSON.parse(body));
  const held = bodies.find(({ type }) => type === "notice.key_held");
  assert.deepEqual(held.data.account, { id: account.id, name: "shop" });
  assert.equal(held.data.url, `${url}/dashboard/keys`);
  assert.match(held.data.text, new RegExp(`keys release ${id}`));
  await until("the email", async () => sink.entries.length > 0);
  await until("all sent", async () => (await store.openNotices("mail", 0, 10)).length === 0);
  assert.deepEqual(
    sink.entries.map(({ rcpt_to: to, subject }) => [to, subject]),
    // From a domain of another account, whose users see the subject.
    [[["owner@customers.example"], "A notice from Postrider"]],
  );

  const listed = await (await owner.get("/notices")).text();
  assert.match(listed, /Held API key.*The API key &lt;b>website|The API key &lt;b&gt;website/s);
  assert.match(listed, /newsletter sends more than usual/, "what is switched off is listed too");
  assert.doesNotMatch(await (await other.get("/notices")).text(), /website/);
  assert.match(await (await operator.get("/operator/notices")).text(), /website.*shop/s);
  assert.equal((await owner.get("/operator/notices")).status, 404);
  assert.match(await (await operator.get("/you")).text(), /<select id="field-disk_fills"/);
  assert.doesNotMatch(await (await owner.get("/you")).text(), /field-disk_fills/);
  const env = { ...process.env, DATA_DIR: dataDir, CERTS_DIR: certsDir, PUBLIC_URL: url } as Record<string, string>;
  const { code, stdout, stderr } = await runCli(["notices", "list", "--account", "shop", "--json"], env);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    JSON.parse(stdout)
      .map(({ type }: { type: string }) => type)
      .toSorted(),
    ["notice.key_held", "notice.key_warned"],
  );
  assert.equal(OPERATOR.email, "delivered@customers.example");
});

test("a failed message is noticed by those who want it, and its notice that fails causes none", {
  timeout: 120_000,
}, async (t) => {
  const installation = await installWithOperator(t);
  const { service, url, zone, certsDir, sink } = installation;
  const store = service.spool as Store;
  await bindVerified(
    { service, zone, certsDir, resolver: createResolver({ servers: [zone.address] }) },
    "shop.example",
  );
  const operator = await clientOf(url);
  await store.createUser({
    // The sink rejects what is sent to it.
    email: "5xx-550@customers.example",
    accountId: "acc_default",
    passwordHash: "none",
    operator: false,
    createdAtMs: 1,
    usersMax: 10,
  });
  for (const { id } of await store.people.users("acc_default"))
    await store.people.setNoticeChoices(id, { failed_messages: "each" });
  const { key, hash, lastFour } = newApiKey();
  const of = { accountId: "acc_default", name: "website", hash, lastFour, createdAtMs: Date.now(), keysMax: 9 };
  assert.ok((await store.createKey(of)) !== "too_many");
  const sent = await fetch(`${url}/api/sending/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ from: "a@shop.example", to: "5xx-550@customers.example", subject: "Order 7", text: "x" }),
  });
  const { id } = (await sent.json()) as { id: string };
  const failed = async () =>
    (await store.reports.find({ accountId: "acc_default", result: "failed", limit: 10 })).messages;
  await until("the message and its notice failed", async () => (await failed()).length === 2);
  await until("the other notice", async () => sink.entries.length > 0);
  const { notices } = await store.notices({ accountId: "acc_default", limit: 10 });
  assert.deepEqual(
    notices.map(({ subject, link }) => [subject, link]),
    [["Message failed: Order 7", `/dashboard/messages/${id}`]],
  );
  assert.deepEqual(
    sink.entries.map(({ rcpt_to: to }) => to),
    [[OPERATOR.email]],
  );
  assert.match(await (await operator.get("/messages?key=notice")).text(), /Message failed: Order 7/);
});
