/** Secrets of the whole service. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenStore } from "./store-suite.ts";

export function secretsConformance(name: string, open: OpenStore): void {
  describe(`${name}: a secret of the service`, () => {
    it("is stored once: of several that are added at once, the first one stays", async (t) => {
      const store = await open(t);
      assert.equal(await store.readSecret("one"), null);
      const added = [1, 2, 3].map((value) => Buffer.alloc(60, value));
      await Promise.all(added.map((sealed) => store.addSecret("one", sealed)));
      const stored = (await store.readSecret("one")) ?? assert.fail();
      assert.ok(added.some((sealed) => sealed.equals(stored)));
      await store.addSecret("one", Buffer.alloc(60, 4));
      assert.deepEqual(await store.readSecret("one"), stored);
      assert.equal(await store.readSecret("two"), null);
    });

    it("is replaced in place of exactly the one that is named", async (t) => {
      const store = await open(t);
      const [lost, second, third] = [Buffer.alloc(60, 1), Buffer.alloc(60, 2), Buffer.alloc(60, 3)];
      await store.addSecret("one", second, lost);
      assert.equal(await store.readSecret("one"), null, "there was none to replace");
      await store.addSecret("one", lost);
      await store.addSecret("one", second, lost);
      assert.deepEqual(await store.readSecret("one"), second);
      await store.addSecret("one", third, lost);
      assert.deepEqual(await store.readSecret("one"), second, "another process was faster");
    });
  });
}
