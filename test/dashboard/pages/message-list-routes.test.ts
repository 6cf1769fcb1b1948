/** The list of messages over HTTP: pages in both directions, new messages, and exports, of the own account only. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { clientOf } from "../../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage } from "../../support/messages.ts";

it("pages in both directions, announces new messages, and exports the search of the own account", async (t) => {
  const installation = await installWithOperator(t);
  const { spool } = installation.service;
  await spool.pauseDomain("customers.example", 1);
  const nowMs = Date.now();
  let accepted = 0;
  const accept = async (count: number, parts: Parameters<typeof newMessage>[0] = {}): Promise<string> => {
    let id = "";
    for (let i = 0; i < count; i += 1) {
      accepted += 1;
      const createdAtMs = nowMs - HOUR_MS + accepted;
      const message = newMessage({ createdAtMs, expiresAtMs: nowMs + HOUR_MS, subject: `Nr ${accepted}`, ...parts });
      await spool.accept(message);
      id = message.id;
    }
    return id;
  };
  await accept(1, { accountId: "acc_other", subject: "Secret" });
  const newest = await accept(105);
  const client = await clientOf(installation.url);
  const subjects = async (path: string) => {
    const html = await (await client.get(path)).text();
    const links = Object.fromEntries(
      [...html.matchAll(/<a class="button" href="\/dashboard([^"]*)" rel="(\w+)"/g)].map(([, href = "", rel]) => [
        rel,
        href,
      ]),
    );
    return { found: [...html.matchAll(/>Nr (\d+)</g)].map(([, number]) => Number(number)), links, html };
  };
  const first = await subjects("/messages");
  assert.deepEqual([first.found[0], first.found.length], [106, 50]);
  assert.match(first.html, /<strong>105 messages<\/strong>/);
  const second = await subjects(first.links.next ?? "");
  const third = await subjects(second.links.next ?? "");
  assert.deepEqual([second.found[0], third.found], [56, [6, 5, 4, 3, 2]]);
  assert.equal(third.links.next, undefined);
  assert.deepEqual((await subjects(third.links.prev ?? "")).found, second.found);
  const back = await client.get(second.links.prev ?? "");
  assert.equal(back.headers.get("location"), "/dashboard/messages", "the newest messages, as a full page");

  const state = async (query: string) => (await client.get(`/data/messages?newest=${newest}${query}`)).json();
  assert.deepEqual(await state(""), {
    version: /data-version="([^"]+)"/.exec(first.html)?.[1],
    news: 0,
    isFirst: true,
  });
  await accept(2);
  await accept(1, { subject: "Other" });
  const before = `&${(second.links.next ?? "").split("?")[1]}`;
  assert.deepEqual([(await state("")).news, (await state("&q=nr")).news], [3, 2]);
  const older = await state(before);
  assert.deepEqual([older.news, older.isFirst], [3, false]);
  assert.equal((await state("&result=failed")).news, 0);

  const csv = await (await client.get("/messages.csv?q=nr+10&in=subject")).text();
  const records = csv.split("\r\n").slice(1, -1);
  assert.deepEqual(
    records.map((record) => Number(/,Nr (\d+),/.exec(record)?.[1])),
    [108, 107, 106, 105, 104, 103, 102, 101, 100, 10],
  );
  const all = await (await client.get("/messages.csv")).text();
  assert.ok(all.split("\r\n").length === 110 && !all.includes("Secret"));
  assert.equal((await client.get("/messages.csv?q=msg_x")).status, 404);
  const other = await clientOf(installation.url, await addUser(installation, "other", "eve@other.example"));
  assert.equal((await (await other.get("/messages.csv")).text()).split("\r\n").length, 2);
});

it("leaves the empty fields of a search out of its URL, with one redirect", async (t) => {
  const { url } = await installWithOperator(t);
  const client = await clientOf(url);
  const location = async (path: string) => (await client.get(path)).headers.get("location");
  const short = "/dashboard/messages?q=a+%26+b&result=failed";
  assert.equal(await location("/messages?q=a+%26+b&in=&result=failed&tag=+&since="), short);
  assert.equal((await client.get(short.replace("/dashboard", ""))).status, 200);
  assert.equal(await location("/messages?q=&in="), "/dashboard/messages");
  assert.equal(await location("/requests?id=req_1&failed=&key="), "/dashboard/requests?id=req_1");
  assert.equal(await location("/operator/accounts?find="), "/dashboard/operator/accounts");
  for (const path of ["/messages", "/messages?q=x", "/requests?failed=yes", "/operator/accounts?find=x"]) {
    assert.equal(await location(path), null, path);
  }
});
