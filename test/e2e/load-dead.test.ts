/**
 * A heap of mail for a destination that takes no connection: it holds up nobody, is probed seldom, waits in the spool and
 * not in memory, and when the destination is back, new mail does not wait behind it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Spool } from "../../src/spool/port/spool.ts";
import { fill, HEAP, leftWhen, mailingTo, SKIP_LOAD } from "../support/load.ts";
import { freeAddress, publish, startExchanger, until } from "../support/peers.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";

/** Settlements of the heap to look at. */
const LOOKED_AT = 200;

/** Notes the most works that were claimed and not settled or given back yet, at the domain. */
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

/** What the attempts at these messages found so far: how many there were, and how many of their tries connected or tried to. */
async function attemptsAt(spool: Spool, ids: string[]): Promise<{ attempts: number; connections: number }> {
  let [attempts, connections] = [0, 0];
  for (const id of ids) {
    for (const recipient of (await spool.report(id))?.recipients ?? []) {
      const tries = recipient.events.flatMap((event) => ("tries" in event ? event.tries : []));
      attempts += recipient.attempts;
      connections += tries.filter(({ error }) => !error?.startsWith("not tried:")).length;
    }
  }
  return { attempts, connections };
}

test(`${HEAP} messages wait for a dead destination`, { skip: SKIP_LOAD }, async (t) => {
  const world = await startWorld(t);
  const { spool } = world.service;
  await startExchanger(t, world, { domain: "live.example" });
  publish(world, "dead.example", [freeAddress()]);
  const toDead = await mailingTo(world, "dead.example");
  const held = watchHeld(spool, "dead.example");
  const heap = await fill(world, HEAP, toDead);

  const [live = ""] = await fill(world, 1, { ...toDead, domainOf: () => "live.example" });
  assert.equal(await leftWhen(world, live, "delivered"), HEAP);
  const before = await attemptsAt(spool, heap);
  assert.ok(before.attempts < HEAP / 10, `${before.attempts} of the heap were tried before it`);

  const [fresh = ""] = await fill(world, 1, toDead);
  await leftWhen(world, fresh, "pending");
  const when = await attemptsAt(spool, heap);
  assert.ok(when.attempts < HEAP / 2, `${when.attempts} of the heap were tried before new mail`);

  let settled = 0;
  const unwatch = heap.map((id) =>
    spool.watch(id, () => {
      settled += 1;
    }),
  );
  await until("more attempts", () => settled >= LOOKED_AT);
  for (const stop of unwatch) stop();
  const { attempts, connections } = await attemptsAt(spool, heap);
  assert.ok(attempts >= LOOKED_AT && connections < attempts / 5, `${connections} connections in ${attempts} attempts`);
  assert.ok(held.most <= 50, `${held.most} works of the heap were out of the spool at once`);
  t.diagnostic(`${connections} connections in ${attempts} attempts, ${held.most} works held at most`);
});

test("a code sent when the destination is back does not wait behind what has waited", {
  skip: SKIP_LOAD,
}, async (t) => {
  const BACKLOG = 1500;
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  const address = freeAddress();
  publish(world, "back.example", [address]);
  const toBack = await mailingTo(world, "back.example");
  const old = await fill(world, BACKLOG, toBack);
  await leftWhen(world, old[0] ?? "", "pending");

  const peer = await startScriptedSmtp({ host: address, port: Number(world.env.SMTP_PORT) });
  t.after(() => peer.close());
  await until("the destination to be back", () => peer.transactions.length > 0);
  const before = peer.transactions.length;
  const [code = ""] = await fill(world, 1, { ...toBack, domainOf: () => "back.example" });
  await leftWhen(world, code, "delivered");
  const between = peer.transactions.length - before;
  assert.ok(between < BACKLOG / 2, `${between} of the old left before it`);
  await until("the old mail", () => peer.transactions.length >= BACKLOG + 1);
  assert.equal(peer.transactions.length, BACKLOG + 1);
  t.diagnostic(`${between} of ${BACKLOG} old messages left before the code`);
});
