/** What operators set for receivers is read at the start, and again every few seconds, also after the spool was unavailable. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReceiverLimitsWatch } from "../../../src/delivery/dispatch/receiver-limits-watch.ts";
import { LimitsOfDestinations } from "../../../src/delivery/routing/connection-limits.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("limits follow what is stored within ten seconds, and stay while the spool is unavailable", async () => {
  const clock = fakeClock();
  let stored: string | Error = JSON.stringify({ gmail: { connections: 2 } });
  const readValue = async (): Promise<string> => {
    if (stored instanceof Error) throw stored;
    return stored;
  };
  const limits = new LimitsOfDestinations(new Map());
  const watch = new ReceiverLimitsWatch({ spool: { readValue }, clock, limits });
  await watch.start();
  const connections = (): number | null => limits.of("*.gmail").connections;
  assert.equal(connections(), 2);
  stored = JSON.stringify({ gmail: { connections: 1 } });
  assert.equal(connections(), 2);
  await clock.advance(10_000);
  assert.equal(connections(), 1);
  stored = new SpoolUnavailable("no disk");
  await clock.advance(10_000);
  assert.equal(connections(), 1);
  stored = "{}";
  await clock.advance(10_000);
  assert.equal(connections(), 5, "the profile's");
  watch.stop();
  stored = JSON.stringify({ gmail: { connections: 1 } });
  await clock.advance(60_000);
  assert.equal(connections(), 5);
  assert.deepEqual(clock.dueMs, []);
});
