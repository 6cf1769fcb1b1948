import assert from "node:assert/strict";
import { test } from "node:test";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";

const request = { from: "a@shop.example", to: "b@b.example", subject: "s", text: "t" };

function detailsOf(body: Record<string, unknown>): Record<string, string> {
  const result = validateSendRequest(body, { recipientsMax: 50 });
  assert.equal(result.type, "invalid");
  return Object.fromEntries(result.errors.map(({ field, detail }) => [field, detail]));
}

test("an unknown field's error names the known one", () => {
  for (const [name, meant] of [
    ["replyTo", "reply_to"],
    ["reply-to", "reply_to"],
    ["ReplyTo", "reply_to"],
    ["Subject", "subject"],
    ["subjct", "subject"],
    ["HtmlBody", "html"],
    ["attachment", "attachments"],
    ["expiresIn", "expires_in"],
    ["tag", "tags"],
  ] as const)
    assert.deepEqual(detailsOf({ ...request, [name]: "x" }), {
      [name]: `This field is unknown. Did you mean ${meant}?`,
    });
});

test("a field of another service is answered with what there is here", () => {
  const details = detailsOf({ ...request, template_id: "t", scheduled_at: "tomorrow", colour: "red" });
  assert.match(details.template_id ?? "", /no templates: send html and text\.$/);
  assert.match(details.scheduled_at ?? "", /Did you mean send_at\?$/);
  assert.equal(details.colour, "This field is unknown.");
  const attachment = { filename: "a.txt", content: "YQ==", path: "https://x.example/a.txt", contentType: "text/plain" };
  const own = detailsOf({ ...request, attachments: [attachment] });
  assert.match(own["attachments[0].path"] ?? "", /as content, in base64\.$/);
  assert.match(own["attachments[0].contentType"] ?? "", /Did you mean content_type\?$/);
});

test("suggestions are for the first unknown fields, and for names that may be misspelled", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`subject${i}`, i]));
  const suggested = Object.values(detailsOf({ ...request, ...many })).filter((detail) =>
    detail.includes("Did you mean"),
  );
  assert.equal(suggested.length, 20);
  const long = "subject".repeat(1000);
  assert.deepEqual(Object.values(detailsOf({ ...request, [long]: 1 })), ["This field is unknown."]);
});
