import assert from "node:assert/strict";
import { test } from "node:test";
import { iterate } from "../../../clients/typescript/src/pages.ts";

interface Page {
  items: string[];
  next: string | null;
}

async function read(pages: Page[], options: { isFollowed?: boolean; first?: string; max?: number } = {}) {
  const asked: (string | undefined)[] = [];
  const stored: (string | null)[] = [];
  const found: string[] = [];
  const next = (cursor: string | undefined): Promise<Page> => {
    asked.push(cursor);
    return Promise.resolve(pages.shift() ?? assert.fail("no more pages"));
  };
  for await (const item of iterate(next, {
    first: options.first,
    isFollowed: options.isFollowed ?? false,
    itemsOf: ({ items }) => items,
    nextOf: ({ next }) => next,
    onPage: (cursor) => void stored.push(cursor),
  })) {
    found.push(item);
    if (found.length === options.max) break;
  }
  return { asked, stored, found };
}

test("ends without a next cursor; a page may be empty although more follow", async () => {
  const pages = [
    { items: ["a"], next: "1" },
    { items: [], next: "2" },
    { items: ["b", "c"], next: null },
  ];
  assert.deepEqual(await read(pages), {
    asked: [undefined, "1", "2"],
    stored: ["1", "2", null],
    found: ["a", "b", "c"],
  });
});

test("a list whose cursor never ends is over where a page is empty and the cursor stays", async () => {
  const pages = [
    { items: ["a"], next: "2" },
    { items: [], next: "2" },
  ];
  assert.deepEqual(await read(pages, { first: "1" }), { asked: ["1", "2"], stored: ["2", "2"], found: ["a"] });
});

test("a list that is followed goes on, and reports no page that was not consumed", async () => {
  const pages = [
    { items: [], next: "1" },
    { items: [], next: "1" },
    { items: ["a", "b"], next: "3" },
  ];
  assert.deepEqual(await read(pages, { first: "1", isFollowed: true, max: 1 }), {
    asked: ["1", "1", "1"],
    stored: ["1", "1"],
    found: ["a"],
  });
});
