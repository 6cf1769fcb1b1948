/** Snapshots of destinations and dead addresses, across a restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import { StateSnapshot } from "../../../src/delivery/throttle/state-snapshot.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const MX = "mx.a.example";
const NOW_MS = 1_000_000;

/** A process with delivery, on notes that outlive it. */
async function start(notes: Map<string, string>, { isDown = (): boolean => false } = {}) {
  const clock = fakeClock();
  const destinations = new CongestionWindows(4);
  const health = new HostHealth(clock);
  const spool = {
    readNodeValue: async (name: string) => notes.get(name) ?? null,
    writeNodeValue: async (name: string, text: string) => {
      if (isDown()) throw new SpoolUnavailable("down");
      notes.set(name, text);
    },
  };
  const snapshot = await StateSnapshot.start({ spool, clock, log: silentLog, destinations, health });
  return { clock, destinations, health, snapshot };
}

function succeed(destinations: CongestionWindows, times: number): void {
  for (let i = 0; i < times; i += 1) {
    const slot = destinations.acquire(MX, NOW_MS);
    assert.ok(slot);
    destinations.release(slot, "accepted", NOW_MS);
  }
}

test("windows and dead addresses are restored after a stop", async () => {
  const notes = new Map<string, string>();
  const first = await start(notes);
  succeed(first.destinations, 6);
  for (let i = 0; i < 2; i += 1) first.health.recordFailure("192.0.2.1", 25, "timeout");
  await first.snapshot.stop();

  const { destinations, health } = await start(notes);
  assert.equal(destinations.capacity(MX, NOW_MS), 10);
  assert.match(health.refusalReason("192.0.2.1", 25) ?? "", /no connection since .* \(timeout\)/);
});

test("after a crash, the state of a minute before is restored", async () => {
  const notes = new Map<string, string>();
  const first = await start(notes);
  succeed(first.destinations, 6);
  await first.clock.advance(60_000);
  succeed(first.destinations, 6);
  assert.equal((await start(notes)).destinations.capacity(MX, NOW_MS), 10);
});

test("a snapshot that cannot be read or written does not stop delivery", async () => {
  for (const text of ["", "null", "{}", '{"destinations":5}', "not JSON"]) {
    const { destinations, snapshot } = await start(new Map([["delivery-memory", text]]));
    assert.equal(destinations.capacity(MX, NOW_MS), 4, text);
    await snapshot.stop();
  }
  let isDown = true;
  const notes = new Map<string, string>();
  const { clock, destinations, snapshot } = await start(notes, { isDown: () => isDown });
  succeed(destinations, 1);
  await clock.advance(60_000);
  isDown = false;
  succeed(destinations, 1);
  await snapshot.stop();
  assert.equal((await start(notes)).destinations.capacity(MX, NOW_MS), 6);
});

test("a snapshot that could not be written is written a minute later, although nothing has changed", async () => {
  let isDown = true;
  const notes = new Map<string, string>();
  const { clock, destinations } = await start(notes, { isDown: () => isDown });
  succeed(destinations, 6);
  await clock.advance(60_000);
  assert.equal(notes.size, 0);
  isDown = false;
  await clock.advance(60_000);
  assert.equal((await start(notes)).destinations.capacity(MX, NOW_MS), 10);
});
