/** A damaged message on its way: it is found, leaves the others alone, and comes back once it can be read. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { MessageDamaged } from "../../../../src/spool/port/errors.ts";
import type { DeliveryJob, NewMessage } from "../../../../src/spool/port/mail.ts";
import type { Store } from "../../../../src/spool/port/store.ts";
import { newMessage } from "../../../support/messages.ts";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { openNode } from "../../../support/postgres/open-node.ts";
import { CLAIM, NOW_MS } from "../../port/conformance/store-suite.ts";

const RECHECK = { after: 0, limit: 10, bytesMax: 10_000_000, nowMs: NOW_MS, result: "unknown" } as const;

describe("a damaged message", { skip: missingPostgresOrTime() }, () => {
  /** Messages that no node holds in memory, and the only node. */
  const open = async (t: TestContext, messages: NewMessage[]) => {
    const database = await freshDatabase(t);
    const [client, other] = [await database.connect(), await openNode(t, database.url, "client")];
    for (const message of messages) await other.store.accept(message);
    const { store } = await openNode(t, database.url);
    const claim = async () => (await store.claim({ ...CLAIM, nowMs: NOW_MS })).jobs;
    return { client, store, claim };
  };
  const release = (store: Store, { messageId, recipients, lease }: DeliveryJob) =>
    store.release({ messageId, positions: recipients.map(({ position }) => position), lease });
  const large = () => {
    const content = Buffer.from(`Subject: Hello\r\n\r\n${"x".repeat(600_000)}\r\n`);
    return newMessage({ content, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 });
  };

  for (const part of [0, 1]) {
    it(`is in no claim from the read of its content on (part ${part})`, async (t) => {
      const message = large();
      const { client, store, claim } = await open(t, [message]);
      await client.query("UPDATE contents SET crc32 = -crc32 WHERE part = $1", [part]);
      const [job] = await claim();
      assert.ok(job);
      const read = store.content(message.id).then((content) => content.part(1));
      await assert.rejects(read, MessageDamaged);
      await release(store, job);
      assert.deepEqual(await claim(), []);
      const { messages } = await store.quarantined(10);
      assert.deepEqual(
        messages.map(({ messageId, part: found }) => [messageId, found]),
        [[message.id, "content"]],
      );
      assert.equal((await store.report(message.id))?.quarantined?.part, "content");
      assert.deepEqual((await store.recheckQuarantined(RECHECK)).released, []);
      await client.query("UPDATE contents SET crc32 = -crc32 WHERE part = $1", [part]);
      assert.deepEqual((await store.recheckQuarantined(RECHECK)).released, [message.id]);
      const [again] = await claim();
      assert.equal(again?.messageId, message.id);
    });
  }

  it("is found by the claim, which returns the others", async (t) => {
    const messages = [0, 1, 2].map(() => newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 }));
    const { client, store, claim } = await open(t, messages);
    const [first, second, third] = messages.map(({ id }) => id);
    await client.query("DELETE FROM messages WHERE id = $1", [first]);
    await client.query("DELETE FROM recipients WHERE seq = (SELECT seq FROM messages WHERE id = $1)", [second]);
    assert.deepEqual(
      (await claim()).map(({ messageId }) => messageId),
      [third],
    );
    const { messages: found } = await store.quarantined(10);
    assert.deepEqual(
      found.map(({ messageId, part, error }) => [messageId, part, error]),
      [
        [second, "message", "recipient 0 is missing"],
        [null, "message", "the message is missing"],
      ],
    );
    const { rows } = await client.query("SELECT count(*)::int AS leased FROM work WHERE owner IS NOT NULL");
    assert.deepEqual(rows, [{ leased: 1 }]);
  });
});
