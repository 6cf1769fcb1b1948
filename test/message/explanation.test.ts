/** What a person reads about a result: the obstacle and what it led to, and what to do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CATEGORIES } from "../../src/message/category.ts";
import { adviceFor, explain } from "../../src/message/explanation.ts";
import { REASONS, sentenceFor } from "../../src/message/reasons.ts";

test("a refusal says what stood in the way, each obstacle in other words", () => {
  const refusals = [
    "recipient_refused",
    "sender_refused",
    "message_refused",
    "temporarily_refused",
    "host_refused",
    "refused_on_fallback",
  ];
  for (const reason of refusals) {
    const sentences = CATEGORIES.map((category) => explain(reason, category));
    assert.equal(new Set(sentences).size, CATEGORIES.length, reason);
    for (const sentence of sentences) assert.ok(sentence.endsWith(sentenceFor(reason)), sentence);
  }
  assert.equal(
    explain("recipient_refused", "mailbox_full"),
    "The recipient's mailbox is full. The host refused the recipient for good.",
  );
});

test("what expired says so first, then the last obstacle", () => {
  assert.match(explain("expired", "greylisted"), /^It expired before it could be delivered\. .*greylisting/);
});

test("a reason that names the obstacle itself stands alone, as does one without a category", () => {
  for (const reason of ["domain_not_found", "null_mx", "message_too_large", "dns_trouble", "timeout", "suppressed"]) {
    for (const category of CATEGORIES) assert.equal(explain(reason, category), sentenceFor(reason), reason);
  }
  for (const reason of REASONS) assert.equal(explain(reason, null), sentenceFor(reason), reason);
});

test("every category has advice while it is pending and once it failed, and there is none for what arrived or may have", () => {
  for (const category of CATEGORIES) {
    for (const result of ["pending", "failed"] as const) assert.match(adviceFor(result, category) ?? "", /^[A-Z].*\.$/);
    for (const result of ["delivered", "unknown"] as const) assert.equal(adviceFor(result, category), null);
  }
  assert.equal(adviceFor("failed", null), null);
});
