/** The page of a message: what is known of it, its recipients, and what came back after the delivery. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthContext } from "../../../src/dashboard/auth/sessions.ts";
import { messagePage } from "../../../src/dashboard/pages/message-page.tsx";
import type { MessageState } from "../../../src/dashboard/pages/message-state.ts";
import { readContent } from "../../../src/message/reading/readable-content.ts";
import type { ApiKey } from "../../../src/spool/port/api-keys.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../../../src/spool/port/results.ts";
import { composedMessage } from "../../support/composed-message.ts";

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

function recipientOf(parts: Partial<RecipientReport> = {}): RecipientReport {
  return {
    position: 0,
    email: "ann@a.example",
    domain: "a.example",
    field: "to",
    result: "delivered",
    reason: null,
    category: null,
    attempts: 1,
    nextAttemptAtMs: null,
    updatedAtMs: 1,
    smtp: null,
    events: [],
    ...parts,
  };
}

function pageWith(report: Partial<MessageReport>, state: Partial<MessageState> = {}): string {
  return messagePage(AUTH, {
    report: {
      id: "msg_1",
      accountId: "acc_1",
      keyId: "key_1",
      createdAtMs: 1,
      updatedAtMs: 1,
      expiresAtMs: 1,
      sendAtMs: null,
      from: "a@b.example",
      subject: "x",
      messageId: "<m@b.example>",
      tags: [],
      metadata: {},
      test: false,
      senderDomain: "b.example",
      requestId: null,
      idempotencyKey: null,
      recipients: [recipientOf()],
      ...report,
    },
    content: null,
    key: null,
    paused: new Set(),
    closed: new Map(),
    nowMs: 2,
    done: "",
    opened: null,
    tab: null,
    ...state,
  });
}

const pageOf = (parts: Partial<RecipientReport> = {}): string => pageWith({ recipients: [recipientOf(parts)] });

/** The texts of the badges of the recipient. */
function badgesOf(html: string): string[] {
  const [, cell = ""] = /<td class="recipient-result">(.*?)<\/td>/s.exec(html) ?? [];
  return [...cell.matchAll(/<\/svg>([^<]+)<\/span>/g)].map(([, text = ""]) => text);
}

/** The positions of the recipients whose rows are open. */
const openedIn = (html: string): string[] =>
  [...html.matchAll(/<tbody id="recipient-(\d+)".*?<\/tbody>/gs)].flatMap(([row, position = ""]) =>
    row.includes("<details open") ? [position] : [],
  );

const BOUNCE = { status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "no <b>user</b>" } as const;

test("the badges beside the result are those of what came back", () => {
  assert.deepEqual(badgesOf(pageOf()), ["Delivered"]);
  assert.deepEqual(badgesOf(pageOf({ bounce: { atMs: 1, ...BOUNCE } })), ["Delivered", "Bounced"]);
  const all = { bounce: { atMs: 1, ...BOUNCE }, complaint: { atMs: 1, kind: "abuse" }, unsubscribedAtMs: 1 };
  assert.deepEqual(badgesOf(pageOf(all)), ["Delivered", "Bounced", "Marked as spam", "Unsubscribed"]);
});

test("the timeline explains an attempt only if that is not said above it", () => {
  const event = (attempt: number, category: "mailbox_full" | "greylisted"): SpoolEvent => ({
    type: "deferred",
    at_ms: attempt,
    attempt,
    reason: "temporarily_refused",
    category,
    next_attempt_at_ms: null,
    tries: [],
  });
  const events = [event(1, "greylisted"), event(2, "mailbox_full"), event(3, "mailbox_full")];
  const html = pageOf({ result: "pending", reason: "temporarily_refused", category: "mailbox_full", events });
  assert.equal(html.split("mailbox is full").length - 1, 1, "it is above the timeline");
  assert.equal(html.split("does not know yet").length - 1, 1, "it is of an earlier attempt");
});

test("a recipient that waits fails at the end of its time, or becomes unknown if it may have the message", () => {
  for (const [reason, end] of [
    ["temporarily_refused", "Fails"],
    ["no_reply_to_final_dot", "Becomes unknown"],
  ] as const) {
    const waiting = recipientOf({ result: "pending", reason, category: "other", nextAttemptAtMs: 10 });
    const html = pageWith({ recipients: [waiting], expiresAtMs: 60_002 });
    assert.ok(html.includes(`. ${end} if not delivered within 1 min.`), html);
    const late = pageOf({ result: "pending", reason, category: "other", nextAttemptAtMs: null, failsAtMs: 10 });
    assert.match(late, new RegExp(`</code>\\. ${end} `));
  }
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
    "Reported as delivered",
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
  assert.match(refused, /is suppressed \(rejected as unknown\).*rejected it before.*mx\.a\.example/s);
});

