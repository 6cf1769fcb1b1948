/** In which order a spool gives out what is due, and what it holds back: the claim's part of the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { ClaimRequest, DeliveryJob, NewMessage } from "../../../../src/spool/port/mail.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { leaseOf } from "../../../support/attempts.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import type { SpoolUnderTest } from "./suite.ts";

const NOW_MS = 100 * HOUR_MS;

const claimOf = (limit: number, parts: Partial<ClaimRequest> = {}): ClaimRequest => ({
  nowMs: NOW_MS,
  limit,
  perDomain: 1000,
  allowance: {},
  ...parts,
});

const ids = (jobs: DeliveryJob[]): string[] => jobs.map((job) => job.messageId);

async function accepted(spool: Spool, domain: string, parts: Partial<NewMessage> = {}): Promise<string> {
  const message = newMessage({ recipients: recipientsAt(domain, 1), createdAtMs: NOW_MS, ...parts });
  assert.equal((await spool.accept(message)).type, "accepted");
  return message.id;
}

/** All at once, in this order. */
const acceptedAll = (spool: Spool, all: { domain: string; parts?: Partial<NewMessage> }[]): Promise<string[]> =>
  Promise.all(all.map(({ domain, parts }) => accepted(spool, domain, parts)));

const repeated = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));

/** Messages an hour old that have been attempted and are due again; the first has been due for longest. */
async function backlog(spool: Spool, domain: string, count: number): Promise<string[]> {
  const parts = { createdAtMs: NOW_MS - HOUR_MS };
  const tried = await acceptedAll(
    spool,
    repeated(count, () => ({ domain, parts })),
  );
  const claim = await spool.claim(claimOf(count, { perDomain: 0, allowance: { [domain]: count } }));
  const due = (i: number) => [settlement(0, "pending", NOW_MS - HOUR_MS / 2 + i)];
  await Promise.all(tried.map((id, i) => spool.settle(id, NOW_MS - HOUR_MS, due(i), leaseOf(claim, id))));
  return tried;
}

/** Claims one job at a time, as a dispatcher with one free connection does. */
async function oneByOne(spool: Spool, count: number, before = async () => {}): Promise<string[]> {
  const given: string[] = [];
  for (let i = 0; i < count; i += 1) {
    await before();
    given.push(...ids((await spool.claim(claimOf(1))).jobs));
  }
  return given;
}

