/** `domains verify` and `domains list` of a domain that may still send although one of its records is gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "../support/run-cli.ts";
import { SENDER_DOMAIN, startWorld } from "../support/world.ts";

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

test("a verified domain in its grace period: no two lines contradict each other", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const domains = (...args: string[]) => runCli(["domains", ...args], world.env);
  const whole = await domains("verify", SENDER_DOMAIN);
  assert.match(whole.stdout, /\nshop\.example is verified: it may send\.\n$/);

  world.zone.fault(`_dmarc.${SENDER_DOMAIN}`, "servfail");
  const unseen = await domains("verify", SENDER_DOMAIN);
  assert.match(unseen.stdout, /^dmarc {6}temporary_failure /m);
  assert.match(unseen.stdout, /\nshop\.example is still verified: it may send\.\n$/);
  world.zone.fault(`_dmarc.${SENDER_DOMAIN}`, null);

  world.zone.remove(`_dmarc.${SENDER_DOMAIN}`);
  const grace = await domains("verify", SENDER_DOMAIN);
  assert.match(grace.stdout, /^dmarc {6}failed /m);
  const ending = new RegExp(
    `\nshop\\.example is still verified: it may send\\.\ndmarc first failed at (${TIME}), and stops counting as verified at (${TIME}) unless it is fixed\\.\n$`,
  );
  const [, first = "", end = ""] = ending.exec(grace.stdout) ?? [];
  assert.equal(Date.parse(end) - Date.parse(first), 24 * 3_600_000, grace.stdout);
  assert.ok((await domains("list")).stdout.includes(`dmarc failed (counts until ${end})`));

  const { registry } = world.service;
  const account = await registry.accountNamed("default");
  const domain = await registry.domainNamed(account?.id ?? "", SENDER_DOMAIN);
  assert.ok(domain);
  const dmarc = { ...domain.checks.dmarc, failedSinceMs: Date.now() - 25 * 3_600_000 };
  await registry.saveChecks(domain.id, { ...domain.checks, dmarc }, true, domain.nextCheckAtMs);
  const lost = await domains("verify", SENDER_DOMAIN);
  assert.match(lost.stdout, /\nshop\.example is no longer verified: it may not send\.\n$/);

  assert.equal((await domains("add", "club.example")).code, 0);
  assert.match((await domains("verify", "club.example")).stdout, /\nclub\.example is not verified yet\.\n$/);
});
