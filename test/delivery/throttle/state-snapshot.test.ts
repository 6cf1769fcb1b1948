/** What delivery has learnt of other hosts, across a restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import { rememberDestinations } from "../../../src/delivery/throttle/state-snapshot.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const MX = "mx.a.example";
const NOW_MS = 1_000_000;

/** A process that delivers, on notes that outlive it. */
async function start(notes: Map<string, string>, { isDown = (): boolean => false } = {}) {
  const clock = fakeClock();
  const destinations = new CongestionWindows(4);
  const health = new HostHealth(clock);
  const spool = {
    readValue: async (name: string) => notes.get(name) ?? null,
    writeValue: async (name: string, text: string) => {
      if (isDown()) throw new SpoolUnavailable("down");
      notes.set(name, text);
    },
  };
  const memory = await rememberDestinations({ spool, clock, log: silentLog, destinations, health });
  return { clock, destinations, health, memory };
}

function succeed(destinations: CongestionWindows, times: number): void {
  for (let i = 0; i < times; i += 1) {
    const slot = destinations.enter(MX, NOW_MS);
    assert.ok(slot);
    destinations.leave(slot, "accepted", NOW_MS);
  }
}

test("windows and dead addresses are known again after a stop", async () => {
  const notes = new Map<string, string>();
  const first = await start(notes);
  succeed(first.destinations, 6);
  for (let i = 0; i < 2; i += 1) first.health.failed("192.0.2.1", 25, "timeout");
  await first.memory.stop();

  const { destinations, health } = await start(notes);
  assert.equal(destinations.room(MX, NOW_MS), 10);
  assert.match(health.refusal("192.0.2.1", 25) ?? "", /no connection since .* \(timeout\)/);
});

test("after a crash, what was known a minute before it", async () => {
  const notes = new Map<string, string>();
  const first = await start(notes);
  succeed(first.destinations, 6);
  await first.clock.advance(60_000);
  succeed(first.destinations, 6);
  assert.equal((await start(notes)).destinations.room(MX, NOW_MS), 10);
});

test("a memory that cannot be read or kept is no reason not to deliver", async () => {
  for (const text of ["", "null", "{}", '{"destinations":5}', "not JSON"]) {
    const { destinations, memory } = await start(new Map([["delivery-memory", text]]));
    assert.equal(destinations.room(MX, NOW_MS), 4, text);
    await memory.stop();
  }
  let isDown = true;
  const notes = new Map<string, string>();
  const { clock, destinations, memory } = await start(notes, { isDown: () => isDown });
  succeed(destinations, 1);
  await clock.advance(60_000);
  isDown = false;
  succeed(destinations, 1);
  await memory.stop();
  assert.equal((await start(notes)).destinations.room(MX, NOW_MS), 6);
});
