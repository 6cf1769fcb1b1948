/** What the nodes conclude from what each of them has seen, of a node that has not appeared and leases a message. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  afterFormer,
  conclude,
  type ReviewEnd,
  type Testimony,
  testify,
} from "../../../../../src/spool/engine/postgres/cluster/failover-review.ts";
import type { Timeline } from "../../../../../src/spool/engine/postgres/cluster/timeline.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { newMessage } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { NOW_MS } from "../../../port/conformance/suite.ts";

/** Of the node that speaks. */
const NUMBER = 999;

interface Case {
  what: string;
  seen: Partial<Testimony>;
  end: Partial<ReviewEnd>;
}

const CASES: readonly Case[] = [
  {
    what: "a log that was longer than the promoted server's is a loss, although the node's own work is there",
    seen: { isAhead: true },
    end: { isLossy: true, isPaused: false, lostRecipients: 1 },
  },
  {
    what: "a log of the same length is no loss, and the leases may still lack their marks",
    seen: {},
    end: { isLossy: false, isPaused: false, lostRecipients: 1 },
  },
  {
    what: "where commits waited for a standby, the leases have their marks",
    seen: { isSynchronous: true },
    end: { isLossy: false, isPaused: false, lostRecipients: 0 },
  },
  {
    what: "a lost transaction is a loss, although commits should have waited for a standby",
    seen: { isSynchronous: true, hasLast: false },
    end: { isLossy: true, isPaused: false, lostRecipients: 1 },
  },
  {
    what: "a lost message is a loss, although the node's last transaction is there",
    seen: { lostMessages: 2 },
    end: { isLossy: true, isPaused: false, lostMessages: 2, lostRecipients: 1 },
  },
  {
    what: "a loss of more than a minute pauses delivery",
    seen: { isAhead: true, seenMs: NOW_MS + 60_001 },
    end: { isLossy: true, isPaused: true, lostRecipients: 0 },
  },
  {
    what: "a loss that began before the node's memory pauses delivery",
    seen: { isAhead: true, completeSinceMs: NOW_MS + 1 },
    end: { isLossy: true, isPaused: true, lostRecipients: 0 },
  },
  {
    what: "a loss of which the beginning is not known pauses delivery",
    seen: { isAhead: true, forkMs: null },
    end: { isLossy: true, isPaused: true, lostRecipients: 0 },
  },
];

const timelineNamed = (name: string): Timeline => ({
  system: "1",
  timeline: name,
  table: 1,
  insertLsn: 1000,
  forkLsn: 1000,
  forkMs: NOW_MS,
});

const NOTHING_LOST: Testimony = {
  name: "idle",
  isAhead: false,
  seenMs: NOW_MS + 1,
  forkMs: NOW_MS,
  isSynchronous: false,
  hasLast: true,
  completeSinceMs: null,
  lostMessages: 0,
  lostRecipients: 0,
};

async function concluded(t: TestContext, { seen }: Case): Promise<ReviewEnd> {
  const { url } = await freshDatabase(t);
  const { store, name: missing } = await openNode(t, url);
  await store.accept(newMessage());
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const timeline = timelineNamed("00000002");
  const testimony = { ...NOTHING_LOST, ...seen };
  return database.transaction(async (session) => {
    await testify(session, timeline, { number: NUMBER, testimony });
    assert.equal(await conclude(session, timeline, false), null, "it waits for the other node");
    const { end } = (await conclude(session, timeline, true)) ?? assert.fail("nothing is concluded");
    assert.deepEqual(end.missing, [missing]);
    return end;
  });
}

describe("the nodes' conclusion", { skip: missingPostgres() }, () => {
  for (const each of CASES) {
    it(each.what, async (t) => {
      const end = await concluded(t, each);
      for (const [part, value] of Object.entries(each.end)) assert.equal(end[part as keyof ReviewEnd], value, part);
    });
  }

  it("of a second promotion counts what a node had said of the first one and says no more", async (t) => {
    const { url } = await freshDatabase(t);
    const database = new Database({ connectionString: url });
    t.after(() => database.close());
    const end = await database.transaction(async (session) => {
      const lossy = { ...NOTHING_LOST, isAhead: true, lostMessages: 2 };
      await testify(session, timelineNamed("00000002"), { number: NUMBER, testimony: lossy });
      const other = { number: NUMBER + 1, testimony: NOTHING_LOST };
      await testify(session, timelineNamed("00000002"), other);
      await testify(session, timelineNamed("00000003"), other);
      return (await conclude(session, timelineNamed("00000003"), true))?.end;
    });
    assert.deepEqual([end?.isLossy, end?.lostMessages], [true, 2]);
  });
});

describe("what a node says after a second promotion", () => {
  const lossy: Testimony = { ...NOTHING_LOST, isAhead: true, hasLast: false, lostMessages: 2, lostRecipients: 3 };

  it("has what it had said of the first one, whose review has not ended", () => {
    const next = { ...NOTHING_LOST, seenMs: NOW_MS + 5, forkMs: NOW_MS + 4, lostMessages: 1 };
    assert.deepEqual(afterFormer(lossy, next), { ...lossy, seenMs: NOW_MS + 5, lostMessages: 3 });
  });

  it("begins at no known time if one of the two has none", () => {
    assert.equal(afterFormer({ ...lossy, forkMs: null }, NOTHING_LOST).forkMs, null);
    assert.equal(afterFormer({ ...lossy, seenMs: null }, NOTHING_LOST).seenMs, NOTHING_LOST.seenMs);
  });

  it("is that of the second alone if the first was concluded", () => {
    assert.deepEqual(afterFormer(null, NOTHING_LOST), NOTHING_LOST);
  });
});
