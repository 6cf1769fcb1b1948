/** A verified domain: history of its checks, DKIM rotation, removal; with a real DNS server and real delivery. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isFinal, pollUntil, send } from "../../support/api-client.ts";
import { type Installation, installWithOperator } from "../../support/dashboard/installation.ts";
import { recordRows } from "../../support/dashboard/record-rows.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";

const page = async (client: Client): Promise<string> => (await client.get("/domains/shop.example")).text();

async function bindAndVerify(client: Client, { zone }: Installation): Promise<void> {
  await client.post("/domains", { name: "shop.example" });
  for (const { name, type, value } of recordRows(await page(client))) zone.set(name, type, [value]);
  await client.post("/domains/shop.example/verify");
  assert.match(await page(client), /May send/);
}

async function newKey(client: Client): Promise<string> {
  const created = await client.post("/keys", { name: "web" });
  const shown = await client.get((created.headers.get("location") ?? "").replace("/dashboard", ""));
  return /svc_live_[\w-]{43}/.exec(await shown.text())?.[0] ?? "";
}

it("a new DKIM key is used once its record is published, and not before", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await bindAndVerify(client, installation);
  const door = { url: installation.url, key: await newKey(client) };
  const message = { from: "hello@shop.example", to: "delivered@customers.example", subject: "Hi", text: "Hi" };
  const signedWith = async (): Promise<string> => {
    await pollUntil(door, await send(door, message), isFinal);
    const { dkim } = installation.sink.entries.at(-1) ?? assert.fail("no message arrived");
    assert.equal(dkim.result, "pass");
    return (await installation.service.registry.domainNamed("acc_default", "shop.example"))?.selector ?? "";
  };
  const former = await signedWith();

  assert.equal((await client.post("/domains/shop.example/rotate")).status, 302);
  const next = recordRows(await page(client)).find(({ id }) => id === "check-dkim-new");
  assert.ok(next && !next.name.startsWith(former), JSON.stringify(next));
  const looked = await client.post("/domains/shop.example/verify");
  const waits = await (await client.get((looked.headers.get("location") ?? "").replace("/dashboard", ""))).text();
  assert.match(waits, /notice warn.*The new DKIM key does not sign yet.*There is no TXT record at/s);
  assert.match(await page(client), /New key: waiting for its record/);
  assert.equal(await signedWith(), former);

  installation.zone.set(next.name, next.type, [next.value]);
  const seen = await client.post("/domains/shop.example/verify");
  const told = await client.get((seen.headers.get("location") ?? "").replace("/dashboard", ""));
  assert.match(await told.text(), /notice good.*The record of the new DKIM key is published/s);
  const after = await page(client);
  assert.doesNotMatch(after, /New key: waiting for its record/);
  assert.match(after, /May send/);
  assert.equal(`${await signedWith()}._domainkey.shop.example`, next.name);
  const headers = await (await client.get(`/messages?domain=shop.example`)).text();
  assert.equal(headers.match(/<td class="subject">/g)?.length, 3, "messages of both keys are found by their domain");
});

it("a pending key can be discarded, once", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await client.post("/domains", { name: "shop.example" });
  assert.equal((await client.post("/domains/shop.example/rotate/cancel")).status, 404);
  await client.post("/domains/shop.example/rotate");
  assert.equal((await client.post("/domains/shop.example/rotate/cancel")).status, 302);
  assert.deepEqual(await installation.service.registry.rotations(), []);
});

it("shows when and why each check changed, and 404 for a removed domain", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await bindAndVerify(client, installation);
  installation.zone.set("_dmarc.shop.example", "TXT", []);
  await client.post("/domains/shop.example/verify");
  const html = await page(client);
  assert.match(html, /May send, 1 check fails/);
  const history = html.split("History of the checks").at(-1) ?? "";
  assert.match(history, /DMARC<\/td><td[^>]*>.*?Failed.*?There is no DMARC record at _dmarc\.shop\.example/s);
  assert.equal(history.match(/<tr>/g)?.length, 1 + 5 + 1);

  assert.equal((await client.get("/domains/shop.example/remove")).status, 200);
  assert.equal((await client.post("/domains/shop.example/remove")).status, 302);
  assert.equal((await client.get("/domains/shop.example")).status, 404);
});

it("writes zone file lines with strings of at most 255 characters", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await client.post("/domains", { name: "shop.example" });
  const zone = (await (await client.get("/domains/shop.example/zone")).text()).trimEnd().split("\n");
  assert.equal(zone.length, 5);
  assert.equal(zone[1], "shop.example. 3600 IN MX 10 mail.shop.example.");
  assert.match(zone[0] ?? "", /^_postrider\.shop\.example\. 3600 IN TXT "postrider-verification=[\w-]+"$/);
  const strings = [...(zone[3] ?? "").matchAll(/"([^"]*)"/g)].map(([, text = ""]) => text);
  assert.ok(strings.length === 2 && strings.every((text) => text.length <= 255), zone[3]);
  assert.match(strings.join(""), /^v=DKIM1; k=rsa; p=MII[\w+/=]+$/);
});
