/** Tags of Resend's API are metadata, and are searched by where their form allows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { validateResendRequest } from "../../../src/compat/resend/send-request.ts";
import { tagsOf } from "../../../src/compat/resend/tags.ts";

function validated(tags: unknown) {
  const body = { from: "a@shop.example", to: "b@b.example", subject: "s", text: "t", tags };
  return validateResendRequest(body, { recipientsMax: 50 });
}

function labelsOf(tags: unknown) {
  const result = validated(tags);
  assert.ok(result.type === "valid", JSON.stringify(result));
  const { metadata, tags: searched } = result.submission;
  return { metadata, searched };
}

function errorsOf(tags: unknown): string[] {
  const result = validated(tags);
  assert.ok(result.type === "invalid");
  return result.errors.map(({ field, detail }) => `${field}: ${detail}`);
}

const tag = (name: string, value: string) => ({ name, value });

test("each pair becomes an entry of the metadata and a tag", () => {
  assert.deepEqual(labelsOf([tag("category", "confirm_email"), tag("order-id", "1042")]), {
    metadata: { category: "confirm_email", "order-id": "1042" },
    searched: ["category:confirm_email", "order-id:1042"],
  });
  assert.deepEqual(labelsOf([]), { metadata: undefined, searched: undefined });
  assert.deepEqual(tagsOf({ category: "confirm_email" }), [tag("category", "confirm_email")]);
});

test("a pair that is too long for a tag, or of another form, is metadata alone, and so are those after the tenth", () => {
  const long = "x".repeat(200);
  assert.deepEqual(labelsOf([tag("a", long), tag("b:c", "d"), tag("e", ""), tag("__proto__", "é"), tag("f", "1")]), {
    metadata: Object.fromEntries([
      ["a", long],
      ["b:c", "d"],
      ["e", ""],
      ["__proto__", "é"],
      ["f", "1"],
    ]),
    searched: ["f:1"],
  });
  const many = Array.from({ length: 50 }, (_, i) => tag(`n${i}`, "v"));
  const { metadata = {}, searched = [] } = labelsOf(many);
  assert.deepEqual([Object.keys(metadata).length, searched.length], [50, 10]);
});

test("errors name the tag", () => {
  const pair = "This must be an object with the strings name and value.";
  assert.deepEqual(errorsOf("category"), ["tags: This must be an array of objects with the strings name and value."]);
  assert.deepEqual(
    errorsOf(["category", tag("a", "b"), { name: "a" }, { ...tag("c", "d"), e: 1 }, null, tag("a", "c")]),
    [
      `tags[0]: ${pair}`,
      `tags[2]: ${pair}`,
      `tags[3]: ${pair}`,
      `tags[4]: ${pair}`,
      "tags[5]: Another tag has this name.",
    ],
  );
  assert.deepEqual(errorsOf([tag("a", "b"), tag("x".repeat(41), "v"), tag("7", "x".repeat(501)), tag("\ud800", "v")]), [
    "tags[1]: This name is empty or too long.",
    "tags[2]: This is longer than 500 characters.",
    "tags[3]: This contains an unpaired surrogate, which is not a character.",
  ]);
  const many = Array.from({ length: 51 }, (_, i) => tag(`n${i}`, "v"));
  assert.deepEqual(errorsOf(many), ["tags: This has more than 50 entries."]);
});
