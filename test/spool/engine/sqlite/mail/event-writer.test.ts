/** Damage of the table of events: mail is accepted and delivered without its events. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Damage } from "../../../../../src/spool/port/store.ts";
import { leaseOf, settleMessage } from "../../../../support/attempts.ts";
import {
  CLAIM,
  damagePage,
  edit,
  fillSpool,
  NOW_MS,
  opened,
  openSpool,
  pagesOf,
} from "../../../../support/damaged-spool.ts";
import { allEvents } from "../../../../support/fake-poster.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

async function filled(dataDir: string, count: number): Promise<string[]> {
  const spool = await openSpool(dataDir);
  const ids = await fillSpool(spool, { count });
  await spool.close();
  return ids;
}

describe("damaged events", () => {
  it("accepts and settles messages whose events cannot be written, and reports the damage", async (t) => {
    const dataDir = tempDir(t);
    const ids = await filled(dataDir, 300);
    // New events go to the last leaf.
    const leaves = pagesOf(dataDir).filter(({ name, type }) => name === "events" && type !== "internal");
    for (const leaf of leaves) damagePage(dataDir, leaf);
    const spool = await opened(t, dataDir);
    const found: Damage[] = [];
    spool.onDamage((damage) => void found.push(damage));
    const message = newMessage({ createdAtMs: NOW_MS });
    assert.equal((await spool.accept(message)).type, "accepted");
    await settleMessage(spool, message.id, NOW_MS, [settlement(0, "delivered")]);
    await settleMessage(spool, ids[5] ?? "", NOW_MS, [settlement(0, "delivered")]);
    assert.equal((await spool.report(message.id))?.recipients[0]?.result, "delivered");
    assert.ok(found.some(({ place }) => place === "the events of the account acc_default"));
    assert.equal((await spool.quarantined(0)).count, 0);
  });

  it("accepts messages although a damaged key hides the greatest number", async (t) => {
    const dataDir = tempDir(t);
    await filled(dataDir, 3);
    // An insertion fails as if its number were that of an event.
    const again = "INSERT INTO events SELECT * FROM events LIMIT 1";
    edit(dataDir, (db) => db.exec(`CREATE TRIGGER hidden BEFORE INSERT ON events BEGIN ${again}; END`));
    const spool = await opened(t, dataDir);
    const message = newMessage({ createdAtMs: NOW_MS });
    assert.equal((await spool.accept(message)).type, "accepted");
    await settleMessage(spool, message.id, NOW_MS, [settlement(0, "delivered")]);
    assert.equal((await spool.report(message.id))?.recipients[0]?.result, "delivered");
  });

  it("rebuilds the damaged index of a message's events, and writes events again", async (t) => {
    const dataDir = tempDir(t);
    await filled(dataDir, 300);
    for (const page of pagesOf(dataDir).filter(({ name }) => name === "events_message")) damagePage(dataDir, page);
    const spool = await opened(t, dataDir);
    assert.equal((await spool.accept(newMessage({ createdAtMs: NOW_MS }))).type, "accepted");
    const later = newMessage({ createdAtMs: NOW_MS });
    await spool.accept(later);
    await settleMessage(spool, later.id, NOW_MS, [settlement(0, "delivered")]);
    const own = (await allEvents(spool)).filter(({ messageId }) => messageId === later.id);
    assert.deepEqual(
      own.map(({ type, sequence }) => [type, sequence]),
      [
        ["message.accepted", 1],
        ["recipient.delivered", 2],
      ],
    );
  });

  it("deletes messages whose events are damaged too once their retention period is over", async (t) => {
    const dataDir = tempDir(t);
    const ids = await filled(dataDir, 300);
    const first = await openSpool(dataDir);
    const claim = await first.claim({ ...CLAIM, limit: ids.length });
    for (const id of ids) await first.settle(id, NOW_MS, [settlement(0, "delivered")], leaseOf(claim, id));
    await first.close();
    const leaves = pagesOf(dataDir).filter(({ name, type }) => name === "events" && type !== "internal");
    damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail());
    const spool = await opened(t, dataDir);
    const [nowMs, beforeMs] = [NOW_MS + 20_000, NOW_MS + 10_000];
    const step = { nowMs, contentsBeforeMs: beforeMs, resultsBeforeMs: beforeMs, limit: 100 };
    for (let i = 0; i < 20; i += 1) if (!(await spool.applyRetention(step)).isMore) break;
    const left = edit(dataDir, (db) => db.prepare<[], number>("SELECT count(*) FROM messages").pluck().get());
    assert.ok((left ?? 0) < 80, `${left} messages are left`);
  });
});