export function claimOrder(name: string, open: (t: TestContext) => Promise<SpoolUnderTest>): void {
  describe(`${name}: the order of claims`, () => {
    it("returns new mail at once, however much has been due for longer at its destination", async (t) => {
      const { spool } = await open(t);
      const old = await backlog(spool, "a.example", 50);
      const code = await accepted(spool, "a.example");
      const first = await oneByOne(spool, 4);
      assert.ok(first.includes(code));
      assert.ok(first.includes(old[0] ?? ""));
      assert.deepEqual(
        (await oneByOne(spool, 5)).filter((id) => !old.includes(id)),
        [],
      );
    });

    it("returns the newest of much new mail, also if it was never attempted", async (t) => {
      const { spool } = await open(t);
      const at = (i: number) => ({ domain: "a.example", parts: { createdAtMs: NOW_MS - 1000 + i } });
      await acceptedAll(spool, repeated(500, at));
      const code = await accepted(spool, "a.example");
      assert.ok((await oneByOne(spool, 2)).includes(code));
    });

    it("does not let a flood of new mail starve the old: at least one job in four goes by age", async (t) => {
      const { spool } = await open(t);
      const old = await backlog(spool, "a.example", 10);
      const given = await oneByOne(spool, 40, async () => {
        await acceptedAll(spool, [{ domain: "a.example" }, { domain: "a.example" }]);
      });
      assert.deepEqual(
        given.filter((id) => old.includes(id)),
        old,
      );
    });

    it("does not let a flood to one destination starve mail for others, old or new", async (t) => {
      const { spool } = await open(t);
      const others = await Promise.all(["b", "c", "d", "e", "f"].map((d) => backlog(spool, `${d}.example`, 2)));
      const waiting = new Set(others.flat());
      for (const d of ["b", "c", "d"]) waiting.add(await accepted(spool, `${d}.example`, { createdAtMs: NOW_MS - 1 }));
      const given = await oneByOne(spool, 80, async () => {
        await acceptedAll(spool, [{ domain: "a.example" }, { domain: "a.example" }]);
      });
      for (const id of given) waiting.delete(id);
      assert.deepEqual([...waiting], []);
    });

    it("returns an account's new mail at once, however many destinations its backlog has", async (t) => {
      const { spool } = await open(t);
      await Promise.all(repeated(100, (i) => backlog(spool, `d${i}.example`, 1)));
      const code = await accepted(spool, "d7.example");
      assert.ok((await oneByOne(spool, 2)).includes(code));
    });

    it("returns another account's one message next or second, however much the first has waiting", async (t) => {
      const { spool } = await open(t);
      const parts = { accountId: "acc_big" };
      await acceptedAll(
        spool,
        repeated(100, (i) => ({ domain: `d${i % 7}.example`, parts })),
      );
      await oneByOne(spool, 10);
      const one = await accepted(spool, "d3.example", { accountId: "acc_small", createdAtMs: NOW_MS - 10 });
      assert.ok((await oneByOne(spool, 2)).includes(one));
      const old = await accepted(spool, "d3.example", { accountId: "acc_small", createdAtMs: NOW_MS - 10 });
      assert.ok((await oneByOne(spool, 2)).includes(old));
    });

    it("gives a destination's only job to accounts in turn, however much one has waiting, as for probes", async (t) => {
      const { spool } = await open(t);
      const parts = { accountId: "acc_big" };
      await acceptedAll(
        spool,
        repeated(100, (i) => ({ domain: `d${i % 7}.example`, parts })),
      );
      const one = await accepted(spool, "d0.example", { accountId: "acc_small" });
      for (const { messageId, recipients, lease } of (await spool.claim(claimOf(101))).jobs) {
        const positions = recipients.map(({ position }) => position);
        await spool.release({ messageId, positions, lease, destination: "*.provider.example" });
      }
      const probe = async () => ids((await spool.claim(claimOf(100, { allowance: { "*.provider.example": 1 } }))).jobs);
      const probes = [...(await probe()), ...(await probe())];
      assert.equal(probes.length, 2);
      assert.ok(probes.includes(one));
    });

    it("gives the few jobs of a claim to accounts in turn, however much one has waiting", async (t) => {
      const { spool } = await open(t);
      const of = (accountId: string) => repeated(20, () => ({ domain: "a.example", parts: { accountId } }));
      await acceptedAll(spool, [...of("acc_a"), ...of("acc_b")]);
      const served = new Set<string>();
      for (let claim = 0; claim < 2; claim += 1)
        for (const { accountId } of (await spool.claim(claimOf(4))).jobs) served.add(accountId);
      assert.deepEqual([...served].sort(), ["acc_a", "acc_b"]);
    });

    it("returns retried messages like new mail", async (t) => {
      const { spool } = await open(t);
      const old = await backlog(spool, "a.example", 50);
      const id = old[40] ?? "";
      assert.equal(await spool.retry({ accountId: "acc_default", messageId: id, nowMs: NOW_MS }), 1);
      assert.ok((await oneByOne(spool, 4)).includes(id));
    });

    it("returns all mail by age after a crash", async (t) => {
      const first = await open(t);
      const old = await backlog(first.spool, "a.example", 5);
      const late = await accepted(first.spool, "a.example");
      const { spool } = await first.reopen();
      await spool.recover(NOW_MS, "unknown");
      assert.deepEqual(await oneByOne(spool, 7), [...old, late]);
    });
  });

  describe(`${name}: what a claim holds back`, () => {
    const atProvider = async (spool: Spool, count: number): Promise<string[]> => {
      const given = await acceptedAll(
        spool,
        repeated(count, (i) => ({ domain: `d${i}.example`, parts: { createdAtMs: NOW_MS - i } })),
      );
      for (const { messageId, lease } of (await spool.claim(claimOf(count))).jobs) {
        await spool.release({ messageId, positions: [0], lease, destination: "mx.provider.example" });
      }
      return given;
    };

    it("holds mail released for a full destination, as one, until the destination has capacity", async (t) => {
      const { spool } = await open(t);
      const held = await atProvider(spool, 20);
      const free = await accepted(spool, "free.example");
      const full = claimOf(100, { allowance: { "mx.provider.example": 0 } });
      assert.deepEqual(ids((await spool.claim(full)).jobs), [free]);
      assert.deepEqual(await spool.claim(full), { jobs: [], nextDueMs: null });
      const three = await spool.claim(claimOf(100, { allowance: { "mx.provider.example": 3 } }));
      assert.equal(three.jobs.length, 3);
      assert.equal(three.jobs[0]?.messageId, held[0], "what was given back untried is still new");
      const paused = claimOf(100, { allowance: { "mx.provider.example": 100, "d9.example": 0 } });
      assert.deepEqual(
        ids((await spool.claim(paused)).jobs).sort(),
        held.filter((id, i) => i !== 9 && !ids(three.jobs).includes(id)).sort(),
        "a recipient domain of its own may be excluded besides",
      );
    });

    it("serves each domain of a full destination in turn", async (t) => {
      const { spool } = await open(t);
      for (const d of ["a", "b", "c"]) await backlog(spool, `${d}.example`, 10);
      for (const { messageId, lease } of (await spool.claim(claimOf(30))).jobs) {
        await spool.release({ messageId, positions: [0], lease, destination: "mx.provider.example" });
      }
      const one = claimOf(1, { allowance: { "mx.provider.example": 1 } });
      const domains: string[] = [];
      for (let i = 0; i < 6; i += 1) domains.push((await spool.claim(one)).jobs[0]?.domain ?? "");
      assert.deepEqual(
        [...domains].sort(),
        ["a", "a", "b", "b", "c", "c"].map((d) => `${d}.example`),
      );
    });

    it("forgets a domain's destination after ten minutes, because the domain may have moved", async (t) => {
      const { spool } = await open(t);
      await acceptedAll(
        spool,
        repeated(20, () => ({ domain: "a.example" })),
      );
      for (const { messageId, lease } of (await spool.claim(claimOf(20))).jobs) {
        await spool.release({ messageId, positions: [0], lease, destination: "mx.dead.example" });
      }
      const allowance = { "mx.dead.example": 1 };
      const claimFour = async (nowMs: number): Promise<number> => {
        let count = 0;
        for (let i = 0; i < 4; i += 1) count += (await spool.claim(claimOf(9, { nowMs, allowance }))).jobs.length;
        return count;
      };
      assert.equal(await claimFour(NOW_MS + 599_999), 4);
      assert.ok((await claimFour(NOW_MS + 600_000)) > 4);
    });

    it("observes an account's allowance, and serves the others", async (t) => {
      const { spool } = await open(t);
      const accounts = ["acc_a", "acc_b", "acc_c"];
      await acceptedAll(
        spool,
        accounts.flatMap((accountId) => repeated(30, (i) => ({ domain: `d${i}.example`, parts: { accountId } }))),
      );
      const request = claimOf(100, { perAccount: 5, accountAllowance: { acc_a: 0, acc_b: 2 } });
      const { jobs, nextDueMs } = await spool.claim(request);
      const of = (accountId: string) => jobs.filter((job) => job.accountId === accountId).length;
      assert.deepEqual([of("acc_a"), of("acc_b"), of("acc_c"), nextDueMs], [0, 2, 5, null]);
      assert.equal((await spool.claim(claimOf(100))).jobs.length, 83);
    });

    it("observes an account's limit of first contacts, and serves its mail for prompt destinations", async (t) => {
      const { spool } = await open(t);
      await acceptedAll(
        spool,
        repeated(40, (i) => ({ domain: i < 30 ? `d${i}.example` : `known${i % 2}.example` })),
      );
      const prompt = ["known0.example", "known1.example"];
      const contacts = (perAccount: number) => ({ firstContacts: { prompt, perAccount, accountAllowance: {} } });
      const domainsOf = async (perAccount: number): Promise<string[]> =>
        (await spool.claim(claimOf(4, contacts(perAccount)))).jobs.map(({ domain }) => domain);
      assert.equal((await domainsOf(2)).filter((domain) => domain.startsWith("d")).length, 2);
      const others = [...(await domainsOf(0)), ...(await domainsOf(0))];
      assert.ok(others.length > 5 && others.every((domain) => domain.startsWith("known")), others.join(" "));
      const { jobs, nextDueMs } = await spool.claim(claimOf(4, contacts(0)));
      assert.deepEqual([jobs.length, nextDueMs], [0, null]);
      assert.equal((await spool.claim(claimOf(100))).jobs.length, 28);
    });

    it("observes a limit of fresh mail apart from that of first contacts, and passes over what waits or was deferred", async (t) => {
      const { spool } = await open(t);
      const deferredId = await accepted(spool, "slow.example", { createdAtMs: NOW_MS - 9000 });
      const first = await spool.claim(claimOf(1));
      const later = [settlement(0, "pending", NOW_MS + HOUR_MS)];
      await spool.settle(deferredId, NOW_MS - 8000, later, leaseOf(first, deferredId));
      await accepted(spool, "old.example", { createdAtMs: NOW_MS - 7000 });
      await acceptedAll(
        spool,
        repeated(4, (i) => ({ domain: `d${i}.example` })),
      );
      await acceptedAll(spool, [{ domain: "slow.example" }, { domain: "old.example" }]);
      const claimFresh = async (perAccount: number, allowance: Record<string, number> = {}) => {
        const fresh = { perAccount, accountAllowance: {} };
        const firstContacts = { prompt: [], perAccount: 0, accountAllowance: {}, fresh };
        return (await spool.claim(claimOf(10, { firstContacts, allowance }))).jobs;
      };
      assert.deepEqual(await claimFresh(0), []);
      const jobs = [...(await claimFresh(3, { "d3.example": 4 })), ...(await claimFresh(3))];
      const domains = jobs.map(({ domain }) => domain);
      assert.deepEqual(domains.toSorted(), ["d0.example", "d1.example", "d2.example", "d3.example"]);
      assert.equal(domains[3], "d3.example", "has attempts under way in the first claim");
      assert.ok(jobs.every(({ isFresh }) => isFresh));
      const others = (await spool.claim(claimOf(10))).jobs;
      assert.deepEqual(others.map(({ domain, isFresh = false }) => [domain, isFresh]).toSorted(), [
        ["old.example", false],
        ["old.example", false],
        ["slow.example", false],
      ]);
    });
  });
}
