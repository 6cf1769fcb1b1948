/** Why a recipient has not got its message, from what the lookup returns. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { explanationOf } from "../../src/mcp/explanation.ts";
import { adviceFor, explain, suppressionSentence } from "../../src/message/result/explanation.ts";

const RECIPIENT = {
  email: "ann@example.org",
  attempts: 1,
  next_attempt_at: null,
  smtp: null,
  category: null,
  events: [],
};
const explained = (parts: Record<string, unknown>) => explanationOf({ ...RECIPIENT, ...parts });

it("explains no recipient that is delivered", () => {
  assert.equal(explained({ result: "delivered", reason: null }), null);
});

it("takes the sentence of the history, else that of the reason", () => {
  const failed = { result: "failed", reason: "recipient_refused", category: "bad_address" };
  const stored = { type: "failed", reason: "recipient_refused", detail: "In the words of the service." };
  const other = { type: "deferred", reason: "temporarily_refused", detail: "Earlier." };
  assert.equal(explained({ ...failed, events: [other, stored] })?.explanation, stored.detail);
  assert.equal(explained({ ...failed, events: [other] })?.explanation, explain("recipient_refused", "bad_address"));
  assert.equal(explained(failed)?.what_to_do, adviceFor("failed", "bad_address"));
  const suppressed = { type: "suppressed", detail: suppressionSentence("complaint") };
  const { explanation } = explained({ result: "failed", reason: "suppressed", events: [suppressed] }) ?? {};
  assert.equal(explanation, suppressed.detail);
});

it("explains what is pending, what came back, and what was reported as spam", () => {
  assert.equal(explained({ result: "pending", reason: null })?.explanation, "No attempt has ended yet.");
  const bounce = { status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "550 no" };
  const bounced = explained({ result: "delivered", reason: null, bounce });
  assert.match(
    bounced?.explanation,
    /^The recipient's server accepted the message, and it came back\. The recipient's server reported/,
  );
  assert.equal(bounced?.what_to_do, adviceFor("failed", "bad_address"));
  assert.match(explained({ result: "delivered", complaint: { type: "abuse" } })?.explanation, /reported it as spam/);
});

it("returns what it does not know as it is", () => {
  const later = explained({ result: "failed", reason: "reason_of_a_later_version", category: "later" });
  assert.deepEqual(
    [later?.explanation, later?.category, later?.what_to_do],
    ["reason_of_a_later_version", "later", null],
  );
});
