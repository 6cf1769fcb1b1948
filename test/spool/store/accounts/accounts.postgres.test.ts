/** Accounts and their users with several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { peopleOf, registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS, newUserParts } from "../../port/conformance/store-suite.ts";

describe("accounts of several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("have no first user beside one that another node is about to create", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const inserted =
      "INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms) VALUES ('usr_1', 'ann@shop.example', 'acc_default', 'hash', false, 0)";
    const createFirst = () => registryOf(nodes[0]).createFirstUser({ ...newUserParts, email: "ben@shop.example" });
    assert.deepEqual(await meet(inserted, [createFirst]), ["has_users"]);
  });
});

it("text with U+0000 is stored and found", { skip: missingPostgresOrTime(), timeout: 60_000 }, async (t) => {
  const { nodes } = await twoNodes(t);
  const { createAccount, accountNamed } = registryOf(nodes[0]);
  assert.ok((await createAccount("a\0b", NOW_MS)) !== "exists");
  assert.equal((await accountNamed("a\0b"))?.name, "a\uFFFDb");
  assert.equal(await peopleOf(nodes[0]).userNamed("ann\0@shop.example"), null);
});
