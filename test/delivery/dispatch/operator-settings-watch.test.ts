/** What operators set for receivers and recipient domains is read at the start, and again every few seconds, also after the spool was unavailable. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OperatorSettingsWatch } from "../../../src/delivery/dispatch/operator-settings-watch.ts";
import { LimitsOfDestinations } from "../../../src/delivery/routing/connection-limits.ts";
import type { TlsRules } from "../../../src/message/tls-rules.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("limits follow what is stored within ten seconds, and stay while the spool is unavailable", async () => {
  const clock = fakeClock();
  let stored: string | Error = JSON.stringify({ gmail: { connections: 2 } });
  const readValue = async (name: string): Promise<string | null> => {
    if (name === "tls-rules") return rules;
    if (stored instanceof Error) throw stored;
    return stored;
  };
  const limits = new LimitsOfDestinations(new Map());
  let rules: string | null = null;
  const seen: string[] = [];
  const onTlsRules = (read: TlsRules): void => void seen.push([...read].join());
  const watch = new OperatorSettingsWatch({ spool: { readValue }, clock, limits, onTlsRules, onSendingPlan: () => {} });
  await watch.start();
  const connections = (): number | null => limits.of("*.gmail").connections;
  assert.equal(connections(), 2);
  stored = JSON.stringify({ gmail: { connections: 1 } });
  assert.equal(connections(), 2);
  await clock.advance(10_000);
  assert.equal(connections(), 1);
  rules = '{"a.example":"require","b.example":"often"}';
  await clock.advance(10_000);
  assert.deepEqual([seen.at(0), seen.at(-1)], ["", "a.example,require"]);
  // Rules that cannot be read leave those that were read last.
  rules = "{";
  await clock.advance(10_000);
  assert.equal(seen.at(-1), "a.example,require");
  rules = "{}";
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

test("nothing starts while the spool is unavailable: mail might leave without the TLS that a rule requires", async () => {
  const clock = fakeClock();
  const readValue = async (): Promise<string | null> => {
    throw new SpoolUnavailable("no disk");
  };
  const limits = new LimitsOfDestinations(new Map());
  const watch = new OperatorSettingsWatch({
    spool: { readValue },
    clock,
    limits,
    onTlsRules: () => {},
    onSendingPlan: () => {},
  });
  await assert.rejects(watch.start(), SpoolUnavailable);
  assert.deepEqual(clock.dueMs, []);
});
