/** A person's decisions: unknown recipients that are resolved, and pending ones that are cancelled. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ACTED_RESULTS,
  add,
  type BulkAction,
  countBulk,
  NO_TOTALS,
  runBulkStep,
} from "../../../../src/app/decide/bulk-actions.ts";
import type { Result } from "../../../../src/message/result/outcome.ts";
import { testRouteOf } from "../../../../src/message/test-route.ts";
import type { OutboxEvent } from "../../../../src/spool/port/events.ts";
import type { NewMessage, Settlement } from "../../../../src/spool/port/mail.ts";
import type { ActedCount, ActedFilter, ActedMessage } from "../../../../src/spool/port/reports.ts";
import type { RecipientReport } from "../../../../src/spool/port/results.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { claimMessage, MARK, markMessage, settleMessage } from "../../../support/attempts.ts";
import { nextIncoming } from "../../../support/incoming.ts";
import { HOUR_MS, newMessage, rcptReply, recipientsAt, settlement } from "../../../support/messages.ts";
import type { OpenStore } from "./store-suite.ts";
import { at, claimAll, DAY_MS, emails, NOW_MS, type OpenSpool } from "./suite.ts";

const BY = "ann@shop.example";
const LATER_MS = NOW_MS + HOUR_MS;
const DECISION = { accountId: "acc_default", by: BY, nowMs: LATER_MS };
const NONE_CANCELLED = { cancelled: 0, unknown: 0, atDot: 0, unreadable: 0 };

const TEST_RECIPIENT = [{ email: "ann@a.example", domain: testRouteOf("acc_default") }];

/** A message whose recipients have these settlements. */
async function settled(spool: Spool, settlements: Settlement[], parts: Partial<NewMessage> = {}): Promise<NewMessage> {
  const message = newMessage({ recipients: recipientsAt("a.example", settlements.length), ...parts });
  await spool.accept(message);
  await settleMessage(spool, message.id, NOW_MS, settlements);
  return message;
}

const unknownOf = (position: number): Settlement => ({
  ...settlement(position, "unknown"),
  reason: "no_reply_to_final_dot",
  category: "network",
});

/** The deferral of a further attempt at a recipient that was unknown. */
function deferredAgain(position: number): Settlement {
  const reply = { code: 451, enhanced_code: null, message: "later" };
  return {
    ...settlement(position, "pending", LATER_MS + DAY_MS),
    reason: "no_reply_to_final_dot",
    attemptReason: "temporarily_refused",
    category: "greylisted",
    smtp: { ...reply, mx: "mx", ip: null, tls: null },
    tries: [rcptReply(reply)],
  };
}

const refsOf = ({ id: messageId, recipients }: NewMessage) => [{ messageId, positions: recipients.map((_, i) => i) }];

async function recipientsOf(spool: Spool, { id }: NewMessage): Promise<RecipientReport[]> {
  return (await spool.report(id))?.recipients ?? assert.fail();
}

const resultsOf = async (spool: Spool, message: NewMessage) =>
  (await recipientsOf(spool, message)).map(({ result, reason }) => [result, reason]);

async function eventsOf(spool: Spool, { id }: NewMessage): Promise<OutboxEvent[]> {
  const filter = { types: null, keys: null, domains: null };
  const page = await spool.events({
    accountId: "acc_default",
    afterNumber: null,
    withDomains: true,
    limit: 100,
    filter,
  });
  assert.ok(page !== "expired");
  return page.events.filter(({ messageId }) => messageId === id);
}

const shown = ({ type, sequence, recipient }: OutboxEvent) => [
  type.replace("recipient.", ""),
  sequence,
  recipient?.email ?? null,
  recipient?.reason ?? null,
];

const BOUNCE = { status: "5.1.1", category: "bad_address", permanent: true, diagnostic: "550 No such user" } as const;

/** Applies a bounce about the message's first recipient. */
async function bounce(spool: Spool, { id: messageId }: NewMessage): Promise<void> {
  const mail = { recipient: "", envelopeSender: "", ip: "", receivedAtMs: NOW_MS, content: Buffer.of(1) };
  await spool.storeIncoming(mail);
  const { id } = (await nextIncoming(spool, LATER_MS)) ?? assert.fail("no mail is due");
  const effect = { type: "bounced", messageId, position: 0, bounce: BOUNCE, blamesAddress: false, rule: "" } as const;
  assert.equal(await spool.applyIncoming({ id, effect, atMs: LATER_MS }), "applied");
}

