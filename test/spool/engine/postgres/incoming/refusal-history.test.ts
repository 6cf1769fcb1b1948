/** Refusals that several nodes add and clear at the same time. What they lead to is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REFUSAL_COUNTS_MS, REFUSALS_APART_MS, type Refusal } from "../../../../../src/message/result/suppression.ts";
import type { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import {
  applyRefusals,
  type RefusalChange,
  refusalsOf,
} from "../../../../../src/spool/engine/postgres/incoming/refusal-history.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const refusalAt = (atMs: number): Refusal => {
  return { at_ms: atMs, code: 550, enhanced_code: "5.1.1", message: "No\0", mx: "mx.example", ip: "192.0.2.1" };
};
const refused = (address: string, atMs = NOW_MS): RefusalChange => {
  return { accountId: "acc_default", address, refusal: refusalAt(atMs) };
};
const delivered = (address: string): RefusalChange => ({ accountId: "acc_default", address, refusal: null });

const apply = (database: Database, changes: RefusalChange[]): Promise<void> =>
  database.transaction((session) => applyRefusals(session, changes));

/** The times of the stored refusals of each address. */
async function timesOf(database: Database, ...addresses: string[]): Promise<number[][]> {
  const refusals = await refusalsOf(database, addresses.map(delivered));
  return refusals.map((of) => of.map(({ at_ms }) => at_ms));
}

describe("the refusal history", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("has the refusals that two nodes add to an address without any at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const laterMs = NOW_MS + REFUSALS_APART_MS;
    const add = nodes.map((node, i) => () => apply(node, [refused("ann@a.example", i === 0 ? NOW_MS : laterMs)]));
    await meet("LOCK TABLE refused_addresses IN ACCESS EXCLUSIVE MODE", add);
    assert.deepEqual(await timesOf(nodes[0], "ann@a.example"), [[NOW_MS, laterMs]]);
    const [refusals] = await refusalsOf(nodes[0], [delivered("ann@a.example")]);
    assert.deepEqual(refusals?.[0], refusalAt(NOW_MS));
  });

  it("applies the changes of an address in their order, and leaves others alone", async (t) => {
    const {
      nodes: [database],
    } = await twoNodes(t);
    await apply(
      database,
      ["a", "b", "c", "d"].map((address) => refused(address)),
    );
    const laterMs = NOW_MS + REFUSALS_APART_MS;
    const other = { ...refused("a"), accountId: "acc_other" };
    const changes = [refused("a", laterMs), delivered("a"), delivered("b"), refused("b", laterMs), delivered("c")];
    await apply(database, [...changes, refused("e", laterMs), delivered("f"), other]);
    const times = await timesOf(database, "a", "b", "c", "d", "e", "f");
    assert.deepEqual(times, [[], [laterMs], [], [NOW_MS], [laterMs], []]);
    assert.equal((await refusalsOf(database, [other]))[0]?.length, 1);
    await apply(database, [delivered("d"), delivered("e"), delivered("e")]);
    assert.deepEqual(await timesOf(database, "b", "d", "e"), [[laterMs], [], []]);
    await apply(database, []);
    assert.deepEqual(await refusalsOf(database, []), []);
  });

  it("removes the account's addresses whose refusals no longer count", async (t) => {
    const {
      nodes: [database],
      client,
    } = await twoNodes(t);
    await apply(database, [refused("old"), { ...refused("old"), accountId: "acc_other" }]);
    await apply(database, [refused("new", NOW_MS + REFUSAL_COUNTS_MS)]);
    const { rows } = await client.query("SELECT account_id, address FROM refused_addresses ORDER BY 1, 2");
    assert.deepEqual(rows, [
      { account_id: "acc_default", address: "new" },
      { account_id: "acc_other", address: "old" },
    ]);
  });

  // In the order of bytes, which is not that of the database's language: "Zoe" before "ann", "ä" last.
  const addresses = ["Zoe", "ann", "ben", "zoe", "ä"];
  const kinds = {
    "clear and clear": [delivered, delivered],
    "clear and add": [delivered, refused],
    "add and add": [refused, refused],
  } as const;
  for (const [title, [first, second]] of Object.entries(kinds)) {
    for (const locked of addresses) {
      it(`lets two nodes ${title} refusals of the same addresses without a deadlock, ${locked} locked`, async (t) => {
        const { nodes, meet } = await twoNodes(t, { withNestedLoops: true });
        await apply(
          nodes[0],
          addresses.map((address) => refused(address)),
        );
        let runs = 0;
        const calls = [first, second].map((kind, i) => () => {
          const ordered = i === 0 ? addresses : addresses.toReversed();
          // The callback is repeated after a deadlock.
          return nodes[i as 0 | 1].transaction((session) => {
            runs += 1;
            return applyRefusals(
              session,
              ordered.map((address) => kind(address, NOW_MS + 1)),
            );
          });
        });
        await meet(`SELECT FROM refused_addresses WHERE address = '${locked}' FOR UPDATE`, calls);
        assert.equal(runs, 2);
      });
    }
  }
});
