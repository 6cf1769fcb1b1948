/** Searches in small ranges and windows, compared with what is known about the messages. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import {
  countMessages,
  FIND_LIMITS,
  type FindLimits,
  findMessages,
} from "../../../../../src/spool/engine/postgres/reports/message-search.ts";
import { ReportQueue } from "../../../../../src/spool/engine/postgres/reports/report-queue.ts";
import type { FoundMessages, MessageFilter } from "../../../../../src/spool/port/reports.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { fillLargeMail, isSelected, type KnownMessage } from "../../../../support/postgres/large-mail.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";

type Asked = Omit<MessageFilter, "accountId" | "limit">;

const NOW_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const MESSAGES = 1500;
const DAYS = 25;
const ACCOUNT = "acc_default";

const ASKED: Asked[] = [
  {},
  { subject: "99 IS" },
  { keyId: "key_rare" },
  { keyId: "key_rare", subject: "7" },
  { keyId: "key_rare", category: "network" },
  { result: "delivered", subject: "1" },
  { result: "failed", category: "network" },
  { result: "failed" },
  { result: "failed", subject: "3" },
  { result: "failed", keyId: "key_rare" },
  { result: "unknown", category: "reputation" },
  { result: "pending" },
  { result: "pending", category: "reputation", subject: "2" },
  { category: "reputation" },
  { tag: "welcome" },
  { tag: "t42", result: "delivered" },
  { tag: "welcome", keyId: "key_rare", category: "network" },
  { recipient: "customer12" },
  { recipient: "CUSTOMER77@" },
  { recipient: "info@", result: "failed" },
  { recipient: "info@", result: "failed", category: "network", tag: "welcome" },
  { recipient: "@post.example", result: "pending" },
  { recipient: "@host7.example", subject: "5" },
  { recipientIs: "INFO@post.example" },
  { recipientIs: "info@post.example", keyId: "key_rare" },
  { recipientIs: "customer5@host5.example" },
  { sinceMs: NOW_MS - 9 * DAY_MS, untilMs: NOW_MS - 2 * DAY_MS },
  { untilMs: NOW_MS - 20 * DAY_MS, recipient: "info" },
  { text: "R 12" },
  { text: "INFO@" },
  { text: "Welcome", keyId: "key_rare" },
  { text: "customer", result: "failed", category: "network" },
];

const SMALL: FindLimits = { ...FIND_LIMITS, rangeRows: 30, rowsMax: 100 };

function finder(t: TestContext, url: string) {
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const queue = new ReportQueue(database);
  const find = (filter: Omit<MessageFilter, "accountId">, limits = FIND_LIMITS) =>
    queue.run(ACCOUNT, (read) => findMessages(read, { accountId: ACCOUNT, ...filter }, { nowMs: NOW_MS, limits }));
  const count = (filter: Asked, limits = FIND_LIMITS) =>
    queue.run(ACCOUNT, (read) => countMessages(read, { accountId: ACCOUNT, ...filter }, { nowMs: NOW_MS, limits }));
  return { database, find, count };
}

type Find = ReturnType<typeof finder>["find"];

async function everyPage(find: Find, asked: Asked, limits = FIND_LIMITS): Promise<FoundMessages[]> {
  const pages: FoundMessages[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: FoundMessages = await find({ limit: 20, ...asked, ...(cursor === "" ? {} : { cursor }) }, limits);
    pages.push(page);
    cursor = page.cursor;
  }
  return pages;
}

/** Reads all pages from a message on towards the newest. Returns the ids of their messages, the newest first. */
async function everyNewer(find: Find, asked: Asked & { after: string }, limits: FindLimits): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null = asked.after; after !== null; ) {
    const page: FoundMessages = await find({ limit: 20, ...asked, after }, limits);
    ids.unshift(...page.messages.map(({ id }) => id));
    after = page.cursor;
  }
  return ids;
}