export function decisionsConformance(name: string, open: OpenSpool): void {
  resolutionConformance(name, open);
  cancellationConformance(name, open);
  attemptConformance(name, open);
  retryConformance(name, open);
}

function resolutionConformance(name: string, open: OpenSpool): void {
  describe(`${name}: resolved recipients`, () => {
    it("were unknown, and have the decided result with who decided and when, also after a crash", async (t) => {
      const first = await open(t);
      const message = await settled(first.spool, [
        settlement(0, "unknown"),
        settlement(1, "unknown"),
        settlement(2, "failed"),
        settlement(3, "pending", NOW_MS + DAY_MS),
      ]);
      const recipients = refsOf(message);
      const resolve = (positions: number[], as: "delivered" | "failed") =>
        first.spool.resolve({ ...DECISION, as, recipients: [{ messageId: message.id, positions }] });
      assert.deepEqual(await resolve([0, 2, 3, 9], "delivered"), { resolved: 1, unreadable: 0 });
      assert.deepEqual(await resolve([0, 1], "failed"), { resolved: 1, unreadable: 0 });
      assert.deepEqual(await first.spool.resolve({ ...DECISION, as: "failed", recipients }), {
        resolved: 0,
        unreadable: 0,
      });
      const { spool } = await first.reopen();
      assert.deepEqual(await resultsOf(spool, message), [
        ["delivered", "resolved"],
        ["failed", "resolved"],
        ["failed", "test"],
        ["pending", "test"],
      ]);
      const [one, two] = await recipientsOf(spool, message);
      assert.deepEqual([one?.category, two?.category], [null, "other"]);
      assert.deepEqual([one?.updatedAtMs, one?.attempts, one?.nextAttemptAtMs], [LATER_MS, 1, null]);
      const entry = { at_ms: LATER_MS, type: "resolved", by: BY, attempt: 1, reason: "resolved", tries: [] };
      const rest = { next_attempt_at_ms: null };
      assert.deepEqual(one?.events.at(-1), { ...entry, result: "delivered", category: null, ...rest });
      assert.deepEqual(two?.events.at(-1), { ...entry, result: "failed", category: "other", ...rest });
      assert.deepEqual((await eventsOf(spool, message)).slice(5).map(shown), [
        ["delivered", 6, "user0@a.example", "resolved"],
        ["failed", 7, "user1@a.example", "resolved"],
      ]);
    });

    it("are the account's alone, and each changes once, however many decide", async (t) => {
      const { spool } = await open(t);
      const messages = [
        await settled(spool, [settlement(0, "unknown")]),
        await settled(spool, [settlement(0, "unknown")]),
      ];
      const recipients = messages.flatMap(refsOf);
      const resolve = (accountId: string) => spool.resolve({ ...DECISION, accountId, as: "delivered", recipients });
      assert.deepEqual(await resolve("acc_other"), { resolved: 0, unreadable: 0 });
      const done = await Promise.all([resolve("acc_default"), resolve("acc_default"), resolve("acc_default")]);
      assert.equal(
        done.reduce((sum, { resolved }) => sum + resolved, 0),
        2,
      );
      for (const message of messages) assert.equal((await eventsOf(spool, message)).length, 3);
    });

    it("keep their result when the reply of the interrupted attempt or a bounce comes late", async (t) => {
      const { spool, other, acceptForAny, lapse } = await open(t);
      const message = newMessage();
      await acceptForAny(message);
      const second = await other();
      const lease = await markMessage(second, message.id, [0]);
      await lapse(second);
      assert.equal(await spool.recover(NOW_MS, "unknown"), 1);
      await spool.resolve({ ...DECISION, as: "delivered", recipients: refsOf(message) });
      assert.equal(await second.settle(message.id, LATER_MS, [settlement(0, "failed")], lease), "lease_lost");
      await bounce(spool, message);
      assert.deepEqual(await resultsOf(spool, message), [["delivered", "resolved"]]);
      assert.equal((await recipientsOf(spool, message))[0]?.bounce?.diagnostic, BOUNCE.diagnostic);
      assert.deepEqual((await eventsOf(spool, message)).map(shown), [
        ["message.accepted", 1, null, null],
        ["unknown", 2, "ann@customers.example", "interrupted_after_final_dot"],
        ["delivered", 3, "ann@customers.example", "resolved"],
        ["bounced", 4, "ann@customers.example", "resolved"],
      ]);
    });

    it("suppress no address, and are the content's end like any final result", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 3; i += 1) {
        const message = await settled(spool, [settlement(0, "unknown")], { suppressAfter: 1 });
        await spool.resolve({ ...DECISION, as: "failed", recipients: refsOf(message) });
      }
      const last = newMessage({ recipients: recipientsAt("a.example", 1), suppressAfter: 1 });
      assert.deepEqual(await spool.accept(last), { type: "accepted", id: last.id });
      assert.deepEqual(
        (await spool.suppressions({ accountId: "acc_default", after: 1, nowMs: LATER_MS, limit: 10 })).addresses,
        [],
      );
    });
  });
}

