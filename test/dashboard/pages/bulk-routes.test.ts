/** Actions on all recipients of a search: the confirmation with its count, the steps, and the outcome. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { NewMessage } from "../../../src/spool/port/mail.ts";
import { settlePaused } from "../../support/attempts.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";

const DOMAIN = "a.example";

async function stage(t: TestContext) {
  const { service, url } = await installWithOperator(t);
  const client = await clientOf(url);
  const { spool } = service;
  const nowMs = Date.now();
  await spool.pauseDomain(DOMAIN, nowMs);
  /** A message with an unknown, a failed and a pending recipient. */
  const stored = async (parts: Partial<NewMessage> = {}): Promise<string> => {
    const recipients = recipientsAt(DOMAIN, 3);
    const message = newMessage({ createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS, recipients, ...parts });
    await spool.accept(message);
    const settlements = [settlement(0, "unknown"), settlement(1, "failed"), settlement(2, "pending", nowMs + HOUR_MS)];
    await settlePaused(spool, message.id, { domains: [DOMAIN], atMs: nowMs, settlements });
    return message.id;
  };
  const results = async (id: string) => (await spool.report(id))?.recipients.map(({ result }) => result).join(" ");
  return { spool, client, stored, results };
}

const textOf = async (answer: Response): Promise<string> => (await answer.text()).replaceAll("\u202f", " ");

/** Asks for an action, and confirms it with the fields of the form. */
async function act(client: Client, action: string, query = ""): Promise<{ asked: string; done: string }> {
  const asked = await textOf(await client.get(`/bulk/${action}?${query}`));
  return { asked, done: await textOf(await client.post(`/bulk/${action}`, formOf(asked))) };
}

const formOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
      .map(([, name = "", value = ""]): [string, string] => [
        name,
        value.replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
      ])
      .filter(([name]) => name !== "form_token"),
  );

it("asks with the exact count, changes what the search selects of the own account, and says what has become of it", async (t) => {
  const { client, stored, results } = await stage(t);
  const ids = [await stored(), await stored({ subject: "Other" })];
  const foreign = await stored({ accountId: "acc_other" });
  const one = await act(client, "mark-delivered", "subject=other");
  assert.match(one.asked, /<h1>Mark 1 unknown recipient as delivered\?<\/h1>/);
  assert.match(one.asked, /Subject contains<\/dt><dd>other</);
  assert.match(one.done, /1 recipient is marked as delivered\./);
  assert.deepEqual(await Promise.all(ids.map(results)), ["unknown failed pending", "delivered failed pending"]);
  const cancelled = await act(client, "cancel");
  assert.match(cancelled.asked, /<h1>Cancel the delivery to 2 pending recipients\?<\/h1>/);
  assert.match(cancelled.done, /2 recipients are cancelled\./);
  const sent = await act(client, "send-failed-again", "q=user1@");
  assert.match(sent.asked, /<h1>Send again to 2 failed recipients\?<\/h1>/);
  assert.match(sent.done, /2 recipients are pending again\./);
  const risky = await act(client, "send-unknown-again");
  assert.match(risky.asked, /may already have the message. If so, sending it again delivers it twice/);
  assert.match(risky.done, /1 recipient is pending again\./);
  assert.deepEqual(await Promise.all(ids.map(results)), ["pending pending failed", "delivered pending failed"]);
  assert.equal(await results(foreign), "unknown failed pending");
  const none = await textOf(await client.get("/bulk/mark-failed"));
  assert.match(none, /The search finds 0 unknown recipients/);
  assert.doesNotMatch(none, /<button type="submit" class="primary"/);
});

it("leaves alone what has changed since the count, and counts it", async (t) => {
  const { spool, client, stored } = await stage(t);
  const ids = [await stored(), await stored()];
  const asked = await textOf(await client.get("/bulk/mark-failed"));
  assert.match(asked, /Mark 2 unknown recipients as not delivered\?/);
  const recipients = [{ messageId: ids[0] ?? "", positions: [0] }];
  const decision = { accountId: "acc_default", by: "ben@shop.example", nowMs: Date.now() };
  await spool.resolve({ ...decision, as: "delivered", recipients });
  const done = await textOf(await client.post("/bulk/mark-failed", formOf(asked)));
  assert.match(done, /1 recipient is marked as not delivered\./);
  assert.match(done, /1 recipient was not changed: its result has changed in the meantime\./);
});

