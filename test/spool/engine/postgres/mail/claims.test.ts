/** What a claim returns of what the node holds, and what it leases from the database beside that. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClaimRequest, DeliveryJob, ReleasedJob } from "../../../../../src/spool/port/mail.ts";
import { newMessage } from "../../../../support/messages.ts";
import { addDueRows } from "../../../../support/postgres/due-rows.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { type OpenMail, openMail } from "../../../../support/postgres/mail-store.ts";
import { claimAll, NOW_MS } from "../../../port/conformance/suite.ts";

async function claim({ mail }: OpenMail, parts: Partial<ClaimRequest> = {}): Promise<DeliveryJob[]> {
  return (await mail.claim(claimAll(NOW_MS, parts))).jobs;
}

/** How many rows are leased. */
async function leased({ client }: OpenMail): Promise<number> {
  const { rows } = await client.query("SELECT count(*)::int AS count FROM work WHERE owner IS NOT NULL");
  return rows[0].count;
}

/** Attempts nothing, because this destination is full. */
async function release(
  { mail }: OpenMail,
  jobs: readonly DeliveryJob[],
  full: Pick<ReleasedJob, "destination" | "isOneOfSeveral">,
): Promise<void> {
  for (const { messageId, lease, recipients } of jobs) {
    await mail.release({ messageId, lease, ...full, positions: recipients.map(({ position }) => position) });
  }
}

/** After this time, a recipient domain whose mail goes to several destinations counts as none of them again. */
const NOTE_ENDED_MS = 1100;

const ELSEWHERE = { elsewhere: ["mx.example"], allowance: { "mx.example": 0 } };
const ONE_OF_SEVERAL = { destination: "mx.example", isOneOfSeveral: true };

describe("a claim", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("leases other due work while all that the node holds is for a domain that is full", async (t) => {
    const open = await openMail(t);
    await addDueRows(open.client, { domains: ["a.example"], messages: 500, dueMs: NOW_MS - 5 });
    assert.equal((await claim(open, { limit: 10 })).length, 10);
    const held = await leased(open);
    await addDueRows(open.client, { domains: ["b.example"], dueMs: NOW_MS });
    const jobs = await claim(open, { limit: 10, allowance: { "a.example": 0 } });
    assert.deepEqual(
      jobs.map(({ domain }) => domain),
      ["b.example"],
    );
    assert.equal(await leased(open), held + 1);
  });

  it("leases due work although new mail would fill it", async (t) => {
    const open = await openMail(t);
    await addDueRows(open.client, { domains: ["a.example"], dueMs: NOW_MS - 5 });
    for (let i = 0; i < 8; i += 1) await open.mail.accept(newMessage());
    await claim(open, { limit: 4 });
    assert.equal(await leased(open), 9);
  });

  it("leases a few more of a domain than its own limit, and none while that many are held", async (t) => {
    const open = await openMail(t);
    await addDueRows(open.client, { domains: ["a.example"], messages: 100, dueMs: NOW_MS });
    const limits = { allowance: { "a.example": 2 } };
    const counts: [claimed: number, leased: number][] = [];
    for (let claims = 0; claims < 6; claims += 1) counts.push([(await claim(open, limits)).length, await leased(open)]);
    assert.deepEqual(
      counts.slice(0, 5),
      [2, 2, 2, 2, 2].map((claimed) => [claimed, 10]),
    );
    assert.deepEqual(counts[5], [2, 20]);
  });

  it("leases of all domains of a destination no more than of one", async (t) => {
    const open = await openMail(t);
    const domains = Array.from({ length: 20 }, (_, i) => `d${i}.example`);
    await addDueRows(open.client, { domains, dueMs: NOW_MS });
    await release(open, await claim(open), { destination: "mx.example" });
    await addDueRows(open.client, { domains, messages: 5, dueMs: NOW_MS });
    assert.equal(await leased(open), 0);
    for (let claims = 0; claims < 5; claims += 1) {
      assert.equal((await claim(open, { allowance: { "mx.example": 2 } })).length, 2);
      assert.equal(await leased(open), 10);
    }
  });

  it("returns mail of a queue of which other mail is left to other nodes, although it was released with that first", async (t) => {
    const open = await openMail(t);
    await open.mail.accept(newMessage());
    await release(open, await claim(open), ONE_OF_SEVERAL);
    await open.mail.accept(newMessage());
    assert.deepEqual(await claim(open, ELSEWHERE), []);
    assert.equal(await leased(open), 0);
    await open.clock.advance(NOTE_ENDED_MS);
    assert.equal((await claim(open, ELSEWHERE)).length, 2);
  });

  it("returns mail of such a queue that the node holds already", async (t) => {
    const open = await openMail(t);
    await open.mail.accept(newMessage());
    await release(open, await claim(open), ONE_OF_SEVERAL);
    await open.mail.accept(newMessage());
    await open.clock.advance(NOTE_ENDED_MS);
    assert.equal((await claim(open, ELSEWHERE)).length, 2);
  });

  it("returns what the node holds although the database cannot be read for more", async (t) => {
    const open = await openMail(t);
    await addDueRows(open.client, { domains: ["a.example"], messages: 12, dueMs: NOW_MS });
    await claim(open, { limit: 10 });
    open.faults.next("refused", "run");
    assert.equal((await claim(open, { limit: 10 })).length, 2);
    assert.equal(open.faults.isDue, false);
  });
});
