/** Values that a page shows once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { ShownOnce } from "../../../src/dashboard/web/shown-once.ts";
import { fakeClock } from "../../support/fake-clock.ts";

it("are shown once, and only to their account", () => {
  const shown = new ShownOnce<string>(fakeClock());
  const ticket = shown.hold("acc_1", "secret");
  assert.equal(shown.take("acc_2", ticket), null);
  assert.equal(shown.take("acc_1", `${ticket}x`), null);
  assert.equal(shown.take("acc_1", ticket), "secret");
  assert.equal(shown.take("acc_1", ticket), null);
});

it("are held for five minutes, and at most a thousand of them", async () => {
  const clock = fakeClock();
  const shown = new ShownOnce<number>(clock);
  const old = shown.hold("acc_1", 0);
  await clock.advance(5 * 60_000);
  assert.equal(shown.take("acc_1", old), null);
  const tickets = Array.from({ length: 1001 }, (_, i) => shown.hold("acc_1", i));
  assert.equal(shown.take("acc_1", tickets[0] ?? ""), null);
  assert.equal(shown.take("acc_1", tickets[1] ?? ""), 1);
  assert.equal(shown.take("acc_1", tickets[1000] ?? ""), 1000);
});
