import assert from "node:assert/strict";
import { it } from "node:test";
import { LockPatience } from "../../../../../src/spool/engine/postgres/connection/lock-patience.ts";

const MINUTE_MS = 60_000;

it("a lock is tried for longer and less often after each failure, and at once after a success", () => {
  let nowMs = 0;
  const patience = new LockPatience(() => nowMs);
  const tries: [waitMs: number, minutes: number][] = [];
  for (let i = 0; i < 8; i += 1) {
    assert.ok(patience.isDue);
    const { waitMs } = patience;
    patience.failed();
    const failedMs = nowMs;
    assert.ok(!patience.isDue);
    while (!patience.isDue) nowMs += MINUTE_MS;
    tries.push([waitMs, (nowMs - failedMs) / MINUTE_MS]);
  }
  assert.deepEqual(tries, [
    [100, 1],
    [200, 2],
    [400, 4],
    [800, 8],
    [800, 16],
    [800, 32],
    [800, 60],
    [800, 60],
  ]);
  patience.succeeded();
  assert.deepEqual([patience.isDue, patience.waitMs], [true, 100]);
});
