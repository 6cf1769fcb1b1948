/** Why the mail of an account is not healthy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountSources, accountReasons } from "../../../src/app/reports/account-status.ts";
import type { Endpoint } from "../../../src/spool/port/webhooks.ts";

const HOUR_MS = 3_600_000;
const HEALTHY: AccountSources = {
  isAccepting: true,
  isDeliveryPaused: false,
  findings: [],
  oldestAtMs: null,
  domains: [{ name: "shop.example", verified: true }],
  endpoints: [],
  nowMs: 10 * HOUR_MS,
};
const reasons = (parts: Partial<AccountSources>): string[] => accountReasons({ ...HEALTHY, ...parts });

const endpoint = (parts: Partial<Endpoint>) =>
  ({ disabled: null, pausedAtMs: null, failingSinceMs: null, ...parts }) as Endpoint;

test("a healthy account has no reasons, before the first examination of the server too", () => {
  assert.deepEqual(reasons({}), []);
  assert.deepEqual(reasons({ findings: null, oldestAtMs: 6 * HOUR_MS, endpoints: [endpoint({})] }), []);
});

test("each fault is a reason in words for users", () => {
  assert.match(reasons({ isAccepting: false }).join(), /accepts no messages now/);
  assert.match(reasons({ isDeliveryPaused: true }).join(), /paused after a restore/);
  const finding = { check: "outbound_smtp", state: "problem", detail: "blocked" } as const;
  assert.match(reasons({ findings: [finding] }).join(), /cannot deliver now/);
  assert.deepEqual(reasons({ oldestAtMs: 5 * HOUR_MS }), ["A recipient has waited for more than 4 hours."]);
  assert.deepEqual(reasons({ endpoints: [endpoint({ failingSinceMs: 1 })] }), ["A webhook endpoint fails."]);
  const disabled = { atMs: 1, reason: "gone" } as Endpoint["disabled"];
  const both = [endpoint({ failingSinceMs: 1 }), endpoint({ disabled })];
  assert.deepEqual(reasons({ endpoints: both }), ["2 webhook endpoints fail."]);
});

test("the first domains that cannot send are named", () => {
  const domains = ["a", "b", "c", "d", "e"].map((name) => ({ name: `${name}.example`, verified: false }));
  assert.deepEqual(reasons({ domains }), [
    "Domains are not verified, so they cannot send: a.example, b.example, c.example and 2 more.",
  ]);
});
