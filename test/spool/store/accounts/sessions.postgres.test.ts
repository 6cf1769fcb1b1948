/** Sessions at several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { SESSIONS_MAX, type Session } from "../../../../src/spool/port/people.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { peopleOf, registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS, newUserParts } from "../../port/conformance/store-suite.ts";

describe("sessions at several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  const setUp = async (t: TestContext) => {
    const { nodes, client, meet } = await twoNodes(t);
    const created = await registryOf(nodes[0]).createUser(newUserParts);
    assert.ok(typeof created !== "string");
    const { id: userId } = created;
    const newSession = (byte: number): Session => ({
      hash: Buffer.alloc(32, byte),
      userId,
      accountId: "acc_default",
      agent: "Browser",
      ip: "192.0.2.1",
      providerSid: null,
      providerAuthAtMs: null,
      createdAtMs: NOW_MS,
      seenAtMs: NOW_MS,
    });
    return { userId, newSession, first: peopleOf(nodes[0]), second: peopleOf(nodes[1]), client, meet };
  };

  it("are as many as the limit allows, although two begin at the same time", async (t) => {
    const { userId, newSession, first, second, meet } = await setUp(t);
    const begun = (byte: number) => ({ ...newSession(byte), createdAtMs: NOW_MS + byte });
    for (let byte = 1; byte < SESSIONS_MAX; byte += 1) await first.startSession(begun(byte));
    const start = [first, second].map((node, i) => () => node.startSession(begun(100 + i)));
    await meet("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE", start);
    const left = (await first.sessions(userId)).map(({ hash }) => hash[0]);
    assert.equal(left.length, SESSIONS_MAX);
    assert.deepEqual(
      [1, 100, 101].map((byte) => left.includes(byte)),
      [false, true, true],
    );
  });

  it("end with the user, also one that begins while another node removes the user", async (t) => {
    const { userId, newSession, first, second, meet } = await setUp(t);
    const calls = [() => first.removeUser(userId), () => second.startSession(newSession(1))];
    await meet<unknown>("SELECT FROM users FOR UPDATE", calls);
    assert.equal(await first.session(Buffer.alloc(32, 1)), null);
    assert.equal(await first.user(userId), null);
  });

  it("are not removed as idle while another node records their use", async (t) => {
    const { userId, newSession, first, client } = await setUp(t);
    for (const byte of [1, 2, 3]) await first.startSession(newSession(byte));
    await client.query("BEGIN");
    await client.query("UPDATE sessions SET seen_at_ms = $2 WHERE hash = $1", [Buffer.alloc(32, 2), NOW_MS + 10]);
    await first.touchSession(Buffer.alloc(32, 1), { nowMs: NOW_MS + 10, idleSinceMs: NOW_MS + 5, begunSinceMs: 0 });
    await client.query("COMMIT");
    const left = (await first.sessions(userId)).map(({ hash }) => hash[0]);
    assert.deepEqual(left.sort(), [1, 2]);
  });
});
