/** The feed of events over several partitions, with history entries and rows that cannot be shown. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { type NewEvent, writeEvents } from "../../../../../src/spool/engine/postgres/mail/event-writer.ts";
import { eventReads, readEvent } from "../../../../../src/spool/engine/postgres/webhooks/event-reads.ts";
import type { EventPage, EventQuery } from "../../../../../src/spool/port/events.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { ALL, numbered } from "../../../port/conformance/webhook-suite.ts";

const DAY_MS = 86_400_000;
const ACCOUNT = "acc_default";
const QUERY: EventQuery = { accountId: ACCOUNT, afterNumber: null, filter: ALL, withDomains: true, limit: 100 };
const DELIVERED: StoredRecipient = { state: "delivered" };

interface Feed {
  node: Database;
  mail: StoredMail;
  write(...events: NewEvent[]): Promise<void>;
  page(parts?: Partial<EventQuery>): Promise<EventPage>;
}

async function feedOf(t: TestContext): Promise<Feed> {
  const [node] = (await twoNodes(t)).nodes;
  return {
    node,
    mail: new StoredMail(node),
    write: (...events) => node.transaction((session) => writeEvents(session, events)),
    async page(parts = {}) {
      const page = await eventReads(node).events({ ...QUERY, ...parts });
      assert.ok(page !== "expired");
      return page;
    },
  };
}

const ofRecipient = (seq: number, type: NewEvent["type"]): NewEvent => ({
  seq,
  accountId: ACCOUNT,
  atMs: 1,
  type,
  history: null,
  recipient: { position: 0, result: "delivered", reason: null, category: null, attempts: 1, smtp: null },
});

const shown = ({ events }: EventPage) => events.map(({ type, messageId, sequence }) => [type, messageId, sequence]);

describe("the feed of events", { skip: missingPostgresOrTime() }, () => {
  it("is in the order of numbers over all days, and counts each message's events on any page", async (t) => {
    const { mail, write, page } = await feedOf(t);
    const early = await mail.add({ createdAtMs: 3 * DAY_MS, recipients: [DELIVERED] });
    const late = await mail.add({ createdAtMs: 5 * DAY_MS, recipients: [DELIVERED, DELIVERED] });
    await write(ofRecipient(early.seq, "recipient.bounced"), ofRecipient(late.seq, "recipient.complained"));
    await write(ofRecipient(early.seq, "recipient.complained"));
    const expected = [
      ["message.accepted", early.id, 1],
      ["recipient.delivered", early.id, 2],
      ["message.accepted", late.id, 1],
      ["recipient.delivered", late.id, 2],
      ["recipient.delivered", late.id, 3],
      ["recipient.bounced", early.id, 3],
      ["recipient.complained", late.id, 4],
      ["recipient.complained", early.id, 4],
    ];
    for (const limit of [1, 2, 3, 5, 100]) {
      const found: unknown[] = [];
      for (let afterNumber: number | null = null, isEnd = false; !isEnd; ) {
        const read: EventPage = await page({ afterNumber, limit });
        assert.ok(read.events.length <= limit);
        found.push(...shown(read));
        [afterNumber, isEnd] = [read.throughNumber, read.isEnd];
      }
      assert.deepEqual(found, expected);
    }
    const complaints = await page({ filter: { ...ALL, types: ["recipient.complained"] } });
    assert.deepEqual(
      shown(complaints),
      expected.filter(([type]) => type === "recipient.complained"),
    );
  });

  it("passes over entries of histories, which have no event", async (t) => {
    const { node, mail, write, page } = await feedOf(t);
    const { seq, id } = await mail.add({ createdAtMs: DAY_MS, recipients: [DELIVERED] });
    await write(ofRecipient(seq, null));
    const { events, throughNumber, isEnd } = await page();
    assert.deepEqual([numbered(events), throughNumber, isEnd], [[1, 2], 3, true]);
    assert.deepEqual(await page({ afterNumber: 2 }), { events: [], throughNumber: 3, isEnd: true });
    await write(ofRecipient(seq, "recipient.bounced"));
    assert.deepEqual(shown(await page({ afterNumber: 2 })), [["recipient.bounced", id, 3]]);
    assert.equal(await readEvent(node, { accountId: ACCOUNT, number: 3 }), null);
    assert.equal((await readEvent(node, { accountId: ACCOUNT, number: 4 }))?.sequence, 3);
    assert.equal(await readEvent(node, { accountId: "acc_other", number: 4 }), null);
  });

  it("keeps events of domains apart from a message that has the same number", async (t) => {
    const { mail, write, page } = await feedOf(t);
    const { seq, id } = await mail.add({ createdAtMs: DAY_MS, tags: ["t"], recipients: [DELIVERED] });
    const verified = { seq, accountId: ACCOUNT, atMs: 1, type: "domain.verified", domain: "shop.example" } as const;
    await write({ ...verified, recipient: null, history: null });
    await write(ofRecipient(seq, "recipient.bounced"));
    const { events } = await page();
    const [, , domain, bounced] = events;
    const ofDomain = {
      messageId: null,
      keyId: null,
      sequence: null,
      recipient: null,
      tags: [],
      metadata: {},
      test: false,
    };
    assert.deepEqual(domain, {
      accountId: ACCOUNT,
      number: 3,
      id: domain?.id,
      atMs: 1,
      type: "domain.verified",
      orderKey: 0,
      domain: "shop.example",
      ...ofDomain,
    });
    assert.deepEqual([bounced?.messageId, bounced?.sequence, bounced?.orderKey, bounced?.tags], [id, 3, seq, ["t"]]);
    const types = ["message.accepted", "domain.verified", "recipient.bounced"] as const;
    const some = await page({ filter: { ...ALL, types } });
    assert.deepEqual(
      some.events.map(({ sequence }) => sequence),
      [1, null, 3],
    );
    const named = await page({ filter: { ...ALL, domains: ["shop.example"] } });
    assert.deepEqual(numbered(named.events), [3]);
    assert.deepEqual(numbered((await page({ withDomains: false })).events), [1, 2, 4]);
    assert.deepEqual(numbered((await page({ filter: { ...ALL, keys: ["key_a"] } })).events), [1, 2, 4]);
  });

  it("ends a page with the event that exceeds its text, and counts only events that are selected", async (t) => {
    const { mail, page } = await feedOf(t);
    const message = "x".repeat(60_000);
    const smtp = { code: 550, enhanced_code: null, message, mx: "mx.a.example", ip: null, tls: null };
    const recipients = Array.from({ length: 12 }, (): StoredRecipient => ({ state: "failed", smtp }));
    await mail.add({ createdAtMs: DAY_MS, recipients: [...recipients, DELIVERED] });
    const first = await page();
    assert.deepEqual([numbered(first.events), first.isEnd], [[1, 2, 3, 4, 5, 6], false]);
    assert.deepEqual(first.events[1]?.recipient?.smtp, smtp);
    const second = await page({ afterNumber: first.throughNumber });
    assert.deepEqual([numbered(second.events), second.isEnd], [[7, 8, 9, 10, 11], false]);
    const delivered = await page({ filter: { ...ALL, types: ["recipient.delivered"] } });
    assert.deepEqual([numbered(delivered.events), delivered.isEnd], [[14], true]);
  });

  it("leaves out events whose message or recipient is missing, and goes on", async (t) => {
    const { node, mail, page } = await feedOf(t);
    const seqs: number[] = [];
    for (let i = 0; i < 3; i += 1) seqs.push((await mail.add({ createdAtMs: DAY_MS, recipients: [DELIVERED] })).seq);
    await node.run(statement("DELETE FROM messages WHERE seq = $1"), [seqs[0]]);
    await node.run(statement("DELETE FROM recipients WHERE seq = $1"), [seqs[1]]);
    const { events, throughNumber, isEnd } = await page();
    assert.deepEqual([numbered(events), throughNumber, isEnd], [[3, 5, 6], 6, true]);
  });
});
