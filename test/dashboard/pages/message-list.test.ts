/** The list of messages: what each row says, the search in words, and the empty list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { listPage, listVersion } from "../../../src/dashboard/pages/message-list.tsx";
import { readSearch } from "../../../src/dashboard/pages/message-search.ts";
import { UNKNOWN_REASON_NAMES } from "../../../src/dashboard/views/labels.ts";
import type { Category } from "../../../src/message/result/category.ts";
import { UNKNOWN_REASONS } from "../../../src/message/result/reasons.ts";
import type { FoundMessage, FoundMessages, MessageCount } from "../../../src/spool/port/reports.ts";

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

const message = (parts: Partial<FoundMessage> = {}): FoundMessage => ({
  id: "msg_1",
  createdAtMs: 1,
  from: "a@b.example",
  subject: "x",
  messageId: "<m@b.example>",
  keyId: "key_1",
  tags: [],
  test: false,
  recipients: 2,
  to: "ann@a.example",
  categories: [],
  results: { delivered: 2, failed: 0, pending: 0, unknown: 0 },
  ...parts,
});

const found = (parts: Partial<FoundMessage>) => ({ messages: [message(parts)], cursor: null, searchedBackToMs: null });

const COUNT = { messages: 1, isExact: true, newest: "msg_1" };

function pageOf(page: FoundMessages, { query = {}, count = COUNT, quarantined = new Set() }: PageOptions = {}): string {
  return listPage(AUTH, {
    search: readSearch(query),
    found: page,
    quarantined,
    count,
    keys: [],
    domains: [],
    nowMs: 2,
  });
}

interface PageOptions {
  quarantined?: ReadonlySet<string>;
  query?: Record<string, string>;
  count?: MessageCount;
}

function badgesOf(parts: Partial<FoundMessage>): string[] {
  const html = pageOf(found(parts));
  const [, badges = ""] = /<span class="badges">(.*?)<\/td>/s.exec(html) ?? [];
  return [...badges.matchAll(/(?:<\/svg>|<span class="state">)([^<]+)<\/span>/g)].map(([, text = ""]) => text);
}

test("what came back is marked, in the same order always", () => {
  assert.deepEqual(badgesOf({}), ["Delivered"]);
  assert.deepEqual(badgesOf({ feedback: ["unsubscribed", "bounced"] }), ["Delivered", "Bounced", "Unsubscribed"]);
  assert.deepEqual(badgesOf({ feedback: ["complained"] }), ["Delivered", "Marked as spam"]);
});

/** The links of a page by their text. */
function linksOf(html: string): Record<string, string> {
  const links = html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]+)<\/a>/g);
  return Object.fromEntries([...links].map(([, href = "", text = ""]) => [text, href.replaceAll("&amp;", "&")]));
}

const textOf = (html: string): string => html.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");

test("the count is exact, or says what it is not", () => {
  const counted = (count: Partial<MessageCount>, query = {}) =>
    textOf(pageOf(found({}), { count: { ...COUNT, ...count }, query }).match(/<div id="count".*?<\/div>/s)?.[0] ?? "");
  assert.equal(counted({ messages: 1234 }), "1 234 messages ");
  assert.equal(counted({}, { result: "failed" }), "1 message matches");
  assert.equal(counted({ messages: 10_000, isExact: false }), "More than 10 000 messages ");
  assert.match(counted({ messages: 3, isExact: false }), /^At least 3 messages so far: not all messages have been/);
  assert.match(counted({ messages: 0, isExact: false }), /^No messages so far/);
});