test("everything that is known of the message is shown, with the names and the Reply-To of its header", () => {
  const content = composedMessage({
    from: "Shop <a@sender.example>",
    to: ["Ann Lee <ann@a.example>", "bob@b.example"],
    cc: "Cy <cy@c.example>",
    reply_to: "Help <help@shop.example>",
    text: "Hi",
  });
  const recipients = [
    recipientOf(),
    recipientOf({ position: 1, email: "bob@b.example" }),
    recipientOf({ position: 2, email: "Cy@c.example", field: "cc" }),
    recipientOf({ position: 3, email: "di@d.example", field: "bcc" }),
  ];
  const known = { requestId: "req_1", idempotencyKey: "order <17>", tags: ["welcome"], metadata: { order: "17" } };
  const key = { id: "key_1", name: "web" } as ApiKey;
  const page = pageWith({ ...known, recipients, test: true }, { content: readContent(content), key });
  const html = page.replaceAll("<wbr/>", "");
  for (const text of [
    '<a href="/dashboard/keys/key_1">web</a>',
    'href="/dashboard/requests/req_1"',
    "Shop &lt;a@sender.example>",
    "Help &lt;help@shop.example>",
    "Ann Lee &lt;ann@a.example>, bob@b.example",
    "To: Ann Lee",
    ">Bcc<",
    "req_1",
    "order &lt;17>",
    'href="/dashboard/messages?tag=welcome"',
    "<code>order</code>: 17",
    "Expires",
  ]) {
    assert.ok(html.replaceAll("<wbr/>", "").includes(text), text);
  }
  assert.ok(!html.includes("Cc: Cy"), "local parts are compared exactly");
  const bare = pageWith({});
  for (const name of ["Request id", "Idempotency key", "Tags", "Metadata", "Reply-To"]) {
    assert.ok(!bare.includes(`<dt>${name}</dt>`), name);
  }
});

test("only the recipient that the link names is open, and a single one always is", () => {
  const recipients = [0, 1, 2].map((position) => recipientOf({ position, email: `r${position}@a.example` }));
  assert.deepEqual(openedIn(pageWith({ recipients })), []);
  const html = pageWith({ recipients }, { opened: 1, done: "tried" });
  assert.deepEqual(openedIn(html), ["1"]);
  const [, row = ""] = /<tbody id="recipient-1"(.*?)<\/tbody>/s.exec(html) ?? [];
  assert.match(row, /The next attempt starts now/);
  assert.equal(html.match(/The next attempt starts now/g)?.length, 1);
  assert.equal(pageWith({ recipients }, { opened: 9, done: "tried" }).match(/starts now/g)?.length, 1);
  assert.deepEqual(openedIn(pageOf()), ["0"]);
});

test("the timeline has the time since the acceptance and since the event before", () => {
  const attempt = { type: "deferred" as const, reason: null, tries: [], next_attempt_at_ms: null };
  const events: SpoolEvent[] = [
    { at_ms: 1000, type: "accepted" },
    { at_ms: 2200, ...attempt, attempt: 1 },
    { at_ms: 302_200, ...attempt, type: "delivered", attempt: 2 },
  ];
  const html = pageWith({ createdAtMs: 1000, recipients: [recipientOf({ events })] });
  const elapsed = [...html.matchAll(/<span class="elapsed"[^>]*>([^<]*)</g)].map(([, text]) => text);
  assert.deepEqual(elapsed, ["+1.2 s", "+5 min, 5 min later"]);
});

test("one part of the content is shown, and the others are links that keep the open recipient", () => {
  const attachments = [{ filename: "<b>.pdf", content: "JVBERg==" }];
  const content = readContent(composedMessage({ text: "the text", html: "<p>the html", attachments }));
  const shown = (state: Partial<MessageState>): string => {
    const html = pageWith({}, { content, ...state });
    return html.slice(html.indexOf('<section id="message-content"'));
  };
  assert.match(shown({}), /<iframe[^>]*src="\/dashboard\/messages\/msg_1\/html" sandbox/);
  assert.match(shown({ tab: "text" }), /<pre class="body-text"[^>]*>the text/);
  assert.match(shown({ tab: "source" }), /href="\/dashboard\/messages\/msg_1\/source"/);
  const files = shown({ tab: "attachments", opened: 0 });
  assert.match(files, /href="\/dashboard\/messages\/msg_1\/attachments\/2" download>&lt;b>\.pdf</);
  assert.match(files, /4 bytes/);
  assert.match(files, /href="\/dashboard\/messages\/msg_1\?view=text&amp;recipient=0#message-content"/);
  assert.match(files, /aria-current="page">Attachments \(1\)</);
  const plain = readContent(composedMessage({ text: "only text" }));
  const tabs = [...pageWith({}, { content: plain, tab: "attachments" }).matchAll(/\?view=(\w+)/g)].map(
    ([, tab]) => tab,
  );
  assert.deepEqual(tabs, ["text", "source"]);
});
