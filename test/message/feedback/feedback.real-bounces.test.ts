/**
 * Bounces that Debian's Postfix, Exim, Sendmail, Courier and OpenSMTPD have made for a table of causes, some with the texts of their
 * administrator in another language. expected.txt has what each means, and was checked against the replies that caused them.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Feedback, readFeedback } from "../../../src/message/feedback/feedback.ts";

const DIR = new URL("./bounces/", import.meta.url);
const EXPECTED = readFileSync(new URL("expected.txt", DIR), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

function shown(feedback: Feedback): string {
  if (feedback.type === "complained" || feedback.type === "delivered") return feedback.type;
  if (feedback.type === "ignored") return feedback.because;
  return feedback.bounces
    .map(({ recipient, status, category, permanent, blamesAddress }) =>
      [recipient, status, category, permanent ? "permanent" : "temporary", blamesAddress ? "blamed" : "-"].join(" "),
    )
    .join("; ");
}

test("every bounce has an expectation", () => {
  const files = readdirSync(DIR, { recursive: true }).filter((name) => String(name).endsWith(".eml"));
  assert.equal(files.length, EXPECTED.length);
});

for (const line of EXPECTED) {
  const [name = "", ...expected] = line.split(" ");
  test(name, () => {
    const raw = readFileSync(new URL(`${name}.eml`, DIR), "latin1");
    for (const content of [raw, raw.replaceAll("\n", "\r\n")]) {
      const feedback = readFeedback(Buffer.from(content, "latin1"));
      assert.equal(shown(feedback), expected.join(" "));
      if (feedback.type === "bounced") assert.match(feedback.original.messageId ?? "", /^<order-.*@shop\.example>$/);
    }
  });
}

/** Without what is made for programs: the fields of RFC 3464, and Exim's. */
const withoutFields = (raw: string): string =>
  raw
    .replace(/^Content-Type: message\/delivery-status[\s\S]*?\n(?=--)/im, "Content-Type: application/x-cut\n\nx\n")
    .replace(/^X-Failed-Recipients:.*\n/m, "");

const essence = (feedback: Feedback): unknown =>
  feedback.type === "bounced"
    ? feedback.bounces.map(({ recipient, permanent, blamesAddress }) => ({ recipient, permanent, blamesAddress }))
    : feedback;

test("the text for people alone leads to the same recipient, permanence and blame", () => {
  for (const line of EXPECTED) {
    const name = line.split(" ", 1)[0] ?? "";
    const raw = readFileSync(new URL(`${name}.eml`, DIR), "latin1");
    const cut = withoutFields(raw);
    assert.notEqual(cut, raw, name);
    const [whole, text] = [raw, cut].map((each) => essence(readFeedback(Buffer.from(each, "latin1"))));
    assert.deepEqual(text, whole, name);
  }
});
