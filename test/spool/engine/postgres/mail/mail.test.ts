/** What a node leases in the database it knows in memory, whatever is lost between the two: else no node would ever attempt it. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ACCEPT } from "../../../../../src/spool/engine/postgres/mail/accept-write.ts";
import { MARK, RELEASE, RENEW, SETTLE } from "../../../../../src/spool/engine/postgres/mail/work-writes.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import type { DeliveryJob, NewMessage } from "../../../../../src/spool/port/mail.ts";
import { MARK as EVIDENCE } from "../../../../support/attempts.ts";
import { newMessage, rcptReply, recipientsAt, settlement } from "../../../../support/messages.ts";
import { addDueRows } from "../../../../support/postgres/due-rows.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { type OpenMail, openMail } from "../../../../support/postgres/mail-store.ts";
import { claimAll, NOW_MS } from "../../../port/conformance/suite.ts";

const positionsOf = ({ recipients }: DeliveryJob): number[] => recipients.map(({ position }) => position);

const released = (job: DeliveryJob) => ({ messageId: job.messageId, positions: positionsOf(job), lease: job.lease });

async function claim({ mail }: OpenMail): Promise<DeliveryJob[]> {
  return (await mail.claim(claimAll())).jobs;
}

async function onlyJob(open: OpenMail): Promise<DeliveryJob> {
  const [job, ...others] = await claim(open);
  assert.ok(job !== undefined && others.length === 0);
  return job;
}

/** Leases, and what no node leases, by the message. */
async function owners({ client }: OpenMail): Promise<(number | null)[]> {
  const { rows } = await client.query("SELECT owner FROM work ORDER BY seq, position");
  return rows.map(({ owner }) => (owner === null ? null : Number(owner)));
}

/** A message that no node leases. */
async function acceptForAny(open: OpenMail, parts: Partial<NewMessage> = {}): Promise<NewMessage> {
  const message = newMessage(parts);
  open.node.isCurrent = false;
  await open.mail.accept(message);
  open.node.isCurrent = true;
  return message;
}

describe("a lease of which a reply was lost", { skip: missingPostgresOrTime() }, () => {
  const opened = (t: TestContext) => openMail(t);

  it("is found, if it was granted by a claim", async (t) => {
    const open = await opened(t);
    const message = await acceptForAny(open);
    open.faults.next("lost", "transaction");
    await assert.rejects(claim(open), SpoolUnavailable);
    assert.deepEqual(await owners(open), [1]);
    await open.mail.poll();
    assert.deepEqual(await owners(open), [null]);
    assert.equal((await onlyJob(open)).messageId, message.id);
  });

  it("is found, if it was granted by an acceptance", async (t) => {
    const open = await opened(t);
    open.faults.next("lost", ACCEPT);
    await assert.rejects(open.mail.accept(newMessage()), SpoolUnavailable);
    assert.deepEqual(await owners(open), [1]);
    await open.mail.poll();
    await onlyJob(open);
  });

  it("is found, if it was to be renewed", async (t) => {
    const open = await opened(t);
    open.node.hasOthers = false;
    await open.mail.accept(newMessage());
    const job = await onlyJob(open);
    open.faults.next("lost", RENEW);
    await assert.rejects(open.mail.release(released(job)), SpoolUnavailable);
    await open.mail.release(released(job));
    await open.mail.poll();
    assert.notEqual((await onlyJob(open)).lease.epoch, job.lease.epoch);
  });

  it("is found, if it was to be released", async (t) => {
    const open = await opened(t);
    await open.mail.accept(newMessage());
    open.faults.next("refused", RELEASE);
    await assert.rejects(open.mail.releaseHeld(), SpoolUnavailable);
    await open.mail.poll();
    await onlyJob(open);
  });

  it("is found, if the server commits it a minute later", async (t) => {
    const open = await opened(t);
    open.faults.next("refused", ACCEPT);
    await assert.rejects(open.mail.accept(newMessage()), SpoolUnavailable);
    await open.mail.poll();
    const message = await acceptForAny(open);
    // As the server does with a transaction that it had received before the connection was lost.
    await open.client.query("UPDATE work SET owner = 1, epoch = 1");
    await open.clock.advance(60_000);
    await open.mail.poll();
    assert.equal((await onlyJob(open)).messageId, message.id);
  });

  it("is found under the node's former number, if the acceptance ended after the node was", async (t) => {
    const open = await opened(t);
    open.faults.after(ACCEPT, () => {
      open.node.number = 2;
      open.mail.dropHeld();
    });
    await open.mail.accept(newMessage());
    assert.deepEqual(await owners(open), [1]);
    await open.mail.poll();
    assert.deepEqual(await owners(open), [null]);
  });

  it("is found under the node's former number, if the claim ended after the node was", async (t) => {
    const open = await opened(t);
    await acceptForAny(open);
    open.faults.after("transaction", () => {
      open.node.number = 2;
      open.mail.dropHeld();
    });
    assert.deepEqual(await claim(open), []);
    await open.mail.poll();
    assert.equal((await onlyJob(open)).lease.owner, "2");
  });

  it("of a job that waits or is in an attempt is left alone", async (t) => {
    const open = await opened(t);
    const recipients = recipientsAt("a.example", 2);
    await open.mail.accept(newMessage({ recipients }));
    const job = await onlyJob(open);
    await open.mail.accept(newMessage());
    const ended = { ...released(job), positions: [1] };
    await open.mail.release(ended);
    open.mail.dropHeld();
    await open.mail.poll();
    assert.deepEqual(await owners(open), [1, null, null]);
    assert.equal(await open.mail.mark({ ...EVIDENCE, ...released(job), positions: [0] }), "marked");
  });

  it("of a claim that is under way is left alone", async (t) => {
    const open = await opened(t);
    await acceptForAny(open);
    open.mail.dropHeld();
    open.faults.after("transaction", () => open.mail.poll());
    const job = await onlyJob(open);
    assert.equal(await open.mail.mark({ ...EVIDENCE, ...released(job) }), "marked");
  });

  it("does not hide what the claim has got before", async (t) => {
    const open = await opened(t);
    await addDueRows(open.client, { domains: ["small.example"], dueMs: NOW_MS });
    await addDueRows(open.client, { domains: ["large.example"], messages: 200, dueMs: NOW_MS });
    // The small queue has less than its share, so a second statement claims more of the large one.
    open.faults.next("refused", "transaction", 1);
    await assert.rejects(open.mail.claim(claimAll(NOW_MS, { limit: 20 })), SpoolUnavailable);
    assert.equal((await claim(open)).length, 201);
  });
});

