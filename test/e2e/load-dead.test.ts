/**
 * A backlog for a destination that refuses connections: it delays no other message, waits in the spool without being
 * claimed or deferred, and does not delay new messages once the destination recovers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Spool } from "../../src/spool/port/spool.ts";
import { BACKLOG, backlogWhen, fill, loadFor, SKIP_LOAD, SMALL_BACKLOG } from "../support/load.ts";
import { freeAddress, publish, startExchanger, until } from "../support/peers.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgres } from "../support/postgres/installation.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";

/** Attempts at the backlog until its destination is closed, and its probes. */
const ATTEMPTS_MAX = 60;

/** Tracks the maximum number of jobs at the domain that are claimed but not settled or released. */
function watchHeld(spool: Spool, domain: string): { most: number } {
  const seen = { most: 0 };
  const held = new Set<string>();
  const { claim, settle, release } = spool;
  spool.claim = async (request) => {
    const claimed = await claim.call(spool, request);
    for (const work of claimed.jobs) if (work.domain === domain) held.add(work.messageId);
    seen.most = Math.max(seen.most, held.size);
    return claimed;
  };
  spool.settle = (messageId, ...rest) => {
    held.delete(messageId);
    return settle.call(spool, messageId, ...rest);
  };
  spool.release = (ref) => {
    held.delete(ref.messageId);
    return release.call(spool, ref);
  };
  return seen;
}

interface Costs {
  attempts: number;
  /** Tries that opened a connection, or attempted to. */
  connections: number;
  /** Those that are stored. */
  events: number;
}

/** What these messages have cost so far. */
async function costsOf(spool: Spool, ids: string[]): Promise<Costs> {
  let [attempts, connections, events] = [0, 0, 0];
  for (const id of ids) {
    for (const recipient of (await spool.report(id))?.recipients ?? []) {
      const tries = recipient.events.flatMap((event) => ("tries" in event ? event.tries : []));
      attempts += recipient.attempts;
      events += recipient.events.length;
      connections += tries.filter(({ error }) => !error?.startsWith("not tried:")).length;
    }
  }
  return { attempts, connections, events };
}

const DATABASES: [name: string, size: number, skip: string | false][] = [
  ["SQLite", BACKLOG, SKIP_LOAD],
  // Each of its messages takes a query to look up.
  ["PostgreSQL", SMALL_BACKLOG, SKIP_LOAD || missingPostgres()],
];

for (const [database, size, skip] of DATABASES) {
  test(`${database}: a backlog of ${size} messages for a dead destination delays no other message`, {
    skip,
  }, async (t) => {
    const env = database === "SQLite" ? {} : { DATABASE_URL: (await freshDatabase(t)).url };
    const world = await startWorld(t, env);
    const { spool } = world.service;
    await startExchanger(t, world, { domain: "live.example" });
    publish(world, "dead.example", [freeAddress()]);
    const deadLoad = await loadFor(world, "dead.example");
    const held = watchHeld(spool, "dead.example");
    const backlog = await fill(world, size, deadLoad);

    const [live = ""] = await fill(world, 1, { ...deadLoad, domainOf: () => "live.example" });
    assert.equal(await backlogWhen(world, live, "delivered"), size);
    for (let count = 0; count < 20; count += 1) {
      const [next = ""] = await fill(world, 1, { ...deadLoad, domainOf: () => "live.example" });
      await backlogWhen(world, next, "delivered");
    }
    const { attempts, connections, events } = await costsOf(spool, backlog);
    assert.ok(attempts > 0 && attempts <= ATTEMPTS_MAX, `${attempts} attempts of the backlog, which waits unclaimed`);
    assert.ok(
      events <= size + ATTEMPTS_MAX,
      `${events} events: one of each message's acceptance, and one of each attempt`,
    );
    assert.ok(held.most <= 50, `${held.most} jobs of the backlog were claimed at once`);
    t.diagnostic(
      `${connections} connections in ${attempts} attempts, ${events} events, at most ${held.most} jobs claimed`,
    );
  });
}

test("a message sent after the destination recovers does not wait behind the backlog", {
  skip: SKIP_LOAD,
}, async (t) => {
  const BACKLOG = 1500;
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  const address = freeAddress();
  publish(world, "back.example", [address]);
  const recoveringLoad = await loadFor(world, "back.example");
  const old = await fill(world, BACKLOG, recoveringLoad);
  await backlogWhen(world, old[0] ?? "", "pending");

  const peer = await startScriptedSmtp({ host: address, port: Number(world.env.SMTP_PORT) });
  t.after(() => peer.close());
  await until("the destination to recover", () => peer.transactions.length > 0);
  const before = peer.transactions.length;
  const [code = ""] = await fill(world, 1, { ...recoveringLoad, domainOf: () => "back.example" });
  await backlogWhen(world, code, "delivered");
  const between = peer.transactions.length - before;
  assert.ok(between < BACKLOG / 2, `${between} of the backlog delivered before it`);
  await until("the backlog", () => peer.transactions.length >= BACKLOG + 1);
  assert.equal(peer.transactions.length, BACKLOG + 1);
  t.diagnostic(`${between} of ${BACKLOG} old messages delivered before the new one`);
});
