/**
 * Requests of the maximum size, shaped to use the most CPU time: validating and composing them takes linear time. Quadratic time
 * would block all other requests for minutes, and this test for hours.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compose } from "../../../src/message/compose/compose.ts";
import { validateSendRequest } from "../../../src/message/send-request/send-request-validation.ts";

const STAMP = { messageId: "<id@sender.example>", date: new Date(0), boundary: "boundary" };
/** Quadratic time at this size is minutes. */
const LENGTH = process.env.CI === "true" ? 500_000 : 100_000;
const FILLERS = [...' \t<>"\\(@.,;:=-ü😀a', "\r\n", "a ", '\\"', " ;", "a;", "=?"];

const FIELDS: ((text: string) => Record<string, unknown>)[] = [
  (from) => ({ from }),
  (to) => ({ to }),
  (text) => ({ to: [`"${text}" <b@b.example>`] }),
  (text) => ({ cc: [`${text}<b@b.example>`], bcc: `<${text}@b.example>`, reply_to: `b@${text}.example` }),
  (subject) => ({ subject }),
  (html) => ({ html }),
  (text) => ({ text }),
  (text) => ({ headers: { "X-A": text, [text]: "b" } }),
  (text) => ({ html: "<p>", attachments: [{ filename: text, content: text, content_type: text, content_id: text }] }),
  (text) => ({ tags: [text], metadata: { [text]: text }, expires_in: text, [text]: text }),
  (text) => ({ to: Array(50).fill(text), cc: Array(50).fill(`<${text}>`), tags: Array(10).fill(text) }),
  (text) => ({ html: "<p>", attachments: [{ [text]: text, filename: `${text}.txt`, content: "eA==" }, text] }),
  (text) => ({ headers: { [`X-${text}`]: `${text}=`, "X-B": `${text};` }, metadata: { a: text, [`${text}b`]: 1 } }),
];

test("a long run of any character in any field takes linear time", () => {
  let valid = 0;
  for (const field of FIELDS) {
    for (const filler of FILLERS) {
      const filled = field(`x${filler.repeat(LENGTH / filler.length)}x`);
      const body = { from: "a@sender.example", to: "b@b.example", subject: "s", text: "t", ...filled };
      const result = validateSendRequest(body, { recipientsMax: 50 });
      if (result.type === "invalid") {
        for (const { field, detail } of result.errors) assert.ok(field.length <= 100 && detail.length <= 200);
        continue;
      }
      valid += 1;
      assert.ok(compose(result.submission, STAMP).bytes.length > LENGTH);
    }
  }
  assert.ok(valid > FILLERS.length, `only ${valid} were valid`);
});

test("many addresses with runs of spaces inside take linear time", () => {
  // A regular expression for trailing spaces would take half a million steps for each: minutes in total.
  const address = `x${" x".repeat(10)}${" ".repeat(960)}x <a@b.example>`;
  const to = Array.from({ length: 9_900 }, () => address);
  const body = { from: "a@sender.example", to, cc: to, bcc: to, reply_to: address, subject: "s", text: "t" };
  for (let i = 0; i < 5; i += 1) assert.equal(validateSendRequest(body, { recipientsMax: 50 }).type, "valid");
});

test("arrays and objects with too many entries are rejected as a whole, with one error", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => `u${i}@b.example`);
  const named = Object.fromEntries(many.map((name) => [name, "x"]));
  const whole = { from: "a@sender.example", to: "b@b.example", subject: "s", text: "t" };
  for (const [name, part] of [
    ...["to", "cc", "bcc", "reply_to", "tags", "attachments"].map((list) => [list, many] as const),
    ...["headers", "metadata"].map((object) => [object, named] as const),
  ]) {
    const result = validateSendRequest({ ...whole, [name]: part }, { recipientsMax: 50 });
    assert.deepEqual(result, {
      type: "invalid",
      code: "invalid_request",
      errors: [{ field: name, detail: "This has more than 10000 entries." }],
    });
  }
  const result = validateSendRequest({ ...whole, ...named }, { recipientsMax: 50 });
  assert.deepEqual(result.type === "invalid" && result.errors.map(({ field }) => field), ["body"]);
  // One address ten thousand times is one recipient.
  assert.equal(
    validateSendRequest({ ...whole, to: Array(10_000).fill("b@b.example") }, { recipientsMax: 1 }).type,
    "valid",
  );
});
