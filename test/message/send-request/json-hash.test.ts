/** Hashing in pieces equals hashing the whole text, whose hash the idempotency records of earlier versions contain. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { jsonHash } from "../../../src/message/send-request/json-hash.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";
import { payloadHash, type Submission } from "../../../src/message/send-request/submission.ts";
import { hostileText, runs } from "../../fuzz/hostile.ts";

const PIECE_LENGTH = 16 * 1024;

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const wholeHash = (values: unknown[]): string => sha256(JSON.stringify(values));

/** Texts in which any character may be at the boundary of two pieces. */
const longText = fc
  .tuple(
    fc.nat(3),
    fc.constantFrom("x", "é", "日", "😀", '"', "\\", "\n", "\u0001", "\u2028", "\ud83d", "\ude00", "\ude00\ud83d"),
    fc.constantFrom(PIECE_LENGTH, 2 * PIECE_LENGTH, 2 * PIECE_LENGTH + 1),
    hostileText,
  )
  .map(([shift, character, length, end]) => "y".repeat(shift) + character.repeat(length / character.length) + end);

const value = fc.oneof(longText, hostileText, fc.constant(null), fc.array(fc.oneof(hostileText, fc.constant(null))));

test("the hash is the hash of the whole JSON text", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (values) => assert.equal(jsonHash(values), wholeHash(values))),
    runs(800),
  );
});

/** The hash of a submission as stored in idempotency records. */
function recordedHash(s: Submission): string {
  const identity = (mailbox: Submission["from"]): unknown[] => [mailbox.name, mailbox.local, mailbox.domain];
  const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : Number(a > b));
  const more = {
    cc: s.cc?.map(identity),
    bcc: s.bcc?.map(identity),
    replyTo: s.replyTo?.map(identity),
    headers: s.headers?.map((h): [string, string] => [h.name, h.value]).sort(byName),
    attachments: s.attachments?.map((a) => [a.filename, a.contentType, a.contentId, sha256(a.content)]),
    tags: s.tags,
    metadata: s.metadata && Object.entries(s.metadata).sort(byName),
    expiresInMs: s.expiresInMs,
  };
  const present = Object.entries(more).filter(([, value]) => value !== undefined);
  return wholeHash([identity(s.from), s.to.map(identity), s.subject, s.html, s.text, ...present]);
}

const body = fc.oneof(longText, hostileText);
const request = fc.record(
  {
    from: fc.constantFrom("a@a.example", "Zoë <a@a.example>"),
    to: fc.constantFrom("b@b.example", ["B <b@b.example>", "c@bücher.example"]),
    subject: fc.string({ unit: "grapheme", maxLength: 20 }),
    text: body,
    html: body,
    cc: fc.constant("Cy <c@c.example>"),
    headers: fc.constant({ "X-B": "é", "X-A": "1" }),
    attachments: fc.constant([{ filename: "ü.bin", content: "QUJD" }]),
    tags: fc.constant(["b", "a"]),
    metadata: fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 3 }),
    expires_in: fc.constant("2h"),
  },
  { requiredKeys: ["from", "to", "subject", "text"] },
);

test("the payload hash equals that of earlier versions", () => {
  let valid = 0;
  fc.assert(
    fc.property(request, (body) => {
      const read = validateSendRequest(body, { recipientsMax: 5 });
      if (read.type === "invalid") return;
      valid += 1;
      assert.equal(payloadHash(read.submission), recordedHash(read.submission));
    }),
    runs(800),
  );
  assert.ok(valid > 20, `only ${valid} of the requests were valid`);
  const read = validateSendRequest(
    { from: "a@a.example", to: "b@b.example", subject: "s", text: "t" },
    { recipientsMax: 5 },
  );
  assert.ok(read.type === "valid");
  assert.equal(payloadHash(read.submission), sha256('[[null,"a","a.example"],[[null,"b","b.example"]],"s",null,"t"]'));
});
