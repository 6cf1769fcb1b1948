/** Which days are dropped, which wait, and which are deleted row by row. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { KEPT_MAX } from "../../../../../src/spool/engine/postgres/partitions/day-scan.ts";
import { Retention } from "../../../../../src/spool/engine/postgres/partitions/retention.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY = 20_000;
const START_MS = DAY * DAY_MS;
const FINAL: StoredRecipient[] = [{ state: "delivered" }];

interface Limits {
  nowMs?: number;
  contentsBeforeMs?: number;
  resultsBeforeMs?: number;
}

describe("retention by day", { skip: missingPostgresOrTime() }, () => {
  const open = async (t: TestContext) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
    const retentions = nodes.map((node) => new Retention(node, clock));
    /** Runs a pass. Returns what it deleted. */
    const pass = async (limits: Limits, retention = retentions[0] as Retention) => {
      const total = { contents: 0, messages: 0 };
      for (let isMore = true; isMore; ) {
        const nothing = { nowMs: START_MS + 100 * DAY_MS, contentsBeforeMs: 0, resultsBeforeMs: 0, limit: 2 };
        const step = await retention.applyRetention({ ...nothing, ...limits });
        total.contents += step.contents;
        total.messages += step.messages;
        isMore = step.isMore;
      }
      return total;
    };
    const add = async (day: number, recipients = FINAL) =>
      mail.add({ createdAtMs: START_MS + day * DAY_MS, recipients });
    const left = async (table: string) => {
      const { rows } = await client.query(`SELECT tableoid::regclass::text AS name FROM ${table} ORDER BY seq`);
      return rows.map(({ name }) => name);
    };
    /** Gives a day more messages to keep than can be kept. */
    const crowd = async (seq: number) => {
      const rows = "SELECT $1::bigint + i, 0, 'acc_default', 'a.example', 0, 1 FROM generate_series(1, $2::int) AS i";
      await client.query(`INSERT INTO work ${rows}`, [seq, KEPT_MAX + 1]);
    };
    return { nodes, client, clock, retentions, pass, add, left, crowd };
  };

  it("deletes contents of days that ended before the limit, and then the days", async (t) => {
    const { pass, add, left } = await open(t);
    for (const day of [0, 1, 2]) await add(day);
    const limitMs = START_MS + 2 * DAY_MS;
    assert.deepEqual(await pass({ contentsBeforeMs: limitMs - 1 }), { contents: 1, messages: 0 });
    assert.deepEqual(await pass({ contentsBeforeMs: limitMs }), { contents: 1, messages: 0 });
    assert.deepEqual(await left("contents"), ["contents_20002"]);
    assert.deepEqual(await pass({ contentsBeforeMs: limitMs, resultsBeforeMs: limitMs }), { contents: 0, messages: 2 });
    assert.deepEqual(await left("messages"), ["messages_20002"]);
  });

  it("keeps contents for a day after their parts may have been stored, whatever the limit", async (t) => {
    const { pass, add } = await open(t);
    await add(0);
    const contentsBeforeMs = START_MS + 10 * DAY_MS;
    assert.equal((await pass({ contentsBeforeMs, nowMs: START_MS + 2 * DAY_MS - 1 })).contents, 0);
    assert.equal((await pass({ contentsBeforeMs, nowMs: START_MS + 2 * DAY_MS })).contents, 1);
  });

  it("deletes what was kept of a day row by row once it is past the limit too", async (t) => {
    const { pass, add, left, client } = await open(t);
    const { seq } = await add(0, [{ state: "unknown" }]);
    await add(0);
    const limits = { contentsBeforeMs: START_MS + 2 * DAY_MS, resultsBeforeMs: START_MS + 2 * DAY_MS };
    assert.deepEqual(await pass(limits), { contents: 1, messages: 1 });
    assert.deepEqual(await left("messages"), ["messages_default"]);
    await client.query("DELETE FROM unknown_recipients WHERE seq = $1", [seq]);
    assert.deepEqual(await pass(limits), { contents: 1, messages: 1 });
    for (const table of ["messages", "contents", "events"]) assert.deepEqual(await left(table), []);
  });

  it("lets a day wait that has too many messages to keep, and looks again some hours later", async (t) => {
    const { pass, add, crowd, client, left } = await open(t);
    const { seq } = await add(0);
    await crowd(seq);
    const limitMs = START_MS + DAY_MS;
    const at = (hours: number) => ({ contentsBeforeMs: limitMs + hours * HOUR_MS });
    assert.equal((await pass(at(0))).contents, 0);
    await client.query("DELETE FROM work");
    assert.equal((await pass(at(5))).contents, 0);
    assert.equal((await pass(at(6))).contents, 1);
    assert.deepEqual(await left("contents"), []);
  });

  it("deletes a day row by row that could not be dropped for days", async (t) => {
    const { pass, add, crowd, left } = await open(t);
    for (const day of [0, 0, 0, 1]) await add(day);
    const { seq } = await add(0);
    await crowd(seq);
    const limitMs = START_MS + 4 * DAY_MS;
    const early = { contentsBeforeMs: limitMs - 1, resultsBeforeMs: limitMs - 1 };
    assert.deepEqual(await pass(early), { contents: 1, messages: 1 });
    assert.deepEqual(await left("messages"), Array(4).fill("messages_20000"));
    // The messages of the crowd are not stored: this one has none of its recipients.
    assert.deepEqual(await pass({ contentsBeforeMs: limitMs, resultsBeforeMs: limitMs }), { contents: 4, messages: 4 });
    assert.deepEqual(await left("messages"), []);
  });

  it("ends its pass while a day cannot be locked, and tries again a minute later", async (t) => {
    const { pass, add, client, clock } = await open(t);
    await add(0);
    const limits = { contentsBeforeMs: START_MS + 2 * DAY_MS };
    await client.query("BEGIN; SELECT FROM contents");
    assert.equal((await pass(limits)).contents, 0);
    await client.query("COMMIT");
    assert.equal((await pass(limits)).contents, 0, "too early");
    clock.nowMs += MINUTE_MS;
    assert.equal((await pass(limits)).contents, 1);
  });

  it("deletes everything once, although two nodes do it at the same time", async (t) => {
    const { retentions, pass, add, left, client, clock } = await open(t);
    for (const day of [0, 1, 2])
      for (const recipients of [FINAL, FINAL, [{ state: "unknown" as const }]]) await add(day, recipients);
    // Days that could not be dropped for days, because of the other node, would be deleted row by row.
    const limitMs = START_MS + 3 * DAY_MS;
    const limits = { contentsBeforeMs: limitMs, resultsBeforeMs: limitMs };
    const passes = await Promise.all(retentions.map((retention) => pass(limits, retention)));
    clock.nowMs += MINUTE_MS;
    passes.push(await pass(limits));
    assert.equal(
      passes.reduce((sum, { messages }) => sum + messages, 0),
      6,
    );
    assert.deepEqual(await left("messages"), Array(3).fill("messages_default"));
    assert.deepEqual(
      (await client.query("SELECT FROM partitions WHERE NOT dropped AND day = ANY ($1)", [[20000, 20001, 20002]]))
        .rowCount,
      0,
    );
  });
});
