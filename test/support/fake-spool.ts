/** The part of the spool that delivery claims from and settles with, in memory and without a thread. */

import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { ClaimRequest, DeliveryJob, Settlement } from "../../src/spool/port/mail.ts";
import type { Spool } from "../../src/spool/port/spool.ts";
import { HOUR_MS } from "./messages.ts";

export interface FakeSpool extends Pick<Spool, "claim" | "settle" | "release" | "onDue"> {
  /** A message with one recipient at the domain waits from now on; nobody is woken. */
  put(domain: string, parts?: Partial<DeliveryJob> & { dueMs?: number }): DeliveryJob;
  /** As put, and wakes. */
  arrive(domain: string, parts?: Partial<DeliveryJob> & { dueMs?: number }): DeliveryJob;
  /** While true, every method rejects with SpoolUnavailable. */
  down: boolean;
  claims: ClaimRequest[];
  /** Those that were stored. */
  settled: { messageId: string; atMs: number; settlements: Settlement[] }[];
  /** How often a settlement was offered. */
  offers: number;
}

/** `withShares`: a claim's limits of accounts hold too; else only those of domains. */
export function fakeSpool({ withShares = false } = {}): FakeSpool {
  const waiting: { work: DeliveryJob; dueMs: number }[] = [];
  const leased = new Map<string, DeliveryJob>();
  /** Of the domains whose works were given back. */
  const destinations = new Map<string, string>();
  let wake = () => {};
  let count = 0;

  const claimNow = ({ nowMs, limit, perDomain, allowance, perAccount, accountAllowance = {} }: ClaimRequest) => {
    const left = new Map(Object.entries(allowance));
    const accounts = new Map(Object.entries(accountAllowance));
    const accountRoom = (id: string) =>
      withShares ? (accounts.get(id) ?? perAccount ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const roomOf = (name: string) => left.get(name) ?? perDomain;
    const room = (domain: string) => Math.min(roomOf(domain), roomOf(destinations.get(domain) ?? domain));
    const jobs: DeliveryJob[] = [];
    for (const entry of [...waiting]) {
      const { domain, accountId } = entry.work;
      if (entry.dueMs > nowMs || jobs.length === limit || room(domain) === 0 || accountRoom(accountId) === 0) continue;
      accounts.set(accountId, accountRoom(accountId) - 1);
      waiting.splice(waiting.indexOf(entry), 1);
      leased.set(entry.work.messageId, entry.work);
      for (const name of new Set([domain, destinations.get(domain) ?? domain])) left.set(name, roomOf(name) - 1);
      jobs.push(entry.work);
    }
    const open = waiting
      .filter(({ work }) => room(work.domain) > 0 && accountRoom(work.accountId) > 0)
      .map(({ dueMs }) => dueMs);
    return { jobs, nextDueMs: open.length === 0 ? null : Math.min(...open) };
  };

  const spool: FakeSpool = {
    down: false,
    claims: [],
    settled: [],
    offers: 0,
    onDue: (called) => {
      wake = called;
    },
    put(domain, { dueMs = 0, ...parts } = {}) {
      count += 1;
      const work = newWork(`msg_${count}`, domain, parts);
      waiting.push({ work, dueMs });
      return work;
    },
    arrive(domain, parts) {
      const work = spool.put(domain, parts);
      wake();
      return work;
    },
    async claim(request) {
      spool.claims.push(request);
      if (spool.down) throw new SpoolUnavailable("down");
      return claimNow(request);
    },
    async settle(messageId, atMs, settlements) {
      spool.offers += 1;
      if (spool.down) throw new SpoolUnavailable("down");
      const work = leased.get(messageId);
      if (work === undefined) throw new Error(`${messageId} is not leased`);
      leased.delete(messageId);
      spool.settled.push({ messageId, atMs, settlements });
      for (const { result, category, nextAttemptAtMs, smtp } of settlements) {
        if (result !== "pending") continue;
        const again = work.recipients.map((r) => ({ ...r, attempts: r.attempts + 1, category, smtp: smtp ?? r.smtp }));
        waiting.push({ work: { ...work, recipients: again }, dueMs: nextAttemptAtMs ?? 0 });
      }
      wake();
    },
    async release({ messageId, destination }) {
      const work = leased.get(messageId);
      if (work === undefined) throw new Error(`${messageId} is not leased`);
      leased.delete(messageId);
      if (destination !== undefined) destinations.set(work.domain, destination);
      waiting.push({ work, dueMs: 0 });
      wake();
    },
  };
  return spool;
}

export function newWork(messageId: string, domain: string, parts: Partial<DeliveryJob> = {}): DeliveryJob {
  return {
    messageId,
    accountId: "acc_default",
    domainId: "dom_a",
    domain,
    from: "news@shop.example",
    createdAtMs: 1_000_000,
    expiresAtMs: 1_000_000 + 48 * HOUR_MS,
    sizeBytes: 100,
    recipients: [{ position: 0, email: `ann@${domain}`, attempts: 0, reason: null, category: null, smtp: null }],
    ...parts,
  };
}
