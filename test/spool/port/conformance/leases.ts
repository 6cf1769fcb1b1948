/** Leases: several claimants on one store, expired leases, and what may still be stored under a lost one. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { OutboxEvent } from "../../../../src/spool/port/events.ts";
import type { Claimant, DeliveryJob, Lease } from "../../../../src/spool/port/mail.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { claimMessage, MARK, markMessage } from "../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import { at, claimAll, emails, NOW_MS, type OpenSpool } from "./suite.ts";
import { allEvents } from "./webhook-suite.ts";

export function leasesConformance(name: string, open: OpenSpool): void {
  liveLeases(name, open);
  staleLeases(name, open);
  expiredLeases(name, open);
  lateEvidence(name, open);
}

/** Opens a store with a message of so many recipients at one domain, and a second claimant. */
async function opened(t: TestContext, open: OpenSpool, recipients: number) {
  const { spool, acceptForAny, other, lapse } = await open(t);
  const message = newMessage({ recipients: recipientsAt("a.example", recipients) });
  await acceptForAny(message);
  return { spool, message, second: await other(), lapse };
}

const mark = (claimant: Claimant, messageId: string, lease: Lease, positions = [0]) =>
  claimant.mark({ ...MARK, messageId, positions, lease });

async function claimAllJobs(claimant: Claimant, nowMs = NOW_MS): Promise<DeliveryJob[]> {
  return (await claimant.claim(claimAll(nowMs))).jobs;
}

async function resultsOf(spool: Spool, messageId: string): Promise<string[]> {
  return (await spool.report(messageId))?.recipients.map(({ result }) => result) ?? assert.fail();
}

const shown = ({ type, sequence }: OutboxEvent) => [type, sequence];

function liveLeases(name: string, open: OpenSpool): void {
  describe(`${name}: two claimants`, () => {
    it("never hold the same recipient, whatever they claim, settle and release at the same time", async (t) => {
      const { spool, acceptForAny, other } = await open(t);
      const second = await other();
      const messages = Array.from({ length: 40 }, (_, i) =>
        newMessage({ recipients: recipientsAt(`d${i % 7}.example`, 2) }),
      );
      await Promise.all(messages.map(acceptForAny));
      const work = new SharedWork();
      await Promise.all([spool, second].map((claimant) => work.deliver(claimant, 2 * messages.length)));
      for (const { id } of messages) {
        assert.deepEqual(
          (await spool.report(id))?.recipients.map(({ result, attempts }) => [result, attempts]),
          [
            ["delivered", 2],
            ["delivered", 2],
          ],
        );
      }
    });

    it("have different owners, and each claim of one has another epoch", async (t) => {
      const { spool, acceptForAny, other } = await open(t);
      const second = await other();
      const leases: Lease[] = [];
      for (const claimant of [spool, second, spool, second]) {
        await acceptForAny(newMessage());
        leases.push(at(await claimAllJobs(claimant)).lease);
      }
      const [a, b, c, d] = leases;
      assert.ok(a && b && c && d);
      assert.notEqual(a.owner, b.owner);
      assert.deepEqual([a.owner, b.owner], [c.owner, d.owner]);
      assert.ok(a.epoch !== c.epoch && b.epoch !== d.epoch);
    });

    it("keep their leases when one of them recovers what has expired", async (t) => {
      const { spool, message, second } = await opened(t, open, 2);
      const lease = await markMessage(spool, message.id, [0]);
      assert.equal(await second.recover(NOW_MS, "unknown"), 0);
      assert.deepEqual(await claimAllJobs(second), []);
      assert.ok(spool.leaseIsCurrent(lease));
      assert.equal(await mark(spool, message.id, lease, [0, 1]), "marked");
      const settlements = [settlement(0, "delivered"), settlement(1, "delivered")];
      assert.equal(await spool.settle(message.id, NOW_MS, settlements, lease), "settled");
      assert.deepEqual(await resultsOf(spool, message.id), ["delivered", "delivered"]);
    });
  });
}

