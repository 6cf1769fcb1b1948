/** The cache of MTA-STS policies. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StsPolicy } from "../../../../src/spool/port/sts-policies.ts";
import { HOUR_MS } from "../../../support/messages.ts";

import { NOW_MS, type OpenSpool } from "./suite.ts";

export function stsPoliciesConformance(name: string, open: OpenSpool): void {
  describe(`${name}: MTA-STS policies`, () => {
    const policy = (parts: Partial<StsPolicy> = {}): StsPolicy => ({
      domain: "customers.example",
      id: "20240101",
      mode: "enforce",
      mx: ["mx1.customers.example", "*.backup.example"],
      fetchedAtMs: NOW_MS,
      expiresAtMs: NOW_MS + HOUR_MS,
      ...parts,
    });

    it("keeps the newest policy of each domain across a crash", async (t) => {
      const first = await open(t);
      assert.equal(await first.spool.stsPolicy("customers.example"), null);
      await first.spool.storeStsPolicy(policy());
      await first.spool.storeStsPolicy(policy({ domain: "other.example", mode: "none", mx: [] }));
      const newer = policy({ id: "20240202", mode: "testing", fetchedAtMs: NOW_MS + 1, expiresAtMs: NOW_MS + 2 });
      await first.spool.storeStsPolicy(newer);
      const { spool } = await first.reopen();
      assert.deepEqual(await spool.stsPolicy("customers.example"), newer);
      assert.deepEqual(
        await spool.stsPolicy("other.example"),
        policy({ domain: "other.example", mode: "none", mx: [] }),
      );
    });

    it("keeps each policy until it expires", async (t) => {
      const { spool } = await open(t);
      await spool.storeStsPolicy(policy());
      const fetchedAtMs = NOW_MS + HOUR_MS - 1;
      await spool.storeStsPolicy(policy({ domain: "other.example", fetchedAtMs, expiresAtMs: fetchedAtMs + 1 }));
      assert.deepEqual(await spool.stsPolicy("customers.example"), policy());
    });
  });
}
