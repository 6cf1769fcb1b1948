/** What a status page says about every state that a recipient can have: never more than the lookup. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { recipientStatus, SENTENCES, type StatusSentence } from "../../../src/app/status/recipient-status.ts";
import { PLAIN, statusDetail } from "../../../src/app/status/status-detail.ts";
import { LANGUAGES, STATUS_TEXTS } from "../../../src/app/status/status-texts.ts";
import { CATEGORIES, type Category } from "../../../src/message/result/category.ts";
import { RESULTS, type Result } from "../../../src/message/result/outcome.ts";
import { isUnknownReason, REASONS } from "../../../src/message/result/reasons.ts";
import type { Bounce, Complaint, RecipientReport } from "../../../src/spool/port/results.ts";

const NOW_MS = Date.parse("2026-03-02T10:05:00.000Z");
const AT_MS = Date.parse("2026-03-02T10:02:13.000Z");
const QUARANTINED = { foundAtMs: AT_MS, part: "content", error: "damaged" } as const;

interface State {
  result: Result;
  reason: string | null;
  category: Category | null;
  bounce?: Bounce;
  complaint?: Complaint;
  quarantined?: typeof QUARANTINED;
}

const bounceOf = (category: Category): Bounce => ({
  atMs: AT_MS + 1000,
  status: "5.0.0",
  category,
  permanent: true,
  diagnostic: "550 secret of the server",
});

/** Every combination, whether or not it occurs. A later version may have stored further reasons. */
function* allStates(): Generator<State> {
  for (const result of RESULTS) {
    for (const reason of [null, "bounced", "of_a_later_version", ...REASONS]) {
      for (const category of [null, ...CATEGORIES]) {
        const state = { result, reason, category };
        yield state;
        yield { ...state, complaint: { atMs: AT_MS, kind: "abuse" } };
        yield { ...state, quarantined: QUARANTINED };
        for (const returned of CATEGORIES) yield { ...state, bounce: bounceOf(returned) };
      }
    }
  }
}

function shownOf({ quarantined, ...state }: State) {
  const recipient = { ...state, nextAttemptAtMs: NOW_MS + 60_000, updatedAtMs: AT_MS, events: [] };
  const message = { test: false, ...(quarantined === undefined ? {} : { quarantined }) };
  return recipientStatus(recipient as Pick<RecipientReport, keyof typeof recipient>, message);
}

test("each state of a recipient has the state and a sentence of its result, in every language", () => {
  const seen = new Set<StatusSentence>();
  const texts = new Map<string, string>();
  let count = 0;
  for (const state of allStates()) {
    const shown = shownOf(state);
    const isReturned = state.bounce !== undefined && state.result !== "pending";
    assert.equal(shown.state, isReturned ? "returned" : state.result, JSON.stringify(state));
    assert.ok((SENTENCES[shown.state] as readonly string[]).includes(shown.sentence), JSON.stringify(state));
    seen.add(shown.sentence);
    count += 1;
    // Only what is to happen may have a next attempt.
    if (shown.state !== "pending") assert.equal(shown.nextAtMs, null);
    const name = JSON.stringify(shown);
    if (texts.has(name)) continue;
    for (const language of LANGUAGES) {
      const detail = statusDetail(shown, "a***@gm***.com", { language, nowMs: NOW_MS, markup: PLAIN });
      assert.doesNotMatch(detail, /[{}]|\b(undefined|null|secret|abuse|Invalid)\b/, `${language}: ${name}`);
      texts.set(name, detail);
    }
  }
  assert.ok(count > 30_000, `${count} states`);
  assert.deepEqual([...seen].toSorted(), Object.values(SENTENCES).flat().toSorted(), "no sentence is without a state");
});