/**
 * Recipients that two claimants attempt at once: each is released, then deferred, then delivered. A claim may return some of a message's
 * recipients while another one has the others.
 */
class SharedWork {
  readonly #held = new Set<string>();
  readonly #claims = new Map<string, number>();
  #delivered = 0;

  async deliver(claimant: Claimant, total: number): Promise<void> {
    while (this.#delivered < total) {
      const { jobs } = await claimant.claim(claimAll(NOW_MS, { limit: 5 }));
      // Before anything is awaited: another claimant has none of them.
      for (const job of jobs) this.#take(job);
      await Promise.all(jobs.map((job) => this.#end(claimant, job)));
    }
  }

  #take({ messageId, recipients }: DeliveryJob): void {
    for (const { position } of recipients) {
      const name = nameOf(messageId, position);
      assert.ok(!this.#held.has(name), `${name} is held twice`);
      this.#held.add(name);
      this.#claims.set(name, (this.#claims.get(name) ?? 0) + 1);
    }
  }

  async #end(claimant: Claimant, { messageId, recipients, lease }: DeliveryJob): Promise<void> {
    const positionsAt = (claims: number): number[] =>
      recipients
        .map(({ position }) => position)
        .filter((position) => this.#claims.get(nameOf(messageId, position)) === claims);
    const [released, deferred, delivered] = [positionsAt(1), positionsAt(2), positionsAt(3)];
    if (delivered.length > 0)
      assert.equal(await claimant.mark({ ...MARK, messageId, positions: delivered, lease }), "marked");
    for (const { position } of recipients) this.#held.delete(nameOf(messageId, position));
    if (released.length > 0) await claimant.release({ messageId, positions: released, lease });
    this.#delivered += delivered.length;
    const settlements = [
      ...deferred.map((position) => settlement(position, "pending", NOW_MS)),
      ...delivered.map((position) => settlement(position, "delivered", null)),
    ];
    if (settlements.length > 0) assert.equal(await claimant.settle(messageId, NOW_MS, settlements, lease), "settled");
  }
}

const nameOf = (messageId: string, position: number): string => `${messageId} ${position}`;

function staleLeases(name: string, open: OpenSpool): void {
  describe(`${name}: a lease that has ended`, () => {
    it("neither marks nor settles nor releases what its owner has claimed again", async (t) => {
      const { spool, message, second } = await opened(t, open, 1);
      const first = at(await claimAllJobs(spool));
      await spool.release({ messageId: message.id, positions: [0], lease: first.lease });
      const again = at(await claimAllJobs(spool));
      assert.equal(await mark(spool, message.id, first.lease), "lease_lost");
      assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "failed")], first.lease), "lease_lost");
      await spool.release({ messageId: message.id, positions: [0], lease: first.lease });
      assert.deepEqual(await claimAllJobs(second), []);
      assert.equal(await mark(spool, message.id, again.lease), "marked");
      assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], again.lease), "settled");
      assert.deepEqual(await resultsOf(spool, message.id), ["delivered"]);
    });

    it("marks nothing of a message whose other recipient is final", async (t) => {
      const { spool, message, second, lapse } = await opened(t, open, 2);
      const { lease } = at(await claimAllJobs(spool));
      await spool.settle(message.id, NOW_MS, [settlement(1, "failed")], lease);
      assert.equal(await mark(spool, message.id, lease, [0, 1]), "lease_lost");
      await lapse(spool);
      assert.equal(await second.recover(NOW_MS, "unknown"), 0, "no recipient was marked");
      assert.deepEqual(emails(await claimAllJobs(second)), ["user0@a.example"]);
    });

    it("is another one's that has only its epoch, or only its owner", async (t) => {
      const { spool, message } = await opened(t, open, 1);
      const { lease } = at(await claimAllJobs(spool));
      const others = [
        { ...lease, owner: `${lease.owner}_other` },
        { ...lease, epoch: lease.epoch + 1 },
      ];
      for (const stale of others) {
        assert.equal(await mark(spool, message.id, stale), "lease_lost");
        assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "failed")], stale), "lease_lost");
        await spool.release({ messageId: message.id, positions: [0], lease: stale });
      }
      assert.deepEqual(await claimAllJobs(spool), []);
      assert.equal(await mark(spool, message.id, lease), "marked");
    });

    it("leaves no trace of what it would have stored: result, history, events, watchers", async (t) => {
      const { spool, message } = await opened(t, open, 1);
      const { lease } = at(await claimAllJobs(spool));
      await spool.release({ messageId: message.id, positions: [0], lease });
      const before = [await spool.report(message.id), await allEvents(spool)];
      const stop = spool.watch(message.id, () => assert.fail("nothing has changed"));
      const settlements = [settlement(0, "delivered")];
      assert.equal(await spool.settle(message.id, NOW_MS + 5, settlements, lease), "lease_lost");
      stop();
      assert.deepEqual([await spool.report(message.id), await allEvents(spool)], before);
    });
  });
}

