/** DKIM keys that wait for their record: which of them a call checks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { finishRotations } from "../../../src/app/domains/rotate-dkim.ts";
import type { Account, Registry } from "../../../src/spool/port/accounts.ts";
import type { Rotation } from "../../../src/spool/port/domains.ts";
import { contextOf, goodZone, sampleDomain } from "../../domains/sample.ts";
import { quiet } from "../../support/fake-clock.ts";

const SILENT = { ...sampleDomain("never.silent"), accountId: "acc_1" };
const GOOD = { ...sampleDomain(), accountId: "acc_2" };

/** Two accounts with one domain each, whose next key is already published. */
function startRegistry() {
  const domains = [SILENT, GOOD];
  const finished: string[] = [];
  const rotations = domains.map(({ id, selector, publicKey }): Rotation => {
    return { domainId: id, selector, publicKey, sealedPrivateKey: Buffer.alloc(1), startedAtMs: 0 };
  });
  const parts: Partial<Registry> = {
    accounts: async () => ["acc_1", "acc_2"].map((id) => ({ id, name: id }) as Account),
    domains: async (accountId) => domains.filter((domain) => domain.accountId === accountId),
    rotations: async () => rotations,
    finishRotation: async (domainId) => {
      finished.push(domainId);
      return true;
    },
  };
  return { registry: parts as Registry, finished };
}

test("unresponsive DNS delays the keys of its own account only, with one query at a time", async () => {
  const { registry, finished } = startRegistry();
  const { resolver, ...context } = contextOf(goodZone());
  const queries: string[] = [];
  const txt: typeof resolver.txt = (name) => {
    queries.push(name);
    return name.endsWith(".silent") ? new Promise(() => {}) : resolver.txt(name);
  };
  const at = { context: { ...context, resolver: { ...resolver, txt } }, nowMs: 1, underWay: new Set<string>() };
  for (let look = 1; look <= 2; look += 1) {
    void finishRotations(registry, at);
    await quiet();
    assert.deepEqual(finished, Array(look).fill(GOOD.id));
  }
  assert.equal(queries.filter((name) => name.endsWith(".silent")).length, 1);
});
