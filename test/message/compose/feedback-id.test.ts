/** The header field Feedback-ID: its identifiers, and which messages have one. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { feedbackIdField, hasFeedbackId, isFeedbackSenderId } from "../../../src/message/compose/feedback-id.ts";

const SOURCE = { accountId: "acc_1", domain: "shop.example", senderId: "postrider" };
const fieldOf = (...tags: string[]): string => feedbackIdField({ ...SOURCE, tags });

it("has four identifiers, the sender's last, and an empty one without a tag", () => {
  assert.equal(fieldOf("invoice", "de"), "Feedback-ID: invoice:shop.example:acc_1:postrider\r\n");
  assert.equal(fieldOf(), "Feedback-ID: :shop.example:acc_1:postrider\r\n");
});

it("has of a tag only what an identifier may have, and no email address", () => {
  const identifiers: [tag: string, identifier: string][] = [
    ["password reset", "password-reset"],
    ["category:welcome", "category-welcome"],
    ["a\r\nBcc: x", "a-Bcc-x"],
    ["Größe", "Gr-e"],
    ["v1.2_b-c", "v1.2_b-c"],
    ["x".repeat(128), "x".repeat(32)],
    ["ann@shop.example", ""],
  ];
  for (const [tag, identifier] of identifiers) {
    assert.equal(fieldOf(tag), `Feedback-ID: ${identifier}:shop.example:acc_1:postrider\r\n`);
  }
});

it("is found in a header by its name in any case, and nowhere else", () => {
  const has = (message: string): boolean => hasFeedbackId({ bytes: Buffer.from(message), bodyHash: null });
  assert.ok(has("From: a@a.example\r\nFEEDBACK-id: a:b:c:sender\r\n\r\n"));
  assert.ok(has("Feedback-ID: a\r\n\r\n"));
  assert.ok(!has("X-Feedback-ID: a\r\nSubject: a\r\n Feedback-ID: a\r\n\r\nFeedback-ID: a\r\n"));
});

it("takes sender identifiers of 5 to 15 characters without a colon", () => {
  for (const id of ["abcde", "Postrider-1.a_b"]) assert.ok(isFeedbackSenderId(id), id);
  for (const id of ["abcd", "sixteen-letters-", "a:b:c:d", "Größe", "abcde\n", ""])
    assert.ok(!isFeedbackSenderId(id), id);
});
