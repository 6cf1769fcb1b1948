/** When conditions are looked at. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { LOOK_EVERY_MS, NoticeWatch } from "../../../src/app/notices/notice-watch.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

it("looks at each condition at its interval, also after one has failed, and sends after each round", async () => {
  const clock = fakeClock(1_000_000);
  const looked: string[] = [];
  const logged: unknown[] = [];
  let sends = 0;
  const watch = new NoticeWatch({
    clock,
    log: { warn: (fields: unknown) => void logged.push(fields) } as unknown as Logger,
    async send() {
      sends += 1;
    },
    conditions: [
      { name: "often", everyMs: LOOK_EVERY_MS, look: () => Promise.reject(new Error("it fails")) },
      { name: "seldom", everyMs: 4 * LOOK_EVERY_MS, look: async (nowMs) => void looked.push(`${nowMs - 1_000_000}`) },
    ],
  });
  watch.start();
  for (let i = 0; i < 6; i += 1) await clock.advance(LOOK_EVERY_MS);
  assert.deepEqual(looked, ["5000", "25000"]);
  assert.deepEqual([logged.length, sends], [6, 6]);
  assert.deepEqual(logged[0], { condition: "often", error: "it fails" });
  watch.soon("seldom");
  await clock.advance(LOOK_EVERY_MS);
  assert.equal(looked.length, 3);
  await watch.stop();
  await clock.advance(10 * LOOK_EVERY_MS);
  assert.deepEqual([looked.length, sends], [3, 7]);
});
