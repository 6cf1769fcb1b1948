/** Discarded messages on PostgreSQL, also with missing rows. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { PostgresSession } from "../../../../../src/spool/engine/postgres/connection/postgres-session.ts";
import { sessionWith } from "../../../../../src/spool/engine/session.ts";
import { discardOperations } from "../../../../../src/spool/store/quarantine/discards.ts";
import { newMessage } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { mending, quarantineConformance, quarantining } from "../../../port/conformance/quarantine.ts";
import { CLAIM, NOW_MS } from "../../../port/conformance/store-suite.ts";

describe("on PostgreSQL", { skip: missingPostgres() }, () => {
  quarantineConformance("postgres", async (t) => {
    const database = await freshDatabase(t);
    const client = await database.connect();
    const { store } = await openNode(t, database.url);
    const quarantine = async (id: string): Promise<void> => {
      for (const sql of quarantining("$1")) await client.query(sql, [id]);
    };
    const mend = async (id: string) => void (await client.query(mending("$1"), [id]));
    return { store: Object.assign(store, { lapse: async () => {} }), quarantine, mend };
  });

  it("a message whose row is missing is discarded by its row, and one without recipients by its id", async (t) => {
    const database = await freshDatabase(t);
    const [client, other] = [await database.connect(), await openNode(t, database.url, "client")];
    const messages = [0, 1].map(() => newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 }));
    for (const message of messages) await other.store.accept(message);
    const [first, second] = messages.map(({ id }) => id);
    await client.query("DELETE FROM messages WHERE id = $1", [first]);
    await client.query("DELETE FROM recipients WHERE seq = (SELECT seq FROM messages WHERE id = $1)", [second]);
    const { store } = await openNode(t, database.url);
    assert.deepEqual((await store.claim({ ...CLAIM, nowMs: NOW_MS })).jobs, []);
    const { messages: found } = await store.quarantined(10);
    assert.deepEqual(
      found.map(({ messageId }) => messageId),
      [second, null],
    );
    for (const { messageId, seq } of found) {
      const asked = { message: messageId ?? seq, by: "the command line", nowMs: NOW_MS + 1 };
      assert.deepEqual(await store.discardQuarantined(asked), { messageId, seq, failed: 1, isComplete: true });
    }
    assert.equal((await store.quarantined(10)).count, 0);
    assert.equal(await store.backlog(), 0);
    const { rows } = await client.query("SELECT part, error FROM quarantined ORDER BY seq");
    assert.deepEqual(
      rows.map(({ part, error }) => [part, error]),
      [
        ["discarded", "message: the message is missing"],
        ["discarded", "message: recipient 0 is missing"],
      ],
    );
  });

  it("a message that is released before its recipients are taken keeps them", async (t) => {
    const database = await freshDatabase(t);
    const client = await database.connect();
    const { store } = await openNode(t, database.url, "client");
    const message = newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 });
    await store.accept(message);
    for (const sql of quarantining("$1")) await client.query(sql, [message.id]);
    const connections = new Database({ connectionString: database.url });
    t.after(() => connections.close());
    let calls = 0;
    const discarded = await connections.transaction((connection) => {
      // The first call finds the message.
      const release = async (): Promise<void> => {
        calls += 1;
        if (calls === 2) await client.query("DELETE FROM quarantined");
      };
      const session = sessionWith(new PostgresSession(connection), release);
      const request = { message: message.id, by: "the command line", nowMs: NOW_MS + 1 };
      return discardOperations.writes.discardQuarantined(session, request);
    });
    assert.deepEqual([discarded, await store.backlog()], [null, 1]);
  });
});
