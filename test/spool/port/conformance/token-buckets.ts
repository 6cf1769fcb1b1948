/** Token buckets. How several processes share them is tested with the form that has several. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenStore } from "./store-suite.ts";

/** Refills so slowly that no token returns during a test. */
const RATE = { perSecond: 1e-6, burst: 20 };

export function tokenBucketsConformance(name: string, open: OpenStore): void {
  describe(`${name}: token buckets`, () => {
    it("give as many tokens as the burst, also to takes at the same time, and for each name apart", async (t) => {
      const buckets = (await open(t)).tokenBuckets("key", RATE);
      assert.deepEqual([buckets.secondsToToken("a"), buckets.status("a")], [0, { tokens: 20, fullInS: 0 }]);
      const takes = await Promise.all(Array.from({ length: 30 }, () => buckets.take("a")));
      assert.equal(takes.filter(Boolean).length, 20);
      assert.equal(await buckets.take("a"), false);
      assert.equal(await buckets.take("b"), true);
      const { tokens, fullInS } = buckets.status("a");
      assert.ok(tokens >= 0 && tokens < 1, String(tokens));
      assert.ok(fullInS > 19e6 && fullInS <= 20e6, String(fullInS));
      const seconds = buckets.secondsToToken("a");
      assert.ok(seconds > 0.9e6 && seconds <= 1e6, String(seconds));
    });

    it("get back what was not used, and give what is expected", async (t) => {
      const buckets = (await open(t)).tokenBuckets("key", RATE);
      while (await buckets.take("a"));
      buckets.putBack("a");
      assert.equal(buckets.secondsToToken("a"), 0);
      assert.equal(await buckets.take("a"), true);
      assert.equal(await buckets.take("a"), false);
      buckets.expect("b");
      buckets.expect("a");
      assert.equal(await buckets.take("b"), true);
      assert.equal(await buckets.take("a"), false);
    });

    it("owe what was taken beyond them", async (t) => {
      const buckets = (await open(t)).tokenBuckets("key", RATE);
      assert.equal(await buckets.take("a"), true);
      buckets.owe("a", 21);
      assert.equal(await buckets.take("a"), false);
      const { tokens, fullInS } = buckets.status("a");
      assert.ok(tokens > -3 && tokens <= -1, String(tokens));
      assert.ok(fullInS > 21e6 && fullInS <= 23e6, String(fullInS));
      buckets.owe("b", 19);
      assert.deepEqual([await buckets.take("b"), await buckets.take("b")], [true, false]);
    });

    it("of different kinds are apart", async (t) => {
      const store = await open(t);
      const [keys, accounts] = ["key", "account"].map((kind) => store.tokenBuckets(kind, { ...RATE, burst: 1 }));
      assert.deepEqual([await keys?.take("a"), await accounts?.take("a")], [true, true]);
      assert.deepEqual([await keys?.take("a"), await accounts?.take("a")], [false, false]);
    });
  });
}