test("a page links to older and newer ones as far as there are any, with the search", () => {
  const page = { ...found({}), cursor: "msg_9" };
  const names = (html: string) => Object.keys(linksOf(html)).filter((text) => /newe|older/i.test(text));
  assert.deepEqual(names(pageOf(found({}))), []);
  assert.equal(linksOf(pageOf(page, { query: { q: "x" } }))["Older messages"], "/dashboard/messages?q=x&before=msg_9");
  const older = linksOf(pageOf(found({}), { query: { q: "x", before: "msg_5" } }));
  assert.equal(older["Newer messages"], "/dashboard/messages?q=x&after=msg_1");
  assert.equal(older["Newest messages"], "/dashboard/messages?q=x");
  assert.equal(older["Older messages"], undefined);
  const newer = linksOf(pageOf(page, { query: { after: "msg_0" } }));
  assert.equal(newer["Newer messages"], "/dashboard/messages?after=msg_9");
  assert.equal(newer["Older messages"], "/dashboard/messages?before=msg_1");
  const early = pageOf({ ...page, searchedBackToMs: 0 });
  assert.match(textOf(early), /Searched back to 1 Jan 1970, 00:00:00 UTC\./);
  assert.equal(linksOf(early)["Search older messages"], "/dashboard/messages?before=msg_9");
});

