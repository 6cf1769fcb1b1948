/** The lifetime of a session, also with a wrong clock. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "koa";
import {
  type AuthContext,
  authenticate,
  requireFormToken,
  requireSameAccount,
} from "../../../src/dashboard/auth/sessions.ts";
import type { DashboardParts } from "../../../src/dashboard/web/parts.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1000 * DAY_MS;

/** Returns whether the session is valid, and whether its last use was recorded. */
async function inspect(beganMs: number, seenMs: number): Promise<{ isVisit: boolean; isTouched: boolean }> {
  let isTouched = false;
  const session = { createdAtMs: beganMs, seenAtMs: seenMs, accountId: "acc_a", providerSid: null };
  const people = {
    session: async () => ({ session, user: { memberships: [{ accountId: "acc_a", role: "owner" }], operator: false } }),
    touchSession: async () => {
      isTouched = true;
    },
  };
  const registry = { accounts: async () => [{ id: "acc_a", deletedAtMs: null }] };
  const parts = { clock: fakeClock(NOW_MS), people, registry } as unknown as DashboardParts;
  const ctx = { cookies: { get: () => "token" } } as unknown as Context;
  return { isVisit: (await authenticate(ctx, parts)) !== null, isTouched };
}

test("each page has another form token, and each is that of the session and its account", async () => {
  const user = { memberships: [{ accountId: "acc_a", role: "owner" }], operator: false };
  const people = {
    session: async () => ({
      session: { createdAtMs: NOW_MS, seenAtMs: NOW_MS, accountId: "acc_a", providerSid: null },
      user,
    }),
  };
  const accounts = [{ id: "acc_a", deletedAtMs: null }];
  const parts = { clock: fakeClock(NOW_MS), people, registry: { accounts: async () => accounts } };
  const visit = async (cookie: string): Promise<AuthContext> => {
    const ctx = { cookies: { get: () => cookie } } as unknown as Context;
    return (await authenticate(ctx, parts as unknown as DashboardParts)) ?? assert.fail();
  };
  const formOf = (token: string) =>
    ({ state: { form: new URLSearchParams({ form_token: token }) } }) as unknown as Context;
  const [first, second, stranger] = [await visit("one"), await visit("one"), await visit("two")];
  assert.notEqual(first.formToken, second.formToken);
  const shared = [...first.formToken.slice(0, 80)].filter((char, i) => char === second.formToken[i]);
  assert.ok(shared.length < 20, `${shared.length} characters are the same`);
  requireFormToken(formOf(first.formToken), second);
  requireSameAccount(formOf(first.formToken), second);
  for (const token of [stranger.formToken, "", ".acc_a", "x", `${"A".repeat(86)}.acc_a`]) {
    assert.throws(() => requireFormToken(formOf(token), second), { code: "form_expired" }, token);
  }
  user.memberships = [{ accountId: "acc_b", role: "owner" }];
  accounts.push({ id: "acc_b", deletedAtMs: null });
  const elsewhere = await visit("one");
  requireFormToken(formOf(first.formToken), elsewhere);
  assert.throws(() => requireSameAccount(formOf(first.formToken), elsewhere), { code: "other_account" });
});

test("a session ends 7 days after its last use and 30 days after its beginning", async () => {
  assert.equal((await inspect(NOW_MS - 30 * DAY_MS, NOW_MS - 7 * DAY_MS)).isVisit, true);
  assert.equal((await inspect(NOW_MS - 30 * DAY_MS - 1, NOW_MS)).isVisit, false);
  assert.equal((await inspect(NOW_MS - 8 * DAY_MS, NOW_MS - 7 * DAY_MS - 1)).isVisit, false);
});

test("a session that began while the clock was ahead lasts at most twice as long, and its use is recorded", async () => {
  const hours = 2 / 24;
  assert.deepEqual(await inspect(NOW_MS + hours * DAY_MS, NOW_MS + hours * DAY_MS), { isVisit: true, isTouched: true });
  assert.equal((await inspect(NOW_MS + 31 * DAY_MS, NOW_MS)).isVisit, false);
  assert.equal((await inspect(NOW_MS, NOW_MS + 8 * DAY_MS)).isVisit, false);
});
