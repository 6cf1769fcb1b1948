/** API keys with several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keyOperations } from "../../../../../src/spool/engine/postgres/accounts/api-keys.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { FULL_ACCESS } from "../../../../../src/spool/port/api-keys.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const newKey = (byte: number, keysMax = 10) => ({
  accountId: "acc_default",
  name: `key ${byte}`,
  hash: Buffer.alloc(32, byte),
  lastFour: "abcd",
  createdAtMs: NOW_MS,
  keysMax,
});

describe("API keys of several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are rejected by every node as soon as one has revoked them", async (t) => {
    const [first, second] = (await twoNodes(t)).nodes.map(keyOperations);
    assert.ok(first && second);
    const key = await first.createKey(newKey(1));
    assert.ok(key !== "too_many");
    const { hash } = newKey(1);
    assert.deepEqual(await Promise.all([second.activeKey(hash), second.activeKey(hash)]), [key, key]);
    assert.equal(await first.revokeKey("acc_default", key.id, NOW_MS), "revoked");
    assert.equal(await second.activeKey(hash), null);
    assert.equal(await second.revokeKey("acc_default", key.id, NOW_MS), "already_revoked");
    assert.equal(await second.revokeKey("acc_other", key.id, NOW_MS), "not_found");
  });

  it("are restricted for every node as soon as one has restricted them, and unknown to a node of an older version", async (t) => {
    const { nodes } = await twoNodes(t);
    const [first, second] = nodes.map(keyOperations);
    assert.ok(first && second);
    const key = await first.createKey(newKey(1));
    assert.ok(key !== "too_many");
    const { hash } = newKey(1);
    const findAsBefore = statement("SELECT FROM api_keys WHERE hash = $1 AND revoked_at_ms IS NULL");
    const isKnown = async () => (await nodes[0].run(findAsBefore, [hash])).count === 1;
    assert.equal(await isKnown(), true);
    const access = { ...FULL_ACCESS, permissions: ["send"], domains: ["shop.example"] } as const;
    const change = { accountId: "acc_default", keyId: key.id, name: "web" };
    assert.equal(await first.changeKey({ ...change, access }), "changed");
    assert.deepEqual(await second.activeKey(hash), { ...key, name: "web", ...access });
    assert.equal(await isKnown(), false);
    assert.equal(await second.changeKey({ ...change, access: FULL_ACCESS }), "changed");
    assert.equal(await isKnown(), true);
  });

  it("keep the newest use, whichever node writes it last, and lose it if the database is down", async (t) => {
    const [first, second] = (await twoNodes(t)).nodes.map(keyOperations);
    assert.ok(first && second);
    const [one, two] = [await first.createKey(newKey(1)), await first.createKey(newKey(2))];
    assert.ok(one !== "too_many" && two !== "too_many");
    for (const [node, atMs] of [
      [first, NOW_MS + 2],
      [second, NOW_MS + 1],
    ] as const) {
      for (const { id } of [one, two]) node.touchKey(id, atMs);
      await node.writeKeyUses();
    }
    assert.deepEqual(
      (await first.keys("acc_default")).map(({ lastUsedAtMs }) => lastUsedAtMs),
      [NOW_MS + 2, NOW_MS + 2],
    );
    const unreachable = new Database({ host: "127.0.0.1", port: 9 });
    t.after(() => unreachable.close());
    const lost = keyOperations(unreachable);
    lost.touchKey(one.id, NOW_MS + 3);
    await lost.writeKeyUses();
  });

  it("are written in one order, so that two nodes do not wait for each other", async (t) => {
    const { nodes, meet } = await twoNodes(t, { withNestedLoops: true });
    const ids: string[] = [];
    for (let byte = 1; byte <= 3; byte += 1) {
      const key = await keyOperations(nodes[0]).createKey(newKey(byte));
      assert.ok(key !== "too_many");
      ids.push(key.id);
    }
    ids.sort();
    let runs = 0;
    const write = nodes.map((node, i) => () => {
      // The callback is repeated after a deadlock.
      const transaction: Database["transaction"] = (work) => {
        return node.transaction((session) => {
          runs += 1;
          return work(session);
        });
      };
      const { touchKey, writeKeyUses } = keyOperations({ transaction } as Database);
      for (const id of i === 0 ? ids : ids.toReversed()) touchKey(id, NOW_MS + i);
      return writeKeyUses();
    });
    await meet(`SELECT FROM api_keys WHERE id = '${ids[1]}' FOR UPDATE`, write);
    const used = (await keyOperations(nodes[0]).keys("acc_default")).map(({ lastUsedAtMs }) => lastUsedAtMs);
    assert.deepEqual(used, [NOW_MS + 1, NOW_MS + 1, NOW_MS + 1]);
    assert.equal(runs, 2);
  });
});