function cancellationConformance(name: string, open: OpenSpool): void {
  describe(`${name}: cancelled recipients`, () => {
    it("were pending, fail at once with who cancelled, and are never attempted, also after a crash", async (t) => {
      const first = await open(t);
      const reply = { code: 451, enhanced_code: null, message: "later" };
      const smtp = { ...reply, mx: "mx", ip: null, tls: null };
      const deferred = { ...settlement(0, "pending", NOW_MS + DAY_MS), smtp, tries: [rcptReply(reply)] };
      const message = await settled(first.spool, [deferred, settlement(1, "delivered")]);
      const fresh = newMessage();
      await first.spool.accept(fresh);
      const recipients = [message, fresh].flatMap(refsOf);
      assert.deepEqual(await first.spool.cancel({ ...DECISION, recipients }), { ...NONE_CANCELLED, cancelled: 2 });
      assert.deepEqual(await first.spool.cancel({ ...DECISION, recipients }), NONE_CANCELLED);
      assert.deepEqual(emails((await first.spool.claim(claimAll(NOW_MS + 2 * DAY_MS))).jobs), []);
      const { spool } = await first.reopen();
      assert.deepEqual(await resultsOf(spool, message), [
        ["failed", "cancelled"],
        ["delivered", null],
      ]);
      const [recipient] = await recipientsOf(spool, message);
      assert.deepEqual([recipient?.smtp, recipient?.category, recipient?.nextAttemptAtMs], [smtp, "other", null]);
      assert.deepEqual(recipient?.events.at(-1), {
        at_ms: LATER_MS,
        type: "cancelled",
        result: "failed",
        by: BY,
        attempt: 1,
        reason: "cancelled",
        category: "other",
        tries: [],
        next_attempt_at_ms: null,
      });
      assert.deepEqual((await eventsOf(spool, fresh)).map(shown), [
        ["message.accepted", 1, null, null],
        ["failed", 2, fresh.recipients[0]?.email, "cancelled"],
      ]);
      assert.deepEqual(emails((await spool.claim(claimAll(NOW_MS + 2 * DAY_MS))).jobs), []);
      assert.equal(await spool.backlog(), 0);
    });

    it("become unknown where an earlier attempt may have delivered the message", async (t) => {
      const { spool } = await open(t);
      const pending = { ...settlement(0, "pending", NOW_MS + DAY_MS), reason: "no_reply_to_final_dot" };
      const message = await settled(spool, [pending]);
      const cancelled = await spool.cancel({ ...DECISION, recipients: refsOf(message) });
      assert.deepEqual(cancelled, { ...NONE_CANCELLED, unknown: 1 });
      assert.deepEqual(await resultsOf(spool, message), [["unknown", "no_reply_to_final_dot"]]);
      assert.equal((await eventsOf(spool, message)).at(-1)?.type, "recipient.unknown");
      assert.equal(await spool.retry({ accountId: "acc_default", messageId: message.id, nowMs: LATER_MS }), 1);
      assert.equal(emails((await spool.claim(claimAll(LATER_MS))).jobs).length, 1);
    });

    it("become unknown again where a further attempt was deferred or lost its mark, also after a restart", async (t) => {
      const first = await open(t);
      const { spool } = first;
      const message = await settled(spool, [unknownOf(0), unknownOf(1)]);
      const retry = { accountId: "acc_default", messageId: message.id };
      assert.equal(await spool.retry({ ...retry, nowMs: LATER_MS }), 2);
      const [job] = (await spool.claim(claimAll(LATER_MS))).jobs;
      assert.deepEqual(
        job?.recipients.map(({ reason }) => reason),
        ["no_reply_to_final_dot", "no_reply_to_final_dot"],
        "the retry decision reads it",
      );
      const lease = job?.lease ?? assert.fail();
      await spool.cancel({ ...DECISION, recipients: [{ messageId: message.id, positions: [1] }] });
      const mark = { ...MARK, messageId: message.id, positions: [0, 1], lease };
      assert.equal(await spool.mark(mark), "partly_lost");
      const again = { ...deferredAgain(0), nextAttemptAtMs: LATER_MS };
      assert.equal(await spool.settle(message.id, LATER_MS, [again, deferredAgain(1)], lease), "settled");
      assert.deepEqual(await resultsOf(spool, message), [
        ["pending", "no_reply_to_final_dot"],
        ["unknown", "no_reply_to_final_dot"],
      ]);
      const deferral = at(await recipientsOf(spool, message)).events.at(-1);
      assert.ok(deferral?.type === "deferred");
      assert.equal(deferral.reason, "temporarily_refused");
      const next = await first.reopen();
      assert.equal(await next.spool.retry({ ...retry, nowMs: LATER_MS, result: "pending" }), 1);
      const cancelled = await next.spool.cancel({ ...DECISION, recipients: refsOf(message) });
      assert.deepEqual(cancelled, { ...NONE_CANCELLED, unknown: 1 });
      const [recipient] = await recipientsOf(next.spool, message);
      assert.deepEqual([recipient?.result, recipient?.reason], ["unknown", "no_reply_to_final_dot"]);
      assert.deepEqual([recipient?.category, recipient?.smtp], ["network", null], "without the later refusal");
    });

    it("are the account's alone", async (t) => {
      const { spool } = await open(t);
      const message = newMessage();
      await spool.accept(message);
      const recipients = refsOf(message);
      assert.deepEqual(await spool.cancel({ ...DECISION, accountId: "acc_other", recipients }), NONE_CANCELLED);
      assert.equal((await spool.claim(claimAll())).jobs.length, 1);
    });
  });
}

