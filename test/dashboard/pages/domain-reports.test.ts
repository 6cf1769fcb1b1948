/** The page of a domain's reports: its weeks, its sentences, and that no other account sees them. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { WEEK_MS } from "../../../src/lib/week.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { dmarcEffect, MONDAY_MS, REPORTED_AT_MS, SOURCES, source, tlsEffect } from "../../support/sender-reports.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

it("shows the newest week first, and each week on its own", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await client.post("/domains", { name: "shop.example" });
  assert.match(await textOf(client, "/domains/shop.example"), /href="\/dashboard\/domains\/shop\.example\/reports"/);
  assert.match(await textOf(client, "/domains/shop.example/reports"), /No reports yet/);

  const { spool } = installation.service;
  await spool.storeSenderReport(dmarcEffect(SOURCES), REPORTED_AT_MS);
  await spool.storeSenderReport(tlsEffect([["certificate-expired", "mx1.shop.example", 3]]), REPORTED_AT_MS);
  const later = { org: "<b>other</b>", beginMs: MONDAY_MS + WEEK_MS };
  await spool.storeSenderReport(dmarcEffect([source({ messages: 412 })], later), REPORTED_AT_MS);

  const newest = await textOf(client, "/domains/shop.example/reports");
  assert.match(newest, /Week of 2026-03-09/);
  assert.match(
    newest,
    /Of 412 messages that failed DMARC at &lt;b>other&lt;\/b>, none were ours; they came from 203\.0\.113\.7\./,
  );
  assert.doesNotMatch(newest, /Messages of yours failed DMARC|certificate-expired/);

  const former = await textOf(client, "/domains/shop.example/reports?week=2026-03-04");
  assert.match(former, /Week of 2026-03-02/);
  assert.match(
    former,
    /Of 415 messages that failed DMARC at mail\.example, 3 were ours; the others came from 203\.0\.113\.7\./,
  );
  assert.match(former, /Messages of yours failed DMARC/);
  assert.match(former, /yes: an address of this service.*yes: signed with a key of this domain/s);
  assert.match(former, /3 of 13 sessions of mail\.example failed\..*certificate-expired.*mx1\.shop\.example/s);
  for (const week of ["2026-3-4", "today", "2026-99-99"]) {
    assert.equal((await client.get(`/domains/shop.example/reports?week=${week}`)).status, 404, week);
  }
});

it("shows an account the reports on its own domains only", async (t) => {
  const installation = await installWithOperator(t);
  const operator = await clientOf(installation.url);
  await operator.post("/domains", { name: "shop.example" });
  await installation.service.spool.storeSenderReport(dmarcEffect(SOURCES), REPORTED_AT_MS);
  const user = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  assert.equal((await user.get("/domains/shop.example/reports")).status, 404);
  await user.post("/domains", { name: "shop.example" });
  const page = await textOf(user, "/domains/shop.example/reports");
  assert.match(page, /No reports yet/);
  assert.doesNotMatch(page, /203\.0\.113\.7|mail\.example/);
});
