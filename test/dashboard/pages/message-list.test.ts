/** The list of messages: what came back for a message is marked beside its results. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { listPage, listVersion } from "../../../src/dashboard/pages/message-list.tsx";
import { readSearch } from "../../../src/dashboard/pages/message-search.ts";
import type { FoundMessage } from "../../../src/spool/port/reports.ts";

const AUTH = {
  user: { email: "ann@shop.example", accountId: "acc_1", operator: false },
  account: { id: "acc_1", name: "shop" },
  formToken: "token",
} as AuthContext;

const message = (parts: Partial<FoundMessage> = {}): FoundMessage => ({
  ...{ id: "msg_1", createdAtMs: 1, from: "a@b.example", subject: "x", messageId: "<m@b.example>", keyId: "key_1" },
  ...{ tags: [], test: false, recipients: 2, to: "ann@a.example", categories: [] },
  results: { delivered: 2, failed: 0, pending: 0, unknown: 0 },
  ...parts,
});

const found = (parts: Partial<FoundMessage>) => ({ messages: [message(parts)], cursor: null, searchedBackToMs: null });

function badgesOf(parts: Partial<FoundMessage>): string[] {
  const html = listPage(AUTH, { search: readSearch({}), found: found(parts), keys: [], domains: [], nowMs: 2 });
  const [, badges = ""] = /<span class="badges">(.*?)<\/td>/s.exec(html) ?? [];
  return [...badges.matchAll(/<\/svg>([^<]+)<\/span>/g)].map(([, text = ""]) => text);
}

test("what came back is marked, in the same order always", () => {
  assert.deepEqual(badgesOf({}), ["Delivered"]);
  assert.deepEqual(badgesOf({ feedback: ["unsubscribed", "bounced"] }), ["Delivered", "Bounced", "Unsubscribed"]);
  assert.deepEqual(badgesOf({ feedback: ["complained"] }), ["Delivered", "Marked as spam"]);
});

test("the list changes when something comes back", () => {
  assert.notEqual(listVersion(found({})), listVersion(found({ feedback: ["bounced"] })));
});
