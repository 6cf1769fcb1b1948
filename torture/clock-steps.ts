/**
 * Sets the wall clock back and forward by hours while the service runs. A recovered host must be reached, due
 * messages must be delivered, and contents must be deleted even behind messages dated in the future.
 */
import { setTimeout as delay } from "node:timers/promises";
import { DOMAINS } from "./exchangers.ts";
import { Harness } from "./harness.ts";
import { send } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import { ShiftedClock } from "./shifted-clock.ts";

const STEP_MS = 2 * 3_600_000;
/** The guarantee is a minute or two; without it, the delay would be two hours. */
const PATIENCE_MS = 180_000;
const MESSAGES = 3;
/** The exchanger of the first domain fails and recovers; the second one always runs. */
const [DEAD_DOMAIN = "", LIVE_DOMAIN = ""] = DOMAINS;

export const clockSteps: Scenario = { name: "clock-steps", run };

async function run({ prng }: ScenarioOptions): Promise<ScenarioResult> {
  const harness = await Harness.create({ prng, env: { RETENTION_BODY: "1s", RETRY_SCHEDULE: "2s" } });
  try {
    const clock = new ShiftedClock(harness.dir);
    Object.assign(harness.env, clock.env);
    const back = await setBack(harness, { prng, clock });
    const forward = await setForward(harness, { prng, clock });
    const times = [back, forward].map(({ name, tookMs }) => `${name} delivered after ${Math.round(tookMs / 1000)} s`);
    const violations = [
      ...back.violations,
      ...forward.violations,
      ...(await harness.checkInvariants({ expectEnd: true })),
    ];
    return { figures: times.join(", "), violations };
  } finally {
    await harness.close();
  }
}

interface Part {
  name: string;
  tookMs: number;
  violations: string[];
}

interface PartOptions {
  prng: ScenarioOptions["prng"];
  clock: ShiftedClock;
}

async function setBack(harness: Harness, { prng, clock }: PartOptions): Promise<Part> {
  clock.set(STEP_MS);
  harness.closeExchanger(DEAD_DOMAIN);
  const service = await harness.startOrFail();
  const sendTo = (domain: string): Promise<unknown> =>
    send({ harness, prng, url: service.url, intents: intentsTo(harness, domain), width: 1 });
  // These messages stay dated in the future.
  await sendTo(LIVE_DOMAIN);
  await sendTo(DEAD_DOMAIN);
  const isDead = await until(() => attempts(harness) >= 2);
  clock.set(0);
  await harness.openExchanger(DEAD_DOMAIN);
  await sendTo(LIVE_DOMAIN);
  const sinceMs = performance.now();
  const isDelivered = await until(() => waiting(harness) === 0);
  const tookMs = performance.now() - sinceMs;
  const areContentsDeleted = await until(() => contentsBefore(harness, Date.now()) === 0);
  await service.kill("SIGTERM");
  return {
    name: "set back",
    tookMs,
    violations: [
      ...violationUnless(isDead, "the host was never marked as dead"),
      ...violationUnless(isDelivered, "messages for a recovered host are still pending after the clock was set back"),
      ...violationUnless(areContentsDeleted, "contents behind messages dated in the future are not deleted"),
    ],
  };
}

async function setForward(harness: Harness, { prng, clock }: PartOptions): Promise<Part> {
  harness.env.RETRY_SCHEDULE = "1h";
  harness.closeExchanger(DEAD_DOMAIN);
  const service = await harness.startOrFail();
  // One message only: of several, one would be the probe of the dead host, and the others would wait for their next
  // attempt.
  await send({ harness, prng, url: service.url, intents: intentsTo(harness, DEAD_DOMAIN, 1), width: 1 });
  const isDeferred = await until(() => attempts(harness) === 1);
  await harness.openExchanger(DEAD_DOMAIN);
  clock.set(STEP_MS);
  const sinceMs = performance.now();
  const isDelivered = await until(() => waiting(harness) === 0);
  const tookMs = performance.now() - sinceMs;
  await service.kill("SIGTERM");
  return {
    name: "set forward",
    tookMs,
    violations: [
      ...violationUnless(isDeferred, "no message was deferred"),
      ...violationUnless(isDelivered, "messages that became due when the clock was set forward are still pending"),
    ],
  };
}

function intentsTo(harness: Harness, domain: string, count = MESSAGES) {
  return Array.from({ length: count }, () => {
    const number = harness.history.intents.length;
    const recipients = [`u${number}-0@${domain}`];
    const text = `Message ${number}`;
    const intent = {
      number,
      key: `order-${number}`,
      recipients,
      text,
      expiresInS: null,
      isAccepted: false,
      attempts: 0,
    };
    harness.history.intents.push(intent);
    return intent;
  });
}

const waiting = (harness: Harness): number | null => harness.count("SELECT count(*) FROM work");

/** The lowest number of attempts of a pending recipient. */
const attempts = (harness: Harness): number =>
  harness.count("SELECT coalesce(min(attempts), 0) FROM work WHERE mark IS NULL") ?? 0;

const contentsBefore = (harness: Harness, beforeMs: number): number | null =>
  harness.count(`SELECT count(*) FROM contents JOIN messages USING (seq) WHERE created_at_ms < ${beforeMs}`);

async function until(isSo: () => boolean): Promise<boolean> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > giveUpMs) return false;
    await delay(200);
  }
  return true;
}
