/** Accounts and their users with several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { peopleOf, registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS, newUserParts } from "../../port/conformance/store-suite.ts";

const LOCK_USERS = "LOCK TABLE users IN ACCESS EXCLUSIVE MODE";

describe("accounts of several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("have as many users as the limit allows, although two nodes create one at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const create = nodes.map((node, i) => () => {
      return registryOf(node).createUser({ ...newUserParts, email: `user${i}@shop.example`, usersMax: 1 });
    });
    const outcomes = await meet(LOCK_USERS, create);
    assert.equal(outcomes.filter((outcome) => outcome === "too_many").length, 1);
    assert.equal((await peopleOf(nodes[0]).users("acc_default")).length, 1);
  });

  it("give an email address to one user, although two nodes create it for two accounts at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const other = await registryOf(nodes[0]).createAccount("other", NOW_MS);
    assert.ok(other !== "exists");
    const create = [other.id, "acc_default"].map((accountId, i) => () => {
      return registryOf(nodes[i as 0 | 1]).createUser({ ...newUserParts, accountId });
    });
    const outcomes = await meet(LOCK_USERS, create);
    assert.equal(outcomes.filter((outcome) => outcome === "exists").length, 1);
    assert.equal((await peopleOf(nodes[0]).users(null)).length, 1);
  });

  it("have one first user, although two nodes create it at the same time", async (t) => {
    const { nodes, client, meet } = await twoNodes(t);
    const create = nodes.map((node, i) => () => {
      return registryOf(node).createFirstUser({ ...newUserParts, email: `user${i}@shop.example` });
    });
    const outcomes = await meet(LOCK_USERS, create);
    assert.equal(outcomes.filter((outcome) => outcome === "has_users").length, 1);
    assert.equal((await peopleOf(nodes[0]).users(null)).length, 1);
    assert.equal((await client.query("SELECT FROM key_values")).rowCount, 0);
  });

  it("have no first user beside one that another node is about to create", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const inserted =
      "INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms) VALUES ('usr_1', 'ann@shop.example', 'acc_default', 'hash', false, 0)";
    const createFirst = () => registryOf(nodes[0]).createFirstUser({ ...newUserParts, email: "ben@shop.example" });
    assert.deepEqual(await meet(inserted, [createFirst]), ["has_users"]);
  });

  it("have one seed of the setup link, although two nodes make it at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const seeds = await meet(
      "LOCK TABLE key_values IN SHARE MODE",
      nodes.map((node) => () => registryOf(node).setupSeed()),
    );
    assert.equal(seeds[0], seeds[1]);
    assert.notEqual(seeds[0], null);
  });

  it("have unique names, although two nodes create one at the same time", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const create = nodes.map((node) => () => registryOf(node).createAccount("other", NOW_MS));
    const outcomes = await meet("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE", create);
    assert.equal(outcomes.filter((outcome) => outcome === "exists").length, 1);
    assert.equal((await registryOf(nodes[0]).accounts()).length, 2);
  });
});

it("text with U+0000 is stored and found", { skip: missingPostgresOrTime(), timeout: 60_000 }, async (t) => {
  const { nodes } = await twoNodes(t);
  const { createAccount, accountNamed } = registryOf(nodes[0]);
  assert.ok((await createAccount("a\0b", NOW_MS)) !== "exists");
  assert.equal((await accountNamed("a\0b"))?.name, "a\uFFFDb");
  assert.equal(await peopleOf(nodes[0]).userNamed("ann\0@shop.example"), null);
});
