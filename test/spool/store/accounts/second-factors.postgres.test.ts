/** Codes that are offered to several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { peopleOf, registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { newUserParts } from "../../port/conformance/store-suite.ts";

describe("a second factor at several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  const recoveryHashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

  const setUp = async (...args: Parameters<typeof twoNodes>) => {
    const { nodes, meet } = await twoNodes(...args);
    const created = await registryOf(nodes[0]).createUser(newUserParts);
    assert.ok(typeof created !== "string");
    const factors = nodes.map(peopleOf);
    await factors[0]?.setTotp(created.id, { sealed: Buffer.from("sealed"), recoveryHashes });
    return { userId: created.id, factors, users: peopleOf(nodes[0]), meet };
  };

  it("spends a time step once", async (t) => {
    const { userId, factors, meet } = await setUp(t);
    const spend = factors.map(
      ({ spendTotpStep }) =>
        () =>
          spendTotpStep(userId, 10),
    );
    assert.deepEqual((await meet("SELECT FROM users FOR UPDATE", spend)).sort(), [false, true]);
  });

  it("spends a recovery code once", async (t) => {
    const { userId, factors, meet } = await setUp(t);
    const spend = factors.map(
      ({ spendRecoveryCode }) =>
        () =>
          spendRecoveryCode(userId, Buffer.alloc(32, 1)),
    );
    assert.deepEqual((await meet("SELECT FROM recovery_codes FOR UPDATE", spend)).sort(), [false, true]);
    assert.equal(await factors[0]?.recoveryCodesLeft(userId), 1);
  });

  it("has the secret and the codes of one call, although two set it at the same time", async (t) => {
    const { userId, factors, users, meet } = await setUp(t);
    const set = factors.map(({ setTotp }, i) => () => {
      return setTotp(userId, { sealed: Buffer.from(`sealed ${i}`), recoveryHashes: [Buffer.alloc(32, 10 + i)] });
    });
    await meet("SELECT FROM users FOR UPDATE", set);
    const last = (await users.user(userId))?.sealedTotp?.toString() === "sealed 0" ? 0 : 1;
    assert.equal(await factors[0]?.recoveryCodesLeft(userId), 1);
    assert.equal(await factors[0]?.spendRecoveryCode(userId, Buffer.alloc(32, 10 + last)), true);
  });

  it("is not set for a user that another node removes", async (t) => {
    const { userId, factors, users } = await setUp(t);
    await users.removeUser(userId);
    await factors[1]?.setTotp(userId, { sealed: Buffer.from("sealed"), recoveryHashes });
    assert.equal(await factors[1]?.recoveryCodesLeft(userId), 0);
  });
});
