/** Searches in small ranges: they find the same as a search in one range, a step reads little, and a page is limited in bytes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { FIND_LIMITS, MessageFinder } from "../../../../../src/spool/engine/sqlite/reports/message-search.ts";
import type { FoundMessages, MessageFilter } from "../../../../../src/spool/port/reports.ts";
import { fillLargeSpool } from "../../../../support/dashboard/large-spool.ts";
import { runSteps } from "../../../../support/run-steps.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const MESSAGES = 3000;
const ACCOUNT = "acc_default";

const ASKED: Omit<MessageFilter, "accountId" | "limit">[] = [
  {},
  { subject: "99 is" },
  { keyId: "key_app", subject: "7" },
  { result: "delivered", subject: "1" },
  { result: "failed" },
  { result: "failed", subject: "3" },
  { result: "unknown", subject: "3" },
  { result: "pending" },
  { result: "pending", subject: "2" },
  { recipient: "r12" },
  { recipient: "r1", subject: "2" },
  { recipient: "@post.example", result: "failed" },
  { recipient: "1", result: "pending" },
  { recipient: "CUSTOMER77@" },
  { recipient: "customer77@post" },
  { recipientIs: "Customer5@post.example" },
  { text: "R 12" },
  { text: "customer29" },
  { text: "er", result: "failed" },
  { messageId: "<77@shop.example>" },
];

/** Reads all pages. Returns them and the ids of their messages. */
function everyPage(finder: MessageFinder, asked: (typeof ASKED)[number]): { ids: string[]; pages: FoundMessages[] } {
  const pages: FoundMessages[] = [];
  let cursor: string | null = null;
  do {
    const filter = { accountId: ACCOUNT, limit: 20, ...asked, ...(cursor === null ? {} : { cursor }) };
    const page: FoundMessages = runSteps(finder.find(filter)).value;
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== null);
  return { ids: pages.flatMap(({ messages }) => messages.map(({ id }) => id)), pages };
}

/** Reads all pages from a message on towards the newest. Returns the ids of their messages, the newest first. */
function everyNewer(finder: MessageFinder, asked: (typeof ASKED)[number], first: string): string[] {
  const ids: string[] = [];
  for (let after: string | null = first; after !== null; ) {
    const page: FoundMessages = runSteps(finder.find({ accountId: ACCOUNT, limit: 20, ...asked, after })).value;
    ids.unshift(...page.messages.map(({ id }) => id));
    after = page.cursor;
  }
  return ids;
}

test("searches in steps", async (t) => {
  const dataDir = tempDir(t);
  await fillLargeSpool(dataDir, MESSAGES);
  const db = new Sqlite(join(dataDir, "postrider.db"));
  t.after(() => db.close());
  const whole = new MessageFinder(db, { ...FIND_LIMITS, rangeRows: 1_000_000 });
  const small = new MessageFinder(db, { ...FIND_LIMITS, rangeRows: 50, rangesMax: 3 });

  await t.test("find the same messages in the same order as a search in one step", () => {
    for (const asked of ASKED) {
      const { ids } = everyPage(whole, asked);
      assert.ok(ids.length > 0, JSON.stringify(asked));
      assert.deepEqual(everyPage(small, asked).ids, ids, JSON.stringify(asked));
    }
  });

  await t.test("find them in the other direction too", () => {
    const oldest = `msg_${"1".padStart(24, "0")}`;
    for (const asked of ASKED) {
      const expected = everyPage(whole, asked).ids.filter((id) => id !== oldest);
      assert.deepEqual(everyNewer(whole, asked, oldest), expected, JSON.stringify(asked));
      assert.deepEqual(everyNewer(small, asked, oldest), expected, JSON.stringify(asked));
    }
  });

  await t.test("count them, or say that the count ended early", () => {
    for (const asked of ASKED) {
      const { ids } = everyPage(whole, asked);
      const counted = runSteps(whole.count({ accountId: ACCOUNT, ...asked })).value;
      assert.deepEqual(counted, { messages: ids.length, isExact: true, newest: ids[0] }, JSON.stringify(asked));
    }
    const { messages, isExact } = runSteps(small.count({ accountId: ACCOUNT, subject: "1" })).value;
    assert.ok(messages > 0 && messages < 150 && !isExact, `${messages}`);
  });

  await t.test("read an index that is not in the order of time in one step per range", () => {
    const ranges = MESSAGES / 50;
    const { count } = runSteps(small.find({ accountId: ACCOUNT, recipient: "nobody", limit: 20 }));
    assert.ok(count >= ranges - 1 && count <= ranges + 1, `${count} steps`);
  });

  await t.test("end after a number of ranges without a match, with a cursor to continue", () => {
    const tiny = new MessageFinder(db, { ...FIND_LIMITS, rangeRows: 20, rangesMax: 3 });
    for (const asked of [{ subject: "none" }, { result: "failed", subject: "none" }] as const) {
      const { value, count } = runSteps(tiny.find({ accountId: ACCOUNT, limit: 20, ...asked }));
      assert.equal(count, 3, JSON.stringify(asked));
      assert.equal(value.messages.length, 0);
      assert.ok(value.cursor !== null && value.searchedBackToMs !== null);
      assert.equal(everyPage(tiny, asked).ids.length, 0);
    }
  });

  await t.test("end a page early if its messages are large, and cut long texts of old messages", () => {
    const long = `é${"x".repeat(3_000_000)}`;
    db.prepare("UPDATE messages SET subject = ? WHERE seq > ?").run(long, MESSAGES - 30);
    const finder = new MessageFinder(db, { ...FIND_LIMITS, pageBytesMax: 20_000 });
    const { ids, pages } = everyPage(finder, {});
    assert.equal(new Set(ids).size, MESSAGES);
    for (const { messages } of pages) {
      assert.ok(messages.length === 1 || Buffer.byteLength(JSON.stringify(messages)) <= 20_000 + messages.length + 1);
    }
    const first = pages[0]?.messages ?? [];
    assert.ok(first.length > 1 && first.length < 20, `${first.length} messages`);
    assert.equal(first[0]?.subject, `é${"x".repeat(996)}…`);
  });

  await t.test("show at least one message on a page", () => {
    const finder = new MessageFinder(db, { ...FIND_LIMITS, pageBytesMax: 1 });
    const { messages, cursor } = runSteps(finder.find({ accountId: ACCOUNT, limit: 20 })).value;
    assert.equal(messages.length, 1);
    assert.equal(cursor, messages[0]?.id);
  });
});
