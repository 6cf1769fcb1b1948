import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LeaseGrants } from "../../../../../src/spool/engine/postgres/mail/lease-grants.ts";
import { LeasedWork } from "../../../../../src/spool/engine/postgres/mail/leased-work.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { FairScheduler } from "../../../../../src/spool/scheduler/fair-scheduler.ts";

function grantsOf() {
  const node = { number: 1, isCurrent: true, isDraining: false, slot: 1, hasOthers: true };
  let suspicions = 0;
  const grants = new LeaseGrants({
    node: Object.assign(node, { leaseIsCurrent: () => node.isCurrent, leaseUntilMs: () => 5000 }),
    leased: new LeasedWork(new FairScheduler()),
    suspectOrphans: () => {
      suspicions += 1;
    },
  });
  return { node, grants, suspicions: () => suspicions };
}

describe("the leases that a node grants", () => {
  it("have an epoch each, under the number of the registration", async () => {
    const { node, grants } = grantsOf();
    assert.deepEqual(grants.begin(), { owner: 1, epoch: 1 });
    node.number = 7;
    const port = await grants.withLease(async (lease) => lease.port);
    assert.deepEqual(port, { owner: "7", epoch: 2, expiresAtMs: 5000 });
  });

  it("are none while it drains, or while its own lease is over", async () => {
    const { node, grants } = grantsOf();
    node.isDraining = true;
    assert.equal(await grants.withLease(async () => "granted"), null);
    node.isDraining = false;
    node.isCurrent = false;
    assert.equal(grants.begin(), null);
  });

  it("are current under the present registration alone, as long as that holds", () => {
    const { node, grants } = grantsOf();
    const lease = { owner: "1", epoch: 1, expiresAtMs: 5000 };
    assert.equal(grants.isCurrent(lease), true);
    node.isCurrent = false;
    assert.equal(grants.isCurrent(lease), false);
    node.isCurrent = true;
    node.number = 2;
    assert.equal(grants.isCurrent(lease), false);
  });

  it("have rows that are known until the grant has ended", async () => {
    const { grants } = grantsOf();
    const row = { seq: 10, position: 0, owner: 1, epoch: 1 };
    await grants.withLease(async () => {
      assert.equal(grants.knownRows()(row), true);
      assert.equal(grants.knownRows()({ ...row, epoch: 2 }), false);
    });
    assert.equal(grants.knownRows()(row), false);
  });

  it("may have rows that the node does not know, if the database did not reply", async () => {
    const { grants, suspicions } = grantsOf();
    const failing = (error: Error) => grants.withLease(() => Promise.reject(error));
    await assert.rejects(failing(new RangeError("rejected by the database")), RangeError);
    assert.equal(suspicions(), 0);
    await assert.rejects(failing(new SpoolUnavailable("no reply")), SpoolUnavailable);
    assert.equal(suspicions(), 1);
    assert.equal(grants.knownRows()({ seq: 10, position: 0, owner: 1, epoch: 2 }), false);
  });

  it("are looked for under the newest numbers that the node has had", () => {
    const { node, grants } = grantsOf();
    for (const number of [1, 1, 2, 3, 4, 5]) {
      node.number = number;
      grants.begin();
    }
    assert.deepEqual(grants.owners, [2, 3, 4, 5]);
  });
});
