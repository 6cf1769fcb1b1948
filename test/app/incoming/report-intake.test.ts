/** The reports that are not stored: what is counted, for how long, and after damage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REFUSALS_SHOWN_MS, ReportIntake, readRefusals } from "../../../src/app/incoming/report-intake.ts";
import { DAY_MS } from "../../../src/lib/units.ts";

const NOW_MS = 20_000 * DAY_MS;

function scene() {
  const entries = new Map<string, string>();
  const store = {
    readValue: async (name: string) => entries.get(name) ?? null,
    async writeValue(name: string, text: string) {
      entries.set(name, text);
    },
  };
  const intake = new ReportIntake(store);
  return { entries, store, intake };
}

test("what is not stored is counted by reason, with the newest senders, for 35 days", async () => {
  const { store, intake } = scene();
  const refuse = (atMs: number, reason: "too_large" | "no_report") =>
    intake.refuse("dom_1", { atMs, reason, sender: "a".repeat(1000), ip: "192.0.2.1" });
  for (let i = 0; i < 30; i += 1) await refuse(NOW_MS + i, "no_report");
  await refuse(NOW_MS + DAY_MS, "too_large");
  const shown = await readRefusals(store, "dom_1", NOW_MS + DAY_MS);
  assert.equal(shown.total, 31);
  assert.deepEqual(shown.reasons, [
    { reason: "no_report", reports: 30 },
    { reason: "too_large", reports: 1 },
  ]);
  assert.deepEqual(
    [shown.newest.length, shown.newest[0]?.reason, shown.newest[0]?.sender.length],
    [20, "too_large", 320],
  );
  const later = await readRefusals(store, "dom_1", NOW_MS + REFUSALS_SHOWN_MS + DAY_MS);
  assert.deepEqual([later.total, later.newest.length], [1, 1]);
  assert.deepEqual(await readRefusals(store, "dom_2", NOW_MS), { total: 0, reasons: [], newest: [] });
});

test("a damaged entry counts from zero again", async () => {
  const { entries, store, intake } = scene();
  entries.set("report-intake dom_1", "{");
  assert.equal((await readRefusals(store, "dom_1", NOW_MS)).total, 0);
  await intake.refuse("dom_1", { atMs: NOW_MS, reason: "no_report", sender: "", ip: "192.0.2.1" });
  assert.equal((await readRefusals(store, "dom_1", NOW_MS)).total, 1);
});