/** By the sentence, what the lookup must have for it. */
const REQUIRED: Readonly<Record<StatusSentence, (state: State) => boolean>> = {
  on_its_way: ({ result }) => result === "pending",
  scheduled: ({ reason }) => reason === "scheduled",
  provider_waits: ({ result, reason }) => result === "pending" && !isUnknownReason(reason),
  mailbox_full_waits: ({ category }) => category === "mailbox_full",
  unreachable_waits: ({ result, reason }) => result === "pending" && !isUnknownReason(reason),
  sender_waits: ({ result }) => result === "pending",
  perhaps_waits: ({ reason }) => isUnknownReason(reason),
  delivered: ({ result, reason }) => result === "delivered" && reason !== "resolved",
  delivered_assumed: ({ result, reason }) => result === "delivered" && reason === "resolved",
  no_such_address: ({ category, reason }) => category === "bad_address" && reason !== "expired",
  no_such_domain: ({ reason }) => reason === "domain_not_found" || reason === "null_mx",
  mailbox_full: ({ category }) => category === "mailbox_full",
  mailbox_disabled: ({ category }) => category === "mailbox_disabled",
  refused: ({ result, reason }) => result === "failed" && /refused|too_large|needs/.test(reason ?? ""),
  expired: ({ reason }) => reason === "expired",
  blocked: ({ reason }) => reason === "suppressed",
  cancelled: ({ reason }) => reason === "cancelled",
  fault: ({ reason }) => reason === "discarded",
  failed_assumed: ({ result, reason }) => result === "failed" && reason === "resolved",
  not_delivered: ({ result }) => result === "failed",
  unknown: ({ result }) => result === "unknown",
  returned: ({ bounce }) => bounce !== undefined,
  returned_no_such_address: ({ bounce }) => bounce?.category === "bad_address",
  returned_mailbox_full: ({ bounce }) => bounce?.category === "mailbox_full",
  returned_mailbox_disabled: ({ bounce }) => bounce?.category === "mailbox_disabled",
};

test("a sentence claims nothing that the lookup does not have", () => {
  for (const state of allStates()) {
    const { sentence } = shownOf(state);
    assert.ok(REQUIRED[sentence](state), `${sentence}: ${JSON.stringify(state)}`);
  }
});

test("no text says that a message is in an inbox, and an unknown result is said to be unknown", () => {
  const { delivered, unknown } = STATUS_TEXTS.en.sentences;
  assert.match(delivered, /^Your email provider accepted the message/);
  assert.match(unknown, /^We do not know/);
  const claims = /in your inbox|was delivered to you|im Posteingang angekommen|in Ihrem Posteingang/;
  for (const language of LANGUAGES) {
    for (const text of Object.values(STATUS_TEXTS[language].sentences)) {
      // To look there is advice.
      assert.doesNotMatch(text.replaceAll(/look in your inbox|sehen Sie im Posteingang/g, ""), claims, text);
    }
  }
});

test("a complaint, and the cause of a suppression, are the owner's own", () => {
  for (const state of allStates()) {
    const { complaint, ...others } = state;
    if (complaint !== undefined) assert.deepEqual(shownOf(state), shownOf(others));
  }
  for (const category of [null, ...CATEGORIES]) {
    assert.equal(shownOf({ result: "failed", reason: "suppressed", category }).sentence, "blocked");
  }
});

test("a message is accepted at the time of its delivery, whatever came back later", () => {
  const recipient = {
    result: "delivered" as const,
    reason: null,
    category: null,
    nextAttemptAtMs: null,
    updatedAtMs: NOW_MS,
    events: [
      { at_ms: AT_MS - 1, type: "accepted" as const },
      { at_ms: AT_MS, type: "confirmed" as const },
      { at_ms: NOW_MS, type: "unsubscribed" as const },
    ],
  };
  assert.equal(recipientStatus(recipient, { test: false }).atMs, AT_MS);
});

test("an attempt that is under way, and a message that must be released, have no next attempt", () => {
  const waits: State = { result: "pending", reason: "temporarily_refused", category: "greylisted" };
  const { nextAtMs } = shownOf(waits);
  assert.equal(nextAtMs, NOW_MS + 60_000);
  const detail = (nowMs: number) => statusDetail(shownOf(waits), "", { language: "en", nowMs, markup: PLAIN });
  assert.match(detail(NOW_MS), /accepts the message\. The next attempt is planned at 10:06:00 UTC\.$/);
  assert.match(detail(NOW_MS + 60_000), /accepts the message\.$/);
  assert.equal(shownOf({ ...waits, quarantined: QUARANTINED }).nextAtMs, null);
});
