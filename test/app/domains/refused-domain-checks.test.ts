/** Checks of the records of a sending domain that receivers refuse: at once, and not again for each refusal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RefusedDomainChecks } from "../../../src/app/domains/refused-domain-checks.ts";
import type { CheckContext } from "../../../src/domains/check.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Registry } from "../../../src/spool/port/accounts.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

const MINUTE_MS = 60_000;

/** A registry of which nothing but the read of an account's domains works: a check ends there. */
function setUp({ hangs = false } = {}) {
  const clock = fakeClock();
  const read: string[] = [];
  const registry: Partial<Registry> = {
    domains: (accountId) => {
      read.push(accountId);
      return hangs ? new Promise(() => {}) : Promise.resolve([]);
    },
  };
  const checks = new RefusedDomainChecks({
    registry: registry as Registry,
    context: {} as CheckContext,
    clock,
    log: silentLog,
  });
  return { clock, checks, read };
}

test("a domain is checked once in five minutes, however often it is refused", async () => {
  const { clock, checks, read } = setUp();
  for (let i = 0; i < 20; i += 1) checks.check({ accountId: "acc_1", domainId: "dom_1" });
  checks.check({ accountId: "acc_2", domainId: "dom_2" });
  await quiet();
  assert.deepEqual(read, ["acc_1", "acc_2"]);
  await clock.advance(5 * MINUTE_MS);
  checks.check({ accountId: "acc_1", domainId: "dom_1" });
  await quiet();
  assert.equal(read.length, 3);
});

test("two checks run at one time, few wait, and none starts after the stop", async () => {
  const { checks, read } = setUp({ hangs: true });
  for (let i = 0; i < 500; i += 1) checks.check({ accountId: "acc_1", domainId: `dom_${i}` });
  await quiet();
  assert.equal(read.length, 2);
  const stopped = setUp();
  stopped.checks.stop();
  stopped.checks.check({ accountId: "acc_1", domainId: "dom_1" });
  await quiet();
  assert.deepEqual(stopped.read, []);
});

test("a registry that fails does not end the service", async () => {
  const registry: Partial<Registry> = { domains: () => Promise.reject(new Error("the disk is full")) };
  const checks = new RefusedDomainChecks({
    registry: registry as Registry,
    context: {} as CheckContext,
    clock: fakeClock(),
    log: silentLog,
  });
  checks.check({ accountId: "acc_1", domainId: "dom_1" });
  await quiet();
});
