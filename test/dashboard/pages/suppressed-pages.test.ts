/** The page of suppressed addresses: the cause of each, and until when. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "koa";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { createSuppressedPages } from "../../../src/dashboard/pages/suppressed-pages.ts";
import type { DashboardParts } from "../../../src/dashboard/web/parts.ts";
import type { SuppressedAddress } from "../../../src/spool/port/suppressions.ts";

const AUTH = {
  user: {
    email: "ann@shop.example",
    memberships: [{ accountId: "acc_1", role: "owner", byGroup: false, joinedAtMs: 1 }],
    operator: false,
  },
  account: { id: "acc_1", name: "shop", deletedAtMs: null },
  others: [],
  formToken: "token",
} as unknown as AuthContext;

async function pageOf(addresses: SuppressedAddress[], suppressAfter = 3): Promise<string> {
  const parts = {
    spool: { suppressions: async () => ({ addresses, next: null }) },
    sending: { suppressAfter },
    clock: { now: () => 2 },
  } as unknown as DashboardParts;
  const show = createSuppressedPages(parts)["GET /suppressed"];
  return String(await show?.({ query: {} } as Context, AUTH));
}

/** The text of each cell, a row after the other. */
const cellsOf = (html: string): string[] =>
  [...html.matchAll(/<t[dh](?: [^>]*)?>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim());

test("each address has its cause", async () => {
  const refusal = { at_ms: 1, code: 550, enhanced_code: "5.1.1", message: "unknown", mx: "mx.a.example", ip: null };
  const html = await pageOf([
    { email: "ann@a.example", cause: "refusals", sinceMs: 1, untilMs: Date.UTC(2026, 0, 2), refusals: [refusal] },
    { email: "bob@a.example", cause: "complaint", sinceMs: 1, untilMs: null, refusals: [], messageId: "msg_1" },
    { email: "cy@a.example", cause: "unsubscribed", sinceMs: 1, untilMs: null, refusals: [] },
  ]);
  const cells = cellsOf(html);
  const row = (email: string): string[] => cells.slice(cells.indexOf(email), cells.indexOf(email) + 3);
  const [, refused, until] = row("ann@a.example");
  assert.match(refused ?? "", /^Rejected as unknown, now.*550 5\.1\.1 .*unknown.* mx\.a\.example/);
  assert.equal(until, "2 Jan 2026, 00:00:00 UTC");
  assert.deepEqual(row("bob@a.example"), ["bob@a.example", "Complaint, nowMessage", "You allow it again"]);
  assert.deepEqual(row("cy@a.example"), ["cy@a.example", "Unsubscribed, now", "You allow it again"]);
  assert.match(html, /href="\/dashboard\/messages\/msg_1"/);
  assert.match(html, /href="\/dashboard\/messages\?q=cy%40a\.example&amp;in=recipient"/);
  assert.equal(html.match(/aria-label="Allow again: /g)?.length, 3);
});

test("with SUPPRESS_AFTER=0, complaints and unsubscriptions suppress all the same", async () => {
  const html = await pageOf([], 0);
  assert.match(html, /SUPPRESS_AFTER=0/);
  assert.match(html, /marked a message as spam or unsubscribed is not attempted/);
});
