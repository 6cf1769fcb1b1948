/** Where a page of found messages ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FoundMessage } from "../../../src/spool/port/reports.ts";
import { FoundPage } from "../../../src/spool/records/found-page.ts";

const found = (id: string): FoundMessage => ({
  id,
  createdAtMs: 1,
  from: "a@b.example",
  subject: "Hello",
  messageId: "<m@b.example>",
  keyId: "key_a",
  tags: [],
  test: false,
  recipients: 1,
  to: "c@d.example",
  results: { pending: 0, delivered: 1, failed: 0, unknown: 0 },
  categories: [],
});
const BYTES = Buffer.byteLength(JSON.stringify(found("a")));
const END = { id: "end", atMs: 7 };

const pageOf = (ids: string[], bytesMax: number): FoundPage<FoundMessage> => {
  const page = new FoundPage<FoundMessage>({ bytesMax });
  for (const id of ids) if (!page.add(found(id))) break;
  return page;
};

test("a page ends with the last message that fits, and has one at least", () => {
  for (const [bytesMax, shown] of [
    [1, 1],
    [2 * BYTES, 2],
    [3 * BYTES, 3],
  ] as const) {
    const { messages, cursor, searchedBackToMs } = pageOf(["a", "b", "c"], bytesMax).end(false, END);
    assert.deepEqual(
      messages.map(({ id }) => id),
      ["a", "b", "c"].slice(0, shown),
    );
    assert.deepEqual([cursor, searchedBackToMs], shown === 3 ? ["end", 7] : [messages.at(-1)?.id, null]);
  }
});

test("the cursor is the last message if there are more, else where the search ended early", () => {
  const page = pageOf(["a", "b"], 1e6);
  assert.deepEqual(
    [page.end(true, END).cursor, page.end(true, null).cursor, page.end(false, null).cursor],
    ["b", "b", null],
  );
  assert.deepEqual(new FoundPage().end(true, END), { messages: [], cursor: "end", searchedBackToMs: 7 });
});

test("a search that finds the oldest first shows the newest first, and goes on after the newest", () => {
  const page = new FoundPage<FoundMessage>({ isNewer: true });
  for (const id of ["a", "b"]) page.add(found(id));
  const { messages, cursor } = page.end(true, END);
  assert.deepEqual([messages.map(({ id }) => id), cursor], [["b", "a"], "b"]);
  assert.equal(page.end(false, END).cursor, "end");
});
