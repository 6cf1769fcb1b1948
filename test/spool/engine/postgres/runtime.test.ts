/** What runs beside the calls of an open spool: the duties of its node. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Duties, TASKS, WEBHOOK_SHARDS } from "../../../../src/spool/port/duties.ts";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { lapseNode, openNode } from "../../../support/postgres/open-node.ts";

const ALL = TASKS.length + WEBHOOK_SHARDS.length;

const heldBy = (duties: Duties): number => [...TASKS, ...WEBHOOK_SHARDS].filter((duty) => duties.holds(duty)).length;

/** Of an odd number of tasks, one of two nodes has one more. */
const HALVES = [Math.floor(ALL / 2), Math.ceil(ALL / 2)];

/** Resolves once the node holds so many duties, or one of several numbers of them. */
function untilHolds(duties: Duties, ...counts: readonly number[]): Promise<void> {
  return new Promise((resolve) => {
    const leave = duties.onChange(check);
    function check(): void {
      if (!counts.includes(heldBy(duties))) return;
      leave();
      resolve();
    }
    check();
  });
}

describe("the duties of open spools", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are all held by the only node", async (t) => {
    const { url } = await freshDatabase(t);
    const { store } = await openNode(t, url);
    await untilHolds(store.duties, ALL);
  });

  it("are shared with a second node, and all go to it when the first one stops", async (t) => {
    const { url } = await freshDatabase(t);
    const [first, second] = [await openNode(t, url), await openNode(t, url)];
    await Promise.all([untilHolds(first.store.duties, ...HALVES), untilHolds(second.store.duties, ...HALVES)]);
    await first.store.close();
    assert.equal(heldBy(first.store.duties), 0);
    await untilHolds(second.store.duties, ALL);
  });

  it("go to the others when a node resigns, which then takes none", async (t) => {
    const database = await freshDatabase(t);
    const [first, second] = [await openNode(t, database.url), await openNode(t, database.url)];
    await untilHolds(second.store.duties, ...HALVES);
    await first.store.duties.resign();
    await untilHolds(second.store.duties, ALL);
    assert.equal(heldBy(first.store.duties), 0);
  });

  it("are lost by a node that was fenced, until it has registered anew", async (t) => {
    const database = await freshDatabase(t);
    const node = await openNode(t, database.url);
    const { store } = node;
    await untilHolds(store.duties, ALL);
    const tenure = store.duties.tenure("retention");
    await lapseNode(database, node);
    await untilHolds(store.duties, ALL);
    assert.equal(tenure?.isLatest(), false);
  });

  it("are never held by the command line", async (t) => {
    const { url } = await freshDatabase(t);
    const { store } = await openNode(t, url, "client");
    await store.duties.resign();
    assert.equal(heldBy(store.duties), 0);
  });
});
