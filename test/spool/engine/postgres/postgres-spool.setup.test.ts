import { describe } from "node:test";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../support/postgres/installation.ts";
import { lapseNode, openNode } from "../../../support/postgres/open-node.ts";
import { setupConformance } from "../../port/conformance.ts";

describe("on PostgreSQL", { skip: missingPostgres() }, () => {
  setupConformance("postgres", async (t) => {
    const database = await freshDatabase(t);
    const node = await openNode(t, database.url);
    return Object.assign(node.store, { lapse: () => lapseNode(database, node) });
  });
});
