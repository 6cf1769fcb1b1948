/** A retry of one message beside attempts and other nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { retryMessage } from "../../../../../src/spool/engine/postgres/decide/retry-message.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { LEASE, MARK, StoredMail, type StoredMessage } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
const FILTER = { accountId: "acc_default", messageId: "", nowMs: LATER_MS };
const reply = { code: 451, enhanced_code: "4.7.1", message: "later", mx: "mx.a.example", ip: null, tls: null };

describe("a retried message", { skip: missingPostgresOrTime() }, () => {
  const stored = async (t: Parameters<typeof twoNodes>[0], message: Omit<StoredMessage, "createdAtMs">) => {
    const { nodes, client, meet } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const { seq } = await mail.add({ createdAtMs: NOW_MS, ...message });
    const retry = (node = nodes[0], email?: string) =>
      node.transaction((session) => retryMessage(session, seq, email === undefined ? FILTER : { ...FILTER, email }));
    return { nodes, client, meet, mail, seq, retry };
  };

  it("has its waiting recipients due, leased ones too, and leaves marked ones alone", async (t) => {
    const dueMs = LATER_MS + HOUR_MS;
    const states = ["pending", "leased", "marked", "delivered", "failed"] as const;
    const { mail, retry, seq } = await stored(t, { recipients: states.map((state) => ({ state, dueMs })) });
    assert.equal((await retry()).events.length, 2);
    const row = { seq, attempts: 1, owner: null, mark: null };
    assert.deepEqual(await mail.work(), [
      { ...row, position: 0, dueMs: LATER_MS },
      { ...row, position: 1, dueMs: LATER_MS, owner: LEASE.owner },
      { ...row, position: 2, dueMs, owner: LEASE.owner, mark: MARK },
    ]);
  });

  it("has its unknown recipients pending, without the lease of the former attempt", async (t) => {
    const recipient = { state: "unknown", atMs: NOW_MS + 5, attempts: 2, smtp: reply } as const;
    const { mail, retry, seq } = await stored(t, { recipients: [recipient] });
    assert.deepEqual((await retry()).unknownAtMs, [NOW_MS + 5]);
    assert.deepEqual(await mail.unknown(), []);
    const row = { seq, position: 0, dueMs: LATER_MS, attempts: 2, owner: null, mark: null };
    assert.deepEqual(await mail.work(), [row]);
    const event = (await mail.events(seq)).at(-1);
    assert.deepEqual(
      [event?.type, event?.result, event?.reason, event?.attempts, JSON.parse(event?.smtp ?? "")],
      ["recipient.deferred", "pending", "test", 2, reply],
    );
    assert.deepEqual(JSON.parse(event?.history ?? ""), {
      ...{ at_ms: LATER_MS, type: "retried", attempt: 2, reason: null, tries: [], next_attempt_at_ms: LATER_MS },
    });
  });

  it("can be one recipient alone", async (t) => {
    const { mail, retry } = await stored(t, { recipients: [{ state: "unknown" }, { state: "pending" }] });
    assert.equal((await retry(undefined, "user1@a.example")).events.length, 1);
    assert.equal((await retry(undefined, "user2@a.example\0")).events.length, 0);
    assert.equal((await mail.unknown()).length, 1);
  });

  it("loses a deadline that has passed, and its history says that no attempt followed", async (t) => {
    const recipients = [NOW_MS + 1, NOW_MS + 2].map((dueMs) => ({ state: "pending" as const, dueMs }));
    const { mail, retry, seq, client } = await stored(t, { deadlineMs: NOW_MS + 2, recipients });
    await retry();
    const entries = (await mail.events(seq)).slice(1).map(({ history }) => JSON.parse(history ?? ""));
    assert.deepEqual(
      entries.map(({ next_attempt_at_ms }) => next_attempt_at_ms),
      [NOW_MS + 1, null, LATER_MS, LATER_MS],
    );
    assert.deepEqual((await client.query("SELECT deadline_ms FROM messages")).rows, [{ deadline_ms: null }]);
  });

  it("keeps a deadline that is ahead", async (t) => {
    const recipients = [{ state: "pending" as const, dueMs: LATER_MS + 2 }];
    const { mail, retry, seq, client } = await stored(t, { deadlineMs: LATER_MS + 1, recipients });
    await retry();
    assert.equal(JSON.parse((await mail.events(seq))[1]?.history ?? "").next_attempt_at_ms, LATER_MS + 2);
    assert.deepEqual((await client.query("SELECT deadline_ms FROM messages")).rows, [
      { deadline_ms: String(LATER_MS + 1) },
    ]);
  });

  it("counts an unknown recipient once, although two nodes retry it at the same time", async (t) => {
    const { nodes, meet, mail, retry } = await stored(t, { recipients: [{ state: "unknown" }] });
    const lock = "SELECT * FROM messages FOR UPDATE";
    const retried = await meet(
      lock,
      nodes.map((node) => () => retry(node)),
    );
    assert.equal(retried.flatMap(({ unknownAtMs }) => unknownAtMs).length, 1);
    assert.equal((await mail.work()).length, 1);
  });

  it("does not wait for a transaction that claims or marks a recipient", async (t) => {
    const { mail, retry, client } = await stored(t, { recipients: [{ state: "leased" }, { state: "pending" }] });
    await client.query("BEGIN; UPDATE work SET mark = '{}' WHERE position = 0");
    assert.equal((await retry()).events.length, 1);
    await client.query("COMMIT");
    assert.deepEqual(
      (await mail.work()).map(({ dueMs }) => dueMs),
      [NOW_MS, LATER_MS],
    );
  });
});