const idsOf = (pages: FoundMessages[]): string[] => pages.flatMap(({ messages }) => messages.map(({ id }) => id));

describe("a search", { skip: missingPostgresOrTime() }, () => {
  it("finds the messages that the filter selects, each once, the newest first, however small its steps are", async (t) => {
    const { database, find, count } = finder(t, (await freshDatabase(t)).url);
    const known = await fillLargeMail(database, { messages: MESSAGES, days: DAYS, nowMs: NOW_MS });
    const oldest = known.findLast(({ accountId }) => accountId === ACCOUNT)?.id ?? "";
    const byId = new Map(known.map((message) => [message.id, message]));
    for (const asked of ASKED) {
      const expected = known.filter((message) => isSelected(message, { accountId: ACCOUNT, ...asked }));
      assert.ok(expected.length > 0, JSON.stringify(asked));
      for (const limits of [FIND_LIMITS, SMALL]) {
        const pages = await everyPage(find, asked, limits);
        assert.deepEqual(
          idsOf(pages),
          expected.map(({ id }) => id),
          JSON.stringify(asked),
        );
        checkPages(pages, asked, byId);
        const newer = expected.map(({ id }) => id).filter((id) => id !== oldest);
        assert.deepEqual(await everyNewer(find, { ...asked, after: oldest }, limits), newer, JSON.stringify(asked));
      }
      const counted = { messages: expected.length, isExact: true, newest: expected[0]?.id };
      assert.deepEqual(await count(asked), counted, JSON.stringify(asked));
    }
  });

  /** Cursors are messages of the filter's key, and pages that end early tell how far back. */
  function checkPages(pages: FoundMessages[], { keyId }: Asked, byId: ReadonlyMap<string, KnownMessage>): void {
    let before = Number.POSITIVE_INFINITY;
    for (const { messages, cursor, searchedBackToMs } of pages) {
      const last = byId.get(cursor ?? "");
      assert.equal(last === undefined, cursor === null);
      if (last === undefined) break;
      assert.equal(last.keyId, keyId ?? last.keyId);
      assert.ok(last.createdAtMs < before);
      before = last.createdAtMs;
      assert.ok(searchedBackToMs === null ? last.id === messages.at(-1)?.id : last.createdAtMs === searchedBackToMs);
    }
  }

  it("ends early after a number of rows without a match", async (t) => {
    const { database, find, count } = finder(t, (await freshDatabase(t)).url);
    const known = await fillLargeMail(database, { messages: 500, days: 10, nowMs: NOW_MS });
    const own = known.filter(({ accountId }) => accountId === ACCOUNT);
    const many = { ...SMALL, rowsMax: 90 };
    // A row costs more if recipients are read for it, and still more if their newest results are.
    const costs = [
      [{ subject: "none" }, 1],
      [{ category: "greylisted" }, 5],
      [{ recipient: "none" }, 3],
      [{ text: "none" }, 3],
    ] as const;
    for (const [asked, cost] of costs) {
      const limits = { ...SMALL, rowsMax: 90 * cost };
      const { messages, cursor, searchedBackToMs } = await find({ limit: 20, ...asked }, limits);
      const searched = own.findIndex(({ id }) => id === cursor) + 1;
      // Windows of a day or more, whose last step has fewer rows than the others.
      assert.ok(searched >= 90 && searched < 90 + SMALL.rangeRows, `${searched} searched`);
      assert.deepEqual([messages, searchedBackToMs], [[], own[searched - 1]?.createdAtMs]);
    }
    const { messages: counted, isExact } = await count({ subject: "1" }, many);
    assert.ok(counted > 0 && counted < 90 + SMALL.rangeRows && !isExact, `${counted} counted`);
    const pages = await everyPage(find, { recipient: "info@post", subject: "none" }, { ...SMALL, rowsMax: 30 });
    assert.ok(pages.length > 1 && pages.length < 5 && pages[0]?.searchedBackToMs !== null, `${pages.length} pages`);
  });

  it("shows what a list needs of each message", async (t) => {
    const { database, find } = finder(t, (await freshDatabase(t)).url);
    const recipients = [
      { state: "marked", category: "network" },
      { state: "failed", category: "reputation" },
      { state: "new" },
      { state: "unknown", category: "network" },
      { state: "delivered" },
    ] as const;
    const { id } = await new StoredMail(database).add({
      createdAtMs: NOW_MS,
      tags: ["a", "b"],
      recipients: [...recipients],
    });
    const { messages } = await find({ limit: 1 });
    assert.deepEqual(messages, [
      {
        id,
        createdAtMs: NOW_MS,
        from: "news@shop.example",
        subject: "Hello",
        messageId: "<m@shop.example>",
        keyId: "key_a",
        tags: ["a", "b"],
        test: false,
        recipients: 5,
        to: "user0@a.example",
        results: { pending: 2, failed: 1, unknown: 1, delivered: 1 },
        categories: ["network", "reputation"],
        obstacle: { email: "user1@a.example", reason: "test", category: "reputation", smtp: null },
      },
    ]);
  });

  it("ends a page early if its messages are large, shows one at least, and cuts long texts", async (t) => {
    const { url, connect } = await freshDatabase(t);
    const { database, find } = finder(t, url);
    await fillLargeMail(database, { messages: 60, days: 3, nowMs: NOW_MS });
    const all = idsOf(await everyPage(find, {}));
    const client = await connect();
    await client.query("UPDATE messages SET subject = $1", [`é${"x".repeat(300_000)}`]);
    const pages = await everyPage(find, {}, { ...FIND_LIMITS, pageBytesMax: 8000 });
    assert.deepEqual(idsOf(pages), all);
    for (const { messages } of pages) {
      assert.ok(messages.length > 0 && Buffer.byteLength(JSON.stringify(messages)) <= 8000 + messages.length + 1);
      assert.equal(messages[0]?.subject, `é${"x".repeat(996)}…`);
    }
    const { messages } = await find({ limit: 20 }, { ...FIND_LIMITS, pageBytesMax: 1 });
    assert.equal(messages.length, 1);
  });

  it("finds messages of days whose partitions were dropped", async (t) => {
    const { url, connect } = await freshDatabase(t);
    const { database, find } = finder(t, url);
    const known = await fillLargeMail(database, { messages: 100, days: 5, nowMs: NOW_MS });
    const own = known.filter(({ accountId }) => accountId === ACCOUNT);
    const client = await connect();
    const days = await client.query("SELECT day FROM partitions ORDER BY day LIMIT 2");
    for (const { day } of days.rows) {
      for (const table of ["messages", "message_tags", "contents", "recipients", "events"]) {
        await client.query(`ALTER TABLE ${table} DETACH PARTITION ${table}_${day}`);
        await client.query(`INSERT INTO ${table} SELECT * FROM ${table}_${day}; DROP TABLE ${table}_${day}`);
      }
      await client.query("UPDATE partitions SET dropped = true WHERE day = $1", [day]);
    }
    for (const asked of [{}, { recipient: "customer" }, { recipient: "Customer99@" }]) {
      const expected = own.filter((message) => isSelected(message, { accountId: ACCOUNT, ...asked }));
      assert.deepEqual(
        idsOf(await everyPage(find, asked, SMALL)),
        expected.map(({ id }) => id),
      );
    }
  });

  it("takes texts that PostgreSQL cannot store", async (t) => {
    const { find } = finder(t, (await freshDatabase(t)).url);
    for (const name of ["subject", "text", "messageId", "from", "tag", "recipient", "recipientIs", "keyId", "cursor"]) {
      assert.deepEqual((await find({ limit: 1, [name]: "a\0@b\ud800" })).messages, []);
    }
    assert.deepEqual((await find({ limit: 1, senderDomains: ["a\0", "b\ud800"] })).messages, []);
  });
});
