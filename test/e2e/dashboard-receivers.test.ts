/** The operators' pages of receivers, in a browser: limits are set, shown and reset, one receiver's standing; both are accessible. */
import { test } from "node:test";
import { DEFAULT_SCHEDULE } from "../../src/receivers/warm-up.ts";
import { encodeCounts, newCounts } from "../../src/spool/port/receiver-results.ts";
import { writeSendingAddress } from "../../src/spool/port/sending-addresses.ts";
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
    await page.getByRole("link", { name: "Gmail and Google Workspace" }).click();
    await page.getByRole("heading", { name: "Gmail and Google Workspace" }).waitFor();
    await page.getByText("Not met").waitFor();
    await page.getByText("msg_0fVn3k8Qx2").waitFor();
    await inspect("receiver");
  });
}

for (const options of [WIDE, NARROW]) {
  const { width } = options.viewport;

  test(`sending addresses, ${width} pixels wide`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    const { spool } = installation.service;
    const address = { name: "mail1.host.example", bind: null, pool: "default", isPaused: false };
    await writeSendingAddress(spool, "192.0.2.10", { ...address, warmUp: { schedule: null, firstPlace: 0 } });
    await writeSendingAddress(spool, "192.0.2.11", { ...address, warmUp: null });
    const day = Math.floor(Date.now() / DAY_MS);
    for (const [receiver, place] of [
      ["*.gmail", 12],
      ["*.outlook", 7],
      ["*.a-rather-long-name-of-a-provider.example", 0],
    ] as const) {
      await spool.moveWarmUp({ address: "192.0.2.10", receiver }, { place, day });
      const draw = {
        schedule: DEFAULT_SCHEDULE,
        firstPlace: 0,
        day,
        wanted: 40,
        lastDay: day,
        unused: 0,
        accepted: 31,
      };
      await spool.drawWarmUp({ address: "192.0.2.10", receiver }, { ...draw, isBlocked: false });
    }
    await page.goto(`${installation.url}/dashboard/operator/addresses`);
    await inspect("addresses");
    await page.getByRole("link", { name: "192.0.2.10" }).click();
    await page.getByText(/^40 of 7\s500$/).waitFor();
    await inspect("address");
  });
}
