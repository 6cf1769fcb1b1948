/** The memory of submitted messages: short ones within a budget, long ones in turn, and what is released. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MessageMemory, type Reservation, SHORT_OCTETS_MAX } from "../../src/smtp-server/message-memory.ts";
import { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import { fakeClock, quiet } from "../support/fake-clock.ts";

const MIB = 1024 * 1024;
const OPEN = new AbortController().signal;
const isOutOfMemory = (error: Error): boolean => error instanceof SmtpRejection && error.responseCode === 452;

/** Reserves short messages until there is no memory. */
function fill(memory: MessageMemory, accountId: string): Reservation[] {
  const taken: Reservation[] = [];
  for (;;) {
    const reservation = memory.forMessage(accountId, OPEN);
    try {
      reservation.takeShort(SHORT_OCTETS_MAX);
    } catch (error) {
      assert.ok(isOutOfMemory(error as Error), String(error));
      return taken;
    }
    taken.push(reservation);
    assert.ok(taken.length < 10_000, "there is no bound");
  }
}

describe("short messages", () => {
  it("have 32 MiB for three copies each, of which an account may use half", () => {
    const memory = new MessageMemory(fakeClock());
    const most = Math.floor((16 * MIB) / (3 * SHORT_OCTETS_MAX));
    const first = fill(memory, "acc_1");
    assert.equal(first.length, most);
    assert.equal(fill(memory, "acc_2").length, most);
    assert.equal(fill(memory, "acc_3").length, 0);
    first.pop()?.release();
    assert.equal(fill(memory, "acc_3").length, 1);
  });

  it("release their memory once", () => {
    const memory = new MessageMemory(fakeClock());
    const [first] = fill(memory, "acc_1");
    first?.release();
    first?.release();
    assert.equal(fill(memory, "acc_1").length, 1);
  });

  it("that were rejected, or never took memory, release none", () => {
    const memory = new MessageMemory(fakeClock());
    const taken = fill(memory, "acc_1").length;
    const rejected = memory.forMessage("acc_1", OPEN);
    assert.throws(() => rejected.takeShort(SHORT_OCTETS_MAX), isOutOfMemory);
    rejected.release();
    memory.forMessage("acc_1", OPEN).release();
    assert.ok(taken > 0);
    assert.equal(fill(memory, "acc_1").length, 0);
  });
});

describe("long messages", () => {
  /** Starts to wait for the memory of a message that needs the whole share of an account. */
  function waiting(memory: MessageMemory, accountId: string, gone: AbortSignal = OPEN) {
    const reservation = memory.forMessage(accountId, gone);
    const outcome = { state: "waiting" };
    reservation.waitLong(11 * MIB).then(
      () => {
        outcome.state = "admitted";
      },
      (error: Error) => {
        outcome.state = error.message;
      },
    );
    return { reservation, outcome };
  }

  it("wait for the others of their account, and delay no other account", async () => {
    const memory = new MessageMemory(fakeClock());
    const all = ["acc_1", "acc_1", "acc_2", "acc_3"].map((id) => waiting(memory, id));
    const states = (): string[] => all.map(({ outcome }) => outcome.state);
    await quiet();
    assert.deepEqual(states(), ["admitted", "waiting", "admitted", "waiting"]);
    all[0]?.reservation.release();
    await quiet();
    assert.equal(states().filter((state) => state === "admitted").length, 3);
    all[2]?.reservation.release();
    await quiet();
    assert.deepEqual(new Set(states()), new Set(["admitted"]));
  });

  it("wait for two minutes at most, and not after their connection has closed", async () => {
    const clock = fakeClock();
    const memory = new MessageMemory(clock);
    const client = new AbortController();
    const [first, late, left] = [
      waiting(memory, "acc_1"),
      waiting(memory, "acc_1"),
      waiting(memory, "acc_1", client.signal),
    ];
    await clock.advance(119_999);
    client.abort();
    await quiet();
    assert.deepEqual(
      [first, late, left].map(({ outcome }) => outcome.state),
      ["admitted", "waiting", "no memory for a message: gone"],
    );
    await clock.advance(1);
    assert.equal(late.outcome.state, "no memory for a message: share_full");
    // What was never admitted has nothing to release.
    late.reservation.release();
    left.reservation.release();
    const next = waiting(memory, "acc_1");
    await quiet();
    assert.equal(next.outcome.state, "waiting");
  });

  it("are rejected when the service stops", async () => {
    const memory = new MessageMemory(fakeClock());
    const [first, second] = [waiting(memory, "acc_1"), waiting(memory, "acc_1")];
    await quiet();
    memory.clear();
    await quiet();
    assert.deepEqual([first.outcome.state, second.outcome.state], ["admitted", "no memory for a message: stopping"]);
    const third = waiting(memory, "acc_2");
    await quiet();
    assert.equal(third.outcome.state, "no memory for a message: stopping");
  });

  it("release the memory of their beginning too", async () => {
    const memory = new MessageMemory(fakeClock());
    const taken = fill(memory, "acc_1");
    const [one] = taken;
    await one?.waitLong(MIB);
    one?.release();
    assert.equal(fill(memory, "acc_1").length, 1);
  });
});
