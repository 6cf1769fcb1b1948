/**
 * A backlog for a destination that refuses connections: it delays no other message, is probed rarely, stays in the
 * spool instead of memory, and does not delay new messages once the destination recovers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Spool } from "../../src/spool/port/spool.ts";
import { BACKLOG, backlogWhen, fill, loadFor, SKIP_LOAD } from "../support/load.ts";
import { freeAddress, publish, startExchanger, until } from "../support/peers.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";

/** How many settlements of the backlog are checked. */
const LOOKED_AT = 200;

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

/** The attempts at these messages so far, and how many of their tries opened a connection or attempted to. */
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

test(`a backlog of ${BACKLOG} messages for a dead destination delays no other message`, {
  skip: SKIP_LOAD,
}, async (t) => {
  const world = await startWorld(t);
  const { spool } = world.service;
  await startExchanger(t, world, { domain: "live.example" });
  publish(world, "dead.example", [freeAddress()]);
  const deadLoad = await loadFor(world, "dead.example");
  const held = watchHeld(spool, "dead.example");
  const backlog = await fill(world, BACKLOG, deadLoad);

  const [live = ""] = await fill(world, 1, { ...deadLoad, domainOf: () => "live.example" });
  assert.equal(await backlogWhen(world, live, "delivered"), BACKLOG);
  const before = await attemptsAt(spool, backlog);
  assert.ok(before.attempts < BACKLOG / 10, `${before.attempts} attempts of the backlog before it`);

  const [fresh = ""] = await fill(world, 1, deadLoad);
  await backlogWhen(world, fresh, "pending");
  const when = await attemptsAt(spool, backlog);
  assert.ok(when.attempts < BACKLOG / 2, `${when.attempts} attempts of the backlog before the new message`);

  let settled = 0;
  const unwatch = backlog.map((id) =>
    spool.watch(id, () => {
      settled += 1;
    }),
  );
  await until("more attempts", () => settled >= LOOKED_AT);
  for (const stop of unwatch) stop();
  const { attempts, connections } = await attemptsAt(spool, backlog);
  assert.ok(attempts >= LOOKED_AT && connections < attempts / 5, `${connections} connections in ${attempts} attempts`);
  assert.ok(held.most <= 50, `${held.most} jobs of the backlog were claimed at once`);
  t.diagnostic(`${connections} connections in ${attempts} attempts, at most ${held.most} jobs claimed`);
});

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
