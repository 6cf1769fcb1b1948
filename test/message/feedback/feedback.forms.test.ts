/** The forms of mail servers and providers that no test can run: written for these tests, in the form and language of each. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Feedback, readFeedback } from "../../../src/message/feedback/feedback.ts";

/** `@@ name | expected`, and the message. */
const FORMS = readFileSync(new URL("./forms.txt", import.meta.url), "utf8")
  .split(/^@@ /m)
  .slice(1)
  .map((form) => {
    const [, name = "", expected = "", raw = ""] = /^([^|\n]*) \| ([^\n]*)\n(.*)$/s.exec(form) ?? [];
    return { name, expected, raw };
  });

function shown(feedback: Feedback): string {
  if (feedback.type === "ignored") return `ignored ${feedback.because}`;
  if (feedback.type === "complained") return `complained ${feedback.complaint.kind} ${feedback.complaint.recipient}`;
  if (feedback.type === "delivered") return "delivered";
  return feedback.bounces
    .map(
      ({ recipient, permanent, blamesAddress }) =>
        `${recipient} ${permanent ? "permanent" : "temporary"}${blamesAddress ? " blamed" : ""}`,
    )
    .join("; ");
}

for (const { name, expected, raw } of FORMS) {
  test(name, () => {
    for (const content of [raw, raw.replaceAll("\n", "\r\n")]) {
      const feedback = readFeedback(Buffer.from(content));
      assert.equal(shown(feedback), expected, JSON.stringify(feedback));
    }
  });
}
