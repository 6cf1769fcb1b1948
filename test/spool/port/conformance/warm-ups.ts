/** The warm-up of sending addresses. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WarmUpDraw } from "../../../../src/receivers/warm-up.ts";

import type { OpenSpool } from "./suite.ts";

const GMAIL = { address: "192.0.2.1", receiver: "*.gmail" };

const draw = (more: Partial<WarmUpDraw> = {}): WarmUpDraw => ({
  schedule: [50, 100],
  firstPlace: 0,
  day: 20_000,
  wanted: 0,
  lastDay: null,
  unused: 0,
  accepted: 0,
  isBlocked: false,
  ...more,
});

export function warmUpsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: warm-ups`, () => {
    it("keeps what was drawn across a crash, and never grants more than the day has", async (t) => {
      const first = await open(t);
      assert.deepEqual(await first.spool.drawWarmUp(GMAIL, draw({ wanted: 30 })), {
        state: { place: 0, day: 20_000, taken: 30, accepted: 0, isBlocked: false },
        granted: 30,
        left: 20,
      });
      const { spool } = await first.reopen();
      const draws = Array.from({ length: 8 }, () => spool.drawWarmUp(GMAIL, draw({ wanted: 7 })));
      const granted = (await Promise.all(draws)).map((each) => each.granted ?? Number.POSITIVE_INFINITY);
      assert.equal(
        granted.reduce((sum, each) => sum + each, 0),
        20,
      );
    });

    it("draws of an address and a receiver that nobody has seen, at the same time", async (t) => {
      const { spool } = await open(t);
      const grants = await Promise.all(Array.from({ length: 4 }, () => spool.drawWarmUp(GMAIL, draw({ wanted: 20 }))));
      assert.deepEqual(grants.map(({ granted }) => granted).sort(), [0, 10, 20, 20]);
    });

    it("lists, moves and forgets the states of an address, and removes those that are cold", async (t) => {
      const { spool } = await open(t);
      await spool.drawWarmUp({ ...GMAIL, receiver: "*.old.example" }, draw({ day: 19_900 }));
      const accepted = draw({ wanted: 5, lastDay: 20_000, accepted: 30, isBlocked: true });
      await spool.drawWarmUp(GMAIL, accepted);
      await spool.drawWarmUp({ ...GMAIL, receiver: "*.yahoo" }, draw());
      await spool.drawWarmUp({ ...GMAIL, address: "192.0.2.2" }, draw());
      const gmail = { receiver: "*.gmail", place: 0, day: 20_000, taken: 5, accepted: 30, isBlocked: true };
      assert.deepEqual(await spool.warmUpsOf("192.0.2.1"), [
        gmail,
        { receiver: "*.yahoo", place: 0, day: 20_000, taken: 0, accepted: 0, isBlocked: false },
      ]);
      await spool.moveWarmUp({ address: "192.0.2.1", receiver: null }, { place: 1, day: 20_000 });
      await spool.moveWarmUp({ address: "192.0.2.1", receiver: "*.icloud" }, { place: 2, day: 20_000 });
      const moved = (await spool.warmUpsOf("192.0.2.1")).map(({ receiver, place, taken }) => [receiver, place, taken]);
      assert.deepEqual(moved, [
        ["*.icloud", 2, 0],
        ["*.gmail", 1, 5],
        ["*.yahoo", 1, 0],
      ]);
      await spool.forgetWarmUps("192.0.2.1");
      assert.deepEqual(await spool.warmUpsOf("192.0.2.1"), []);
      assert.equal((await spool.warmUpsOf("192.0.2.2")).length, 1);
    });
  });
}
