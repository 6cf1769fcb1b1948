/** What the nodes conclude from what each of them has seen, of a node that has not appeared and leases a message. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  conclude,
  type ReviewEnd,
  type Testimony,
  testify,
} from "../../../../../src/spool/engine/postgres/cluster/failover-review.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { newMessage } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { NOW_MS } from "../../../port/conformance/suite.ts";

/** The promoted server had replayed the log so far. */
const FORK_LSN = 1000;
/** Of the node that speaks. */
const NUMBER = 999;

interface Case {
  what: string;
  seen: Partial<Testimony>;
  forkLsn?: number | null;
  end: Partial<ReviewEnd>;
}

const CASES: readonly Case[] = [
  {
    what: "a log that was longer than the promoted server's is a loss, although the node's own work is there",
    seen: { flushedLsn: FORK_LSN + 1 },
    end: { isLossy: true, isPaused: false, lostRecipients: 1 },
  },
  {
    what: "a log of the same length is no loss, and the leases may still lack their marks",
    seen: { flushedLsn: FORK_LSN },
    end: { isLossy: false, isPaused: false, lostRecipients: 1 },
  },
  {
    what: "a longer log is no loss where commits waited for a standby, and the leases have their marks",
    seen: { flushedLsn: FORK_LSN + 1, isSynchronous: true },
    end: { isLossy: false, isPaused: false, lostRecipients: 0 },
  },
  {
    what: "a lost transaction is a loss, although commits should have waited for a standby",
    seen: { flushedLsn: FORK_LSN + 1, isSynchronous: true, hasLast: false },
    end: { isLossy: true, isPaused: false, lostRecipients: 1 },
  },
  {
    what: "a lost message is a loss, although the node's last transaction is there",
    seen: { flushedLsn: FORK_LSN, lostMessages: 2 },
    end: { isLossy: true, isPaused: false, lostMessages: 2, lostRecipients: 1 },
  },
  {
    what: "a loss of more than a minute pauses delivery",
    seen: { flushedLsn: FORK_LSN + 1, seenMs: NOW_MS + 60_001 },
    end: { isLossy: true, isPaused: true, lostRecipients: 0 },
  },
  {
    what: "a loss that began before the node's memory pauses delivery",
    seen: { flushedLsn: FORK_LSN + 1, completeSinceMs: NOW_MS + 1 },
    end: { isLossy: true, isPaused: true, lostRecipients: 0 },
  },
  {
    what: "a server that was restarted after its promotion has no length to compare",
    seen: { flushedLsn: FORK_LSN + 1 },
    forkLsn: null,
    end: { isLossy: false, isPaused: false, lostRecipients: 1 },
  },
];

async function concluded(t: TestContext, { seen, forkLsn = FORK_LSN }: Case): Promise<ReviewEnd> {
  const { url } = await freshDatabase(t);
  const { store, name: missing } = await openNode(t, url);
  await store.accept(newMessage());
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const timeline = { system: "1", timeline: "00000002", table: 1, insertLsn: FORK_LSN, forkLsn, forkMs: NOW_MS };
  const testimony: Testimony = {
    ...{ name: "idle", flushedLsn: null, seenMs: NOW_MS + 1, isSynchronous: false, hasLast: true },
    ...{ completeSinceMs: null, lostMessages: 0, lostRecipients: 0, ...seen },
  };
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
});
