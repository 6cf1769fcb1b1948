/** Dead addresses: how they are probed and restored, across restarts, and whatever the wall clock does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const HOUR_MS = 3_600_000;

function setUp(startMs = 0) {
  const clock = fakeClock(startMs);
  const health = new HostHealth(clock);
  return {
    clock,
    health,
    refusal: () => health.refusalReason("192.0.2.1", 25),
    fail: () => health.recordFailure("192.0.2.1", 25, "ECONNREFUSED"),
  };
}

test("a dead address is probed by one attempt at a time, at growing intervals, and restored by one success", async () => {
  const { clock, health, refusal, fail } = setUp();
  fail();
  assert.equal(refusal(), null, "one failure is not enough");
  fail();
  await clock.advance(999);
  assert.equal(
    refusal(),
    "not tried: no connection since 1970-01-01T00:00:00.000Z (ECONNREFUSED), next probe from 1970-01-01T00:00:01.000Z",
  );
  await clock.advance(1);
  assert.equal(refusal(), null, "the probe");
  assert.notEqual(refusal(), null, "no attempt beside the probe");
  for (const gapMs of [2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]) {
    fail();
    await clock.advance(gapMs - 1);
    assert.notEqual(refusal(), null, `${gapMs - 1} ms later`);
    await clock.advance(1);
    assert.equal(refusal(), null, "at least every five minutes");
  }
  assert.equal(health.refusalReason("192.0.2.1", 2525), null, "another port is another address");
  health.recordSuccess("192.0.2.1", 25);
  assert.equal(refusal(), null);
});

test("a dead address that was not tried for long is tried by all due jobs, and dead again after one more failure", async () => {
  const { clock, refusal, fail } = setUp();
  fail();
  fail();
  await clock.advance(1000 + 300_000 - 1);
  assert.equal(refusal(), null);
  assert.notEqual(refusal(), null, "one probe, while the last failure is recent");
  await clock.advance(2 * 300_000);
  assert.equal(refusal(), null);
  assert.equal(refusal(), null, "no attempt waits for another's probe");
  fail();
  assert.notEqual(refusal(), null);
});

test("attempts that fail together count once", async () => {
  const { clock, refusal, fail } = setUp();
  for (let i = 0; i < 100; i += 1) fail();
  await clock.advance(1000);
  assert.equal(refusal(), null, "the first probe comes after a second all the same");
});

test("a probe that never reports is followed by another within a minute", async () => {
  const { clock, refusal, fail } = setUp();
  fail();
  fail();
  await clock.advance(1000);
  assert.equal(refusal(), null);
  await clock.advance(59_999);
  assert.notEqual(refusal(), null);
  await clock.advance(1);
  assert.equal(refusal(), null);
});

test("dead addresses are counted while they are still tried", async () => {
  const { clock, health, fail } = setUp();
  fail();
  assert.equal(health.deadCount(), 0, "one failure is not enough");
  fail();
  assert.equal(health.deadCount(), 1);
  await clock.advance(300_999);
  assert.equal(health.deadCount(), 1);
  await clock.advance(1);
  assert.equal(health.deadCount(), 0);
});

test("setting the wall clock, forward or back, does not move a probe", async () => {
  for (const stepMs of [-2 * HOUR_MS, 2 * HOUR_MS]) {
    const { clock, refusal, fail } = setUp(10 * HOUR_MS);
    fail();
    fail();
    clock.step(stepMs);
    assert.notEqual(refusal(), null);
    await clock.advance(1000);
    assert.equal(refusal(), null, `after a step of ${stepMs} ms`);
  }
});

/** The restored state in a new process whose wall clock starts there. */
function restart(before: HostHealth, startMs: number): HostHealth {
  const after = new HostHealth(fakeClock(startMs));
  after.restore(JSON.parse(JSON.stringify(before.states())));
  return after;
}

test("dead addresses survive a restart", async () => {
  const { health, fail } = setUp(10 * HOUR_MS);
  fail();
  fail();
  assert.notEqual(restart(health, 10 * HOUR_MS + 500).refusalReason("192.0.2.1", 25), null);
  assert.equal(restart(health, 10 * HOUR_MS + 1000).refusalReason("192.0.2.1", 25), null);
});

test("after a restart with a clock that was set back, a dead address is probed at once", async () => {
  const { clock, health, refusal, fail } = setUp(10 * HOUR_MS);
  fail();
  for (let i = 0; i < 10; i += 1) {
    fail();
    while (refusal() !== null) await clock.advance(1000);
  }
  fail();
  assert.equal(restart(health, clock.now() - 2 * HOUR_MS).refusalReason("192.0.2.1", 25), null);
  assert.notEqual(restart(health, clock.now()).refusalReason("192.0.2.1", 25), null);
});

test("an address that does not greet is dead at once, and probed a minute later at the earliest", async () => {
  const { clock, health, refusal } = setUp();
  health.recordGreeting("192.0.2.1", 25);
  assert.ok(health.hasGreeted("192.0.2.1", 25));
  assert.ok(!health.hasGreeted("192.0.2.1", 2525));
  health.recordSilence("192.0.2.1", 25, "no reply within 300000 ms");
  assert.ok(!health.hasGreeted("192.0.2.1", 25), "it no longer counts as one that greets");
  await clock.advance(63_999);
  assert.match(refusal() ?? "", /^not tried: .*no reply within 300000 ms/);
  await clock.advance(1);
  assert.equal(refusal(), null, "the probe");
  assert.notEqual(refusal(), null, "no attempt beside the probe");
  health.recordGreeting("192.0.2.1", 25);
  assert.deepEqual([refusal(), health.hasGreeted("192.0.2.1", 25)], [null, true]);
});

test("an address is familiar after a hundred small handshakes, and never after a large one", () => {
  const { health } = setUp();
  const familiar = (port = 25) => health.handshakesOf("192.0.2.1", port).isFamiliar;
  for (let count = 0; count < 100; count += 1) {
    assert.equal(familiar(), false);
    health.handshakesOf("192.0.2.1", 25).record("small");
  }
  assert.deepEqual([familiar(), familiar(2525)], [true, false]);
  health.handshakesOf("192.0.2.1", 25).record("large");
  for (let count = 0; count < 20; count += 1) health.handshakesOf("192.0.2.1", 25).record("small");
  assert.equal(familiar(), false);
});

test("TLS that has failed twice in a row is not tried for three days, unless it has worked since", async () => {
  const { clock, health } = setUp();
  const broken = (): string | null => health.brokenTlsOf("192.0.2.1", 25);
  health.recordBrokenTls("192.0.2.1", 25, "no handshake within 120 s");
  assert.equal(broken(), null, "one may be the network's");
  health.forgetBrokenTls("192.0.2.1", 25);
  health.recordBrokenTls("192.0.2.1", 25, "no handshake within 120 s");
  assert.equal(broken(), null);
  health.recordBrokenTls("192.0.2.1", 25, "no handshake within 120 s");
  assert.equal(broken(), "no handshake within 120 s");
  assert.equal(health.brokenTlsOf("192.0.2.2", 25), null);
  await clock.advance(72 * HOUR_MS - 1);
  assert.notEqual(broken(), null);
  await clock.advance(1);
  assert.equal(broken(), null);
  health.recordBrokenTls("192.0.2.1", 25, "again");
  assert.equal(broken(), "again", "it still does not work");
});
