/** The settings of connections that find rows by index. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { withIndexPlans } from "../../../../../src/spool/engine/postgres/connection/index-plans.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

describe("index plans", () => {
  it("keep the options that the connection has", () => {
    const { options, user } = withIndexPlans({ user: "postrider", options: "-c lock_timeout=5s" });
    assert.equal(user, "postrider");
    assert.match(options ?? "", /^-c lock_timeout=5s -c enable_seqscan=off /);
  });

  it("are in effect on each connection", { skip: missingPostgresOrTime() }, async (t) => {
    const { url } = await freshDatabase(t);
    const database = new Database(withIndexPlans({ connectionString: url }));
    t.after(() => database.close());
    const settings = "SELECT current_setting('enable_seqscan') AS scan, current_setting('plan_cache_mode') AS mode";
    const { rows } = await database.run(statement(settings));
    assert.deepEqual(rows, [{ scan: "off", mode: "force_generic_plan" }]);
  });
});
