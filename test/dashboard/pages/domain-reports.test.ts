/** The page of a domain's reports: its answer, its weeks and sources, and that no other account sees them. */
import assert from "node:assert/strict";
import { it, test } from "node:test";
import { WEEK_MS } from "../../../src/lib/week.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../../support/dashboard/chromium.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf, signIn } from "../../support/dashboard/sign-in.ts";
import { dmarcEffect, MONDAY_MS, REPORTED_AT_MS, SOURCES, source, tlsEffect } from "../../support/sender-reports.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

it("answers whether the policy can be stricter, and shows the trend and the sources", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  await client.post("/domains", { name: "shop.example" });
  assert.match(await textOf(client, "/domains/shop.example"), /href="\/dashboard\/domains\/shop\.example\/reports"/);
  const empty = await textOf(client, "/domains/shop.example/reports");
  assert.match(empty, /No reports yet/);
  assert.doesNotMatch(empty, /p=/);

  const { spool } = installation.service;
  await spool.storeSenderReport(dmarcEffect(SOURCES), REPORTED_AT_MS);
  await spool.storeSenderReport(tlsEffect([["certificate-expired", "mx1.shop.example", 3]]), REPORTED_AT_MS);
  assert.match(await textOf(client, "/domains/shop.example/reports"), /No answer: the domain has no verified DMARC/);
  const domain = await installation.service.registry.domainNamed("acc_default", "shop.example");
  assert.ok(domain !== null);
  // The record is what counts, and not the policy that reports have.
  const dmarc = { ...domain.checks.dmarc, state: "verified" as const, found: ["v=DMARC1; p=quarantine"] };
  await installation.service.registry.saveChecks(domain.id, { ...domain.checks, dmarc }, false, Date.now() + WEEK_MS);
  const early = await textOf(client, "/domains/shop.example/reports");
  assert.match(early, /Not yet p=reject: an answer needs reports of 14 days on 100 messages of yours/);
  const later = { org: "<b>other</b>", beginMs: MONDAY_MS + 2 * WEEK_MS };
  await spool.storeSenderReport(dmarcEffect([source({ messages: 12 })], later), REPORTED_AT_MS);

  const page = await textOf(client, "/domains/shop.example/reports");
  assert.match(
    page,
    /Not yet p=reject: .* 92\.1 % of 5,434 messages passed DMARC since 2026-03-02\. Reports are not authenticated\./,
  );
  assert.match(page, /2026-03-16.*0 %.*12.*2026-03-02.*92\.3 %.*5.422/s);
  const sources = page.slice(page.indexOf("Sources of messages"));
  assert.match(sources, /203\.0\.113\.7.*0 %.*Unknown.*424.*2026-03-16.*192\.0\.2\.1.*99\.9 %.*Yours</s);
  assert.match(sources, /2001:db8::1.*100 %.*Yours, forwarded/s);
  assert.match(page, /3 of 13 sessions of mail\.example failed\..*certificate-expired.*mx1\.shop\.example/s);
  assert.doesNotMatch(page, /<b>other|Week of 2026-03-16/);

  const week = await textOf(client, "/domains/shop.example/reports?week=2026-03-18");
  assert.match(week, /Week of 2026-03-16/);
  assert.match(
    week,
    /Of 12 messages that failed DMARC at &lt;b>other&lt;\/b>, none were ours; they came from 203\.0\.113\.7\./,
  );
  assert.doesNotMatch(week, /certificate-expired/);
  for (const day of ["2026-3-4", "today", "2026-99-99"]) {
    assert.equal((await client.get(`/domains/shop.example/reports?week=${day}`)).status, 404, day);
  }
});

for (const options of [{ viewport: { width: 1280, height: 900 } }, NARROW]) {
  test(`the reports in a browser, ${options.viewport.width} pixels wide`, { skip: NO_CHROMIUM }, async (t) => {
    const installation = await installWithOperator(t);
    const client = await clientOf(installation.url);
    await client.post("/domains", { name: "shop.example" });
    const { spool } = installation.service;
    for (let week = 0; week < 6; week += 1) {
      const strangers = Array.from({ length: 60 }, (_, i) =>
        source({ ip: `2001:db8:1234:5678:9abc:def0:1:${i + 10}` }),
      );
      const beginMs = MONDAY_MS + week * WEEK_MS;
      const effect = dmarcEffect([...SOURCES, ...strangers], { beginMs, reportId: `r-${week}` });
      await spool.storeSenderReport(effect, REPORTED_AT_MS);
    }
    await spool.storeSenderReport(tlsEffect([["certificate-expired", "mx1.shop.example", 3]]), REPORTED_AT_MS);
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { page, consoleErrors } = await openWindow(browser, options);
    await signIn(page, installation.url);
    await page.goto(`${installation.url}/dashboard/domains/shop.example/reports`);
    await takeScreenshots(page, "reports");
    await assertAccessible(page, "reports on a domain");
    await page.getByRole("link", { name: "2026-03-09" }).click();
    await page.getByText("Week of 2026-03-09").waitFor();
    assert.deepEqual(consoleErrors, []);
  });
}

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
