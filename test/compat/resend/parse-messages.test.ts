/** Bodies of Resend's requests become drafts, or errors of the request or of one of its messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseResendBatch, parseResendMessage } from "../../../src/compat/resend/parse-messages.ts";
import { parseDraft } from "../../../src/message/compose/draft.ts";
import { BATCH_MAX } from "../../../src/message/compose/draft-batch.ts";

const OPTIONS = { recipientsMax: 50, token: "token", dateMs: 0, boundary: "boundary" };
const MESSAGE = { from: "a@shop.example", to: "b@b.example", subject: "s", text: "t" };

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const batch = (value: unknown) => parseResendBatch(bytes(value), OPTIONS);

test("a message has the same content and hash as the own API's", () => {
  const own = parseDraft(bytes(MESSAGE), OPTIONS);
  const draft = parseResendMessage(bytes(MESSAGE), OPTIONS);
  assert.ok(own.type === "valid" && draft.type === "valid");
  assert.deepEqual(draft.draft.content(), own.draft.content());
  assert.equal(draft.draft.payloadHash(), own.draft.payloadHash());
});

test("a file is the same as an array of bytes, also one with more bytes than a JSON text may have numbers", () => {
  const file = Buffer.alloc(150_000, 201);
  const contents = [file.toString("base64"), [...file], file.toJSON()];
  const hashes = contents.map((content) => {
    const draft = parseResendMessage(bytes({ ...MESSAGE, attachments: [{ filename: "a.bin", content }] }), OPTIONS);
    assert.ok(draft.type === "valid", JSON.stringify(draft));
    return draft.draft.payloadHash();
  });
  assert.equal(new Set(hashes).size, 1);
});

test("a body that is not JSON, or no batch, is one error", () => {
  const broken = parseResendMessage(Buffer.from("{"), OPTIONS);
  assert.ok(broken.type === "invalid" && broken.error.code === "invalid_json");
  const both = parseResendBatch(Buffer.from("["), OPTIONS);
  assert.ok(both.type === "invalid" && both.error.code === "invalid_json");
  for (const [value, detail] of [
    [MESSAGE, "The body must be a JSON array of messages."],
    [[], "The batch has no message."],
    [Array.from({ length: BATCH_MAX + 1 }, () => MESSAGE), "The batch has more than 100 messages."],
  ] as const) {
    assert.deepEqual(batch(value), {
      type: "invalid",
      error: { code: "invalid_request", errors: [{ field: "body", detail }] },
    });
  }
});

test("each message of a batch is valid or not by itself, and has a Message-ID of its own", () => {
  const parsed = batch([MESSAGE, 7, { ...MESSAGE, colour: 1 }, ...Array.from({ length: 97 }, () => MESSAGE)]);
  assert.ok(parsed.type === "parsed");
  assert.deepEqual(
    parsed.drafts.slice(0, 3).map((draft) => (draft.type === "invalid" ? draft.error : draft.type)),
    [
      "valid",
      {
        type: "invalid",
        code: "invalid_request",
        errors: [{ field: "body", detail: "The body must be a JSON object." }],
      },
      { type: "invalid", code: "invalid_request", errors: [{ field: "colour", detail: "This field is unknown." }] },
    ],
  );
  const ids = parsed.drafts.flatMap((draft) => (draft.type === "valid" ? [draft.draft.messageId] : []));
  assert.equal(new Set(ids).size, 98);
  assert.match(ids[0] ?? "", /^<[\w-]{24}@shop\.example>$/);
});