function expiredLeases(name: string, open: OpenSpool): void {
  describe(`${name}: an expired lease`, () => {
    it("is not current", async (t) => {
      const { spool, second, lapse } = await opened(t, open, 1);
      const { lease } = at(await claimAllJobs(second));
      assert.equal(second.leaseIsCurrent(lease), true);
      await lapse(second);
      assert.equal(second.leaseIsCurrent(lease), false);
      await spool.recover(NOW_MS, "unknown");
      assert.equal(second.leaseIsCurrent(lease), false);
    });

    it("leaves unmarked recipients to the next claimant, which the late one cannot disturb", async (t) => {
      const { spool, message, second, lapse } = await opened(t, open, 1);
      const late = at(await claimAllJobs(spool));
      await lapse(spool);
      assert.equal(await second.recover(NOW_MS, "unknown"), 0);
      const job = at(await claimAllJobs(second));
      assert.equal(job.recipients[0]?.attempts, 0);
      const before = await allEvents(spool);
      assert.equal(await mark(spool, message.id, late.lease), "lease_lost");
      assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "failed")], late.lease), "lease_lost");
      await spool.release({ messageId: message.id, positions: [0], lease: late.lease });
      assert.deepEqual(await claimAllJobs(spool), []);
      assert.deepEqual(await allEvents(spool), before);
      assert.equal(await mark(second, message.id, job.lease), "marked");
      assert.equal(await second.settle(message.id, NOW_MS, [settlement(0, "delivered")], job.lease), "settled");
      assert.deepEqual((await allEvents(spool)).map(shown), [
        ["message.accepted", 1],
        ["recipient.delivered", 2],
      ]);
    });

    it("does not return for a claimant that claims the same recipient anew", async (t) => {
      const { spool, message, second, lapse } = await opened(t, open, 1);
      const late = at(await claimAllJobs(spool));
      await lapse(spool);
      await second.recover(NOW_MS, "unknown");
      const again = at(await claimAllJobs(spool));
      assert.deepEqual([spool.leaseIsCurrent(late.lease), spool.leaseIsCurrent(again.lease)], [false, true]);
      assert.equal(await mark(spool, message.id, late.lease), "lease_lost");
      assert.equal(await mark(spool, message.id, again.lease), "marked");
    });

    it("makes marked recipients unknown with their evidence, and no claim returns them", async (t) => {
      const { spool, message, second, lapse } = await opened(t, open, 2);
      await markMessage(spool, message.id, [1]);
      await lapse(spool);
      assert.equal(await second.recover(NOW_MS + 9, "unknown"), 1);
      assert.equal(await second.recover(NOW_MS + 9, "unknown"), 0);
      assert.deepEqual(await resultsOf(spool, message.id), ["pending", "unknown"]);
      const event = (await spool.report(message.id))?.recipients[1]?.events.at(-1);
      assert.ok(event?.type === "recovered");
      assert.deepEqual([event.at_ms, event.tries[0]?.mx, event.tries[0]?.ip], [NOW_MS + 9, MARK.mx, MARK.ip]);
      assert.deepEqual(emails(await claimAllJobs(second, NOW_MS + 9)), ["user0@a.example"]);
    });

    it("puts marked recipients back into the queue if that is the policy; then the late result is lost", async (t) => {
      const { spool, message, second, lapse } = await opened(t, open, 1);
      const late = await markMessage(spool, message.id, [0]);
      await lapse(spool);
      assert.equal(await second.recover(NOW_MS + 9, "pending"), 1);
      const delivered = [settlement(0, "delivered")];
      assert.equal(await spool.settle(message.id, NOW_MS + 10, delivered, late), "lease_lost");
      const job = at(await claimAllJobs(second, NOW_MS + 9));
      assert.equal(await spool.settle(message.id, NOW_MS + 11, delivered, late), "lease_lost");
      assert.equal(await second.settle(message.id, NOW_MS + 12, [settlement(0, "failed")], job.lease), "settled");
      assert.deepEqual((await allEvents(spool)).map(shown), [
        ["message.accepted", 1],
        ["recipient.deferred", 2],
        ["recipient.failed", 3],
      ]);
    });
  });
}

