import assert from "node:assert/strict";
import { describe, type TestContext } from "node:test";
import { freshDatabase, type TestDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../support/postgres/installation.ts";
import { lapseNode, openNode } from "../../../support/postgres/open-node.ts";
import type { SpoolUnderTest } from "../../port/conformance/suite.ts";
import { conformance } from "../../port/conformance.ts";

async function openAt(t: TestContext, database: TestDatabase): Promise<SpoolUnderTest> {
  const first = await openNode(t, database.url);
  const opened = [first];
  let client: ReturnType<typeof openNode> | null = null;
  return {
    spool: first.store,
    async reopen() {
      await lapseNode(database, first);
      return openAt(t, database);
    },
    async acceptForAny(message) {
      client ??= openNode(t, database.url, "client");
      return (await client).store.accept(message);
    },
    async other() {
      const node = await openNode(t, database.url);
      opened.push(node);
      return node.store;
    },
    async lapse(claimant) {
      const node = opened.find(({ store }) => store === claimant);
      assert.ok(node, "not a claimant of this test");
      await lapseNode(database, node);
    },
  };
}

describe("on PostgreSQL", { skip: missingPostgres() }, () => {
  conformance("postgres", async (t) => openAt(t, await freshDatabase(t)));
});
