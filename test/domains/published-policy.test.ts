/** The present DMARC policy by the stored check. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedPolicy } from "../../src/domains/published-policy.ts";
import { initialChecks } from "../../src/domains/verification-state.ts";
import type { DomainCheck } from "../../src/spool/port/domains.ts";

const CASES: [check: Partial<DomainCheck>, policy: string | null][] = [
  [{ found: ["v=DMARC1; p=quarantine; sp=none"] }, "quarantine"],
  [{ found: ["v=DMARC1; p=reject; sp=none"], foundAt: "_dmarc.example.com" }, "none"],
  [{ found: ["v=DMARC1; p=reject; t=y"] }, "quarantine"],
  [{ found: ["v=DMARC1; p=none", "v=DMARC1; p=reject"] }, null],
  [{ found: ["v=DMARC2; p=none"] }, null],
  [{ found: ["v=DMARC1"] }, null],
  [{ found: [], state: "temporary_failure" }, null],
  [{ found: ["v=DMARC1; p=reject"], state: "failed" }, null],
];

for (const [check, policy] of CASES) {
  test(`the policy of ${JSON.stringify(check)}`, () => {
    const checks = initialChecks();
    const dmarc: DomainCheck = { ...checks.dmarc, state: "verified", ...check };
    assert.equal(publishedPolicy({ checks: { ...checks, dmarc } }), policy);
  });
}