function attemptConformance(name: string, open: OpenSpool): void {
  describe(`${name}: cancelled recipients in an attempt`, () => {
    it("cannot be marked any more, and their results are not stored", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      const { lease } = at(await claimMessage(spool, message.id));
      const cancelled = await spool.cancel({ ...DECISION, recipients: refsOf(message) });
      assert.deepEqual(cancelled, { ...NONE_CANCELLED, cancelled: 2 });
      const mark = { ...MARK, messageId: message.id, positions: [0, 1], lease };
      assert.equal(await spool.mark(mark), "lease_lost");
      const late = [settlement(0, "failed"), settlement(1, "pending", NOW_MS)];
      assert.equal(await spool.settle(message.id, NOW_MS, late, lease), "lease_lost");
      assert.deepEqual(await resultsOf(spool, message), [
        ["failed", "cancelled"],
        ["failed", "cancelled"],
      ]);
      assert.deepEqual(emails((await spool.claim(claimAll(LATER_MS))).jobs), []);
    });

    it("take the final dot from those of their transaction, which can be attempted again", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 3) });
      await spool.accept(message);
      const { lease } = at(await claimMessage(spool, message.id));
      await spool.cancel({ ...DECISION, recipients: [{ messageId: message.id, positions: [1] }] });
      assert.equal(await spool.mark({ ...MARK, messageId: message.id, positions: [0, 1], lease }), "partly_lost");
      const again = [settlement(0, "pending", NOW_MS), settlement(1, "pending", NOW_MS)];
      assert.equal(await spool.settle(message.id, NOW_MS, again, lease), "settled");
      await spool.release({ messageId: message.id, positions: [2], lease });
      assert.deepEqual(emails(await claimMessage(spool, message.id)), ["user0@a.example", "user2@a.example"]);
    });

    it("are left alone once their final dot may have left", async (t) => {
      const { spool } = await open(t);
      const message = newMessage({ recipients: recipientsAt("a.example", 2) });
      await spool.accept(message);
      const lease = await markMessage(spool, message.id, [0]);
      const cancelled = await spool.cancel({ ...DECISION, recipients: refsOf(message) });
      assert.deepEqual(cancelled, { ...NONE_CANCELLED, cancelled: 1, atDot: 1 });
      assert.equal(await spool.settle(message.id, NOW_MS, [settlement(0, "delivered")], lease), "settled");
      assert.deepEqual(await resultsOf(spool, message), [
        ["delivered", null],
        ["failed", "cancelled"],
      ]);
    });
  });
}