it("acts on selected messages, whose recipients the confirmation names", async (t) => {
  const { spool, client, stored, results } = await stage(t);
  const [one, two, other] = [await stored(), await stored(), await stored()];
  const foreign = await stored({ accountId: "acc_other" });
  const selected = async (action: string, ids: string[]) => {
    const query = new URLSearchParams(ids.map((id) => ["message", id]));
    const asked = await textOf(await client.get(`/bulk/${action}?${query}`));
    const messages = [...asked.matchAll(/name="message" value="([^"]*)"/g)].map(([, id = ""]) => id);
    return { asked, messages, confirm: { ...formOf(asked), message: messages } };
  };
  const cancel = await selected("cancel", [one, two, two, foreign]);
  assert.match(cancel.asked, /<h1>Cancel the delivery to 2 pending recipients\?<\/h1>.*Of 2 selected messages/s);
  assert.equal(cancel.asked.match(/title="user2@a\.example"/g)?.length, 2);
  assert.deepEqual(cancel.messages, [one, two]);
  // It fails between the confirmation and the action.
  const decision = { accountId: "acc_default", by: "ben@shop.example", nowMs: Date.now() };
  await spool.cancel({ ...decision, recipients: [{ messageId: two, positions: [2] }] });
  const done = await textOf(await client.post("/bulk/cancel", cancel.confirm));
  assert.match(done, /1 recipient is cancelled\..*1 recipient was not changed: its result has changed/s);

  const failed = await selected("send-failed-again", [one, two]);
  assert.match(failed.asked, /Send again to 2 failed recipients\?/);
  const unknown = await selected("mark-failed", [one]);
  assert.match(await textOf(await client.post("/bulk/mark-failed", unknown.confirm)), /1 recipient is marked as not/);
  // What has failed since is not among those that were confirmed, and what a person has decided is not sent again.
  assert.match(await textOf(await client.post("/bulk/send-failed-again", failed.confirm)), /2 recipients are pending/);
  assert.deepEqual(await Promise.all([one, two, other, foreign].map(results)), [
    "failed pending failed",
    "unknown pending failed",
    "unknown failed pending",
    "unknown failed pending",
  ]);
  const none = await selected("mark-delivered", [one]);
  assert.match(none.asked, /The selected messages have 0 unknown recipients\. Nothing was changed\./);
  assert.doesNotMatch(none.asked, /class="primary"/);

  const page = await textOf(await client.get("/messages"));
  assert.match(page, new RegExp(`<input type="checkbox"[^>]*form="selection"[^>]*value="${one}"`));
  assert.match(page, /formaction="\/dashboard\/bulk\/cancel"/i);
  const many = new URLSearchParams(Array.from({ length: 51 }, () => ["message", one]));
  for (const query of [many, "message=x"]) assert.equal((await client.get(`/bulk/cancel?${query}`)).status, 404);
  for (const fields of [{ message: one }, { message: [one, "x"], counted: "1", at: "1" }])
    assert.equal((await client.post("/bulk/cancel", fields)).status, 404);
});

it("offers the actions that fit the search, and refuses other names and forms that no page has", async (t) => {
  const { client, stored } = await stage(t);
  const id = await stored();
  const links = async (query: string) => {
    const page = await textOf(await client.get(`/messages?${query}`));
    return [...page.matchAll(/href="\/dashboard\/bulk\/([a-z-]+)\?([^"]*)"/g)].map(
      ([, action, rest]) => `${action} ${rest}`,
    );
  };
  assert.deepEqual(await links("result=unknown&subject=hello"), [
    "mark-delivered result=unknown&amp;subject=hello",
    "mark-failed result=unknown&amp;subject=hello",
    "send-unknown-again result=unknown&amp;subject=hello",
  ]);
  assert.equal((await links("")).length, 6);
  assert.deepEqual(await links("result=delivered"), []);
  for (const path of ["/bulk/remove", "/bulk/constructor", `/bulk/cancel?q=${id}`]) {
    assert.equal((await client.get(path)).status, 404, path);
  }
  for (const fields of [{}, { counted: "1" }, { counted: "-1", at: "1" }, { counted: "1", at: "1", least: "x" }]) {
    assert.equal((await client.post("/bulk/cancel", fields as Record<string, string>)).status, 404);
  }
});

it("names in words everything that selects the recipients, and counts them by domain, with the time of their messages", async (t) => {
  const { client, stored } = await stage(t);
  await stored();
  await stored({ subject: "Other", createdAtMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
  const query = new URLSearchParams({
    q: "user",
    in: "recipient",
    result: "failed",
    category: "other",
    reason: "test",
    kind: "live",
    since: "2026-01-01T00:00",
    result_since: "2026-01-01T00:00",
    result_until: "2126-01-01T00:00",
  });
  const asked = await textOf(await client.get(`/bulk/send-failed-again?${query}`));
  const facts = [...asked.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(
    ([, name, value = ""]) => `${name}: ${value.replace(/<[^>]+>/g, "")}`,
  );
  assert.deepEqual(facts, [
    "Account: default",
    "Result: Failed",
    "Kind: Live messages only: to act on test messages, search for that kind",
    "Search: Searched recipients that contain “user”.",
    "Category: Unclassified",
    "Accepted from: 1 Jan 2026, 00:00:00 UTC",
    "Reason: test",
    "Result since: 1 Jan 2026, 00:00:00 UTC",
    "Result before: 1 Jan 2126, 00:00:00 UTC",
  ]);
  const text = asked.replace(/<[^>]+>/g, "");
  assert.match(text, /2 failed recipients of 2 messages, accepted from 2 Jan 2026, 03:04:05 UTC to /);
  assert.match(asked, /<span>a\.example<\/span><span class="queue-count">2</);
  assert.match(await textOf(await client.get("/bulk/cancel")), /Filters<\/dt><dd>None: all messages of the account/);
});
