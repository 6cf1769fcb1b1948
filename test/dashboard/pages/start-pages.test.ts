/** The steps of Get started. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { HostWatch } from "../../../src/app/installation/host-watch.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import type { Finding } from "../../../src/doctor/finding.ts";
import { settlePaused } from "../../support/attempts.ts";
import { withoutCurl } from "../../support/curl.ts";
import { addUser, type Installation, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { newMessage, recipientsAt, settlement } from "../../support/messages.ts";
import { bindVerified } from "../../support/world.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

it("the last step stays done once a message was delivered, whatever the next result is", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  for (const [i, result] of (["delivered", "failed"] as const).entries()) {
    const message = newMessage({ createdAtMs: Date.now() + i, recipients: recipientsAt("a.example", 1) });
    await spool.pauseDomain("a.example", message.createdAtMs);
    await spool.accept(message);
    const settlements = [settlement(0, result)];
    await settlePaused(spool, message.id, { domains: ["a.example"], atMs: Date.now(), settlements });
    assert.match(await textOf(client, "/start"), /card step good" id="step-5"/, result);
  }
});

it("begins with a message of a test key, without DNS: the command on the key's page sends it", {
  skip: withoutCurl(),
}, async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const step = async (): Promise<string> =>
    (await textOf(client, "/start")).split('id="steps"')[1]?.split('id="step-2"')[0] ?? "";
  assert.match(
    await step(),
    /card step wait" id="step-1".*Send a message with a test key.*Sender domain.*Create test key/s,
  );
  for (const sender of ["", "https://shop.example", "two words"]) {
    const rejected = await client.post("/start/test-key", { sender });
    assert.equal(rejected.status, 400, sender);
    assert.match(await rejected.text(), /name="sender"[^>]*aria-invalid="true".*id="field-sender-error"/s, sender);
  }
  const { registry } = installation.service;
  assert.deepEqual(await registry.keys("acc_default"), [], "a rejected domain leaves no key");

  const created = await client.post("/start/test-key", { sender: "Shop.example" });
  assert.equal(created.status, 302);
  const page = await textOf(client, (created.headers.get("location") ?? "").replace("/dashboard", ""));
  const [, command = ""] = /<pre[^>]*>([^<]*)<\/pre>/.exec(page) ?? [];
  assert.match(command, /svc_test_.*hello@shop\.example/s);
  assert.match(await step(), /You have a test key.*Create another test key/s);
  const domain = await registry.domainNamed("acc_default", "shop.example");
  assert.equal(domain?.verified, false);

  const line = command.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
  const { stdout } = await promisify(execFile)("sh", ["-c", line.replace(/^curl /, "curl -sS ")], { timeout: 10_000 });
  const { id } = JSON.parse(stdout) as { id: string };
  const result = async (): Promise<string> => step();
  for (let i = 0; i < 400 && !(await result()).includes("Delivered"); i += 1) await setTimeout(25);
  assert.match(
    await result(),
    new RegExp(`card step good" id="step-1".*/messages/${id}".*delivered@example\\.com.*Delivered`, "s"),
  );
  assert.match(await textOf(client, "/start"), /card step wait" id="step-3"/);

  const again = await client.post("/start/test-key", { sender: "shop.example" });
  assert.equal(again.status, 302, "with the domain that is there");
  assert.equal((await registry.domains("acc_default")).length, 1);
});

async function withDomains(installation: Installation, ...names: string[]): Promise<Client> {
  const { service, zone, certsDir } = installation;
  const resolver = createResolver({ servers: [zone.address] });
  for (const name of names) await bindVerified({ service, zone, resolver, certsDir }, name);
  return clientOf(installation.url);
}

