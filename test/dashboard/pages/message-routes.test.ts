/** Retries of failed recipients, and pages of messages with large content. */

import assert from "node:assert/strict";
import { it, test } from "node:test";
import { settlePaused } from "../../support/attempts.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

it("retries a failed recipient of the own account only, and only with its content", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  const nowMs = Date.now();
  const recipients = [...recipientsAt("a.example", 1), ...recipientsAt("b.example", 1)];
  const sent = { createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS, recipients };
  const failed = async (accountId = "acc_default"): Promise<string> => {
    const { id } = newMessage();
    for (const domain of ["a.example", "b.example"]) await spool.pauseDomain(domain, nowMs);
    await spool.accept(newMessage({ ...sent, id, accountId }));
    const settlements = [settlement(0, "failed"), settlement(1, "failed")];
    await settlePaused(spool, id, { domains: ["a.example", "b.example"], atMs: nowMs, settlements });
    return id;
  };
  const retry = (id: string) => client.post(`/messages/${id}/retry-failed`, { email: "user0@a.example" });
  const results = async (id: string) => (await spool.report(id))?.recipients.map(({ result }) => result);
  const own = await failed();
  const page = await textOf(client, `/messages/${own}`);
  assert.equal(page.match(/action="[^"]*\/retry-failed"/g)?.length, 2);
  assert.match(
    await textOf(client, pathOf(await retry(own))),
    /notice warn.*An operator has paused the recipient's domain/s,
  );
  assert.deepEqual(await results(own), ["pending", "failed"]);
  assert.match(await textOf(client, pathOf(await retry(own))), /Nothing was changed/);
  const foreign = await failed("acc_other");
  assert.equal((await retry(foreign)).status, 404);
  assert.deepEqual(await results(foreign), ["failed", "failed"]);
  const gone = await failed();
  await spool.applyRetention({
    contentsBeforeMs: nowMs + HOUR_MS,
    resultsBeforeMs: 0,
    nowMs: nowMs + HOUR_MS,
    limit: 100,
  });
  assert.doesNotMatch(await textOf(client, `/messages/${gone}`), /retry-failed/);
  assert.match(await textOf(client, pathOf(await retry(gone))), /Nothing was changed/);
  assert.deepEqual(await results(gone), ["failed", "failed"]);
});

const MIB = 1024 * 1024;

test("a message page shows the beginning of large parts, and the whole source can be downloaded", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const body = "=".repeat(5 * MIB);
  const part = (type: string): string =>
    `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${body}\r\n`;
  const head = "Subject: x\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n";
  const content = Buffer.from(`${head}${part("text/plain")}${part("text/html")}--b--\r\n`);
  await installation.service.spool.pauseDomain("customers.example", Date.now());
  const message = newMessage({ createdAtMs: Date.now(), expiresAtMs: Date.now() + 1e9, content });
  await installation.service.spool.accept(message);
  const path = `/messages/${message.id}`;

  const page = await (await client.get(path)).text();
  assert.ok(page.length > 0.2 * MIB && page.length < MIB, `${page.length} characters`);
  assert.equal(page.split("Only the beginning is shown.").length, 3);
  assert.ok(page.includes("10.0 MiB"));
  const html = await client.get(`${path}/html`);
  assert.match(html.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.ok((await html.text()).length < 2.1 * MIB);
  const source = Buffer.from(await (await client.get(`${path}/source`)).arrayBuffer());
  assert.ok(source.equals(content));
});
