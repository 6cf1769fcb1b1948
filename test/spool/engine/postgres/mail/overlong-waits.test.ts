/** Shortened waits beside attempts and other nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shortenWaits } from "../../../../../src/spool/engine/postgres/mail/overlong-waits.ts";
import type { ShortenWaitsStep } from "../../../../../src/spool/port/operations.ts";
import { HOUR_MS } from "../../../../support/messages.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { LEASE, StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const STEP: ShortenWaitsStep = { nowMs: NOW_MS, longestMs: [0, 60_000, 300_000], after: null, limit: 10 };
const AHEAD_MS = NOW_MS + 2 * HOUR_MS;

describe("a pass over overlong waits", { skip: missingPostgresOrTime() }, () => {
  it("shortens those of leased recipients without ending the lease, and leaves marked ones alone", async (t) => {
    const { nodes } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const recipients = (["new", "pending", "leased", "marked"] as const).map((state) => ({ state, dueMs: AHEAD_MS }));
    await mail.add({ createdAtMs: NOW_MS, recipients });
    assert.deepEqual(await shortenWaits(nodes[0], STEP), { recipients: 3, next: null, nextDueMs: NOW_MS });
    assert.deepEqual(
      (await mail.work()).map(({ dueMs, owner }) => [dueMs, owner]),
      [
        [NOW_MS, null],
        [NOW_MS + 60_000, null],
        [NOW_MS + 60_000, LEASE.owner],
        [AHEAD_MS, LEASE.owner],
      ],
    );
    assert.deepEqual(await shortenWaits(nodes[0], STEP), { recipients: 0, next: null, nextDueMs: null });
  });

  it("goes on behind the last recipient of a step, within a message too", async (t) => {
    const { nodes } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const waiting = { state: "pending", dueMs: AHEAD_MS, attempts: 5 } as const;
    for (let i = 0; i < 2; i += 1) await mail.add({ createdAtMs: NOW_MS + i, recipients: [waiting, waiting, waiting] });
    const counts: number[] = [];
    for (let step: ShortenWaitsStep | null = { ...STEP, limit: 2 }; step !== null; ) {
      const { recipients, next } = await shortenWaits(nodes[0], step);
      counts.push(recipients);
      step = next === null ? null : { ...step, after: next };
    }
    assert.deepEqual(counts, [2, 2, 2, 0]);
    assert.ok((await mail.work()).every(({ dueMs }) => dueMs === NOW_MS + 300_000));
  });

  it("counts each recipient once, although two nodes do it at the same time", async (t) => {
    const { nodes } = await twoNodes(t);
    const mail = new StoredMail(nodes[0]);
    const recipients = Array.from({ length: 8 }, () => ({ state: "pending" as const, dueMs: AHEAD_MS }));
    await mail.add({ createdAtMs: NOW_MS, recipients });
    const steps = await Promise.all(nodes.map((node) => shortenWaits(node, STEP)));
    assert.equal(
      steps.reduce((sum, { recipients: count }) => sum + count, 0),
      8,
    );
  });
});