function retryConformance(name: string, open: OpenSpool): void {
  describe(`${name}: sending again by name`, () => {
    it("takes decided recipients only if they are named, and never suppressed ones", async (t) => {
      const { spool } = await open(t);
      const resolved = await settled(spool, [settlement(0, "unknown")]);
      await spool.resolve({ ...DECISION, as: "failed", recipients: refsOf(resolved) });
      const cancelled = newMessage();
      await spool.accept(cancelled);
      await spool.cancel({ ...DECISION, recipients: refsOf(cancelled) });
      const refused = await settled(spool, [
        { ...settlement(0, "failed"), tries: [rcptReply({ code: 550, enhanced_code: "5.1.1", message: "" })] },
      ]);
      const suppressed = newMessage({ suppressAfter: 1, recipients: recipientsAt("a.example", 1) });
      await spool.accept(suppressed);
      const step = { accountId: "acc_default", nowMs: LATER_MS, expiresAtMs: LATER_MS, limit: 100, after: null };
      const found = async (filter: Partial<Parameters<Spool["retryFailed"]>[0]>) => {
        const { recipients } = await spool.retryFailed({ ...step, dryRun: true, ...filter });
        return recipients.map(({ messageId }) => messageId);
      };
      assert.deepEqual(await found({}), [refused.id]);
      assert.deepEqual(await found({ reason: "cancelled" }), [cancelled.id]);
      assert.deepEqual(await found({ reason: "resolved" }), [resolved.id]);
      assert.deepEqual(await found({ messageId: cancelled.id }), [cancelled.id]);
      const all = [resolved, cancelled, refused, suppressed];
      assert.deepEqual(await found({ recipients: all.flatMap(refsOf) }), [resolved.id, cancelled.id, refused.id]);
      assert.deepEqual(await found({ accountId: "acc_other", recipients: all.flatMap(refsOf) }), []);
      const named = await spool.retryFailed({
        ...step,
        dryRun: false,
        by: BY,
        recipients: refsOf(cancelled),
        limit: 1,
      });
      assert.deepEqual([named.recipients.length, named.next], [1, null]);
      const entry = at(await recipientsOf(spool, cancelled)).events.at(-1);
      assert.deepEqual([entry?.type, entry !== undefined && "by" in entry && entry.by], ["retried", BY]);
      assert.deepEqual(emails((await spool.claim(claimAll(LATER_MS))).jobs), [cancelled.recipients[0]?.email]);
    });

    it("makes only recipients at these positions and with this result due", async (t) => {
      const { spool } = await open(t);
      const message = await settled(spool, [
        settlement(0, "unknown"),
        settlement(1, "unknown"),
        settlement(2, "pending", NOW_MS + DAY_MS),
      ]);
      const retry = { accountId: "acc_default", messageId: message.id, nowMs: LATER_MS, by: BY };
      assert.equal(await spool.retry({ ...retry, positions: [0, 2], result: "pending" }), 1);
      assert.equal(await spool.retry({ ...retry, positions: [0, 2], result: "unknown" }), 1);
      assert.deepEqual(emails((await spool.claim(claimAll(LATER_MS))).jobs).sort(), [
        "user0@a.example",
        "user2@a.example",
      ]);
      const [recipient] = await recipientsOf(spool, message);
      const entry = recipient?.events.at(-1);
      assert.ok(entry?.type === "retried" && entry.by === BY);
    });
  });
}

