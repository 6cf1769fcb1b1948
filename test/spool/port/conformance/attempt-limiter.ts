/** Failed attempts at passwords and codes. How long the waits are is tested in records/attempt-wait. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOUR_MS } from "../../../support/messages.ts";
import type { OpenStore } from "./store-suite.ts";

const POLICY = { freeFailures: 2, waitMs: HOUR_MS, waitMaxMs: 4 * HOUR_MS, resetMs: 5 * HOUR_MS };

export function attemptLimiterConformance(name: string, open: OpenStore): void {
  describe(`${name}: failed attempts`, () => {
    const ann = { kind: "password", name: "ann", policy: POLICY };
    const network = { kind: "network", name: "ann", policy: { ...POLICY, freeFailures: 10 } };

    it("make further ones wait, at any of their counters", async (t) => {
      const { attemptLimiter } = await open(t);
      assert.equal(await attemptLimiter.countFailure([ann, network]), 0);
      assert.equal(await attemptLimiter.countFailure([ann]), 0);
      const waitMs = await attemptLimiter.countFailure([network, ann]);
      assert.ok(waitMs > HOUR_MS / 2 && waitMs <= HOUR_MS, String(waitMs));
      assert.ok((await attemptLimiter.waitMs([ann])) > HOUR_MS / 2);
      assert.equal(await attemptLimiter.waitMs([network]), 0);
      assert.equal(await attemptLimiter.waitMs([{ ...ann, name: "ben" }]), 0);
      assert.equal(await attemptLimiter.countFailure([{ ...ann, kind: "code" }]), 0);
    });

    it("are counted before their check: those at the same time do not all pass", async (t) => {
      const { attemptLimiter } = await open(t);
      const waits = await Promise.all(Array.from({ length: 8 }, () => attemptLimiter.countFailure([ann, network])));
      assert.equal(waits.filter((waitMs) => waitMs === 0).length, 2);
    });

    it("are undone one by one, or forgotten", async (t) => {
      const { attemptLimiter } = await open(t);
      await attemptLimiter.undoFailure([ann]);
      for (let i = 0; i < 2; i += 1) assert.equal(await attemptLimiter.countFailure([ann]), 0);
      await attemptLimiter.undoFailure([ann, network]);
      assert.equal(await attemptLimiter.countFailure([ann]), 0);
      assert.notEqual(await attemptLimiter.countFailure([ann]), 0);
      await attemptLimiter.forget([ann]);
      for (let i = 0; i < 2; i += 1) assert.equal(await attemptLimiter.countFailure([ann]), 0);
      assert.notEqual(await attemptLimiter.countFailure([ann]), 0);
    });
  });
}
