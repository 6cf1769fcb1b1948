/** The operators' page of receivers, in a browser: limits are set, shown and reset, and the page is accessible. */
import { test } from "node:test";
import { startHarness } from "../support/dashboard/browser-harness.ts";
import { NARROW, NO_CHROMIUM, WIDE } from "../support/dashboard/chromium.ts";

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
  });
}