/** Recipients of a message that were marked, and recovered as unknown once the lease had expired. */
async function recovered(t: TestContext, open: OpenSpool, recipients: number, positions = [0]) {
  const setting = await opened(t, open, recipients);
  const late = await markMessage(setting.spool, setting.message.id, positions);
  await setting.lapse(setting.spool);
  assert.equal(await setting.second.recover(NOW_MS + 9, "unknown"), positions.length);
  return { ...setting, late };
}

const REPLY = { code: 250, enhanced_code: "2.0.0", message: "ok", mx: MARK.mx, ip: MARK.ip, tls: null };

function lateEvidence(name: string, open: OpenSpool): void {
  describe(`${name}: the result of a recipient that has become unknown meanwhile`, () => {
    it("is stored under the same lease, in the recovered attempt, with its event", async (t) => {
      const { spool, message, late } = await recovered(t, open, 1);
      const delivered = { ...settlement(0, "delivered"), smtp: REPLY };
      assert.equal(await spool.settle(message.id, NOW_MS + 50, [delivered], late), "settled");
      const recipient = (await spool.report(message.id))?.recipients[0] ?? assert.fail();
      const { result, reason, category, attempts, smtp, updatedAtMs } = recipient;
      assert.deepEqual([result, reason, category, attempts], ["delivered", null, null, 1]);
      assert.deepEqual([smtp, updatedAtMs], [REPLY, NOW_MS + 50]);
      assert.deepEqual(
        recipient.events.map((event) => [event.type, "attempt" in event ? event.attempt : null]),
        [
          ["accepted", null],
          ["recovered", 1],
          ["delivered", 1],
        ],
      );
      const events = await allEvents(spool);
      assert.deepEqual(events.map(shown), [
        ["message.accepted", 1],
        ["recipient.unknown", 2],
        ["recipient.delivered", 3],
      ]);
      const [, unknown, last] = events;
      assert.ok(unknown && last && unknown.number < last.number);
      const { email } = recipient;
      assert.deepEqual(last.recipient, { email, result, reason, category, attempts, smtp });
    });

    for (const result of ["failed", "pending"] as const) {
      it(`is stored as well if it is ${result}`, async (t) => {
        const { spool, message, second, late } = await recovered(t, open, 1);
        const settled = settlement(0, result, result === "pending" ? NOW_MS + 100 : null);
        assert.equal(await spool.settle(message.id, NOW_MS + 50, [settled], late), "settled");
        assert.deepEqual(await resultsOf(spool, message.id), [result]);
        const jobs = await claimAllJobs(second, NOW_MS + 100);
        assert.deepEqual(
          jobs.map((job) => job.recipients[0]?.attempts),
          result === "pending" ? [1] : [],
        );
      });
    }

    it("is stored once", async (t) => {
      const { spool, message, late } = await recovered(t, open, 1);
      assert.equal(await spool.settle(message.id, NOW_MS + 50, [settlement(0, "delivered")], late), "settled");
      assert.equal(await spool.settle(message.id, NOW_MS + 51, [settlement(0, "failed")], late), "lease_lost");
      assert.deepEqual(await resultsOf(spool, message.id), ["delivered"]);
      assert.equal((await allEvents(spool)).length, 3);
    });

    it("is not stored under another lease", async (t) => {
      const { spool, message, second, late } = await recovered(t, open, 2);
      const { lease } = at(await claimAllJobs(second));
      for (const other of [lease, { ...late, epoch: late.epoch + 1 }]) {
        assert.equal(await spool.settle(message.id, NOW_MS + 50, [settlement(0, "delivered")], other), "lease_lost");
      }
      assert.deepEqual(await resultsOf(spool, message.id), ["unknown", "pending"]);
      assert.equal((await allEvents(spool)).length, 2);
    });

    it("is stored while another claimant has the message's other recipients", async (t) => {
      const { spool, message, second, late } = await recovered(t, open, 2);
      const job = at(await claimAllJobs(second));
      const both = [settlement(0, "delivered"), settlement(1, "failed")];
      assert.equal(await spool.settle(message.id, NOW_MS + 50, both, late), "settled");
      assert.deepEqual(await resultsOf(spool, message.id), ["delivered", "pending"]);
      assert.equal(await second.settle(message.id, NOW_MS + 60, [settlement(1, "delivered")], job.lease), "settled");
      assert.deepEqual((await allEvents(spool)).map(shown), [
        ["message.accepted", 1],
        ["recipient.unknown", 2],
        ["recipient.delivered", 3],
        ["recipient.delivered", 4],
      ]);
    });

    it("is lost once an operator has retried the recipient", async (t) => {
      const { spool, message, second, late } = await recovered(t, open, 1);
      const { accountId, id: messageId } = message;
      assert.equal(await spool.retry({ accountId, messageId, nowMs: NOW_MS + 20 }), 1);
      const delivered = [settlement(0, "delivered")];
      assert.equal(await spool.settle(messageId, NOW_MS + 50, delivered, late), "lease_lost");
      const [job] = await claimMessage(second, messageId);
      assert.ok(job);
      assert.equal(await spool.settle(messageId, NOW_MS + 51, delivered, late), "lease_lost");
      assert.equal(await second.settle(messageId, NOW_MS + 52, [settlement(0, "unknown")], job.lease), "settled");
      assert.equal(await spool.settle(messageId, NOW_MS + 53, delivered, late), "lease_lost");
      assert.deepEqual(await resultsOf(spool, messageId), ["unknown"]);
      assert.deepEqual((await allEvents(spool)).map(shown), [
        ["message.accepted", 1],
        ["recipient.unknown", 2],
        ["recipient.deferred", 3],
        ["recipient.unknown", 4],
      ]);
    });

    it("is that of the later lease if the recipient became unknown twice", async (t) => {
      const { spool, message, second, late, lapse } = await recovered(t, open, 1);
      const { accountId, id: messageId } = message;
      await spool.retry({ accountId, messageId, nowMs: NOW_MS + 20 });
      const again = await markMessage(second, messageId, [0]);
      await lapse(second);
      assert.equal(await spool.recover(NOW_MS + 30, "unknown"), 1);
      assert.equal(await spool.settle(messageId, NOW_MS + 50, [settlement(0, "failed")], late), "lease_lost");
      assert.equal(await second.settle(messageId, NOW_MS + 51, [settlement(0, "delivered")], again), "settled");
      const recipient = (await spool.report(messageId))?.recipients[0];
      assert.deepEqual([recipient?.result, recipient?.attempts], ["delivered", 2]);
    });
  });
}
