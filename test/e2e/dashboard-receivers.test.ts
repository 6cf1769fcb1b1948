/** The operators' pages of receivers, in a browser: limits are set, shown and reset, one receiver's standing; both are accessible. */
import { test } from "node:test";
import { encodeCounts, newCounts } from "../../src/spool/port/receiver-results.ts";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, WIDE } from "../support/dashboard/chromium.ts";

const DAY_MS = 86_400_000;

for (const options of [WIDE, NARROW]) {
  const { width } = options.viewport;

  test(`receivers, ${width} pixels wide`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const { installation, page, inspect, consoleErrors } = await startHarness(t, options);
    await page.goto(`${installation.url}/dashboard/operator/receivers`);
    await page.getByLabel("Receiver", { exact: true }).fill("gmail");
    await page.getByLabel("Connections at one time").fill("many");
    await page.getByRole("button", { name: "Set limits" }).click();
    await page.getByText("it must be a number from 1 to 1000").waitFor();
    await inspect("receivers-fault");
    // The rejected form is answered with 400.
    consoleErrors.splice(0);
    await page.getByLabel("Connections at one time").fill("3");
    await page.getByRole("button", { name: "Set limits" }).click();
    await page.getByText("The limits are set.").waitFor();
    await page.getByText("of 3 open").waitFor();
    await inspect("receivers");
    await page.getByRole("button", { name: "Reset: gmail" }).click();
    await page.getByText("The limits that were set are removed.").waitFor();

    const { spool } = installation.service;
    const today = Math.floor(Date.now() / DAY_MS);
    const counts = {
      ...newCounts(),
      delivered: 1234,
      failed: 12,
      deferred: 40,
      withoutTls: 3,
      within: [1200, 20, 10],
      categories: { bad_address: 12, rate_limited: 40 },
      examples: { without_tls: "msg_0fVn3k8Qx2" },
    };
    await spool.writeNodeValue("receiver-days", encodeCounts(new Map([[today - 2, new Map([["gmail", counts]])]])));
    await page.goto(`${installation.url}/dashboard/operator/receivers`);
    await page.getByRole("link", { name: "gmail", exact: true }).click();
    await page.getByRole("heading", { name: "Gmail and Google Workspace" }).waitFor();
    await page.getByText("Not met").waitFor();
    await page.getByText("msg_0fVn3k8Qx2").waitFor();
    await inspect("receiver");
  });
}
