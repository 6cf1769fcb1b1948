/** Pausing a recipient domain on the queue page, and its effect on retries of a message. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { quarantining } from "../../spool/port/conformance/quarantine.ts";
import { settlePaused } from "../../support/attempts.ts";
import { edit } from "../../support/damaged-spool.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

it("lists quarantined messages apart from what waits, and discards one after a confirmation", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  await spool.pauseDomain("a.example", 1);
  const message = newMessage({ createdAtMs: Date.now(), recipients: recipientsAt("a.example", 1) });
  await spool.accept(message);
  assert.doesNotMatch(await textOf(client, "/operator/queue"), /Quarantined messages/);
  assert.match(await textOf(client, "/messages"), /<\/svg>Pending</);
  edit(installation.dataDir, (db) => {
    for (const sql of quarantining("?")) db.prepare(sql).run(...new Array(sql.split("?").length - 1).fill(message.id));
  });
  const queue = await textOf(client, "/operator/queue");
  assert.match(queue, /0 recipients waiting/);
  assert.match(queue, /Quarantined messages.*1 message cannot be read.*content: the content does not match/s);
  assert.match(await textOf(client, "/messages"), /<\/svg>In quarantine</);
  const link = `/operator/queue/discard?message=${message.id}`;
  assert.ok(queue.includes(`href="/dashboard${link}"`));
  assert.match(await textOf(client, `/messages/${message.id}`), /Discard it …/);
  assert.match(await textOf(client, link), /Its recipients without a final result fail/);
  const done = await client.submit("/operator/queue/discard", { message: message.id });
  assert.match(done, /notice good.*Discarded: /s);
  assert.doesNotMatch(done, /Quarantined messages/);
  assert.equal((await spool.report(message.id))?.recipients[0]?.reason, "discarded");
  assert.match(
    await client.submit("/operator/queue/discard", { message: message.id }),
    /notice warn.*not quarantined/s,
  );
  assert.equal((await client.post("/operator/queue/discard", { message: "row-99" })).status, 404);
});

describe("pausing a recipient domain", () => {
  it("normalises the domain, and rejects an invalid one at the field", async (t) => {
    const installation = await installWithOperator(t);
    const client = await clientOf(installation.url);
    for (const domain of ["Customers.Example", " bücher.example "]) {
      assert.equal((await client.post("/operator/queue/pause", { domain })).status, 302, domain);
    }
    const paused = (await installation.service.spool.pausedDomains()).map(({ domain }) => domain);
    assert.deepEqual(paused.sort(), ["customers.example", "xn--bcher-kva.example"]);
    const wrong = await client.post("/operator/queue/pause", { domain: "no domain" });
    assert.equal(wrong.status, 400);
    assert.match(
      await wrong.text(),
      /value="no domain".*id="field-domain-error".*This is not a valid recipient domain/s,
    );
    await client.post("/operator/queue/resume", { domain: "xn--bcher-kva.example" });
    assert.equal((await installation.service.spool.pausedDomains()).length, 1);
  });

  it("is reported to a user who retries a message", async (t) => {
    const installation = await installWithOperator(t);
    const client = await clientOf(installation.url);
    const { spool } = installation.service;
    await client.post("/operator/queue/pause", { domain: "a.example" });
    const nowMs = Date.now();
    const message = newMessage({ createdAtMs: nowMs, recipients: recipientsAt("a.example", 2) });
    await spool.accept(message);
    const settlements = [settlement(0, "pending", nowMs + 3_600_000), settlement(1, "unknown")];
    await settlePaused(spool, message.id, { domains: ["a.example"], atMs: nowMs, settlements });
    const [waits, unknown] = message.recipients;
    assert.ok(waits && unknown);
    for (const [what, { email }] of [
      ["try-now", waits],
      ["send-again", unknown],
    ] as const) {
      const done = await client.post(`/messages/${message.id}/${what}`, { email });
      assert.match(
        await textOf(client, pathOf(done)),
        /notice warn.*An operator has paused the recipient's domain/s,
        what,
      );
    }
  });
});
