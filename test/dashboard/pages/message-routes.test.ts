/** Retries of failed recipients, and pages of messages with large content. */

import assert from "node:assert/strict";
import { it, test } from "node:test";
import { settlePaused } from "../../support/attempts.ts";
import { composedMessage } from "../../support/composed-message.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

const base64 = (text: string): string => Buffer.from(text).toString("base64");

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
  const retry = (id: string) =>
    client.post(`/messages/${id}/retry-failed`, { email: "user0@a.example", view: "source" });
  const results = async (id: string) => (await spool.report(id))?.recipients.map(({ result }) => result);
  const own = await failed();
  const page = await textOf(client, `/messages/${own}`);
  assert.equal(page.match(/action="[^"]*\/retry-failed"/g)?.length, 2);
  assert.match(
    await textOf(client, pathOf(await retry(own))),
    /notice warn.*An operator has paused the recipient's domain/s,
  );
  assert.deepEqual(await results(own), ["pending", "failed"]);
  const place = (await retry(own)).headers.get("location");
  assert.equal(place, `/dashboard/messages/${own}?view=source&recipient=0&done=nothing#recipient-0`);
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

  for (const view of ["text", "source"]) {
    const page = await textOf(client, `${path}?view=${view}`);
    assert.ok(page.length > 0.1 * MIB && page.length < 0.5 * MIB, `${page.length} characters`);
    assert.equal(page.split("Only the beginning is shown.").length, 2);
    assert.ok(page.includes("10.0 MiB"));
  }
  const html = await client.get(`${path}/html`);
  assert.match(html.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.ok((await html.text()).length < 2.1 * MIB);
  const source = Buffer.from(await (await client.get(`${path}/source`)).arrayBuffer());
  assert.ok(source.equals(content));
});

test("a file of a message is downloaded under its name, by its own account alone, and is never opened as a page", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  await spool.pauseDomain("customers.example", Date.now());
  const attachments = [
    { filename: `Grüße "a"\u202e.svg`, content: base64("<svg onload=alert(1)>"), content_type: "image/svg+xml" },
    { filename: "page.html", content: base64("<script>alert(1)</script>"), content_type: "text/html" },
  ];
  const content = composedMessage({ text: "Hi", attachments });
  const accept = async (accountId: string): Promise<string> => {
    const times = { createdAtMs: Date.now(), expiresAtMs: Date.now() + 1e9 };
    const message = newMessage({ ...times, accountId, content });
    await spool.accept(message);
    return message.id;
  };
  const own = await accept("acc_default");
  const file = await client.get(`/messages/${own}/attachments/1`);
  assert.equal(await file.text(), "<svg onload=alert(1)>");
  const header = (name: string) => file.headers.get(name);
  assert.equal(header("content-type"), "application/octet-stream");
  assert.equal(header("x-content-type-options"), "nosniff");
  assert.equal(header("content-security-policy"), "default-src 'none'; sandbox");
  assert.equal(
    header("content-disposition"),
    `attachment; filename="Gr__e \\"a\\"_.svg"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22a%22_.svg`,
  );
  const html = await client.get(`/messages/${own}/attachments/2`);
  assert.equal(html.headers.get("content-type"), "application/octet-stream");
  assert.match(html.headers.get("content-disposition") ?? "", /^attachment; filename="page.html"$/);
  for (const part of ["0", "3", "-1", "1e1", "x", "99999999"]) {
    assert.equal((await client.get(`/messages/${own}/attachments/${part}`)).status, 404, part);
  }
  const foreign = await accept("acc_other");
  assert.equal((await client.get(`/messages/${foreign}/attachments/1`)).status, 404);
  assert.equal((await client.get("/messages/msg_x/attachments/1")).status, 404);
});
