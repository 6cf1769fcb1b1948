/** The key-value store. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { OpenSpool } from "./suite.ts";

export function keyValueConformance(name: string, open: OpenSpool): void {
  describe(`${name}: key-value store`, () => {
    it("keeps the newest text under a name across a crash", async (t) => {
      const first = await open(t);
      assert.equal(await first.spool.readValue("windows"), null);
      await first.spool.writeValue("windows", "[1]");
      await first.spool.writeValue("windows", "[2]");
      const { spool } = await first.reopen();
      assert.equal(await spool.readValue("windows"), "[2]");
    });
  });
}
