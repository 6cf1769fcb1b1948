/** Sessions at several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { SESSIONS_MAX, type Session } from "../../../../src/spool/port/people.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { peopleOf, registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS, newUserParts } from "../../port/conformance/store-suite.ts";

describe("sessions at several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  const setUp = async (...args: Parameters<typeof twoNodes>) => {
    const { nodes, client, meet } = await twoNodes(...args);
    const created = await registryOf(nodes[0]).createUser(newUserParts);
    assert.ok(typeof created !== "string");
    const { id: userId } = created;
    const newSession = (byte: number, createdAtMs = NOW_MS): Session => {
      const times = { createdAtMs, seenAtMs: createdAtMs };
      return {
        hash: Buffer.alloc(32, byte),
        userId,
        accountId: "acc_default",
        ...times,
        agent: "Browser",
        ip: "192.0.2.1",
      };
    };
    return {
      userId,
      newSession,
      sessions: nodes.map(peopleOf),
      users: peopleOf(nodes[0]),
      nodes,
      client,
      meet,
    };
  };

  it("are as many as the limit allows, although two begin at the same time", async (t) => {
    const { userId, newSession, sessions, meet } = await setUp(t);
    for (let byte = 1; byte < SESSIONS_MAX; byte += 1) await sessions[0]?.startSession(newSession(byte, NOW_MS + byte));
    const start = sessions.map(
      ({ startSession }, i) =>
        () =>
          startSession(newSession(100 + i, NOW_MS + 100 + i)),
    );
    await meet("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE", start);
    const left = ((await sessions[0]?.sessions(userId)) ?? []).map(({ hash }) => hash[0]);
    assert.deepEqual(
      [left.length, left.includes(1), left.includes(100), left.includes(101)],
      [SESSIONS_MAX, false, true, true],
    );
  });

  it("end with the user, also one that begins while another node removes the user", async (t) => {
    const { userId, newSession, sessions, users, meet } = await setUp(t);
    const begin = async (): Promise<void> => sessions[1]?.startSession(newSession(1));
    const calls = [() => users.removeUser(userId), begin];
    await meet<unknown>("SELECT FROM users FOR UPDATE", calls);
    assert.equal(await sessions[0]?.session(Buffer.alloc(32, 1)), null);
    assert.equal(await users.user(userId), null);
  });

  it("are found at another node, in the account that one has switched to", async (t) => {
    const { userId, newSession, sessions, nodes } = await setUp(t);
    const [first, second] = sessions;
    const other = await registryOf(nodes[0]).createAccount("other", NOW_MS);
    assert.ok(first && second && other !== "exists");
    await first.startSession(newSession(1));
    const { usersMax: _, ...user } = newUserParts;
    const found = { session: newSession(1), user: { id: userId, ...user, role: "owner", sealedTotp: null } };
    assert.deepEqual(await second.session(Buffer.alloc(32, 1)), found);
    await first.switchAccount(Buffer.alloc(32, 1), other.id);
    assert.equal((await second.session(Buffer.alloc(32, 1)))?.session.accountId, other.id);
    assert.equal(await second.endSession(userId, Buffer.alloc(32, 1)), true);
    assert.equal(await first.session(Buffer.alloc(32, 1)), null);
  });

  it("are not removed as idle while another node records their use", async (t) => {
    const { userId, newSession, sessions, client } = await setUp(t);
    const [first] = sessions;
    assert.ok(first);
    for (const byte of [1, 2, 3]) await first.startSession(newSession(byte));
    await client.query("BEGIN");
    await client.query("UPDATE sessions SET seen_at_ms = $2 WHERE hash = $1", [Buffer.alloc(32, 2), NOW_MS + 10]);
    await first.touchSession(Buffer.alloc(32, 1), { nowMs: NOW_MS + 10, idleSinceMs: NOW_MS + 5, begunSinceMs: 0 });
    await client.query("COMMIT");
    const left = (await first.sessions(userId)).map(({ hash }) => hash[0]);
    assert.deepEqual(left.sort(), [1, 2]);
  });
});