it("sends a test message from any address of a verified domain to any address, and shows its result", async (t) => {
  const installation = await installWithOperator(t);
  const client = await withDomains(installation, "shop.example", "news.example");
  assert.match(await textOf(client, "/start"), /<select name="domain".*news\.example.*shop\.example/s);
  const fields = { local: "orders", domain: "shop.example", to: "delivered@customers.example" };
  const sent = await client.post("/start", fields);
  const location = sent.headers.get("location") ?? "";
  assert.match(location, /^\/dashboard\/start\?message=msg_[^#]+#step-5$/);
  const id = /msg_[^#]+/.exec(location)?.[0] ?? "";
  const shown = location.replace("/dashboard", "").split("#")[0] ?? "";
  const result = async (): Promise<string> =>
    (await textOf(client, shown)).split('id="test-result"')[1]?.split("<form")[0] ?? "";
  const version = async () => (await (await client.get(shown.replace("/start", "/start/state"))).json()).version;
  const before = await version();
  for (let i = 0; i < 400 && !(await result()).includes("Delivered"); i += 1) await setTimeout(25);
  assert.match(await result(), /orders@shop\.example to delivered@customers\.example.*Delivered.*250.*from mx\.cust/s);
  assert.notEqual(await version(), before);

  const failed = await client.submit("/start", {
    ...fields,
    local: "News <hi@news.example>",
    to: "user-unknown@customers.example",
  });
  assert.match(failed, /hi@news\.example to user-unknown@customers\.example/);
  const bob = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  assert.doesNotMatch(await textOf(bob, `/start?message=${id}`), /orders@shop\.example/, "only of one's own account");
});

it("shows what is wrong with a test message beside its field, with what was typed", async (t) => {
  const installation = await installWithOperator(t);
  const client = await withDomains(installation, "shop.example");
  await client.post("/domains", { name: "late.example" });
  const send = async (fields: Record<string, string>): Promise<{ status: number; html: string }> => {
    const typed = { local: "orders", domain: "shop.example", to: "ann@customers.example", ...fields };
    const answer = await client.post("/start", typed);
    return { status: answer.status, html: await answer.text() };
  };
  const to = await send({ to: '"<b>nobody' });
  assert.equal(to.status, 400);
  assert.match(to.html, /name="to"[^>]*value="&quot;&lt;b>nobody"[^>]*aria-invalid.*id="field-to-error"/s);
  assert.match(to.html, /name="local" value="orders"/);
  for (const fields of [
    { local: "two words" },
    { local: "" },
    { domain: "late.example" },
    { domain: "foreign.example" },
  ]) {
    const { status, html } = await send(fields as unknown as Record<string, string>);
    assert.equal(status, 400, JSON.stringify(fields));
    assert.match(html, /name="local"[^>]*aria-invalid="true".*id="field-local-error"/s, JSON.stringify(fields));
  }
  assert.match(await textOf(client, "/messages"), /No messages/);
  for (let i = 0; i < 10; i += 1) assert.equal((await send({})).status, 302);
  const last = await send({});
  assert.equal(last.status, 429);
  assert.match(last.html, /role="alert".*10 test messages in a short time/s);
});

it("shows what the doctor found: for operators with each fix, for other users without the host's internals", async (t) => {
  const findings: Finding[] = [
    { check: "reverse_dns 192.0.2.7", state: "problem", detail: "192.0.2.7 has no PTR record. Ask your provider." },
    { check: "dnssec", state: "warning", detail: "The resolver does not validate." },
    { check: "clock", state: "ok", detail: "The clock agrees." },
  ];
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const bob = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  const step = async (who: Client): Promise<string> =>
    (await textOf(who, "/start")).split('id="step-2"')[1]?.split('id="step-3"')[0] ?? "";
  const watched = t.mock.method(HostWatch.prototype, "current", () => ({
    findings: null,
    examinedAtMs: null,
    examining: true,
  }));
  assert.match(await step(client), /Check this server.*Checks running/s);
  watched.mock.mockImplementation(() => ({ findings, examinedAtMs: Date.now(), examining: false }));

  const shown = await step(client);
  assert.match(
    shown,
    /1 problem.*Reverse DNS: 192\.0\.2\.7.*Problem.*Gmail.*Ask your provider.*Validated DNS.*1 check passed/s,
  );
  const users = await step(bob);
  assert.match(users, /Delivery is impaired.*may reject your messages/s);
  assert.doesNotMatch(users, /192\.0\.2\.7|PTR|Run checks|operator\/host/);
  const run = await client.post("/operator/host", { from: "start" });
  assert.equal(run.headers.get("location"), "/dashboard/start");
  assert.equal((await bob.post("/operator/host", { from: "start" })).status, 404);

  findings[0] = { check: "outbound_smtp", state: "problem", detail: "Could not connect to port 25." };
  assert.match(await step(client), /cannot deliver messages yet/);
  assert.match(await step(bob), /cannot deliver them at the moment/);
  findings.shift();
  assert.match(await step(client), /Can send, 1 warning/);
  assert.match(await step(bob), /Done.*ready to deliver/s);
});
