/** Values that a page shows once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HELD_MAX } from "../../../../src/spool/port/held-values.ts";
import { HOUR_MS } from "../../../support/messages.ts";
import type { OpenStore } from "./store-suite.ts";

export function heldValuesConformance(name: string, open: OpenStore): void {
  describe(`${name}: held values`, () => {
    const hashOf = (i: number): Buffer => Buffer.alloc(32, `value ${i} `);
    const value = (i: number, accountId = "acc_default", keptMs = HOUR_MS) => ({
      hash: hashOf(i),
      accountId,
      keptMs,
      sealed: Buffer.from(`sealed ${i}`),
    });

    it("are returned once, to their account alone", async (t) => {
      const { heldValues } = await open(t);
      await heldValues.hold(value(1));
      await heldValues.hold(value(2));
      assert.equal(await heldValues.take("acc_other", hashOf(1)), null);
      assert.equal((await heldValues.take("acc_default", hashOf(1)))?.toString(), "sealed 1");
      assert.equal(await heldValues.take("acc_default", hashOf(1)), null);
      assert.equal((await heldValues.take("acc_default", hashOf(2)))?.toString(), "sealed 2");
    });

    it("end after their time", async (t) => {
      const { heldValues } = await open(t);
      await heldValues.hold(value(1, "acc_default", 0));
      assert.equal(await heldValues.take("acc_default", hashOf(1)), null);
    });

    it("are bounded for each account: the oldest ends", async (t) => {
      const { heldValues } = await open(t);
      await heldValues.hold(value(0, "acc_other"));
      for (let i = 1; i <= HELD_MAX + 1; i += 1) await heldValues.hold(value(i));
      const isHeld = async (i: number, accountId = "acc_default") =>
        (await heldValues.take(accountId, hashOf(i))) !== null;
      assert.deepEqual([await isHeld(1), await isHeld(2), await isHeld(HELD_MAX + 1)], [false, true, true]);
      assert.equal(await isHeld(0, "acc_other"), true);
    });
  });
}
