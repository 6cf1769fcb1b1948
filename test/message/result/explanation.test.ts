/** The explanation of a result: cause, consequence and advice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CATEGORIES } from "../../../src/message/result/category.ts";
import { adviceFor, explain } from "../../../src/message/result/explanation.ts";
import { REASONS, sentenceFor } from "../../../src/message/result/reasons.ts";

test("a rejection names its cause, each category in different words", () => {
  const rejections = [
    "recipient_refused",
    "sender_refused",
    "message_refused",
    "temporarily_refused",
    "host_refused",
    "refused_on_fallback",
  ];
  for (const reason of rejections) {
    const sentences = CATEGORIES.map((category) => explain(reason, category));
    assert.equal(new Set(sentences).size, CATEGORIES.length, reason);
    for (const sentence of sentences) assert.ok(sentence.endsWith(sentenceFor(reason)), sentence);
  }
  assert.equal(
    explain("recipient_refused", "mailbox_full"),
    "The recipient's mailbox is full. The recipient's server permanently rejected the recipient.",
  );
});

test("an expired message: the expiry first, then the last cause", () => {
  assert.match(explain("expired", "greylisted"), /^The message expired before it could be delivered\. .*greylisting/);
});

test("a reason that names its cause, or has no category, needs no further sentence", () => {
  for (const reason of ["domain_not_found", "null_mx", "message_too_large", "dns_trouble", "timeout", "suppressed"]) {
    for (const category of CATEGORIES) assert.equal(explain(reason, category), sentenceFor(reason), reason);
  }
  for (const reason of REASONS) assert.equal(explain(reason, null), sentenceFor(reason), reason);
});

test("every category has advice for pending and failed recipients, and none for delivered and unknown ones", () => {
  for (const category of CATEGORIES) {
    for (const result of ["pending", "failed"] as const) assert.match(adviceFor(result, category) ?? "", /^[A-Z].*\.$/);
    for (const result of ["delivered", "unknown"] as const) assert.equal(adviceFor(result, category), null);
  }
  assert.equal(adviceFor("failed", null), null);
  for (const decided of ["resolved", "cancelled"]) assert.equal(adviceFor("failed", "network", decided), null);
});

test("advises about what is at this server, and not at the recipient's, by its reason", () => {
  assert.match(adviceFor("pending", "other", "held") ?? "", /Release the key/);
  assert.match(adviceFor("pending", "rate_limited", "warm_up") ?? "", /next day \(UTC\)/);
  assert.match(adviceFor("pending", "network", "no_sending_address") ?? "", /sending addresses/);
  assert.equal(adviceFor("failed", "network", "no_sending_address"), adviceFor("failed", "network"));
});
