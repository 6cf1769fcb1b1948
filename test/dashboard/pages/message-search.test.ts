/** A search as a query string: what it selects, where the list begins, and links to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFirst, readSearch, searchQuery } from "../../../src/dashboard/pages/message-search.ts";

const ID = `msg_${"a".repeat(24)}`;

test("the search box is looked up where its form or its place says, with the other fields", () => {
  assert.deepEqual(readSearch({ q: " ann@a " }).filter, { recipient: "ann@a" });
  assert.deepEqual(readSearch({ q: "hello", result: "failed", kind: "test" }).filter, {
    text: "hello",
    result: "failed",
    test: true,
  });
  assert.deepEqual(readSearch({ q: "hello", in: "subject", subject: "other" }).filter, { subject: "hello" });
  assert.deepEqual(readSearch({ q: "hello", in: "tag", tag: "other", from: "a@b.example" }).filter, {
    tag: "hello",
    from: "a@b.example",
  });
  assert.deepEqual(readSearch({ q: "a@b", in: "sender", from: "c@d" }).filter, { from: "a@b" });
  assert.deepEqual(readSearch({ q: "hello", subject: "your", tag: "x", key: "key_1", domain: "shop.example" }).filter, {
    text: "hello",
    subject: "your",
    tag: "x",
    keyId: "key_1",
    senderDomains: ["shop.example"],
  });
});

test("a message id is recognized, also one that no message can have", () => {
  assert.equal(readSearch({ q: ID }).id, ID);
  assert.equal(readSearch({ q: "msg_a" }).id, "msg_");
  assert.equal(readSearch({ q: "msg_a", in: "subject" }).id, null);
});

test("values that mean nothing select nothing and appear in no link", () => {
  const search = readSearch({ result: "lost", category: "x", kind: "y", in: "z", since: "soon", until: ["a"], q: "" });
  assert.deepEqual([search.filter, search.narrowed, `${searchQuery(search)}`], [{}, false, ""]);
});

test("a link to a search selects the same, with or without a position", () => {
  const query = { q: "hello", in: "tag", result: "failed", since: "2026-03-14T09:05" };
  const search = readSearch({ ...query, before: ID });
  assert.deepEqual(search.position, { cursor: ID });
  assert.deepEqual(Object.fromEntries(searchQuery(search)), query);
  const linked = readSearch(Object.fromEntries(searchQuery(search, { after: ID })));
  assert.deepEqual([linked.filter, linked.position], [search.filter, { after: ID }]);
  assert.ok(isFirst(readSearch(query)) && !isFirst(search) && !isFirst(linked));
});

test("times are UTC, in the format of their fields", () => {
  const { fields, filter } = readSearch({ since: "2026-03-14T09:05:07.5Z", until: "2026-03-14T10:05:00+01:00" });
  assert.deepEqual([fields.since, fields.until], ["2026-03-14T09:05:07", "2026-03-14T09:05"]);
  assert.deepEqual(filter, { sinceMs: Date.UTC(2026, 2, 14, 9, 5, 7), untilMs: Date.UTC(2026, 2, 14, 9, 5) });
});