test("each filter has a link that removes it, and a tag one that adds it", () => {
  const query = { q: "hello", in: "subject", result: "failed", since: "2026-03-14T09:05" };
  const html = pageOf(found({ tags: ["a b"] }), { query });
  const removed = [...html.matchAll(/class="chip" href="\/dashboard\/messages\?([^"]*)" title="([^"]*)"/g)];
  assert.deepEqual(
    removed.map(([, rest = "", name]) => [name, [...new URLSearchParams(rest.replaceAll("&amp;", "&")).keys()]]),
    [
      ["Search: hello in subjects", ["result", "since"]],
      ["Result: Failed", ["q", "in", "since"]],
      ["Accepted from: 2026-03-14 09:05 UTC", ["q", "in", "result"]],
    ],
  );
  assert.match(linksOf(html)["a b"] ?? "", /tag=a\+b/);
  assert.match(html, /href="\/dashboard\/messages\.csv\?q=hello&amp;in=subject&amp;result=failed&amp;since=/);
});

test("the page says what was searched", () => {
  const searched = (query: Record<string, string>) => textOf(pageOf(found({}), { query }));
  assert.match(searched({ q: "ann@" }), /Searched recipients that begin with “ann@”\./);
  assert.match(searched({ q: "@a.example" }), /Searched recipients at the domain “a\.example”\./);
  assert.match(
    searched({ q: "hi" }),
    /Searched recipients and subjects that contain “hi”, and messages with the tag “hi”/,
  );
  assert.match(searched({ q: "hi", in: "recipient" }), /Searched recipients that contain “hi”\./);
  assert.match(searched({ q: "a@b", in: "sender" }), /Searched messages from the sender “a@b”\./);
  assert.match(searched({ q: "a@b", in: "message_id" }), /Searched for the Message-ID &lt;a@b>\./);
  assert.doesNotMatch(searched({ result: "failed" }), /Searched/);
});

test("a delivered message has no badge, all others have one", () => {
  const results = { delivered: 0, failed: 0, pending: 0, unknown: 0 };
  assert.doesNotMatch(pageOf(found({})), /class="badge /);
  for (const result of ["failed", "pending", "unknown"]) {
    assert.match(pageOf(found({ results: { ...results, [result]: 2 } })), /class="badge /, result);
  }
});

test("a message in quarantine does not look as if it waited", () => {
  const pending = found({ recipients: 1, results: { delivered: 0, failed: 0, pending: 1, unknown: 0 } });
  assert.match(pageOf(pending), /<\/svg>Pending</);
  const html = pageOf(pending, { quarantined: new Set(["msg_1"]) });
  assert.match(html, /badge bad.*<\/svg>In quarantine</s);
  assert.doesNotMatch(html, /<\/svg>Pending</);
});

test("an address keeps its domain and its end: the head of its local part is apart", () => {
  const html = pageOf(found({ to: "drop-after-dot+275@gmail.example" }));
  const email = /<span class="email" title="drop-after-dot\+275@gmail\.example">(.*?)<\/td>/s.exec(html)?.[1] ?? "";
  assert.match(email, /^<span class="email-head">drop-after-dot<\/span><span class="email-tail">\+275@gmail\.example</);
  assert.match(pageOf(found({ to: "ann@a.example" })), /<span class="email-tail">ann@a\.example</);
});

test("tags beyond two are counted", () => {
  const html = pageOf(found({ tags: ["one", "two", "three"] }));
  assert.deepEqual(
    Object.keys(linksOf(html)).filter((text) => ["one", "two", "three"].includes(text)),
    ["one", "two"],
  );
  assert.match(html, />\+1</);
});

test("reasons are beside the result where there are any, with the server's reply", () => {
  const smtp = { code: 550, enhanced_code: "5.1.1", message: "No such user", mx: "mx", ip: null, tls: null };
  const obstacle = { email: "ann@a.example", reason: "recipient_refused", category: "bad_address" as const, smtp };
  const html = pageOf(found({ obstacle, categories: ["bad_address"] }));
  assert.match(html, /<th scope="col">Result and reason<\/th>/);
  assert.match(
    html,
    /title="From a@b\.example to [^"]*ann@a\.example: The recipient(?:&#39;|')s server reported[^"]*550/,
  );
  assert.match(textOf(html), /Bad address 550 5\.1\.1 No such user/);
  assert.match(pageOf(found({})), /<th scope="col">Result<\/th>/);
  const unclear = { ...obstacle, category: "other" as const };
  const both = pageOf(found({ obstacle: unclear, categories: ["bad_address", "other"] }));
  assert.match(textOf(both), /Bad address, Recipient rejected 550/);
});

test("the list changes when something comes back", () => {
  assert.notEqual(listVersion(found({})), listVersion(found({ feedback: ["bounced"] })));
});

test("the reason of a recipient that may have the message says what happened, where and when", () => {
  const common = { email: "ann@a.example", category: "network" as const, smtp: null };
  const reasonOf = (reason: string, mx: string | null, categories: Category[] = ["network"]): string => {
    const obstacle = { ...common, reason, attempt: { atMs: 1, mx } };
    const html = pageOf(found({ obstacle, categories }));
    return textOf(html.match(/<span class="why[^>]*>.*?<\/td>/s)?.[0] ?? "");
  };
  const lost = "connection_lost_after_final_dot";
  assert.equal(reasonOf(lost, "mx1.a.example"), "Connection lost after sending, mx1.a.example, now");
  assert.equal(reasonOf("restored_from_backup", null), "Restored from a backup, now");
  assert.match(reasonOf(lost, "mx1.a.example", ["bad_address", "network"]), /^Connection lost after sending, Bad addr/);
  for (const reason of UNKNOWN_REASONS) assert.ok(Object.hasOwn(UNKNOWN_REASON_NAMES, reason), reason);
});

test("an empty list says why, and what to do next", () => {
  const emptyOf = (query: Record<string, string>, parts: Partial<FoundMessages> = {}) => {
    const page = { messages: [], cursor: null, searchedBackToMs: null, ...parts };
    const html = pageOf(page, { query, count: { messages: 0, isExact: page.cursor === null, newest: null } });
    const [empty = ""] = html.match(/<div class="empty">.*?<\/div>/s) ?? [];
    return { text: textOf(empty), links: linksOf(empty), count: html.match(/<div id="count".*?<\/div>/s)?.[0] ?? "" };
  };
  const fresh = emptyOf({});
  assert.match(fresh.text, /^No messages yet/);
  assert.deepEqual(Object.keys(fresh.links), ["Send the first message", "API reference"]);
  assert.equal(textOf(fresh.count), "", "no count of nothing");
  assert.match(emptyOf({ before: "msg_1" }).text, /^No further messages/);
  assert.match(emptyOf({ q: "msg_x" }).text, /^No message has this id/);
  assert.match(emptyOf({ q: "x" }, { cursor: "msg_1" }).text, /^No messages found so far/);
  assert.match(emptyOf({ result: "unknown" }).text, /nothing here needs your decision/);
  assert.deepEqual(emptyOf({ q: "a b", in: "tag", result: "failed" }).links, {
    "Search everywhere for “a b”": "/dashboard/messages?q=a+b&result=failed",
    "Search without the other filters": "/dashboard/messages?q=a+b&in=tag",
    "Show all messages": "/dashboard/messages",
  });
  assert.deepEqual(Object.keys(emptyOf({ result: "failed" }).links), ["Show all messages"]);
});
