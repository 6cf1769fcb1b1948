/** A person's request, made in another process, leads to one attempt at a closed destination before the next probe is due. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeliveryPolicy } from "../../../src/delivery/dispatch/dispatcher.ts";
import { ProbeRequestWatch } from "../../../src/delivery/dispatch/probe-request-watch.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { addProbeRequests } from "../../../src/spool/port/probe-requests.ts";
import { quiet } from "../../support/fake-clock.ts";
import { HOUR_MS } from "../../support/messages.ts";
import { deferred, endAllFor, setUpDispatcher } from "./dispatcher-stage.ts";

/** A destination that is closed, with mail that waits, and a store that counts how often it is read. */
async function closedStage(policy: Partial<DeliveryPolicy> = {}) {
  const stage = setUpDispatcher({ attemptsMax: 20, ...policy });
  const { spool, clock, throttle, dispatcher } = stage;
  const values = new Map<string, string>();
  const store = { reads: 0, isDown: false };
  const keyValues = {
    async readValue(name: string) {
      store.reads += 1;
      if (store.isDown) throw new SpoolUnavailable("down");
      return values.get(name) ?? null;
    },
    writeValue: async (name: string, text: string) => void values.set(name, text),
  };
  const watch = new ProbeRequestWatch({ spool: keyValues, clock, throttle, onAsked: () => dispatcher.wake() });
  await clock.advance(5000);
  assert.equal(store.reads, 0, "nothing is read while all destinations are open");
  for (let count = 0; count < 30; count += 1) spool.put("full.example");
  dispatcher.wake();
  await quiet();
  // The next pause is 32 s long.
  await endAllFor(stage, 32, () => false);
  const ask = (id: string, domain = "full.example") =>
    addProbeRequests(keyValues, [{ id, accountId: null, domain, messageId: null, atMs: clock.now() }], clock.now());
  return { ...stage, watch, store, ask };
}

test("a request is served within a second by one attempt, and the others wait for its result", async () => {
  const { clock, underWay, ask, store, spool } = await closedStage();
  await clock.advance(5000);
  assert.equal(underWay.length, 0);
  assert.ok(store.reads > 0);
  await ask("probe_1");
  await clock.advance(1000);
  assert.equal(underWay.length, 1);
  await underWay[0]?.end(deferred, "refused");
  await clock.advance(3000);
  assert.equal(underWay.length, 0, "one probe, not all");
  const claims = spool.claims.length;
  await clock.advance(3000);
  assert.equal(spool.claims.length, claims, "looking for requests claims nothing");
  await clock.advance(5000);
  await ask("probe_2");
  await clock.advance(1000);
  await underWay[0]?.end(undefined, "accepted");
  await clock.advance(1000);
  assert.ok(underWay.length > 1, "an accepted probe opens the destination");
  await clock.advance(1000);
  const { reads } = store;
  await clock.advance(10_000);
  assert.equal(store.reads, reads, "nothing is read once it is open");
});

test("mail of a destination closed for long waits for the probe that was asked for with it", async () => {
  const stage = await closedStage({ retrySchedule: [24 * HOUR_MS] });
  const { spool, clock, underWay, ask, dispatcher } = stage;
  await endAllFor(stage, 600, () => false);
  const due = async (count: number): Promise<number> => {
    const before = spool.settled.length;
    for (let i = 0; i < count; i += 1) spool.put("full.example");
    dispatcher.wake();
    await quiet();
    return spool.settled.length - before;
  };
  assert.equal(await due(3), 0);
  assert.equal(underWay.length, 0, "without a request they wait for the next probe");
  await ask("probe_1");
  assert.equal(await due(20), 0);
  await clock.advance(1000);
  assert.equal(underWay.length, 1, "within a second, although the probe is not due");
  await underWay[0]?.end(deferred, "refused");
  assert.equal(await due(0), 0);
  await clock.advance(2000);
  assert.equal(underWay.length, 0, "one probe, not all");
  await clock.advance(10_000);
  await ask("probe_2");
  assert.equal(await due(20), 0);
  await clock.advance(1000);
  await underWay[0]?.end(undefined, "accepted");
  await quiet();
  assert.ok(underWay.length > 1, "the others follow");
});

test("requests that are over, for other domains, or in a store that is down change nothing", async () => {
  const { clock, underWay, ask, store, watch } = await closedStage();
  await ask("probe_1", "other.example");
  await clock.advance(2000);
  store.isDown = true;
  await ask("probe_2").catch(() => {});
  await clock.advance(2000);
  assert.equal(underWay.length, 0);
  store.isDown = false;
  await ask("probe_3");
  watch.stop();
  await clock.advance(2000);
  assert.equal(underWay.length, 0);
});