describe("a message with recipients at two domains", { skip: missingPostgresOrTime() }, () => {
  it("has an attempt for each, of which every write concerns its own recipients", async (t) => {
    const open = await openMail(t);
    const recipients = [...recipientsAt("a.example", 1), ...recipientsAt("b.example", 1)];
    const { id } = newMessage();
    await open.mail.accept(newMessage({ id, recipients }));
    const jobs = await claim(open);
    assert.equal(jobs.length, 2);
    for (const job of jobs) {
      assert.equal(
        await open.mail.mark({ ...EVIDENCE, messageId: id, positions: positionsOf(job), lease: job.lease }),
        "marked",
      );
    }
    for (const {
      lease,
      recipients: [recipient],
    } of jobs) {
      const result = settlement(recipient?.position ?? -1, "delivered");
      assert.equal(await open.mail.settle(id, NOW_MS, [result], lease), "settled");
    }
    assert.deepEqual(await owners(open), []);
  });
});

describe("a mark", { skip: missingPostgresOrTime() }, () => {
  const marked = (open: OpenMail, job: DeliveryJob) => open.mail.mark({ ...EVIDENCE, ...released(job) });

  it("that was stored is no lost lease, although the dot must not leave any more: the recipient is settled", async (t) => {
    const open = await openMail(t);
    await open.mail.accept(newMessage());
    const job = await onlyJob(open);
    open.faults.after(MARK, () => {
      open.node.isCurrent = false;
    });
    assert.equal(await marked(open, job), "marked");
    assert.equal(open.mail.leaseIsCurrent(job.lease), false);
    const deferral = settlement(0, "pending", NOW_MS);
    assert.equal(await open.mail.settle(job.messageId, NOW_MS, [deferral], job.lease), "settled");
    assert.deepEqual(await owners(open), [null]);
  });

  it("of recipients of which some are leased no more leaves none marked for good", async (t) => {
    const open = await openMail(t);
    await open.mail.accept(newMessage({ recipients: recipientsAt("a.example", 2) }));
    const job = await onlyJob(open);
    await open.client.query("DELETE FROM work WHERE position = 0");
    assert.equal(await marked(open, job), "partly_lost");
    const deferrals = [0, 1].map((position) => settlement(position, "pending", NOW_MS));
    assert.equal(await open.mail.settle(job.messageId, NOW_MS, deferrals, job.lease), "settled");
    assert.deepEqual(await owners(open), [null]);
    assert.equal(await marked(open, job), "lease_lost");
  });
});

describe("a settlement", { skip: missingPostgresOrTime() }, () => {
  it("that was stored is announced, although its refusals could not be stored", async (t) => {
    const open = await openMail(t);
    await open.mail.accept(newMessage());
    const job = await onlyJob(open);
    const reply = { code: 550, enhanced_code: "5.1.1", message: "no such user" };
    const refused = { ...settlement(0, "failed"), tries: [rcptReply(reply)] };
    open.faults.next("refused", "transaction");
    assert.equal(await open.mail.settle(job.messageId, NOW_MS, [refused], job.lease), "settled");
    assert.equal(open.faults.isDue, false);
    assert.deepEqual(open.settled, [job.messageId]);
  });

  it("of which the reply was lost is stored once", async (t) => {
    const open = await openMail(t);
    await open.mail.accept(newMessage());
    const job = await onlyJob(open);
    const settle = () => open.mail.settle(job.messageId, NOW_MS, [settlement(0, "delivered")], job.lease);
    open.faults.next("lost", SETTLE);
    await assert.rejects(settle(), SpoolUnavailable);
    assert.equal(await settle(), "settled");
    const { rows } = await open.client.query("SELECT type FROM events ORDER BY number");
    assert.deepEqual(
      rows.map(({ type }) => type),
      ["message.accepted", "recipient.delivered"],
    );
  });
});
