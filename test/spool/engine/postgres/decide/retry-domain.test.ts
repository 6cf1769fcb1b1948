/** A retry of a recipient domain beside attempts and other nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { retryDomain } from "../../../../../src/spool/engine/postgres/decide/retry-domain.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LATER_MS = NOW_MS + HOUR_MS;
const REQUEST = { accountId: "acc_default", domain: "a.example", nowMs: LATER_MS, limit: 10 };
const reply = { code: 451, enhanced_code: "4.7.1", message: "later", mx: "mx.a.example", ip: null, tls: null };

describe("a retried recipient domain", { skip: missingPostgresOrTime() }, () => {
  it("has an entry in each history, which keeps the last result and is no event", async (t) => {
    const { nodes } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const waiting = { state: "pending", dueMs: LATER_MS + 1, attempts: 3, smtp: reply } as const;
    const { seq } = await mail.add({ createdAtMs: NOW_MS, recipients: [waiting, { ...waiting, domain: "b.example" }] });
    assert.equal(await nodes[0].transaction((session) => retryDomain(session, REQUEST)), 1);
    const entry = (await mail.events(seq)).at(-1);
    assert.deepEqual(
      [entry?.type, entry?.position, entry?.result, entry?.reason, entry?.attempts, JSON.parse(entry?.smtp ?? "")],
      [null, 0, "pending", "test", 3, reply],
    );
    assert.equal(JSON.parse(entry?.history ?? "").type, "retried");
    assert.deepEqual(
      (await mail.work()).map(({ dueMs }) => dueMs),
      [LATER_MS, LATER_MS + 1],
    );
  });

  it("leaves recipients in an attempt alone", async (t) => {
    const { nodes } = await twoNodes(t);
    const dueMs = LATER_MS + 1;
    const states = ["leased", "marked"] as const;
    const mail = new StoredMail(nodes[0]);
    await mail.add({ createdAtMs: NOW_MS, recipients: states.map((state) => ({ state, dueMs })) });
    assert.equal(await nodes[0].transaction((session) => retryDomain(session, REQUEST)), 0);
    assert.deepEqual(
      (await mail.work()).map((row) => row.dueMs),
      [dueMs, dueMs],
    );
  });

  it("has each recipient retried once, although two nodes do it at the same time", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const recipients = Array.from({ length: 6 }, (_, i) => ({ state: "pending" as const, dueMs: LATER_MS + 1 + i }));
    const { seq } = await mail.add({ createdAtMs: NOW_MS, recipients });
    const retry = (limit: number) => (node: (typeof nodes)[number]) =>
      node.transaction((session) => retryDomain(session, { ...REQUEST, limit }));
    const counts = await Promise.all(nodes.map(retry(4)));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      6,
    );
    assert.equal((await mail.events(seq)).filter(({ type }) => type === null).length, 6);
    assert.equal((await client.query("SELECT FROM work WHERE due_ms = $1", [LATER_MS])).rowCount, 6);
  });
});
