/** A sending domain's mail pauses at a destination after a few refusals, and one message at a time probes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Pass,
  type PausedJob,
  pauseText,
  REFUSALS_UNTIL_PAUSED,
  SenderPauses,
} from "../../../src/delivery/throttle/sender-pauses.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const JOB: PausedJob = { accountId: "acc_1", domainId: "dom_1", domain: "b.example", from: "a@s.example" };
const OTHER: PausedJob = { ...JOB, domainId: "dom_2", from: "a@t.example" };
const MX = "*.provider.example";
const refused = {
  refusal: { category: "authentication" as const, text: "550 5.7.26 no" },
  isAccepted: false,
};
const accepted = { refusal: null, isAccepted: true };
const undecided = { refusal: null, isAccepted: false };

function setUp() {
  const clock = fakeClock();
  const checked: string[] = [];
  const pauses = new SenderPauses({
    clock,
    log: silentLog,
    onUnauthenticated: ({ domainId }) => void checked.push(domainId),
  });
  const enter = (job = JOB, destination = MX): Pass => pauses.enter(job, destination);
  const entered = (job = JOB, destination = MX): Extract<Pass, { type: "pass" }> => {
    const pass = enter(job, destination);
    assert.equal(pass.type, "pass");
    return pass as Extract<Pass, { type: "pass" }>;
  };
  const refuse = (times: number, job = JOB, destination = MX): void => {
    for (let i = 0; i < times; i += 1) pauses.report(job, entered(job, destination), refused);
  };
  return { clock, checked, pauses, enter, entered, refuse };
}

test("pauses one domain at one destination after a few refusals in a row, and has it checked", () => {
  const { checked, pauses, enter, entered, refuse } = setUp();
  refuse(REFUSALS_UNTIL_PAUSED - 1);
  pauses.report(JOB, entered(), accepted);
  refuse(REFUSALS_UNTIL_PAUSED - 1);
  assert.deepEqual([enter().type, pauses.count, checked], ["pass", 0, []]);
  refuse(1);
  assert.deepEqual([enter().type, pauses.count, checked], ["paused", 1, ["dom_1"]]);
  assert.equal(enter(OTHER).type, "pass");
  assert.equal(enter(JOB, "*.other.example").type, "pass");
});

test("one message at a time probes, at doubled gaps of at most five minutes", async () => {
  const { clock, pauses, enter, entered, refuse } = setUp();
  refuse(REFUSALS_UNTIL_PAUSED);
  const gaps: number[] = [];
  for (let probe = 0; probe < 9; probe += 1) {
    const beganMs = clock.monotonicMs();
    while (enter().type === "paused") await clock.advance(1000);
    gaps.push(clock.monotonicMs() - beganMs);
    // The loop's last look has become the probe.
    assert.equal(enter().type, "paused", "one at a time");
    pauses.report(JOB, { type: "pass", destination: MX, isProbe: true }, refused);
  }
  assert.deepEqual(
    gaps,
    [5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1000),
  );
  await clock.advance(300_000);
  const probe = entered();
  assert.equal(probe.isProbe, true);
  pauses.report(JOB, probe, accepted);
  assert.deepEqual([enter().type, pauses.count], ["pass", 0]);
});

test("attempts that began before the pause prolong nothing, and an accepted one ends it", () => {
  const { pauses, enter, entered, refuse } = setUp();
  const [late, later] = [entered(), entered()];
  refuse(REFUSALS_UNTIL_PAUSED);
  const probeAtMs = (): number | null => {
    const found = enter();
    return found.type === "paused" ? found.pause.probeAtMs : null;
  };
  const beforeMs = probeAtMs();
  assert.ok(beforeMs !== null);
  pauses.report(JOB, late, refused);
  assert.equal(probeAtMs(), beforeMs);
  pauses.report(JOB, later, accepted);
  assert.equal(enter().type, "pass");
});

test("a probe that decides nothing, or is not made, is followed by another one; one that hangs by another after a minute", async () => {
  const { clock, pauses, enter, entered, refuse } = setUp();
  refuse(REFUSALS_UNTIL_PAUSED);
  await clock.advance(5000);
  pauses.report(JOB, entered(), undecided);
  pauses.withdraw(JOB, entered());
  assert.equal(entered().isProbe, true);
  assert.equal(enter().type, "paused");
  await clock.advance(60_000);
  assert.equal(entered().isProbe, true);
});

test("a rate pauses too, and has no records checked; a test message and mail without a destination never do", () => {
  const { checked, pauses, enter, entered } = setUp();
  const rate = { refusal: { category: "rate_limited" as const, text: "421 4.7.28" }, isAccepted: false };
  for (let i = 0; i < REFUSALS_UNTIL_PAUSED; i += 1) pauses.report(JOB, entered(), rate);
  assert.deepEqual([enter().type, checked], ["paused", []]);
  const route = testRouteOf("acc_1");
  for (let i = 0; i < 9; i += 1)
    pauses.report({ ...OTHER, domain: route }, pauses.enter(OTHER, route) as never, refused);
  assert.equal(enter(OTHER, route).type, "pass");
  assert.equal(pauses.enter(JOB, null).type, "pass");
});

test("the text names the destination and both times, and no reply", () => {
  const { clock, enter, refuse } = setUp();
  refuse(REFUSALS_UNTIL_PAUSED);
  const entered = enter();
  assert.ok(entered.type === "paused");
  const text = pauseText(entered.pause, clock);
  assert.match(
    text,
    /^not tried: provider\.example has rejected .* since \d{4}-\S+Z\. One message probes it at \d{4}-\S+Z\.$/,
  );
  assert.doesNotMatch(text, /550/);
});

test("memory is bounded", () => {
  const { pauses } = setUp();
  for (let i = 0; i < 10_500; i += 1) {
    const job = { ...JOB, domainId: `dom_${i}` };
    for (let n = 0; n < REFUSALS_UNTIL_PAUSED; n += 1)
      pauses.report(job, { type: "pass", destination: MX, isProbe: false }, refused);
  }
  assert.equal(pauses.count, 10_000);
});
