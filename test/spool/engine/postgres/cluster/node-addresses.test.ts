/** The sending addresses of all nodes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  announceAddresses,
  announcedAddresses,
} from "../../../../../src/spool/engine/postgres/cluster/node-addresses.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const age = statement("UPDATE node_addresses SET seen_at = now() - $2 * interval '1 hour' WHERE node = $1");
const count = statement<{ count: number }>("SELECT count(*) FROM node_addresses");

describe("the sending addresses of nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are the union of what each node announced last, until a day after", async (t) => {
    const database = new Database({ connectionString: (await freshDatabase(t)).url });
    t.after(() => database.close());
    assert.deepEqual(await announcedAddresses(database), []);
    await announceAddresses(database, "a", ["2001:db8::1", "198.51.100.2", "198.51.100.2"]);
    await announceAddresses(database, "b", ["198.51.100.1", "198.51.100.2"]);
    assert.deepEqual(await announcedAddresses(database), ["198.51.100.1", "198.51.100.2", "2001:db8::1"]);

    await announceAddresses(database, "a", ["198.51.100.3"]);
    assert.deepEqual(await announcedAddresses(database), ["198.51.100.1", "198.51.100.2", "198.51.100.3"]);
    await announceAddresses(database, "b", []);
    assert.deepEqual(await announcedAddresses(database), ["198.51.100.3"]);

    await announceAddresses(database, "b", ["198.51.100.1"]);
    await database.run(age, ["a", 23]);
    assert.deepEqual(await announcedAddresses(database), ["198.51.100.1", "198.51.100.3"]);
    await database.run(age, ["a", 25]);
    assert.deepEqual(await announcedAddresses(database), ["198.51.100.1"]);
    await announceAddresses(database, "b", ["198.51.100.1"]);
    assert.equal((await database.run(count)).rows[0]?.count, 1);
    await announceAddresses(database, "a", ["198.51.100.3"]);
    assert.deepEqual(await announcedAddresses(database), ["198.51.100.1", "198.51.100.3"]);
  });
});
