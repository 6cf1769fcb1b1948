/** The queue page, the overview and the command line show what is due, deferred and in flight, and why, during real delivery. */
import assert from "node:assert/strict";
import { it, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { storedTraffic } from "../../../src/app/reports/traffic-board.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import { newApiKey } from "../../../src/security/api-key-format.ts";
import { attempted, isFinal, pollUntil, send } from "../../support/api-client.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../../support/dashboard/chromium.ts";
import { addUser, type Installation, installWithOperator } from "../../support/dashboard/installation.ts";
import { fillLargeSpool } from "../../support/dashboard/large-spool.ts";
import { type Client, clientOf, signIn } from "../../support/dashboard/sign-in.ts";
import { bindVerified } from "../../support/world.ts";

/** The text of a page without tags, until it matches. */
async function untilText(client: Client, path: string, pattern: RegExp): Promise<string> {
  let text = "";
  for (let looks = 0; looks < 200; looks += 1) {
    text = (await (await client.get(path)).text()).replaceAll("<wbr>", "").replaceAll("<wbr/>", "");
    text = text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
    if (pattern.test(text)) return text;
    await setTimeout(50);
  }
  assert.fail(`${path} never matched ${pattern}: ${text}`);
}

async function keyOf({ service, zone, certsDir }: Installation): Promise<string> {
  const resolver = createResolver({ servers: [zone.address] });
  await bindVerified({ service, zone, resolver, certsDir }, "shop.example");
  const { key, hash, lastFour } = newApiKey();
  const account = await service.registry.accountNamed("default");
  const named = { accountId: account?.id ?? "", name: "web", createdAtMs: Date.now(), keysMax: 10 };
  await service.registry.createKey({ ...named, hash, lastFour });
  return key;
}

it("shows what is in flight, at its limit and deferred, to its own account and to operators", async (t) => {
  const env = { DESTINATION_LIMITS: "customers.example=1" };
  const installation = await installWithOperator(t, { env });
  const key = await keyOf(installation);
  const operator = await clientOf(installation.url);
  const other = await clientOf(installation.url, await addUser(installation, "second", "bob@second.example"));
  const body = { from: "hello@shop.example", subject: "Hello", text: "Hello." };
  const sendTo = (local: string) =>
    send({ url: installation.url, key }, { ...body, to: [`${local}@customers.example`] });
  await sendTo("slow-3s");
  const flows =
    /1 recipient domain without delay: 1 recipient waiting, 0 delivered in the last minute .*customers\.example 1 In an attempt .* 0 a minute/;
  await untilText(operator, "/operator/queue", flows);
  assert.match(await (await operator.get("/operator/queue")).text(), /title="1 of 1 connections open, 1 of /);
  await sendTo("delivered");
  await untilText(
    operator,
    "/operator/queue",
    /customers\.example 2 At its connection limit .* connections that its mail servers allow at one time are in use: 1/,
  );
  await untilText(
    operator,
    "?range=24h",
    /Waiting now 2 1 due, 1 in flight .*customers\.example At its connection limit oldest [^.]* 2 /,
  );
  await sendTo("4xx-451");
  const deferred = /customers\.example 1 Deferred, next in [^.]* 451 .* 2 a minute/;
  assert.doesNotMatch(
    await untilText(operator, "/operator/queue", deferred),
    /after a temporary failure|without delay/,
  );
  await untilText(operator, "?range=24h", /Waiting now 1 1 deferred .*customers\.example oldest [^.]*? 1 /);
  assert.doesNotMatch(await (await other.get("?range=24h")).text(), /customers\.example/);
  // The service stores its traffic for the command line and for other nodes.
  const stored = async () => (await storedTraffic(installation.service.spool, Date.now()))[0]?.domains[0];
  while ((await stored())?.deliveredLastMinute !== 2) await setTimeout(50);
});

it("says that a destination is closed, with and without recipients that wait, and tries it on request", async (t) => {
  const installation = await installWithOperator(t);
  const door = { url: installation.url, key: await keyOf(installation) };
  const operator = await clientOf(installation.url);
  const body = { from: "hello@shop.example", subject: "Hello", text: "Hello." };
  const sendTo = async (local: string): Promise<string> => {
    const id = await send(door, { ...body, to: [`${local}@customers.example`] });
    await pollUntil(door, id, (recipient) => attempted(recipient) || isFinal(recipient));
    return id;
  };
  for (let count = 0; count < 5; count += 1) await sendTo("drop-after-dot");
  const lost = "Postrider closed delivery to the recipient's server .* after lost connections\\. ";
  const idle = `1 closed destination without waiting recipients\\. .*customers\\.example \\(customers\\.example\\): ${lost}Last error`;
  await untilText(operator, "/operator/queue", new RegExp(`${idle}.*The queue is empty`));
  await untilText(operator, "?range=24h&all=1", /1 closed destination without waiting recipients/);
  const none = await operator.submit("/operator/queue/try-now", { domain: "customers.example" });
  assert.match(none, /Delivery to this domain is closed, and no recipient waits for it/);
  await sendTo("delivered");
  await untilText(operator, "/operator/queue", /unknown\. The queue is empty/);

  let id = "";
  for (let count = 0; count < 5; count += 1) id = await sendTo("4xx-421");
  const limited = "Postrider closed delivery to the recipient's server .* after rate limits\\. ";
  const row = new RegExp(`customers\\.example 5 Closed .* ${limited}Last reply .*: 421 `);
  await untilText(operator, "/operator/queue", row);
  await untilText(operator, "?range=24h", /customers\.example Closed next probe/);
  await untilText(operator, `/messages/${id}`, new RegExp(`${limited}Last reply .*: 421 `));
  const page = await operator.submit("/operator/queue/try-now", { domain: "customers.example" });
  assert.match(page, /Delivery to this domain is closed: one message probes it within seconds/);
  const email = "4xx-421@customers.example";
  assert.match(
    await operator.submit(`/messages/${id}/try-now`, { email }),
    /One message probes it within seconds, normally this one/,
  );
  await untilText(operator, `/messages/${id}`, /Attempt 2: deferred/);
});

for (const options of [{ viewport: { width: 1280, height: 900 } }, NARROW]) {
  test(`the queue in a browser, ${options.viewport.width} pixels wide`, { skip: NO_CHROMIUM }, async (t) => {
    const installation = await installWithOperator(t, { fill: (dataDir) => fillLargeSpool(dataDir, 600) });
    const { url, service } = installation;
    const key = await keyOf(installation);
    await service.spool.pauseDomain("post.example", Date.now());
    const body = { from: "hello@shop.example", subject: "Hello", text: "Hello." };
    await send({ url, key }, { ...body, to: ["slow-60s@customers.example"] });
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { page, consoleErrors } = await openWindow(browser, options);
    await signIn(page, url);
    await page.goto(`${url}/dashboard/operator/queue`);
    const flowing = page.getByText("1 recipient domain without delay: 1 recipient waiting");
    await flowing.waitFor();
    await takeScreenshots(page, "queue-folded");
    await assertAccessible(page, "the queue");
    await flowing.click();
    await page.getByRole("button", { name: "Pause: customers.example" }).waitFor();
    await takeScreenshots(page, "queue-unfolded");
    await assertAccessible(page, "the queue, unfolded");
    assert.deepEqual(consoleErrors, []);
  });
}
