/** Token buckets that several nodes share. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import type { Session } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { TokenLeases } from "../../../../../src/spool/engine/postgres/connection/token-leases.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { HELD_SHARE, type SharedBuckets } from "../../../../../src/spool/port/token-buckets.ts";
import { type FakeClock, fakeClock } from "../../../../support/fake-clock.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

/** Refills so slowly that no token returns during a test, unless the test lets time pass. */
const PER_SECOND = 1e-6;
const INTERVAL_MS = 1e9;
/** A small part of a token. */
const REFILL_SLACK_MS = 60_000;

class SharingNode {
  readonly clock: FakeClock = fakeClock();
  readonly leases: TokenLeases;
  readonly buckets: SharedBuckets;
  hasOthers = true;
  /** Statements so far. */
  statements = 0;
  isDown = false;

  constructor(database: Session, burst: number) {
    const counted: Session = {
      run: async (query, values) => {
        this.statements += 1;
        if (this.isDown) throw new SpoolUnavailable("down");
        return database.run(query, values);
      },
    };
    const hasOthers = (): boolean => this.hasOthers;
    this.leases = new TokenLeases({ database: counted, clock: this.clock, hasOthers });
    this.buckets = this.leases.tokenBuckets("key", { perSecond: PER_SECOND, burst });
  }

  /** Settles, and waits for the statements that follow. */
  async settle(): Promise<void> {
    await this.leases.settle();
    await this.leases.close();
  }

  async becomeAlone(): Promise<void> {
    this.hasOthers = false;
    await this.settle();
  }
}

interface Cluster {
  nodes: SharingNode[];
  one: SharingNode;
  two: SharingNode;
  /** Refills the buckets by so many tokens. */
  refill(tokens: number): Promise<void>;
}

async function cluster(t: TestContext, { nodes: count, burst }: { nodes: number; burst: number }): Promise<Cluster> {
  const { url, connect } = await freshDatabase(t);
  const client = await connect();
  const nodes = Array.from({ length: count }, () => {
    const database = new Database({ connectionString: url });
    t.after(() => database.close());
    return new SharingNode(database, burst);
  });
  await client.query(
    `INSERT INTO nodes (number, slot, name, address, version, schema_version, lease_until)
       SELECT i, i, 'node' || i, '', '', 1, now() FROM generate_series(1, ${count}) AS i`,
  );
  const [one, two] = nodes;
  assert.ok(one !== undefined && two !== undefined);
  return {
    nodes,
    one,
    two,
    async refill(tokens) {
      // Times near 10^12 are rounded, and a statement that waited for another counts from its own beginning.
      const ms = tokens * INTERVAL_MS + REFILL_SLACK_MS;
      await client.query(`UPDATE rate_buckets SET full_ms = full_ms - ${ms}`);
      for (const { clock } of nodes) await clock.advance(ms);
    },
  };
}

/** How many of `count` takes succeed that are made at the same time, at the nodes by turns. */
async function takeAtOnce(nodes: readonly SharingNode[], count: number, name = "a"): Promise<number> {
  const takes = Array.from({ length: count }, (_, i) => nodes[i % nodes.length]?.buckets.take(name));
  return (await Promise.all(takes)).filter(Boolean).length;
}

/** How many takes succeed one after the other, until the first that does not. */
async function takeAll({ buckets }: SharingNode, name = "a"): Promise<number> {
  for (let count = 0; ; count += 1) if (!(await buckets.take(name))) return count;
}

