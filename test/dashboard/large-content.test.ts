/** Pages of messages with hostile content, and pages while too many questions wait; from outside and without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Reports, TooManyReports } from "../../src/spool/port/reports.ts";
import type { Spool } from "../../src/spool/port/spool.ts";
import { newMessage } from "../support/messages.ts";
import { installWithOperator } from "./installation.ts";
import { clientOf } from "./sign-in.ts";

const MIB = 1024 * 1024;

test("a message page shows the beginning of large parts, and the source can be downloaded whole", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  const body = "=".repeat(5 * MIB);
  const part = (type: string): string =>
    `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${body}\r\n`;
  const head = "Subject: x\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n";
  const content = Buffer.from(`${head}${part("text/plain")}${part("text/html")}--b--\r\n`);
  await here.service.spool.pauseDomain("customers.example", Date.now());
  const message = newMessage({ createdAtMs: Date.now(), expiresAtMs: Date.now() + 1e9, content });
  await here.service.spool.accept(message);
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

test("a page that finds too many questions waiting is answered with 429 and a sentence", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  const { reports } = here.service.spool as Spool & { reports: Reports };
  reports.find = () => Promise.reject(new TooManyReports());
  const answer = await client.get("/messages");
  assert.equal(answer.status, 429);
  assert.match(await answer.text(), /Too many searches .* Try again in a moment\./);
});
