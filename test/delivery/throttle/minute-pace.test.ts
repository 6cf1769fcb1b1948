/** Messages a minute at a destination: how many attempts may begin, and when the next one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { DestinationThrottle } from "../../../src/delivery/throttle/destination-throttle.ts";
import { MinutePace } from "../../../src/delivery/throttle/minute-pace.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { LocalBuckets } from "../../../src/spool/records/local-buckets.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const PACED = "*.paced.example";
const MINUTE_MS = 60_000;

/** A receiver with 60 messages a minute: a token each second, a burst of 3. */
function stage() {
  const clock = fakeClock();
  const kinds: string[] = [];
  const limits = {
    tokenBuckets(kind: string, rate: { perSecond: number; burst: number }) {
      kinds.push(kind);
      return new LocalBuckets(rate, clock);
    },
  };
  const pace = new MinutePace({ limits, perMinuteOf: (name) => (name === PACED ? 60 : null) });
  const throttle = new DestinationThrottle(new CongestionWindows(50), pace);
  const now = (): number => clock.monotonicMs();
  const enter = (destination = PACED) => throttle.enter({ domain: "a.example", messageId: "msg_1" }, destination, now);
  return { clock, kinds, pace, throttle, now, enter };
}

test("no minute has more than 1.05 times the limit, and a minute has as many", async () => {
  const { clock, enter, throttle, now } = stage();
  const begun: number[] = [];
  while (now() < 1_000_000 + 3 * MINUTE_MS) {
    const entered = await enter();
    if (entered.type === "permit") {
      begun.push(now());
      throttle.release(entered, "accepted", now());
    } else await clock.advance(100);
  }
  for (const from of begun) {
    const count = begun.filter((atMs) => atMs >= from && atMs < from + MINUTE_MS).length;
    assert.ok(count <= 63, `${count} in a minute`);
  }
  assert.ok(begun.length >= 180, `${begun.length} in three minutes`);
});

test("claims get what may begin, and the next moment is that of the next token", async () => {
  const { throttle, now, enter, kinds } = stage();
  for (let i = 0; i < 3; i += 1) assert.equal((await enter()).type, "permit");
  assert.equal(throttle.allowances(now()).allowance[PACED], 0);
  assert.equal(throttle.nextCapacityMs(now()), now() + 1000, "also without an attempt that was turned away");
  assert.deepEqual(await enter(), { type: "full", destination: PACED });
  assert.deepEqual(kinds, ["receiver@60"]);
});

test("an attempt that the window keeps back returns its token", async () => {
  const { clock, pace } = stage();
  const throttle = new DestinationThrottle(new CongestionWindows(1), pace);
  const enter = () => throttle.enter({ domain: "a.example", messageId: "msg_1" }, PACED, () => clock.monotonicMs());
  assert.equal((await enter()).type, "permit");
  for (let i = 0; i < 5; i += 1) assert.equal((await enter()).type, "full");
  assert.equal(pace.available(PACED), 2);
});

test("a destination without a limit needs no token", async () => {
  const { enter, kinds } = stage();
  for (let i = 0; i < 50; i += 1) assert.equal((await enter("*.other.example")).type, "permit");
  assert.deepEqual(kinds, []);
});

test("while the store cannot be asked, nothing begins", async () => {
  const { clock } = stage();
  const limits = {
    tokenBuckets: (_kind: string, rate: { perSecond: number; burst: number }) =>
      Object.assign(new LocalBuckets(rate, clock), { take: () => Promise.reject(new SpoolUnavailable("down")) }),
  };
  const pace = new MinutePace({ limits, perMinuteOf: () => 60 });
  assert.equal(await pace.take(PACED), false);
});
