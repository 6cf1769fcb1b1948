/** The overview's figures in words. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { NODE_ENTRIES } from "../../../src/spool/port/key-value.ts";
import { encodeCounts, newCounts } from "../../../src/spool/port/receiver-results.ts";
import { settlePaused } from "../../support/attempts.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { clientOf } from "../../support/dashboard/sign-in.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";

it("says whether unknown recipients need a decision, in the number that there is", async (t) => {
  const { service, url } = await installWithOperator(t);
  const { spool } = service;
  const client = await clientOf(url);
  const figure = async () => {
    const html = await (await client.get("/?range=24h")).text();
    const [, tone, text = ""] =
      /<div class="figure card (\w*)"><dt><a [^>]*>Unknown<\/a><\/dt>(.*?)<\/div>/s.exec(html) ?? [];
    return [
      tone,
      text
        .replace(/<[^>]+>/g, " ")
        .trim()
        .replace(/\s+/g, " "),
    ];
  };
  assert.deepEqual(await figure(), ["", "0 nothing needs your decision"]);
  const nowMs = Date.now();
  await spool.pauseDomain("a.example", nowMs);
  const message = newMessage({
    createdAtMs: nowMs,
    expiresAtMs: nowMs + HOUR_MS,
    recipients: recipientsAt("a.example", 2),
  });
  await spool.accept(message);
  const settle = (position: number) =>
    settlePaused(spool, message.id, {
      domains: ["a.example"],
      atMs: nowMs,
      settlements: [settlement(position, "unknown")],
    });
  await settle(0);
  assert.deepEqual(await figure(), ["warn", "1 needs your decision"]);
  await settle(1);
  assert.deepEqual(await figure(), ["warn", "2 need your decision"]);
});

it("shows operators the failures of all accounts by receiver", async (t) => {
  const { service, url } = await installWithOperator(t);
  const { spool } = service;
  const client = await clientOf(url);
  const nowMs = Date.now();
  await spool.pauseDomain("a.example", nowMs);
  const message = newMessage({
    createdAtMs: nowMs,
    expiresAtMs: nowMs + HOUR_MS,
    recipients: recipientsAt("a.example", 1),
  });
  await spool.accept(message);
  await settlePaused(spool, message.id, {
    domains: ["a.example"],
    atMs: nowMs,
    settlements: [settlement(0, "failed")],
  });
  const hour = Math.floor(nowMs / HOUR_MS);
  const counts = new Map([[hour, new Map([["gmail", { ...newCounts(), failed: 3 }]])]]);
  await spool.writeNodeValue(NODE_ENTRIES.receiverHours, encodeCounts(counts));
  const page = async (query: string) => (await client.get(`/?range=24h${query}`)).text();
  const all = await page("&all=1");
  assert.match(all, /Failures by receiver/);
  assert.match(all, /<a href="\/dashboard\/operator\/receivers\/gmail">Gmail and Google Workspace<\/a><span[^>]*>3</);
  assert.doesNotMatch(await page(""), /Failures by receiver/);
});
