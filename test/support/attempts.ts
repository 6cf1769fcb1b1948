/** Attempts without a peer: claims, marks and settles messages through the spool's port, as delivery does. */
import assert from "node:assert/strict";
import type { Claim, Claimant, DeliveryJob, Lease, Settlement } from "../../src/spool/port/mail.ts";
import type { Spool } from "../../src/spool/port/spool.ts";

/** By then every recipient is due. */
const ALL_DUE_MS = 1e14;

const EVERYTHING = { nowMs: ALL_DUE_MS, limit: 100_000, perDomain: 100_000, allowance: {} };

/** More than an acceptance causes. */
const EARLIER_CLAIMS = 4;

/** Where a marked recipient was about to get the final dot. */
export const MARK = { atMs: 1_000_000, mx: "mx.a.example", ip: "192.0.2.1" };

/** The lease of a claimed message. */
export function leaseOf({ jobs }: Pick<Claim, "jobs">, messageId: string): Lease {
  const job = jobs.find((claimed) => claimed.messageId === messageId);
  assert.ok(job, `${messageId} was not claimed`);
  return job.lease;
}

/** Claims a message, due or not, and no other. Returns its jobs, one for each recipient domain. */
export async function claimMessage(spool: Claimant, messageId: string): Promise<DeliveryJob[]> {
  const { jobs } = await spool.claim(EVERYTHING);
  return releaseOthers(spool, jobs, messageId);
}

/** Claims a message with recipients at one domain, due or not, and marks some of them. Returns its lease. */
export async function markMessage(spool: Claimant, messageId: string, positions: number[]): Promise<Lease> {
  const [job, ...others] = await claimMessage(spool, messageId);
  assert.ok(job !== undefined && others.length === 0);
  assert.equal(await spool.mark({ ...MARK, messageId, positions, lease: job.lease }), "marked");
  return job.lease;
}

/** Claims a message, due or not, and settles these recipients of it; the others are as before. */
export async function settleMessage(
  spool: Claimant,
  messageId: string,
  atMs: number,
  settlements: Settlement[],
): Promise<void> {
  await settleJobs(spool, await claimMessage(spool, messageId), { atMs, settlements });
}

/** Claims everything that waits, and settles each message with the same results. Faster than `settleMessage` for each. */
export async function settleAll(spool: Claimant, atMs: number, settlements: Settlement[]): Promise<void> {
  const { jobs } = await spool.claim(EVERYTHING);
  for (const id of new Set(jobs.map(({ messageId }) => messageId))) {
    await settleJobs(
      spool,
      jobs.filter(({ messageId }) => messageId === id),
      { atMs, settlements },
    );
  }
}

/**
 * As settleMessage, for a message to paused domains at a running service. They are resumed for one claim, which no claim of the
 * service precedes: those that the message's acceptance has caused end before.
 */
export async function settlePaused(
  spool: Spool,
  messageId: string,
  { domains, atMs, settlements }: { domains: string[]; atMs: number; settlements: Settlement[] },
): Promise<void> {
  for (let earlier = 0; earlier < EARLIER_CLAIMS; earlier += 1) await spool.claim({ ...EVERYTHING, limit: 0 });
  const resumed = Promise.all(domains.map((domain) => spool.resumeDomain(domain)));
  const claim = spool.claim(EVERYTHING);
  await resumed;
  const { jobs } = await claim;
  for (const domain of domains) await spool.pauseDomain(domain, atMs);
  await settleJobs(spool, await releaseOthers(spool, jobs, messageId), { atMs, settlements });
}

async function releaseOthers(spool: Claimant, jobs: DeliveryJob[], messageId: string): Promise<DeliveryJob[]> {
  const own = jobs.filter((job) => job.messageId === messageId);
  assert.ok(own.length > 0, `${messageId} has nothing to claim`);
  const others = jobs.filter((job) => !own.includes(job));
  await Promise.all(others.map((job) => release(spool, job, positionsOf(job))));
  return own;
}

async function settleJobs(
  spool: Claimant,
  jobs: DeliveryJob[],
  { atMs, settlements }: { atMs: number; settlements: Settlement[] },
): Promise<void> {
  const settled: number[] = [];
  for (const job of jobs) {
    const positions = positionsOf(job);
    const own = settlements.filter(({ position }) => positions.includes(position));
    settled.push(...own.map(({ position }) => position));
    const rest = positions.filter((position) => !settled.includes(position));
    if (own.length > 0) assert.equal(await spool.settle(job.messageId, atMs, own, job.lease), "settled");
    if (rest.length > 0) await release(spool, job, rest);
  }
  assert.deepEqual(settled.sort(), settlements.map(({ position }) => position).sort());
}

const positionsOf = ({ recipients }: DeliveryJob): number[] => recipients.map(({ position }) => position);

const release = (spool: Claimant, { messageId, lease }: DeliveryJob, positions: number[]): Promise<void> =>
  spool.release({ messageId, positions, lease });
