/** Listeners for results that other nodes store. What one node stores is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Watches } from "../../../../../src/spool/engine/postgres/cluster/watches.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const COUNT = 2500;

describe("watched messages", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are all polled, however many are watched, and each change is announced once", async (t) => {
    const { nodes, client } = await twoNodes(t);
    await client.query(
      `INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, sender, subject, message_id,
                             size_bytes)
         SELECT i, 'msg_' || i, 'acc_default', 'key', 'dom', 0, 0, '', '', '', 0 FROM generate_series(1, ${COUNT}) AS i`,
    );
    const store = (seqs: number[]) =>
      client.query(
        `INSERT INTO events (seq, number, account_id, id, at_ms, type, position)
           SELECT seq, nextval('event_numbers'), 'acc_default', 'evt', 0, 'recipient.delivered', 0
             FROM unnest($1::bigint[]) AS s (seq)`,
        [seqs],
      );
    const watches = new Watches(nodes[0]);
    const changed: number[] = [];
    for (let i = 1; i <= COUNT; i += 1) watches.watch(`msg_${i}`, () => void changed.push(i));
    await watches.poll();
    assert.deepEqual(changed, []);
    await store([1, 2000, COUNT]);
    await Promise.all([watches.poll(), watches.poll(), watches.poll()]);
    assert.deepEqual(changed.splice(0), [1, 2000, COUNT]);
    await store([2000]);
    await watches.poll();
    assert.deepEqual(changed, [2000]);
  });
});
