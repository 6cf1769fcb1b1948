/** What a text in the search box means, by its form or in a named place. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type QueryFilter, queryOf, type SearchPlace } from "../../../src/app/send/message-query.ts";
import { messageIdToken } from "../../../src/message/ids.ts";

const filterOf = (text: string, place: SearchPlace | null = null): QueryFilter => {
  const query = queryOf(text, place);
  return query.type === "filter" ? query.filter : assert.fail(query.id);
};

test("a text is looked for where its form belongs", () => {
  const made = `${messageIdToken(Date.UTC(2026, 0), randomBytes)}@shop.example`;
  const meanings: [string, QueryFilter][] = [
    ["", {}],
    ["ann@a", { recipient: "ann@a" }],
    ["@a.example", { recipient: "@a.example" }],
    ["<x.1@a.example>", { messageId: "<x.1@a.example>" }],
    ["Message-ID: <x.1@a.example>", { messageId: "<x.1@a.example>" }],
    [made, { messageId: `<${made}>` }],
    [`${"a".repeat(24)}@a.example`, { recipient: `${"a".repeat(24)}@a.example` }],
    ["order 4242", { text: "order 4242" }],
    ["lunch @ 5", { text: "lunch @ 5" }],
    ["<b>", { messageId: "<b>" }],
  ];
  for (const [text, filter] of meanings) assert.deepEqual(filterOf(text), filter, text);
  assert.deepEqual(queryOf("msg_1", null), { type: "id", id: "msg_1" });
});

test("a named place is searched whatever the form", () => {
  assert.deepEqual(filterOf("msg_1", "subject"), { subject: "msg_1" });
  assert.deepEqual(filterOf("a@b", "sender"), { from: "a@b" });
  assert.deepEqual(filterOf("a@b", "tag"), { tag: "a@b" });
  assert.deepEqual(filterOf("welcome", "recipient"), { recipient: "welcome" });
  assert.deepEqual(filterOf("x@a.example", "message_id"), { messageId: "<x@a.example>" });
  assert.deepEqual(filterOf("message-id: <x@a.example>", "message_id"), { messageId: "<x@a.example>" });
});
