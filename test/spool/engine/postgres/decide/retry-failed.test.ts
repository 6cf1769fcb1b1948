/** Retries of failed recipients beside other nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { retryFailed } from "../../../../../src/spool/engine/postgres/decide/retry-failed.ts";
import { addToQuarantine } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import type { RetryFailedStep } from "../../../../../src/spool/port/operations.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
const STEP: RetryFailedStep = {
  ...{ accountId: "acc_default", nowMs: LATER_MS, expiresAtMs: LATER_MS + HOUR_MS },
  ...{ limit: 10, after: null, dryRun: false },
};
const FAILED: StoredRecipient = { state: "failed" };

describe("retried failed recipients", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client, meet } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const retry = (step: Partial<RetryFailedStep> = {}, isReadable = false, node = nodes[0]) =>
      node.transaction((session) => retryFailed(session, { ...STEP, ...step }, isReadable));
    return { nodes, client, meet, mail, retry, add: (...recipients: StoredRecipient[]) => addAll(mail, recipients) };
  };
  const addAll = (mail: StoredMail, recipients: StoredRecipient[]) => mail.add({ createdAtMs: NOW_MS, recipients });

  it("keep their attempts, and are counted with the moment of their failure", async (t) => {
    const { mail, retry, add } = await open(t);
    const { seq } = await add({ ...FAILED, attempts: 4, atMs: NOW_MS + 1 }, { state: "delivered" });
    assert.deepEqual((await retry()).failedAtMs, [NOW_MS + 1]);
    const row = { seq, position: 0, dueMs: LATER_MS, attempts: 4, owner: null, mark: null };
    assert.deepEqual(await mail.work(), [row]);
    const event = (await mail.events(seq)).at(-1);
    assert.deepEqual([event?.type, event?.reason, event?.attempts], ["recipient.deferred", null, 4]);
    assert.equal(JSON.parse(event?.history ?? "").type, "retried");
  });

  it("are retried once, although two nodes do it at the same time", async (t) => {
    const { nodes, meet, mail, retry, add } = await open(t);
    await add(FAILED, FAILED);
    const lock = "SELECT * FROM messages FOR UPDATE";
    const steps = await meet(
      lock,
      nodes.map((node) => () => retry({}, false, node)),
    );
    assert.equal(steps.flatMap(({ events }) => events).length, 2);
    assert.equal((await mail.work()).length, 2);
  });

  it("are looked at again by no later step, but take up room in it", async (t) => {
    const { retry, add } = await open(t);
    await add(FAILED, FAILED, FAILED);
    const first = await retry({ limit: 2 });
    assert.equal(first.events.length, 2);
    const again = await retry({ limit: 2 });
    assert.deepEqual([again.result.recipients, again.result.next], [[], first.result.next]);
    const rest = await retry({ limit: 2, after: again.result.next });
    assert.deepEqual([rest.events.length, rest.result.next], [1, null]);
  });

  it("are found in each partition, in the order of acceptance", async (t) => {
    const { mail, retry } = await open(t);
    const days = [2, 0, 1].map((day) => NOW_MS + day * 24 * HOUR_MS);
    for (const createdAtMs of days) await mail.add({ createdAtMs, recipients: [FAILED] });
    const found: (string | undefined)[] = [];
    for (let after: string | null = null, isEnd = false; !isEnd; isEnd = after === null) {
      const step: Awaited<ReturnType<typeof retry>> = await retry({ limit: 1, after, nowMs: LATER_MS + 72 * HOUR_MS });
      found.push(...step.events.map(({ seq }) => String(seq)));
      after = step.result.next;
    }
    assert.equal(found.length, 3);
    assert.deepEqual(
      found,
      found.toSorted((a, b) => Number(a) - Number(b)),
    );
  });

  it("stay failed in quarantine, unless their message is named and can be read", async (t) => {
    const { nodes, mail, retry, add, client } = await open(t);
    const { seq, id } = await add(FAILED);
    await addToQuarantine(nodes[0], [{ seq, part: "content", error: new Error("damaged") }], NOW_MS);
    for (const step of [await retry({}, true), await retry({ messageId: id }, false)]) {
      assert.deepEqual([step.result.unreadable, step.events], [1, []]);
    }
    const dry = await retry({ messageId: id, dryRun: true }, true);
    assert.deepEqual([dry.result.recipients.length, dry.events], [1, []]);
    assert.equal((await client.query("SELECT FROM quarantined")).rowCount, 1);
    assert.equal((await retry({ messageId: id }, true)).events.length, 1);
    assert.equal((await client.query("SELECT FROM quarantined")).rowCount, 0);
    assert.equal((await mail.work()).length, 1);
  });
});
