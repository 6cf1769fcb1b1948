/** What follows the commit of an operation, and retries of quarantined messages. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  type OperationParts,
  quarantineOperations,
  queueOperations,
} from "../../../../../src/spool/engine/postgres/decide/operations.ts";
import { addToQuarantine, isQuarantined } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../../../src/spool/port/delivery-pause.ts";
import { MessageDamaged } from "../../../../../src/spool/port/errors.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
const FAILED_STEP = {
  ...{ accountId: "acc_default", nowMs: LATER_MS, expiresAtMs: LATER_MS + HOUR_MS },
  ...{ limit: 10, after: null, dryRun: false },
};

describe("operations in the queue", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext, ...recipients: StoredRecipient[]) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const message = await mail.add({ createdAtMs: NOW_MS, recipients });
    const notes: unknown[] = [];
    const parts: OperationParts = {
      onDue: (dueMs) => notes.push(["due", dueMs]),
      onEvents: (accountIds) => notes.push(["events", ...accountIds]),
      onChanged: (messageId) => notes.push(["changed", messageId]),
      activity: {
        retried: ({ result, countedAtMs }) => notes.push(["retried", result, countedAtMs]),
        decided: (_, atMs, result) => notes.push(["decided", result, atMs]),
      },
    };
    const operations = queueOperations(nodes[0], { longCalls: nodes[0], ...parts });
    const quarantine = async () => {
      await client.query("UPDATE contents SET crc32 = crc32 + 1");
      await addToQuarantine(nodes[0], [{ seq: message.seq, part: "content", error: new Error("damaged") }], NOW_MS);
    };
    const mend = () => client.query("UPDATE contents SET crc32 = crc32 - 1");
    const retry = { accountId: "acc_default", messageId: message.id, nowMs: LATER_MS };
    return { nodes, client, message, notes, parts, operations, quarantine, mend, retry };
  };

  it("announce a retry of a message, and no retry of another account's", async (t) => {
    const { operations, notes, retry } = await open(t, { state: "unknown", atMs: NOW_MS + 7 });
    assert.equal(await operations.retry({ ...retry, accountId: "acc_other" }), 0);
    assert.equal(await operations.retry({ ...retry, messageId: "msg_\0" }), 0);
    assert.deepEqual(notes, []);
    assert.equal(await operations.retry(retry), 1);
    assert.deepEqual(notes, [
      ["events", "acc_default"],
      ["retried", "unknown", NOW_MS + 7],
      ["due", LATER_MS],
    ]);
  });

  it("announce retried failed recipients, but no dry run", async (t) => {
    const { operations, notes } = await open(t, { state: "failed", atMs: NOW_MS + 7 });
    assert.equal((await operations.retryFailed({ ...FAILED_STEP, dryRun: true })).recipients.length, 1);
    assert.deepEqual(notes, []);
    await operations.retryFailed(FAILED_STEP);
    assert.deepEqual(notes, [
      ["events", "acc_default"],
      ["retried", "failed", NOW_MS + 7],
      ["due", LATER_MS],
    ]);
  });

  it("announce what became due earlier, and that without an event", async (t) => {
    const { operations, notes } = await open(t, { state: "pending", dueMs: LATER_MS + HOUR_MS });
    const request = { accountId: "acc_default", domain: "a.example", nowMs: LATER_MS, limit: 10 };
    assert.equal(await operations.retryDomain(request), 1);
    assert.equal(await operations.retryDomain(request), 0);
    const step = { nowMs: NOW_MS, longestMs: [0, 60_000], after: null, limit: 10 };
    assert.deepEqual(await operations.shortenWaits(step), { recipients: 1, next: null });
    assert.deepEqual(notes, [
      ["due", LATER_MS],
      ["due", NOW_MS + 60_000],
    ]);
  });

  it("announce the end of a pause", async (t) => {
    const { operations, notes, client } = await open(t, { state: "pending" });
    assert.equal(await operations.resumeDelivery({ nowMs: LATER_MS, waiting: "hold" }), null);
    await client.query("INSERT INTO key_values VALUES ($1, $2)", [PAUSE_ENTRY, UNREADABLE_PAUSE]);
    await operations.resumeDelivery({ nowMs: LATER_MS, waiting: "hold" });
    assert.deepEqual(notes, [
      ["events", "acc_default"],
      ["due", LATER_MS],
    ]);
  });

  it("release a quarantined message that can be read again, and reject while it cannot", async (t) => {
    const { nodes, operations, quarantine, mend, message, retry } = await open(t, { state: "pending" });
    await quarantine();
    await assert.rejects(operations.retry(retry), MessageDamaged);
    assert.equal(await isQuarantined(nodes[0], message.seq), true);
    await mend();
    assert.equal(await operations.retry(retry), 1);
    assert.equal(await isQuarantined(nodes[0], message.seq), false);
  });

  it("retry failed recipients of a quarantined message once it can be read again", async (t) => {
    const { operations, quarantine, mend, message } = await open(t, { state: "failed" });
    await quarantine();
    const step = { ...FAILED_STEP, messageId: message.id };
    assert.deepEqual((await operations.retryFailed(step)).unreadable, 1);
    await mend();
    assert.equal((await operations.retryFailed(FAILED_STEP)).unreadable, 1, "only if the message is named");
    assert.equal((await operations.retryFailed(step)).recipients.length, 1);
  });

  it("announce what a recheck has released", async (t) => {
    const { nodes, parts, quarantine, mend, message } = await open(t, { state: "pending" });
    const due: number[] = [];
    const { quarantined, recheckQuarantined } = quarantineOperations(nodes[0], {
      ...parts,
      onDue: (dueMs) => due.push(dueMs),
    });
    const step = { after: 0, limit: 10, bytesMax: 1000, nowMs: LATER_MS, result: "unknown" } as const;
    await quarantine();
    assert.deepEqual([(await recheckQuarantined(step)).released, due], [[], []]);
    await mend();
    assert.equal((await quarantined(10)).messages[0]?.messageId, message.id);
    assert.deepEqual([(await recheckQuarantined(step)).released, due], [[message.id], [LATER_MS]]);
    assert.equal((await quarantined(10)).count, 0);
  });
});