/** Counts of activity and of what waits. */
export function decidedCountsConformance(name: string, open: OpenStore): void {
  describe(`${name}: counts of decided recipients`, () => {
    it("move from unknown to the decided result, without a delivery time, and leave out test messages", async (t) => {
      const store = await open(t);
      const unknown = [settlement(0, "unknown"), settlement(1, "unknown"), settlement(2, "unknown")];
      const message = await settled(store, unknown);
      const domain = testRouteOf("acc_default");
      const test = await settled(store, [settlement(0, "unknown")], {
        test: true,
        recipients: [{ email: "ann@a.example", domain }],
      });
      const pending = newMessage({ recipients: recipientsAt("b.example", 2) });
      await store.accept(pending);
      const positions = (...own: number[]) => [{ messageId: message.id, positions: own }];
      await store.resolve({ ...DECISION, as: "delivered", recipients: [...positions(0), ...refsOf(test)] });
      await store.resolve({ ...DECISION, as: "failed", recipients: positions(1) });
      await store.cancel({ ...DECISION, recipients: refsOf(pending) });
      const activity = { accountId: "acc_default", sinceMs: 0, untilMs: LATER_MS + DAY_MS, stepMs: 60_000 };
      const { total } = await store.reports.activity(activity);
      assert.deepEqual([total.delivered, total.failed, total.unknown, total.p50Ms], [1, 3, 1, null]);
      const waiting = await store.reports.waiting({ accountId: "acc_default", nowMs: LATER_MS, limit: 10 });
      assert.deepEqual([waiting.waiting, waiting.unknown, waiting.domains], [0, 1, []]);
    });
  });
}

/** What `countActed` returns for these messages. */
function countOf(messages: readonly ActedMessage[]): ActedCount {
  const acted = messages.filter(({ positions }) => positions.length > 0);
  const times = acted.map(({ createdAtMs }) => createdAtMs);
  const domains = new Map<string, number>();
  for (const domain of acted.flatMap((message) => message.domains ?? []))
    domains.set(domain, (domains.get(domain) ?? 0) + 1);
  return {
    recipients: acted.reduce((sum, { positions }) => sum + positions.length, 0),
    messages: acted.length,
    domains,
    accepted: acted.length === 0 ? null : { oldestMs: Math.min(...times), newestMs: Math.max(...times) },
  };
}

