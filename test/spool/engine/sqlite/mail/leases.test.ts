/** Leases within a batch: its operations see what the earlier ones have ended, and a batch that is repeated finds them as before. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { runBatch } from "../../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import type { Request } from "../../../../../src/spool/engine/sqlite/connection/writer-operations.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { sentMark, sentMessage, sentSettlements } from "../../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import { MARK } from "../../../../support/attempts.ts";
import { FIRST_LEASE, NOW_MS, OWNED_CLAIM, STATES } from "../../../../support/damaged-spool.ts";
import { HOUR_MS, newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const ID = "msg_one";

const MESSAGE = newMessage({ id: ID, createdAtMs: NOW_MS, expiresAtMs: NOW_MS + HOUR_MS });

const accept: Request = ["accept", sentMessage(MESSAGE)];
const mark: Request = ["mark", sentMark({ ...MARK, messageId: ID, positions: [0], lease: FIRST_LEASE })];
const settle = (result: "delivered" | "pending"): Request => {
  const settlements = [settlement(0, result, result === "pending" ? NOW_MS : null)];
  return ["settle", sentSettlements(ID, NOW_MS, settlements, FIRST_LEASE)];
};
const recover = (result: "unknown" | "pending"): Request => ["recover", { nowMs: NOW_MS + 1, result }];

/** A store with a claimed message: `run` runs a batch, and returns its values. */
function setUp(t: TestContext) {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const store = openStore(db);
  const run = (...requests: Request[]) =>
    runBatch(store, requests).map((reply) => (reply.ok ? reply.value : "rejected"));
  const state = () => db.prepare(STATES).pluck().get();
  run(accept);
  run(["claim", OWNED_CLAIM]);
  return { run, state };
}

describe("leases in one batch", () => {
  it("a settlement ends the lease for those after it", (t) => {
    const { run, state } = setUp(t);
    assert.deepEqual(run(settle("pending"), mark, settle("delivered")), ["settled", "lease_lost", "lease_lost"]);
    assert.equal(state(), "pending");
  });

  it("a write that fails beside them leaves the lease as it was for the repeated batch", (t) => {
    const { run, state } = setUp(t);
    assert.deepEqual(run(mark, accept, settle("delivered")), ["marked", "rejected", "settled"]);
    assert.equal(state(), "delivered");
  });

  it("a late result follows the recovery at once", (t) => {
    const { run, state } = setUp(t);
    run(mark);
    run(["expireLeases", FIRST_LEASE.owner]);
    assert.deepEqual(run(recover("unknown"), settle("delivered")), [1, "settled"]);
    assert.equal(state(), "delivered");
  });

  it("a recovery as pending ends the lease for those after it", (t) => {
    const { run, state } = setUp(t);
    run(mark);
    run(["expireLeases", FIRST_LEASE.owner]);
    assert.deepEqual(run(recover("pending"), settle("delivered")), [1, "lease_lost"]);
    assert.equal(state(), "pending");
  });
});