describe("a token bucket of several nodes", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  for (const count of [2, 16]) {
    it(`gives ${count} nodes no more than the burst together, and then what refills`, async (t) => {
      const { nodes, refill } = await cluster(t, { nodes: count, burst: 100 });
      assert.equal(await takeAtOnce(nodes, 300), 100);
      assert.equal(await takeAtOnce(nodes, 300), 0);
      assert.equal(await takeAtOnce(nodes, 10, "b"), 10, "another bucket");
      await refill(50);
      assert.equal(await takeAtOnce(nodes, 300), 50);
    });
  }

  it("gives all of the burst to a node that all requests reach, in a few statements", async (t) => {
    const { one } = await cluster(t, { nodes: 3, burst: 2400 });
    assert.equal(await takeAll(one), 2400);
    assert.ok(one.statements < 240, `${one.statements} statements`);
  });

  it("is not asked for again where it is known to be empty", async (t) => {
    const { nodes, one, refill } = await cluster(t, { nodes: 2, burst: 10 });
    await takeAtOnce(nodes, 30);
    // A node may still ask in advance, and would get the token that refills.
    for (const { leases } of nodes) await leases.close();
    const { statements } = one;
    assert.equal(await takeAtOnce([one], 100), 0);
    assert.equal(one.statements, statements);
    await refill(1);
    assert.equal(await takeAtOnce([one], 100), 1);
  });

  it("has at most its share held in advance by a node, until the node returns it", async (t) => {
    const { one, two } = await cluster(t, { nodes: 2, burst: 800 });
    for (let i = 0; i < 300; i += 1) assert.equal(await one.buckets.take("a"), true);
    await one.leases.close();
    const held = 800 - 300 - (await takeAll(two));
    assert.ok(held > 0 && held <= (800 * HELD_SHARE) / 2, `${held} held`);
    await one.settle();
    assert.equal(await one.buckets.take("a"), true, "not returned yet");
    await one.clock.advance(1000);
    await one.settle();
    await two.clock.advance(INTERVAL_MS);
    assert.equal(await takeAll(two), held - 1);
    assert.equal(await takeAll(one), 0);
  });

  it("has to refill what one node has taken beyond it before any gets a token", async (t) => {
    const { nodes, one, refill } = await cluster(t, { nodes: 2, burst: 10 });
    assert.equal(await takeAtOnce([one], 1), 1);
    one.buckets.owe("a", 14);
    assert.ok(one.buckets.status("a").tokens <= -5);
    await one.leases.close();
    assert.equal(await takeAtOnce(nodes, 10), 0);
    await refill(5);
    assert.equal(await takeAtOnce(nodes, 10), 0);
    await refill(2);
    assert.equal(await takeAtOnce(nodes, 10), 2);
  });

  it("is asked for with many others in one statement", async (t) => {
    const { one } = await cluster(t, { nodes: 2, burst: 10 });
    const names = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
    const takes = await Promise.all(names.map((name) => one.buckets.take(name)));
    assert.equal(takes.filter(Boolean).length, 1000);
    assert.equal(one.statements, 5);
  });

  it("is asked before a token is needed where one is expected", async (t) => {
    const { one } = await cluster(t, { nodes: 2, burst: 10 });
    one.buckets.expect("a");
    await one.leases.close();
    assert.equal(one.statements, 1);
    one.isDown = true;
    assert.equal(await one.buckets.take("a"), true);
    await assert.rejects(one.buckets.take("b"), SpoolUnavailable);
  });

  it("goes on after an outage of the database", async (t) => {
    const { nodes, one } = await cluster(t, { nodes: 2, burst: 10 });
    one.isDown = true;
    await assert.rejects(takeAtOnce([one], 3), SpoolUnavailable);
    one.isDown = false;
    assert.equal(await takeAtOnce(nodes, 30), 10);
  });
});

describe("a token bucket of a node that is alone", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("costs the database nothing", async (t) => {
    const { one } = await cluster(t, { nodes: 2, burst: 10 });
    await one.becomeAlone();
    const { statements } = one;
    assert.equal(await takeAtOnce([one], 30), 10);
    await one.settle();
    assert.equal(one.statements, statements);
  });

  it("counts what it has used for the others that join", async (t) => {
    const { one, two } = await cluster(t, { nodes: 2, burst: 100 });
    await one.becomeAlone();
    assert.equal(await takeAtOnce([one], 60), 60);
    one.hasOthers = true;
    await one.settle();
    assert.equal(await takeAtOnce([two], 100), 40);
  });

  it("counts what both have used before it has noticed the other", async (t) => {
    const { nodes, one, two, refill } = await cluster(t, { nodes: 2, burst: 100 });
    await one.becomeAlone();
    assert.equal(await takeAtOnce([one], 100), 100);
    assert.equal(await takeAtOnce([two], 100), 100);
    one.hasOthers = true;
    one.isDown = true;
    await one.settle();
    one.isDown = false;
    await one.settle();
    await refill(100);
    assert.equal(await takeAtOnce(nodes, 10), 0);
    await refill(5);
    assert.equal(await takeAtOnce(nodes, 10), 5);
  });

  it("is as the others have left it, with the tokens that the node holds and those that are waited for", async (t) => {
    const { one, two } = await cluster(t, { nodes: 2, burst: 800 });
    for (let i = 0; i < 300; i += 1) assert.equal(await one.buckets.take("a"), true);
    assert.equal(await takeAtOnce([two], 100), 100);
    const waiting = takeAtOnce([one], 20);
    await one.becomeAlone();
    assert.equal(await waiting, 20);
    // The other one is gone with what it holds in advance.
    const left = 800 - 300 - 100 - 20 - (await takeAll(one));
    assert.ok(left >= 0 && left <= (800 * HELD_SHARE) / 2, `${left} left`);
  });
});
