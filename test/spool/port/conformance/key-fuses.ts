/** What API keys send, and which are held. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HISTORY_DAYS, SPANS_A_DAY } from "../../../../src/message/key-fuse.ts";
import type { Registry } from "../../../../src/spool/port/accounts.ts";
import { NOW_MS, type OpenSpool } from "./suite.ts";

const TODAY = 20_000 * SPANS_A_DAY;
const CAUSE = { kind: "rate", count: 201, limit: 200, per: "span" } as const;
const KEY = { keyId: "key_1", accountId: "acc_default" };

export function keyFusesConformance(name: string, open: OpenSpool): void {
  describe(`${name}: fuses of API keys`, () => {
    const registryOf = async (t: Parameters<OpenSpool>[0]) => (await open(t)).spool as unknown as Registry;
    const span = (at: number, recipients: number, unknown = 0, keyId = "key_1") => ({
      keyId,
      span: at,
      recipients,
      unknown,
    });

    it("adds what keys send, and returns the counts of the span and of its day", async (t) => {
      const registry = await registryOf(t);
      await registry.addKeyUse([span(TODAY - 1, 1000, 9), span(TODAY + 3, 4, 1)], TODAY + 3);
      const added = [span(TODAY + 5, 7, 2), span(TODAY + 5, 1, 0, "key_2")];
      const totals = await registry.addKeyUse(added, TODAY + 5);
      assert.deepEqual(
        totals.sort((a, b) => (a.keyId < b.keyId ? -1 : 1)),
        [
          { keyId: "key_1", span: 7, day: 11, unknown: 3 },
          { keyId: "key_2", span: 1, day: 1, unknown: 0 },
        ],
      );
      const both = await Promise.all([1, 2, 3].map(() => registry.addKeyUse([span(TODAY + 5, 1)], TODAY + 5)));
      assert.equal(Math.max(...both.flatMap((each) => each.map((of) => of.span))), 10);
    });

    it("knows what a key did on the days before, for five weeks", async (t) => {
      const registry = await registryOf(t);
      const none = { firstSpan: null, peakSpan: 0, peakDay: 0, recipients: 0, unknown: 0 };
      assert.deepEqual(await registry.keyHistory("key_1", TODAY + 9), none);
      const old = TODAY - HISTORY_DAYS * SPANS_A_DAY;
      await registry.addKeyUse([span(old - 1, 9999)], old);
      const days = [span(old, 5), span(old + 1, 6, 2), span(TODAY - 1, 8), span(TODAY, 5000)];
      await registry.addKeyUse(days, TODAY + 2);
      assert.deepEqual(await registry.keyHistory("key_1", TODAY + 9), {
        firstSpan: old,
        peakSpan: 8,
        peakDay: 11,
        recipients: 19,
        unknown: 2,
      });
    });

    it("holds a key once, releases it once, and keeps what was set", async (t) => {
      const registry = await registryOf(t);
      assert.deepEqual(await registry.keyFuses(), []);
      await registry.warnKey({ ...KEY, atMs: NOW_MS, cause: CAUSE });
      const hold = { ...KEY, atMs: NOW_MS + 1, cause: CAUSE };
      const held = await Promise.all([registry.holdKey(hold), registry.holdKey(hold)]);
      assert.deepEqual(held.sort(), [false, true]);
      await registry.warnKey({ ...KEY, atMs: NOW_MS + 2, cause: CAUSE });
      const stored = { ...KEY, limit: null, isOff: false, releasedAtMs: null, warned: null };
      assert.deepEqual(await registry.keyFuses(), [{ ...stored, held: { sinceMs: NOW_MS + 1, cause: CAUSE } }]);
      assert.equal(await registry.releaseKey({ ...KEY, accountId: "acc_other", atMs: NOW_MS + 3 }), false);
      assert.equal(await registry.releaseKey({ ...KEY, atMs: NOW_MS + 3 }), true);
      assert.equal(await registry.releaseKey({ ...KEY, atMs: NOW_MS + 4 }), false);
      await registry.setKeyFuse(KEY, { limit: 500, isOff: true });
      assert.deepEqual(await registry.keyFuses(), [
        { ...stored, limit: 500, isOff: true, releasedAtMs: NOW_MS + 3, held: null },
      ]);
      assert.equal(await registry.holdKey(hold), false, "turned off");
    });
  });
}
