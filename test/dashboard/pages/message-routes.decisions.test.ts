/** A person's decisions on a message's page: marking unknown recipients, and cancelling pending ones. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { settlePaused } from "../../support/attempts.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

it("asks, then marks an unknown recipient or cancels a pending one, of the own account only, and shows who did", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { spool } = installation.service;
  const nowMs = Date.now();
  await spool.pauseDomain("a.example", nowMs);
  const sent = { createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS, recipients: recipientsAt("a.example", 4) };
  const stored = async (accountId: string): Promise<string> => {
    const { id } = newMessage();
    await spool.accept(newMessage({ ...sent, id, accountId }));
    const settlements = [
      settlement(0, "unknown"),
      settlement(1, "unknown"),
      settlement(2, "pending", nowMs + HOUR_MS),
      settlement(3, "pending", nowMs + HOUR_MS),
    ];
    await settlePaused(spool, id, { domains: ["a.example"], atMs: nowMs, settlements });
    return id;
  };
  const results = async (id: string) =>
    (await spool.report(id))?.recipients.map(({ result, reason }) => [result, reason]);
  const id = await stored("acc_default");
  const path = `/messages/${id}`;

  const page = await textOf(client, path);
  for (const link of [
    "resolve?as=delivered&amp;email=user0",
    "resolve?as=failed&amp;email=user1",
    "cancel?email=user2",
  ]) {
    assert.ok(page.includes(`${path}/${link}`), link);
  }
  const asked = await textOf(client, `${path}/resolve?as=delivered&email=user0@a.example`);
  assert.match(asked, /Mark user0@a\.example as delivered\?.*Nothing is sent/s);
  assert.match(
    await textOf(client, `${path}/cancel?email=user2@a.example`),
    /Cancel the delivery to user2@a\.example\?/,
  );
  for (const wrong of [
    "resolve?as=pending&email=user0@a.example",
    "resolve?as=failed&email=user2@a.example",
    "cancel?email=x",
  ]) {
    assert.equal((await client.get(`${path}/${wrong}`)).status, 404, wrong);
  }

  const resolve = (to: string, as: string, email: string) => client.post(`/messages/${to}/resolve`, { as, email });
  const marked = await resolve(id, "delivered", "user0@a.example");
  assert.match(await textOf(client, pathOf(marked)), /The recipient is marked as delivered/);
  assert.match(await textOf(client, pathOf(await resolve(id, "failed", "user1@a.example"))), /marked as not delivered/);
  assert.match(await textOf(client, pathOf(await resolve(id, "failed", "user0@a.example"))), /Nothing was changed/);
  assert.equal((await resolve(id, "pending", "user0@a.example")).status, 404);
  const cancelled = await client.post(`${path}/cancel`, { email: "user2@a.example" });
  const after = await textOf(client, pathOf(cancelled));
  assert.match(after, /The delivery is cancelled/);
  assert.match(after, /Marked as not delivered by [^<]*@/);
  assert.match(after, /Cancelled by [^<]*@/);
  assert.deepEqual(await results(id), [
    ["delivered", "resolved"],
    ["failed", "resolved"],
    ["failed", "cancelled"],
    ["pending", "test"],
  ]);

  const foreign = await stored("acc_other");
  const before = await results(foreign);
  assert.equal((await resolve(foreign, "failed", "user0@a.example")).status, 404);
  assert.equal((await client.post(`/messages/${foreign}/cancel`, { email: "user2@a.example" })).status, 404);
  assert.deepEqual(await results(foreign), before);
});
