/** An installation that can send, with its operator in a real browser. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { createResolver } from "../../../src/dns/node-resolver.ts";
import { newApiKey } from "../../../src/security/api-key.ts";
import { attempted, isFinal, lookUntil, send } from "../front-door.ts";
import { bindVerified } from "../world.ts";
import { assertAccessible, startBrowser, takePictures, visitor, WIDE } from "./chromium.ts";
import { type Installation, installWithOperator } from "./installation.ts";
import { signIn } from "./sign-in.ts";

export interface Scene {
  here: Installation;
  page: Page;
  look: (name: string) => Promise<void>;
  /** What the pages logged as errors: none may be left at the end. */
  complaints: string[];
  /** Sends to these local parts at customers.example and waits until each was tried, or needs not be. */
  mail: (...locals: string[]) => Promise<string>;
}

/** Signed in, with a verified domain and a key. */
export async function scene(t: TestContext, options = WIDE): Promise<Scene> {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const here = await installWithOperator(t);
  const { page, complaints } = await visitor(browser, options);
  t.after(() => assert.deepEqual(complaints, []));
  const resolver = createResolver({ servers: [here.zone.address] });
  const { service, zone, certsDir } = here;
  await bindVerified({ service, zone, resolver, certsDir }, "shop.example");
  const { key, hash, lastFour } = newApiKey();
  const account = await service.registry.accountNamed("default");
  await service.registry.createKey({
    accountId: account?.id ?? "",
    name: "web",
    hash,
    lastFour,
    createdAtMs: Date.now(),
    keysMax: 10,
  });
  await signIn(page, here.url);
  return {
    here,
    page,
    complaints,
    async look(name) {
      await takePictures(page, name);
      await assertAccessible(page, name);
    },
    async mail(...locals) {
      const to = locals.map((local) => `${local}@customers.example`);
      const html = "<h1>Your order</h1><p>is on its <b>way</b>.</p>";
      const text = "Your order is on its way.";
      const body = { from: "Shop <hello@shop.example>", to, subject: "Your order", html, text };
      const door = { url: here.url, key };
      const id = await send(door, body);
      await lookUntil(door, id, (recipient) => attempted(recipient) || isFinal(recipient));
      return id;
    },
  };
}
