/** What is deleted that belongs to no message. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { firstNumberAt } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import { Sweeps } from "../../../../../src/spool/engine/postgres/partitions/sweeps.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const DAY_MS = 86_400_000;

describe("sweeps", { skip: missingPostgresOrTime() }, () => {
  it("delete idempotency records after 24 hours, in bounded steps", async (t) => {
    const { nodes, client } = await twoNodes(t);
    await client.query(
      `INSERT INTO idempotency SELECT 'acc_default', 'key' || i, 'hash', 'msg', $1::bigint + i
         FROM generate_series(0, 2001) AS i`,
      [NOW_MS - DAY_MS - 2000],
    );
    const sweeps = new Sweeps(nodes[0]);
    assert.equal(await sweeps.step(NOW_MS), true);
    assert.equal(await sweeps.step(NOW_MS), false);
    const { rows } = await client.query("SELECT key FROM idempotency");
    assert.deepEqual(rows, [{ key: "key2001" }]);
  });

  it("delete the counts of quota days after a week", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const today = Math.floor(NOW_MS / DAY_MS);
    const days = [today - 8, today - 7, today];
    for (const day of days) await client.query("INSERT INTO quota VALUES ('acc_default', $1, 1)", [day]);
    assert.equal(await new Sweeps(nodes[0]).step(NOW_MS), false);
    const { rows } = await client.query("SELECT day FROM quota ORDER BY day");
    assert.deepEqual(
      rows.map(({ day }) => day),
      days.slice(1),
    );
  });

  it("delete parts a day after they were stored, if their message was never accepted", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const content = ["first", "second", "third"].map((part) => Buffer.from(part));
    const old = { createdAtMs: NOW_MS - DAY_MS - 2, recipients: [] };
    const accepted = await mail.add({ ...old, content });
    const [left, young] = [NOW_MS - DAY_MS - 1, NOW_MS - DAY_MS].map(firstNumberAt) as [number, number];
    for (const seq of [left, young]) await mail.addParts(seq, { messageId: "msg_left", content, from: 1 });
    const sweeps = new Sweeps(nodes[0]);
    assert.equal(await sweeps.step(NOW_MS), false);
    const seqs = async () => {
      const { rows } = await client.query("SELECT DISTINCT seq FROM contents ORDER BY seq");
      return rows.map(({ seq }) => Number(seq));
    };
    assert.deepEqual(await seqs(), [accepted.seq, young]);
    await sweeps.step(NOW_MS + 1);
    assert.deepEqual(await seqs(), [accepted.seq]);
  });
});
