/** The page of a message: what came back after the delivery, in badges and in the timeline. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { messagePage } from "../../../src/dashboard/pages/message-page.tsx";
import type { RecipientReport, SpoolEvent } from "../../../src/spool/port/results.ts";

const AUTH = {
  user: { email: "ann@shop.example", accountId: "acc_1", operator: false },
  account: { id: "acc_1", name: "shop" },
  formToken: "token",
} as AuthContext;

function pageOf(parts: Partial<RecipientReport> = {}): string {
  const recipient: RecipientReport = {
    ...{ position: 0, email: "ann@a.example", domain: "a.example", field: "to", result: "delivered" },
    ...{ reason: null, category: null, attempts: 1, nextAttemptAtMs: null, updatedAtMs: 1, smtp: null, events: [] },
    ...parts,
  };
  return messagePage(AUTH, {
    report: {
      ...{ id: "msg_1", accountId: "acc_1", keyId: "key_1", createdAtMs: 1, updatedAtMs: 1, expiresAtMs: 1 },
      ...{ from: "a@b.example", subject: "x", messageId: "<m@b.example>", tags: [], metadata: {}, test: false },
      recipients: [recipient],
    },
    ...{ content: null, key: null, paused: new Set(), nowMs: 2, done: "" },
  });
}

/** The texts of the badges of the recipient. */
function badgesOf(html: string): string[] {
  const [, head = ""] = /<div class="recipient-head">(.*?)<\/div>/s.exec(html) ?? [];
  return [...head.matchAll(/<\/svg>([^<]+)<\/span>/g)].map(([, text = ""]) => text);
}

const BOUNCE = { status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "no <b>user</b>" } as const;

test("the badges beside the result are those of what came back", () => {
  assert.deepEqual(badgesOf(pageOf()), ["Delivered"]);
  assert.deepEqual(badgesOf(pageOf({ bounce: { atMs: 1, ...BOUNCE } })), ["Delivered", "Bounced"]);
  const all = { bounce: { atMs: 1, ...BOUNCE }, complaint: { atMs: 1, kind: "abuse" }, unsubscribedAtMs: 1 };
  assert.deepEqual(badgesOf(pageOf(all)), ["Delivered", "Bounced", "Marked as spam", "Unsubscribed"]);
});

test("the timeline has an entry for each, with the cause", () => {
  const events: SpoolEvent[] = [
    { at_ms: 1, type: "bounced", ...BOUNCE, rule: "code 5.1.1" },
    { at_ms: 2, type: "bounced", status: null, category: "mailbox_full", permanent: false, diagnostic: "full" },
    { at_ms: 3, type: "complained", kind: "abuse" },
    { at_ms: 4, type: "unsubscribed" },
    { at_ms: 5, type: "confirmed" },
  ];
  const html = pageOf({ events });
  const titles = [...html.matchAll(/<p class="timeline-head"><strong>([^<]+)</g)].map(([, title]) => title);
  assert.deepEqual(titles, [
    "Bounced",
    "Bounced",
    "Marked as spam by the recipient",
    "Unsubscribed by the recipient",
    "Delivered, as a report says",
  ]);
  assert.ok(html.includes("the address does not exist or accepts no mail."));
  assert.ok(html.includes("Rule: code 5.1.1"));
  assert.ok(html.includes("5.1.1 no &lt;b>user&lt;/b>"), "the diagnostic is text");
  assert.equal(html.match(/A later message may arrive/g)?.length, 1);
  assert.ok(html.includes('as <code class="reason">abuse</code>'));
});

test("a suppressed recipient has the cause, and the refusals if they are it", () => {
  const suppressed = { at_ms: 1, type: "suppressed", since_ms: 1 } as const;
  const complained = pageOf({ events: [{ ...suppressed, cause: "complaint", until_ms: null, refusals: [] }] });
  assert.match(complained, /Not attempted: the email address is suppressed \(complaint\)/);
  assert.doesNotMatch(complained, /rejected it before/);
  const refusal = { at_ms: 1, code: 550, enhanced_code: "5.1.1", message: "unknown", mx: "mx.a.example", ip: null };
  const refused = pageOf({ events: [{ ...suppressed, until_ms: 2, refusals: [refusal] }] });
  assert.match(refused, /is suppressed \(refused as unknown\).*rejected it before.*mx\.a\.example/s);
});
