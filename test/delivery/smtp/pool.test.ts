import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionPool } from "../../../src/delivery/smtp/pool.ts";
import { transact } from "../../../src/delivery/smtp/transaction.ts";
import type { ScriptedSmtp } from "../../support/scripted-smtp.ts";
import { done, inShort, message, openOrFail, startPeer, until } from "./fixture.ts";

function keyOf(peer: ScriptedSmtp) {
  return { mx: "mx.example.test", address: peer.host, port: peer.port };
}

test("a released session is reused", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool();
  const session = await openOrFail(peer);
  await transact(session, message());
  pool.release(session);
  assert.equal(pool.size, 1);
  const again = pool.acquire(keyOf(peer));
  assert.equal(again, session);
  assert.equal(pool.acquire(keyOf(peer)), null, "a session has one holder");
  const { recipients } = await done(transact(session, message()));
  assert.deepEqual(inShort(recipients), ["final_dot 250"]);
  assert.equal(peer.connections, 1);
  session.destroy();
});

test("sessions are kept apart by host, address and port", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool();
  pool.release(await openOrFail(peer));
  const key = keyOf(peer);
  assert.equal(pool.acquire({ ...key, mx: "other.test" }), null);
  assert.equal(pool.acquire({ ...key, address: "127.0.0.2" }), null);
  assert.equal(pool.acquire({ ...key, port: key.port + 1 }), null);
  assert.equal(
    pool.acquire(key, () => false),
    null,
  );
  assert.notEqual(
    pool.acquire({ ...key, mx: "MX.example.test" }, ({ tls }) => tls === null),
    null,
  );
});

test("an idle session is closed with QUIT", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool({ idleMs: 30 });
  pool.release(await openOrFail(peer));
  await until(() => peer.open === 0);
  assert.equal(peer.commands.at(-1), "QUIT");
  assert.equal(pool.acquire(keyOf(peer)), null);
  assert.equal(pool.size, 0);
});

test("an acquired session is not closed by the idle timer", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool({ idleMs: 20 });
  pool.release(await openOrFail(peer));
  const session = pool.acquire(keyOf(peer));
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(session?.usable, true);
  assert.ok(!peer.commands.includes("QUIT"));
  session?.destroy();
});

for (const [name, upset] of [
  ["closes", (peer: ScriptedSmtp) => peer.dropAll()],
  ["says 421", (peer: ScriptedSmtp) => peer.say("421 idle too long\r\n")],
  ["says something else", (peer: ScriptedSmtp) => peer.say("250 hello?\r\n")],
] as const) {
  test(`a session whose peer ${name} leaves the pool`, async (t) => {
    const peer = await startPeer(t);
    const pool = new SessionPool();
    pool.release(await openOrFail(peer));
    upset(peer);
    await until(() => pool.size === 0);
    assert.equal(pool.acquire(keyOf(peer)), null);
    await until(() => peer.open === 0);
  });
}

test("a session that has ended is not kept", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool();
  const session = await openOrFail(peer);
  session.destroy();
  pool.release(session);
  assert.equal(pool.size, 0);
});

test("a session with the maximum of transactions is closed with QUIT", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool({ transactionsMax: 2 });
  const session = await openOrFail(peer);
  await transact(session, message());
  pool.release(session);
  assert.equal(pool.acquire(keyOf(peer)), session);
  await transact(session, message());
  pool.release(session);
  assert.equal(pool.size, 0);
  await until(() => peer.open === 0);
  assert.equal(peer.commands.at(-1), "QUIT");
});

test("the pool is bounded by key and in total", async (t) => {
  const first = await startPeer(t);
  const second = await startPeer(t);
  const pool = new SessionPool({ idlePerKeyMax: 2, idleMax: 3 });
  for (let count = 0; count < 3; count += 1) pool.release(await openOrFail(first));
  assert.equal(pool.size, 2);
  for (let count = 0; count < 2; count += 1) pool.release(await openOrFail(second));
  assert.equal(pool.size, 3);
  await until(() => first.open === 2 && second.open === 1);
  await pool.close();
});

test("closing the pool quits idle sessions and those released later", async (t) => {
  const peer = await startPeer(t);
  const pool = new SessionPool();
  const late = await openOrFail(peer);
  pool.release(await openOrFail(peer));
  pool.release(await openOrFail(peer));
  await pool.close();
  assert.equal(peer.commands.filter((line) => line === "QUIT").length, 2);
  pool.release(late);
  assert.equal(pool.size, 0);
  await until(() => peer.open === 0);
});
