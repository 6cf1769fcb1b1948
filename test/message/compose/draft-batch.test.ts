/** Batches of send requests: which are read, and the keys of their messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BATCH_MAX, parseBatch } from "../../../src/message/compose/draft-batch.ts";

const OPTIONS = { recipientsMax: 5, token: "token", dateMs: 0, boundary: "boundary" };
const MESSAGE = { from: "a@a.example", to: "b@b.example", subject: "s", text: "t" };

const parse = (body: unknown) => parseBatch(Buffer.from(JSON.stringify(body)), OPTIONS);

function draftsOf(messages: unknown[]) {
  const parsed = parse({ messages });
  assert.ok(parsed.type === "parsed", JSON.stringify(parsed));
  return parsed.drafts;
}

test("each message is a draft or has errors, in order, with Message-IDs that differ", () => {
  const [first, second, invalid] = draftsOf([MESSAGE, MESSAGE, { ...MESSAGE, to: "nobody" }]);
  assert.ok(first?.type === "valid" && second?.type === "valid");
  assert.notEqual(first.draft.messageId, second.draft.messageId);
  assert.equal(first.draft.payloadHash(), second.draft.payloadHash());
  assert.ok(invalid?.type === "invalid" && invalid.error.code === "invalid_request");
});

test("a message may have a key of its own, which is no part of its payload", () => {
  const [plain, keyed, empty] = draftsOf([
    MESSAGE,
    { ...MESSAGE, idempotency_key: "k 1" },
    { ...MESSAGE, idempotency_key: null },
  ]);
  assert.ok(plain?.type === "valid" && keyed?.type === "valid" && empty?.type === "valid");
  assert.deepEqual([plain.draft.ownKey, keyed.draft.ownKey, empty.draft.ownKey], [undefined, "k 1", undefined]);
  assert.equal(keyed.draft.payloadHash(), plain.draft.payloadHash());
  for (const key of ["", "é", "x".repeat(257), 7, "a\n"]) {
    const [draft] = draftsOf([{ ...MESSAGE, idempotency_key: key }]);
    assert.ok(draft?.type === "invalid" && draft.error.code === "invalid_request", String(key));
    assert.deepEqual(
      draft.error.errors.map(({ field }) => field),
      ["idempotency_key"],
    );
  }
});

test("anything but an object with 1 to 100 messages is rejected as a whole", () => {
  const many = Array.from({ length: BATCH_MAX + 1 }, () => MESSAGE);
  for (const body of [
    [],
    7,
    null,
    {},
    { messages: 1 },
    { messages: [] },
    { messages: many },
    { messages: [MESSAGE], a: 1 },
  ])
    assert.equal(parse(body).type, "invalid", JSON.stringify(body).slice(0, 60));
  assert.equal(draftsOf(many.slice(1)).length, BATCH_MAX);
});
