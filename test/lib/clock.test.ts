/** State in memory uses the monotonic clock: setting the wall clock, forward or back, does not affect it. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { AcceptBackpressure } from "../../src/app/send/accept-backpressure.ts";
import { AcceptPriority } from "../../src/delivery/dispatch/accept-priority.ts";
import { KnownKeys } from "../../src/http/overload/load-shedder.ts";
import { AddressLimiter } from "../../src/lib/address-limiter.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { ApiKey } from "../../src/spool/port/api-keys.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";

const HOUR_MS = 3_600_000;

/** Each holds state for a second; `holds` returns whether it still does. */
const HOLDERS: Record<string, (clock: FakeClock) => { holds: () => boolean }> = {
  "an address over its rate is rejected": (clock) => {
    const limiter = new AddressLimiter({ rate: { perSecond: 1, burst: 1 }, trustedProxies: 0, clock });
    const req = { headers: {}, socket: { remoteAddress: "192.0.2.1" } } as unknown as IncomingMessage;
    limiter.take(req);
    return { holds: () => !limiter.take(req).allowed };
  },
  "a key is known": (clock) => {
    const known = new KnownKeys(clock);
    known.get("Bearer");
    known.add("Bearer", {} as ApiKey);
    return { holds: () => known.get("Bearer") !== undefined };
  },
};

for (const [what, make] of Object.entries(HOLDERS)) {
  test(`${what} for a second, independent of the wall clock`, async () => {
    for (const stepMs of [-HOUR_MS, HOUR_MS]) {
      const clock = fakeClock();
      const { holds } = make(clock);
      clock.step(stepMs);
      assert.equal(holds(), true, `after a step of ${stepMs} ms`);
      await clock.advance(1000);
      assert.equal(holds(), false, `a second after a step of ${stepMs} ms`);
    }
  });
}

/** Both are polled repeatedly; each is on for `lastsMs`. */
const BURSTS: Record<string, { lastsMs: number; make: (clock: FakeClock) => () => boolean }> = {
  "a burst delays deliveries": {
    lastsMs: 5000,
    make(clock) {
      const burst = new AcceptPriority(clock, { waiting: 100 });
      return () => burst.isActive;
    },
  },
  "a burst of sends may wait": {
    lastsMs: 1000,
    make(clock) {
      const crowd = new AcceptBackpressure(clock, { waitingMax: 1, burstMax: 9, burstMs: 1000 });
      void crowd.wait("acc_a", () => new Promise(() => {}));
      return () => !crowd.rejects("acc_a");
    },
  },
};

for (const [what, { lastsMs, make }] of Object.entries(BURSTS)) {
  test(`${what} for its time, independent of the wall clock`, async () => {
    for (const stepMs of [-HOUR_MS, HOUR_MS]) {
      const clock = fakeClock();
      const isOn = make(clock);
      assert.equal(isOn(), true);
      clock.step(stepMs);
      for (let passedMs = 500; passedMs <= lastsMs; passedMs += 500) {
        await clock.advance(500);
        assert.equal(isOn(), true, `${passedMs} ms later, after a step of ${stepMs} ms`);
      }
      await clock.advance(1);
      assert.equal(isOn(), false, `over, after a step of ${stepMs} ms`);
    }
  });
}

test("the system's monotonic clock does not follow the wall clock", (t) => {
  const [wallMs, monotonicMs] = [systemClock.now(), systemClock.monotonicMs()];
  t.mock.method(Date, "now", () => wallMs - HOUR_MS);
  assert.equal(systemClock.now(), wallMs - HOUR_MS);
  assert.ok(systemClock.monotonicMs() >= monotonicMs);
});