/** The recipients of a search that an action is about, and the action on all of them. */
export function bulkConformance(name: string, open: OpenStore): void {
  describe(`${name}: the recipients of an action`, () => {
    const FILTER = { accountId: "acc_default", limit: 10 };

    it("are those that the search selects, by message and position, the newest first", async (t) => {
      const store = await open(t);
      const first = await settled(store, [settlement(0, "unknown"), settlement(1, "failed"), settlement(2, "unknown")]);
      const suppressed = { ...settlement(0, "failed"), reason: "suppressed" };
      const second = await settled(store, [suppressed], { createdAtMs: NOW_MS + 1, subject: "Other" });
      const third = newMessage({ createdAtMs: NOW_MS + 2, recipients: recipientsAt("b.example", 2) });
      await store.accept(third);
      await markMessage(store, third.id, [1]);
      await settled(store, [settlement(0, "unknown")], { accountId: "acc_other" });
      const names = new Map([first, second, third].map(({ id }, i) => [id, i + 1]));
      const found = async (filter: Partial<ActedFilter> & Pick<ActedFilter, "result">) => {
        const { messages, cursor } = await store.reports.findActed({ ...FILTER, ...filter, withDomains: true });
        const counted = await store.reports.countActed({ ...FILTER, ...filter });
        if (filter.cursor === undefined && cursor === null && counted !== null)
          assert.deepEqual(counted, countOf(messages));
        return messages.map(({ id, positions }) => [names.get(id), ...positions]);
      };
      assert.deepEqual(await found({ result: "unknown" }), [[1, 0, 2]]);
      assert.deepEqual(await found({ result: "unknown", recipient: "user2@" }), [[1, 2]]);
      assert.deepEqual(await found({ result: "failed" }), [
        [2, 0],
        [1, 1],
      ]);
      assert.deepEqual(await found({ result: "failed", exceptReasons: ["suppressed"] }), [[2], [1, 1]]);
      assert.deepEqual(await found({ result: "failed", subject: "other" }), [[2, 0]]);
      assert.deepEqual(await found({ result: "failed", category: "greylisted" }), []);
      assert.deepEqual(await found({ result: "unknown", unchangedSinceMs: NOW_MS }), [[1, 0, 2]]);
      assert.deepEqual(await found({ result: "unknown", unchangedSinceMs: NOW_MS - 1 }), [[1]]);
      assert.deepEqual(await found({ result: "pending" }), [[3, 0, 1]]);
      const { cursor, messages } = await store.reports.findActed({ ...FILTER, result: "failed", limit: 1 });
      assert.deepEqual([cursor, messages[0]?.createdAtMs], [second.id, NOW_MS + 1]);
      assert.deepEqual(await found({ result: "failed", cursor: second.id }), [[1, 1]]);
    });

    it("are counted, and those change that have not changed since", async (t) => {
      const store = await open(t);
      const messages: NewMessage[] = [];
      for (let i = 0; i < 7; i += 1) {
        const settlements = [settlement(0, "unknown"), settlement(1, "unknown"), settlement(2, "delivered")];
        messages.push(await settled(store, settlements, { createdAtMs: NOW_MS + i }));
      }
      await settled(store, [settlement(0, "unknown")], {
        createdAtMs: NOW_MS + 9,
        test: true,
        recipients: TEST_RECIPIENT,
      });
      const request = { action: "mark-failed", filter: { accountId: "acc_default" } } as const;
      const { reports } = store;
      const scope = await countBulk(reports, request, { nowMs: NOW_MS + 5, monotonicMs: () => 0, withDomains: true });
      assert.deepEqual(scope, {
        recipients: 12,
        atMs: NOW_MS + 5,
        sinceMs: null,
        messages: 6,
        otherDomains: 0,
        accepted: { oldestMs: NOW_MS, newestMs: NOW_MS + 5 },
        domains: [{ domain: "a.example", recipients: 12 }],
      });
      await store.resolve({
        ...DECISION,
        as: "delivered",
        recipients: [{ messageId: messages[2]?.id ?? "", positions: [1] }],
      });
      const total = { ...NO_TOTALS };
      const parts = { spool: store, reports, monotonicMs: () => 0 };
      for (let after: string | null = ""; after !== null; ) {
        const step = { ...request, scope, after, by: BY, nowMs: LATER_MS, maxAgeMs: HOUR_MS };
        const { totals, next } = await runBulkStep(parts, step);
        add(total, totals);
        after = next;
      }
      assert.deepEqual([total.done, total.unreadable], [11, 0]);
      const results = await Promise.all(messages.map((message) => resultsOf(store, message)));
      assert.deepEqual(
        results.map((each) => each.slice(0, 2).map(([result]) => result)),
        [
          ["failed", "failed"],
          ["failed", "failed"],
          ["failed", "delivered"],
          ["failed", "failed"],

          ["failed", "failed"],
          ["failed", "failed"],
          ["unknown", "unknown"],
        ],
      );
      assert.equal((await store.reports.findActed({ ...FILTER, result: "unknown", test: true })).messages.length, 1);
    });

    for (const [action, result] of Object.entries(ACTED_RESULTS) as [BulkAction, Result][]) {
      it(`have another result after the action ${action}`, async (t) => {
        const store = await open(t);
        const message = await settled(store, [settlement(0, result, result === "pending" ? NOW_MS + DAY_MS : null)]);
        const request = { action, filter: { accountId: "acc_default" } };
        const scope = await countBulk(store.reports, request, { nowMs: NOW_MS + 5, monotonicMs: () => 0 });
        assert.equal(scope.recipients, 1);
        const parts = { spool: store, reports: store.reports, monotonicMs: () => 0 };
        const step = { ...request, scope, after: "", by: BY, nowMs: LATER_MS, maxAgeMs: HOUR_MS };
        const done = await runBulkStep(parts, step);
        assert.deepEqual(done, { totals: { ...NO_TOTALS, done: 1, seen: 1 }, next: null });
        const [recipient] = await recipientsOf(store, message);
        const expected = { "mark-delivered": "delivered", "mark-failed": "failed", cancel: "failed" } as const;
        assert.equal(recipient?.result, (expected as Partial<Record<BulkAction, Result>>)[action] ?? "pending");
        const entry = recipient?.events.at(-1);
        assert.ok(entry !== undefined && "by" in entry && entry.by === BY);
        const due = (await store.claim(claimAll(LATER_MS))).jobs.length;
        assert.equal(due, recipient?.result === "pending" ? 1 : 0);
      });
    }
  });
}
