/** Retries beside other nodes and attempts, and what is counted and announced after them. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  type OperationParts,
  quarantineOperations,
  queueOperations,
} from "../../../../../src/spool/engine/postgres/decide/operations.ts";
import { retryFailed } from "../../../../../src/spool/engine/postgres/decide/retry-failed.ts";
import { retryMessage } from "../../../../../src/spool/engine/postgres/decide/retry-message.ts";
import { addToQuarantine } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../../../src/spool/port/delivery-pause.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { LEASE, MARK, StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
const FILTER = { accountId: "acc_default", messageId: "", nowMs: LATER_MS };
const STEP = {
  accountId: "acc_default",
  nowMs: LATER_MS,
  expiresAtMs: LATER_MS + HOUR_MS,
  limit: 10,
  after: null,
  dryRun: false,
};
const LOCK = "SELECT * FROM messages FOR UPDATE";

describe("a retry", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext, ...recipients: StoredRecipient[]) => {
    const { nodes, client, meet } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const { seq, id } = await mail.add({ createdAtMs: NOW_MS, recipients });
    const retry = (node = nodes[0]) => node.transaction((session) => retryMessage(session, seq, FILTER));
    const again = (node = nodes[0]) => node.transaction((session) => retryFailed(session, STEP, false));
    const notes: unknown[] = [];
    const parts: OperationParts = {
      onDue: (dueMs) => notes.push(["due", dueMs]),
      onEvents: (accountIds) => notes.push(["events", ...accountIds]),
      onChanged: (messageId) => notes.push(["changed", messageId]),
      activity: {
        retried: ({ result, countedAtMs }) => notes.push(["retried", result, countedAtMs]),
      },
    };
    const operations = queueOperations(nodes[0], { longCalls: nodes[0], ...parts });
    return { nodes, client, meet, mail, seq, id, retry, again, notes, parts, operations };
  };

  it("has waiting recipients due, leased ones too, and leaves marked ones alone", async (t) => {
    const dueMs = LATER_MS + HOUR_MS;
    const states = ["pending", "leased", "marked", "delivered", "failed"] as const;
    const { mail, retry, seq } = await open(t, ...states.map((state) => ({ state, dueMs })));
    assert.equal((await retry()).events.length, 2);
    const row = { seq, attempts: 1, owner: null, mark: null };
    assert.deepEqual(await mail.work(), [
      { ...row, position: 0, dueMs: LATER_MS },
      { ...row, position: 1, dueMs: LATER_MS, owner: LEASE.owner },
      { ...row, position: 2, dueMs, owner: LEASE.owner, mark: MARK },
    ]);
  });

  it("counts an unknown recipient once, although two nodes retry it at the same time", async (t) => {
    const { nodes, meet, mail, retry } = await open(t, { state: "unknown", atMs: NOW_MS + 5 });
    const calls = nodes.map((node) => () => retry(node));
    const retried = (await meet(LOCK, calls)).flatMap(({ unknownAtMs }) => unknownAtMs);
    assert.deepEqual(retried, [NOW_MS + 5]);
    assert.equal((await mail.work()).length, 1);
  });

  it("counts a failed recipient once, although two nodes retry it at the same time", async (t) => {
    const { nodes, meet, mail, again } = await open(t, { state: "failed", attempts: 4, atMs: NOW_MS + 1 });
    const calls = nodes.map((node) => () => again(node));
    const retried = (await meet(LOCK, calls)).flatMap(({ failedAtMs }) => failedAtMs);
    assert.deepEqual(retried, [NOW_MS + 1]);
    assert.deepEqual(
      (await mail.work()).map(({ attempts }) => attempts),
      [4],
    );
  });

  it("leaves failed recipients in quarantine, unless their message is named and can be read", async (t) => {
    const { nodes, client, mail, seq, id } = await open(t, { state: "failed" });
    await addToQuarantine(nodes[0], [{ seq, part: "content", error: new Error("damaged") }], NOW_MS);
    const retried = async (step: Partial<typeof STEP & { messageId: string }>, isReadable: boolean) => {
      const { result, events } = await nodes[0].transaction((session) =>
        retryFailed(session, { ...STEP, ...step }, isReadable),
      );
      const { rowCount: quarantined } = await client.query("SELECT FROM quarantined");
      return [result.unreadable, result.recipients.length, events.length, quarantined];
    };
    assert.deepEqual(await retried({}, true), [1, 0, 0, 1]);
    assert.deepEqual(await retried({ messageId: id }, false), [1, 0, 0, 1]);
    assert.deepEqual(await retried({ messageId: id, dryRun: true }, true), [0, 1, 0, 1]);
    assert.deepEqual(await retried({ messageId: id }, true), [0, 1, 1, 0]);
    assert.equal((await mail.work()).length, 1);
  });

  it("does not wait for a transaction that claims or marks a recipient", async (t) => {
    const { mail, retry, client } = await open(t, { state: "leased" }, { state: "pending" });
    await client.query("BEGIN; UPDATE work SET mark = '{}' WHERE position = 0");
    assert.equal((await retry()).events.length, 1);
    await client.query("COMMIT");
    assert.deepEqual(
      (await mail.work()).map(({ dueMs }) => dueMs),
      [NOW_MS, LATER_MS],
    );
  });

  for (const result of ["failed", "unknown"] as const)
    it(`of ${result} recipients is counted with the moment of the former result, and announced`, async (t) => {
      const { operations, notes, id } = await open(t, { state: result, atMs: NOW_MS + 7 });
      await (result === "failed" ? operations.retryFailed(STEP) : operations.retry({ ...FILTER, messageId: id }));
      assert.deepEqual(notes, [
        ["events", "acc_default"],
        ["retried", result, NOW_MS + 7],
        ["due", LATER_MS],
      ]);
    });

  it("of a domain is announced as due if it has changed something, and so is what a recheck releases", async (t) => {
    const { nodes, operations, notes, seq, id, parts } = await open(t, { state: "pending", dueMs: LATER_MS + 1 });
    const request = { accountId: "acc_default", domain: "a.example", nowMs: LATER_MS, limit: 10 };
    assert.deepEqual([await operations.retryDomain(request), await operations.retryDomain(request)], [1, 0]);
    assert.deepEqual(notes.splice(0), [["due", LATER_MS]]);
    const { recheckQuarantined } = quarantineOperations(nodes[0], {
      ...parts,
      discards: { discardQuarantined: () => assert.fail() },
    });
    const step = { after: 0, limit: 10, bytesMax: 1000, nowMs: LATER_MS, result: "unknown" } as const;
    assert.deepEqual([(await recheckQuarantined(step)).released, notes], [[], []]);
    await addToQuarantine(nodes[0], [{ seq, part: "content", error: new Error("damaged") }], NOW_MS);
    assert.deepEqual([(await recheckQuarantined(step)).released, notes], [[id], [["due", LATER_MS]]]);
  });

  it("announces the moment at which a shortened wait ends, and the end of a pause", async (t) => {
    const { operations, notes, client } = await open(t, { state: "pending", dueMs: LATER_MS + HOUR_MS });
    const step = { nowMs: NOW_MS, longestMs: [0, 60_000], after: null, limit: 10 };
    assert.deepEqual(await operations.shortenWaits(step), { recipients: 1, next: null });
    assert.equal(await operations.resumeDelivery({ nowMs: LATER_MS, waiting: "hold" }), null);
    await client.query("INSERT INTO key_values VALUES ($1, $2)", [PAUSE_ENTRY, UNREADABLE_PAUSE]);
    await operations.resumeDelivery({ nowMs: LATER_MS, waiting: "hold" });
    assert.deepEqual(notes, [
      ["due", NOW_MS + 60_000],
      ["events", "acc_default"],
      ["due", LATER_MS],
    ]);
  });
});
