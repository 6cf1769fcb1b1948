/** How users are found. The rest is in the conformance suite. */
import assert from "node:assert/strict";
import { it } from "node:test";

import { Database } from "../../../../src/spool/engine/postgres/connection/database.ts";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { peopleOf, registryOf } from "../../../support/postgres/store-ports.ts";
import { newUserParts } from "../../port/conformance/store-suite.ts";

it("the case of ASCII letters alone is ignored, whatever the language of the database", {
  skip: missingPostgresOrTime(),
}, async (t) => {
  const database = new Database({ connectionString: (await freshDatabase(t)).url });
  t.after(() => database.close());
  const [{ createUser }, { userNamed, users }] = [registryOf(database), peopleOf(database)];
  for (const email of ["Ünal@shop.example", "ünal@shop.example", "zoe@shop.example", "Adam@shop.example"]) {
    assert.ok(typeof (await createUser({ ...newUserParts, email })) !== "string");
  }
  assert.equal((await userNamed("ÜNAL@Shop.example"))?.email, "Ünal@shop.example");
  assert.equal((await userNamed("üNAL@shop.example"))?.email, "ünal@shop.example");
  const emails = (await users(null)).map(({ email }) => email);
  assert.deepEqual(emails, ["Adam@shop.example", "zoe@shop.example", "Ünal@shop.example", "ünal@shop.example"]);
});
