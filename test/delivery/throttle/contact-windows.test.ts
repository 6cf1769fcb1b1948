/** How many first contacts an account may begin at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContactWindows } from "../../../src/delivery/throttle/contact-windows.ts";

test("a window grows with each contact that is answered soon, and is halved once for those that began together", () => {
  const windows = new ContactWindows();
  assert.equal(windows.size("acc_a", 500), 16);
  for (let count = 0; count < 200; count += 1) windows.grow("acc_a");
  assert.equal(windows.size("acc_a", 500), 125, "at most a quarter of the places");
  for (let count = 0; count < 9; count += 1) windows.shrink("acc_a", { beganMs: 0, nowMs: 1000 });
  assert.equal(windows.size("acc_a", 500), 64);
  for (let round = 1; round < 9; round += 1)
    windows.shrink("acc_a", { beganMs: round * 1000, nowMs: (round + 1) * 1000 });
  assert.equal(windows.size("acc_a", 500), 2, "one for each 250 places");
  assert.equal(windows.size("acc_b", 500), 16, "of another account");
});

test("the fewer places are left, the longer a contact counts", () => {
  const windows = new ContactWindows();
  assert.deepEqual(
    [500, 250, 25, 1, 0].map((places) => windows.countsMs(places)),
    [250, 250, 2500, 10_000, 10_000],
  );
  assert.equal(windows.size("acc_a", 0), 0);
});
