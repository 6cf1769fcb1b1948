/** What is deleted row by row, and what is left out meanwhile. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { writeEvents } from "../../../../../src/spool/engine/postgres/mail/event-writer.ts";
import { firstNumberAt } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import { PARTITIONED_TABLES } from "../../../../../src/spool/engine/postgres/partitions/partitions.ts";
import {
  deleteContentRows,
  deleteMessageRows,
} from "../../../../../src/spool/engine/postgres/partitions/row-retention.ts";
import { addToQuarantine } from "../../../../../src/spool/engine/postgres/quarantine/quarantine.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LIMIT_MS = NOW_MS + 1000;
const STEP = { from: 0, to: firstNumberAt(LIMIT_MS), limit: 10, limitMs: LIMIT_MS };

describe("the deletion of rows", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const add = async (...recipients: StoredRecipient[]) => {
      const content = [Buffer.from("first"), Buffer.from("second")];
      return (await mail.add({ createdAtMs: NOW_MS, recipients, content, tags: ["a", "b\0"] })).seq;
    };
    const [node] = nodes;
    const deleteContents = (step = {}) =>
      node.transaction((session) => deleteContentRows(session, { ...STEP, ...step }));
    const deleteMessages = (step = {}) =>
      node.transaction((session) => deleteMessageRows(session, { ...STEP, ...step }));
    const left = async (table: string) => {
      const { rows } = await client.query(`SELECT DISTINCT seq FROM ${table} ORDER BY seq`);
      return rows.map(({ seq }) => Number(seq));
    };
    return { nodes, client, add, deleteContents, deleteMessages, left };
  };

  it("takes messages that are final since before the limit, in steps", async (t) => {
    const { add, deleteContents, deleteMessages, left } = await open(t);
    const past = [{ state: "delivered" }, { state: "failed", atMs: LIMIT_MS - 1 }] as const;
    const gone = [await add(...past), await add(...past)];
    const kept = [
      await add(...past, { state: "pending" }),
      await add(...past, { state: "unknown" }),
      await add(...past, { state: "delivered", atMs: LIMIT_MS }),
    ];
    assert.deepEqual(await deleteContents({ limit: 1 }), { deleted: 1, next: (gone[0] ?? 0) + 1 });
    assert.deepEqual(await deleteContents({ from: (gone[0] ?? 0) + 1 }), { deleted: 1, next: null });
    assert.deepEqual(await left("contents"), kept);
    assert.deepEqual(await left("messages"), [...gone, ...kept]);
    assert.deepEqual(await deleteMessages({ limit: 5 }), { deleted: 2, next: (kept[2] ?? 0) + 1 });
    for (const table of PARTITIONED_TABLES) assert.deepEqual(await left(table), kept, table);
    assert.deepEqual(await deleteMessages(), { deleted: 0, next: null });
  });

  it("leaves out a message that is being retried", async (t) => {
    const { add, deleteContents, deleteMessages, left, client } = await open(t);
    const [retried] = [await add({ state: "failed" }), await add({ state: "failed" })];
    await client.query("BEGIN");
    await client.query("SELECT FROM messages WHERE seq = $1 FOR NO KEY UPDATE", [retried]);
    assert.equal((await deleteContents()).deleted, 1);
    assert.equal((await deleteMessages()).deleted, 1);
    assert.deepEqual(await left("contents"), [retried]);
    await client.query("COMMIT");
  });

  it("notes the greatest deleted event of each account, and forgets what was quarantined", async (t) => {
    const { nodes, add, deleteMessages, client } = await open(t);
    const [gone, kept] = [await add({ state: "failed" }), await add({ state: "pending" })];
    const damage = { part: "content", error: new Error("damaged") } as const;
    await addToQuarantine(
      nodes[0],
      [
        { ...damage, seq: gone },
        { ...damage, seq: kept },
      ],
      NOW_MS,
    );
    const [newest] = (await client.query("SELECT max(number) FROM events WHERE seq = $1", [gone])).rows;
    await deleteMessages();
    const pruned = await client.query("SELECT account_id, number AS max FROM events_pruned");
    assert.deepEqual(pruned.rows, [{ account_id: "acc_default", ...newest }]);
    assert.equal((await client.query("SELECT FROM quarantined WHERE seq = $1", [kept])).rowCount, 1);
    assert.equal((await client.query("SELECT FROM quarantined")).rowCount, 1);
  });

  it("takes events of domains along", async (t) => {
    const { nodes, add, deleteMessages, left } = await open(t);
    const seq = await add({ state: "pending" });
    const event = { accountId: "acc_default", type: "domain.lost", recipient: null, history: null } as const;
    const events = [LIMIT_MS - 1, LIMIT_MS].map((atMs) => {
      return { ...event, seq: firstNumberAt(NOW_MS + 5) + atMs - LIMIT_MS + 1, atMs, domain: "shop.example" };
    });
    await nodes[0].transaction((session) => writeEvents(session, events));
    await deleteMessages();
    assert.deepEqual(await left("events"), [seq, firstNumberAt(NOW_MS + 5) + 1]);
  });
});
