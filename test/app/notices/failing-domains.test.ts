/** The notices of domains that stop verifying. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { domainNotices } from "../../../src/app/notices/failing-domains.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import type { DomainTrouble } from "../../../src/spool/port/notices.ts";

const NOW_MS = Date.UTC(2026, 2, 1);
const fine = { failedSinceMs: null, standing: true, detail: "As it should be." };
const failed = { failedSinceMs: NOW_MS, standing: true, detail: "There is no SPF record." };

function scene(domain: { verified: boolean; spf: typeof fine | typeof failed } | null, troubles: DomainTrouble[]) {
  const found = domain && { name: "shop.example", verified: domain.verified, checks: { mx: fine, spf: domain.spf } };
  return domainNotices(
    {
      store: { domainTroubles: async ({ sinceMs }) => troubles.filter(({ atMs }) => atMs >= sinceMs) },
      registry: { domainNamed: async () => found as unknown as Domain | null },
    },
    NOW_MS,
  );
}

const trouble = (id: string, type: DomainTrouble["type"], atMs = NOW_MS): DomainTrouble => ({
  id,
  type,
  atMs,
  accountId: "acc_shop",
  domain: "shop.example",
});

it("names the check that fails, and the page of the domain", async () => {
  const [notice, ...others] = await scene({ verified: true, spf: failed }, [trouble("evt_1", "domain.failing")]);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [notice?.kind, notice?.accountId, notice?.occurrence, notice?.subject, notice?.link],
    [
      "domain_failing",
      "acc_shop",
      "evt_1",
      "A check of the domain shop.example fails",
      "/dashboard/domains/shop.example",
    ],
  );
  assert.ok(notice?.paragraphs.includes("SPF: There is no SPF record."));
  assert.ok(!notice?.paragraphs.some((each) => each.includes("MX")));
});

it("is about the newest event alone, while it lasts", async () => {
  const both = [trouble("evt_2", "domain.lost"), trouble("evt_1", "domain.failing", NOW_MS - 1)];
  const lost = await scene({ verified: false, spf: { ...failed, standing: false } }, both);
  assert.deepEqual(
    lost.map(({ occurrence, subject }) => [occurrence, subject]),
    [["evt_2", "The domain shop.example may not send any more"]],
  );
  assert.deepEqual(await scene({ verified: true, spf: fine }, both), [], "it is verified again");
  assert.deepEqual(await scene(null, both), [], "it is removed");
  const old = [trouble("evt_1", "domain.failing", NOW_MS - 86_400_001)];
  assert.deepEqual(await scene({ verified: true, spf: failed }, old), []);
});
