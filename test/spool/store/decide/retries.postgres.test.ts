/** Retries beside other nodes and attempts, and what is counted and announced after them. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { postgresRunner } from "../../../../src/spool/engine/postgres/connection/postgres-runner.ts";
import type { Effects } from "../../../../src/spool/engine/postgres/connection/postgres-session.ts";
import { addToQuarantine } from "../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { retriesOf } from "../../../../src/spool/store/decide/retries.ts";
import { HOUR_MS } from "../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { LEASE, MARK, StoredMail, type StoredRecipient } from "../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
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
    const notes: unknown[] = [];
    const committed = ({ eventAccounts, changes }: Effects): void => {
      if (eventAccounts.size > 0) notes.push(["events", ...eventAccounts]);
      for (const { state } of changes) {
        if (state.recipient.former !== null) notes.push(["former", state.recipient.former]);
      }
    };
    const retries = nodes.map((node) =>
      retriesOf(postgresRunner(node, { committed }), (dueMs) => notes.push(["due", dueMs])),
    );
    const filter = { accountId: "acc_default", messageId: id, nowMs: LATER_MS };
    const former = () => notes.filter((note) => (note as unknown[])[0] === "former");
    return { nodes, client, meet, mail, seq, id, notes, former, filter, retries, own: retries[0] ?? assert.fail() };
  };

  it("has waiting recipients due, leased ones too, and leaves marked ones alone", async (t) => {
    const dueMs = LATER_MS + HOUR_MS;
    const states = ["pending", "leased", "marked", "delivered", "failed"] as const;
    const { mail, own, filter, seq } = await open(t, ...states.map((state) => ({ state, dueMs })));
    assert.equal(await own.retry(filter), 2);
    const row = { seq, attempts: 1, owner: null, mark: null };
    assert.deepEqual(await mail.work(), [
      { ...row, position: 0, dueMs: LATER_MS },
      { ...row, position: 1, dueMs: LATER_MS, owner: LEASE.owner },
      { ...row, position: 2, dueMs, owner: LEASE.owner, mark: MARK },
    ]);
  });

  it("counts an unknown recipient once, although two nodes retry it at the same time", async (t) => {
    const { retries, meet, mail, filter, former } = await open(t, { state: "unknown", atMs: NOW_MS + 5 });
    await meet(
      LOCK,
      retries.map(
        ({ retry }) =>
          () =>
            retry(filter),
      ),
    );
    assert.deepEqual(former(), [["former", { result: "unknown", atMs: NOW_MS + 5 }]]);
    assert.equal((await mail.work()).length, 1);
  });

  it("counts a failed recipient once, although two nodes retry it at the same time", async (t) => {
    const { retries, meet, mail, former } = await open(t, { state: "failed", attempts: 4, atMs: NOW_MS + 1 });
    await meet(
      LOCK,
      retries.map(
        ({ retryFailed }) =>
          () =>
            retryFailed(STEP),
      ),
    );
    assert.deepEqual(former(), [["former", { result: "failed", atMs: NOW_MS + 1 }]]);
    assert.deepEqual(
      (await mail.work()).map(({ attempts }) => attempts),
      [4],
    );
  });

  it("leaves failed recipients in quarantine, unless their message is named and can be read", async (t) => {
    const { nodes, own, client, mail, seq, id } = await open(t, { state: "failed" });
    await addToQuarantine(nodes[0], [{ seq, part: "content", error: new Error("damaged") }], NOW_MS);
    const retried = async (step: Partial<typeof STEP & { messageId: string }>) => {
      const { unreadable, recipients } = await own.retryFailed({ ...STEP, ...step });
      const { rowCount: quarantined } = await client.query("SELECT FROM quarantined");
      return [unreadable, recipients.length, (await mail.work()).length, quarantined];
    };
    assert.deepEqual(await retried({}), [1, 0, 0, 1]);
    await client.query("UPDATE contents SET content = content || 'x'");
    assert.deepEqual(await retried({ messageId: id }), [1, 0, 0, 1]);
    await client.query("UPDATE contents SET content = substr(content, 1, length(content) - 1)");
    assert.deepEqual(await retried({ messageId: id, dryRun: true }), [0, 1, 0, 1]);
    assert.deepEqual(await retried({ messageId: id }), [0, 1, 1, 0]);
  });

  it("does not wait for a transaction that claims or marks a recipient", async (t) => {
    const { mail, own, filter, client } = await open(t, { state: "leased" }, { state: "pending" });
    await client.query("BEGIN; UPDATE work SET mark = '{}' WHERE position = 0");
    assert.equal(await own.retry(filter), 1);
    await client.query("COMMIT");
    assert.deepEqual(
      (await mail.work()).map(({ dueMs }) => dueMs),
      [NOW_MS, LATER_MS],
    );
  });

  for (const result of ["failed", "unknown"] as const)
    it(`of ${result} recipients is counted with the moment of the former result, and announced`, async (t) => {
      const { own, notes, filter } = await open(t, { state: result, atMs: NOW_MS + 7 });
      await (result === "failed" ? own.retryFailed(STEP) : own.retry(filter));
      assert.deepEqual(notes, [
        ["events", "acc_default"],
        ["former", { result, atMs: NOW_MS + 7 }],
        ["due", LATER_MS],
      ]);
    });

  it("of a domain is announced as due if it has changed something", async (t) => {
    const { own, notes } = await open(t, { state: "pending", dueMs: LATER_MS + 1 });
    const request = { accountId: "acc_default", domain: "a.example", nowMs: LATER_MS, limit: 10 };
    assert.deepEqual([await own.retryDomain(request), await own.retryDomain(request)], [1, 0]);
    assert.deepEqual(notes.at(-1), ["due", LATER_MS]);
    assert.equal(notes.filter((note) => (note as unknown[])[0] === "due").length, 1);
  });
});
