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

    it("keeps the newest text of the node's own entry", async (t) => {
      const { spool } = await open(t);
      assert.equal(await spool.readNodeValue("windows"), null);
      await spool.writeNodeValue("windows", "[1]");
      await spool.writeNodeValue("windows", "[2]");
      assert.equal(await spool.readNodeValue("windows"), "[2]");
    });

    it("lists the entries of live nodes", async (t) => {
      const { spool } = await open(t);
      assert.deepEqual(await spool.readLiveNodeValues("traffic"), []);
      await spool.writeNodeValue("traffic", "[1]");
      assert.deepEqual(await spool.readLiveNodeValues("traffic"), ["[1]"]);
    });
  });
}
