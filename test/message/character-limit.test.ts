/** Length limits: characters are code points, every string of a request has a limit, and a too long string is not examined. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongerThan } from "../../src/message/character-limit.ts";
import { sendRequestSchema } from "../../src/message/send-request/send-request-schema.ts";
import { validateSendRequest } from "../../src/message/send-request/send-request-validation.ts";

const ADDRESS = "b@b.example";
const REQUEST = { from: ADDRESS, to: ADDRESS, subject: "s", html: "<p>", text: "t" };

/** The errors as [field, detail]. */
function errorsOf(change: object): [string, string][] {
  const read = validateSendRequest({ ...REQUEST, ...change }, { recipientsMax: 50 });
  return read.type === "valid" ? [] : read.errors.map(({ field, detail }) => [field, detail]);
}

test("a character is a code point", () => {
  for (const character of ["x", "é", "😀", "\ud800", "\udc00"]) {
    for (const max of [0, 1, 2, 7]) {
      assert.equal(isLongerThan(character.repeat(max), max), false);
      assert.equal(isLongerThan(character.repeat(max + 1), max), true, `${character} ${max}`);
    }
  }
  assert.equal(isLongerThan("😀x😀", 3), false);
  assert.equal(isLongerThan("😀x😀", 2), true);
});

interface Node {
  type?: string | string[];
  maxLength?: number;
  maxItems?: number;
  items?: Node;
  properties?: Record<string, Node>;
  propertyNames?: Node;
  additionalProperties?: Node | false;
}

/** Paths of strings, names and arrays without a limit. */
function unlimited({ type = [], ...node }: Node, path: string): string[] {
  const { properties = {}, items, propertyNames, additionalProperties } = node;
  const types = [type].flat();
  const below = {
    ...properties,
    ...(items && { "[]": items }),
    ...(additionalProperties && { "*": additionalProperties }),
  };
  return [
    ...(types.includes("string") && node.maxLength === undefined ? [path] : []),
    ...(types.includes("array") && node.maxItems === undefined ? [path] : []),
    ...(additionalProperties && propertyNames?.maxLength === undefined ? [path] : []),
    ...Object.entries(below).flatMap(([name, inner]) => unlimited(inner, `${path}.${name}`)),
  ];
}

test("every string, name and array of the schema has a limit", () => {
  assert.deepEqual(unlimited(sendRequestSchema as unknown as Node, "body"), []);
});

/** A request with this text in a field, the field's name in errors, and its limit. */
type LimitedField = [change: (text: string) => object, field: string, max: number];

const FILE = { filename: "a.txt", content: "" };
const LIMITED_FIELDS: LimitedField[] = [
  [(subject) => ({ subject }), "subject", 998],
  [(from) => ({ from }), "from", 1000],
  [(to) => ({ to }), "to", 1000],
  [(to) => ({ to: [ADDRESS, to] }), "to[1]", 1000],
  [(cc) => ({ cc }), "cc", 1000],
  [(bcc) => ({ bcc: [bcc] }), "bcc[0]", 1000],
  [(reply_to) => ({ reply_to }), "reply_to", 1000],
  [(expires_in) => ({ expires_in }), "expires_in", 20],
  [(tag) => ({ tags: [tag] }), "tags[0]", 128],
  [(text) => ({ metadata: { a: text } }), "metadata.a", 500],
  [(text) => ({ headers: { "X-A": text } }), "headers.X-A", 4000],
  [(filename) => ({ attachments: [{ ...FILE, filename }] }), "attachments[0].filename", 255],
  [(content_type) => ({ attachments: [{ ...FILE, content_type }] }), "attachments[0].content_type", 255],
  [(content_id) => ({ attachments: [{ ...FILE, content_id }] }), "attachments[0].content_id", 128],
];

test("a string that is too long has only this error", () => {
  for (const [change, field, max] of LIMITED_FIELDS) {
    const tooLong = [field, `This is longer than ${max} characters.`];
    for (const text of ["\n".repeat(max + 1), "\0".repeat(5000), `${"😀".repeat(max)}\ud800`])
      assert.deepEqual(errorsOf(change(text)), [tooLong], field);
    for (const [, detail] of errorsOf(change("\n".repeat(max)))) assert.doesNotMatch(detail, /longer than/, field);
  }
});

test("a name that is too long has only this error", () => {
  for (const name of ["\n".repeat(100), "\ud800".repeat(100)]) {
    for (const field of ["headers", "metadata"]) {
      const details = errorsOf({ [field]: { [name]: "x" } }).map(([, detail]) => detail);
      assert.deepEqual(details, ["This name is empty or too long."], field);
    }
  }
});

test("a subject of 998 characters and an address of 1000 are accepted, whatever their bytes", () => {
  assert.deepEqual(errorsOf({ subject: "😀".repeat(998) }), []);
  const named = (length: number) => `${"😀".repeat(length - " <b@b.example>".length)} <b@b.example>`;
  assert.deepEqual(errorsOf({ from: named(1000), to: [named(1000)], cc: named(1000) }), []);
  assert.deepEqual(errorsOf({ from: named(1001) }), [["from", "This is longer than 1000 characters."]]);
});

test("all errors of an attachment are reported together", () => {
  const attachments = [{ filename: "x".repeat(256), content: "not base64!", content_type: "pdf" }];
  const fields = errorsOf({ attachments }).map(([field]) => field);
  assert.deepEqual(
    fields.toSorted(),
    ["content", "content_type", "filename"].map((name) => `attachments[0].${name}`),
  );
});
