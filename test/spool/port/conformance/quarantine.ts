/** Quarantined messages: no count of what waits has them, no action changes them, and an operator can discard them. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type BulkAction, countBulk, NO_TOTALS, runBulkStep } from "../../../../src/app/decide/bulk-actions.ts";
import { readQueue } from "../../../../src/app/reports/queue-report.ts";
import { MessageDamaged } from "../../../../src/spool/port/errors.ts";
import type { NewMessage, Settlement } from "../../../../src/spool/port/mail.ts";
import { markMessage, settleMessage } from "../../../support/attempts.ts";
import { recipientsAt, settlement } from "../../../support/messages.ts";
import { acceptMessage, CLAIM, NOW_MS, type Store } from "./store-suite.ts";
import { DAY_MS } from "./suite.ts";

export interface DamageableStore {
  /** Another one after `quarantine` where the store has what it accepted in memory. */
  readonly store: Store;
  /** Changes the stored content of the message, and quarantines it as a read of the content does. */
  quarantine(messageId: string): void | Promise<void>;
  /** Stores the content of the message as it was. */
  mend(messageId: string): void | Promise<void>;
}

type OpenDamageable = (t: TestContext) => Promise<DamageableStore>;

const DOMAIN = "a.example";
const LATER_MS = NOW_MS + 1000;
const BY = "the command line";
/** For every message with the id that is the only parameter. */
export const quarantining = (parameter: string): [damage: string, add: string] => [
  `UPDATE contents SET crc32 = crc32 + 1 WHERE seq = (SELECT seq FROM messages WHERE id = ${parameter})`,
  `INSERT INTO quarantined (seq, message_id, account_id, found_at_ms, part, error)
     SELECT seq, id, account_id, ${NOW_MS}, 'content', 'the content does not match its checksum' FROM messages WHERE id = ${parameter}`,
];

/** The opposite of the first one of `quarantining`. */
export const mending = (parameter: string): string => quarantining(parameter)[0].replace("crc32 + 1", "crc32 - 1");

const RECHECK = { after: 0, limit: 10, bytesMax: 10_000_000, nowMs: LATER_MS, result: "unknown" } as const;

const unknownAt = (position: number): Settlement => ({
  ...settlement(position, "unknown"),
  reason: "no_reply_to_final_dot",
  category: "network",
});

/** A message of four recipients: one waits for later, one is unknown, one was delivered, and one has failed. */
async function settledMessage(store: Store): Promise<NewMessage> {
  const message = await acceptMessage(store, { recipients: recipientsAt(DOMAIN, 4) });
  await settleMessage(store, message.id, NOW_MS, [
    settlement(0, "pending", LATER_MS + DAY_MS),
    unknownAt(1),
    settlement(2, "delivered"),
    settlement(3, "failed"),
  ]);
  return message;
}

/** The same in quarantine, because its content is damaged. */
async function quarantinedMessage({ store, quarantine }: DamageableStore): Promise<NewMessage> {
  const message = await settledMessage(store);
  await quarantine(message.id);
  assert.equal((await store.quarantined(10)).messages[0]?.messageId, message.id);
  return message;
}

const resultsOf = async (store: Store, { id }: NewMessage) =>
  (await store.report(id))?.recipients.map(({ result, reason }) => [result, reason]);

/** What waits, by every count that there is. */
async function countsOf(store: Store) {
  const { domains, waiting, unknown } = await store.reports.waiting({ accountId: null, nowMs: LATER_MS, limit: 10 });
  const queue = await store.queue({ accountId: "acc_default", limit: 10 });
  const own = domains.find(({ domain }) => domain === DOMAIN);
  return {
    waiting,
    unknown,
    backlog: await store.backlog(),
    ofDomain: own?.waiting ?? 0,
    listed: queue.map(({ messageId }) => messageId),
  };
}

/** Why the recipients of each domain wait, as the queue page and the command line explain it; the account's queue and all are alike. */
async function explanationsOf(store: Store) {
  const readers = { reports: store.reports, spool: store, traffic: async () => [] };
  const read = async (accountId: string | null) => {
    const { domains } = await readQueue(readers, { accountId, nowMs: LATER_MS, limit: 10 });
    return Object.fromEntries(domains.map(({ domain, due, deferred, wait }) => [domain, { due, deferred, wait }]));
  };
  const all = await read(null);
  assert.deepEqual(await read("acc_default"), all);
  return all;
}

/** The recipients that a dry run counts, and what the run makes of them. */
async function counted(store: Store, action: BulkAction) {
  const request = { action, filter: { accountId: "acc_default" } };
  const monotonicMs = () => 0;
  const { reports } = store;
  const scope = await countBulk(reports, request, { nowMs: LATER_MS, monotonicMs });
  const quick = await countBulk(reports, request, { nowMs: LATER_MS, monotonicMs, withDomains: true });
  assert.equal(quick.recipients, scope.recipients);
  const step = { ...request, scope, after: "", by: BY, nowMs: LATER_MS, maxAgeMs: DAY_MS };
  return { recipients: scope.recipients, ...(await runBulkStep({ spool: store, reports, monotonicMs }, step)).totals };
}

export function quarantineConformance(name: string, open: OpenDamageable): void {
  describe(`${name}: a quarantined message`, () => {
    it("is in no count of what waits", async (t) => {
      const opened = await open(t);
      const sound = await settledMessage(opened.store);
      await quarantinedMessage(opened);
      assert.deepEqual(await countsOf(opened.store), {
        waiting: 1,
        unknown: 1,
        backlog: 1,
        ofDomain: 1,
        listed: [sound.id, sound.id],
      });
    });

    it("is not explained as mail that waits, whether it is due, deferred or in an attempt", async (t) => {
      const opened = await open(t);
      const { store } = opened;
      const dueAt = async (domain: string, dueMs: number | null): Promise<NewMessage> => {
        const message = await acceptMessage(store, { recipients: recipientsAt(domain, 1) });
        if (dueMs === null) await markMessage(store, message.id, [0]);
        else await settleMessage(store, message.id, NOW_MS, [settlement(0, "pending", dueMs)]);
        return message;
      };
      for (const [domain, dueMs] of Object.entries({
        "due.example": NOW_MS,
        "later.example": LATER_MS + DAY_MS,
        "attempted.example": null,
      }))
        await opened.quarantine((await dueAt(domain, dueMs)).id);
      assert.deepEqual(await explanationsOf(store), {});
      // Nor does it change the explanation of what waits for the same domain.
      await dueAt("due.example", LATER_MS + DAY_MS);
      const nextAttemptAtMs = LATER_MS + DAY_MS;
      assert.deepEqual(await explanationsOf(store), {
        "due.example": { due: 0, deferred: 1, wait: { type: "deferred", nextAttemptAtMs } },
      });
      await dueAt("later.example", NOW_MS);
      assert.deepEqual((await explanationsOf(store))["later.example"], { due: 1, deferred: 0, wait: { type: "next" } });
    });

    it("is in no dry run and in no action on several messages", async (t) => {
      const opened = await open(t);
      const { store } = opened;
      await settledMessage(store);
      const damaged = await quarantinedMessage(opened);
      const before = await resultsOf(store, damaged);
      const retry = { accountId: "acc_default", domain: DOMAIN, nowMs: LATER_MS, limit: 10 };
      assert.equal(await store.retryDomain(retry), 1);
      for (const action of ["try-now", "mark-failed", "cancel"] as const) {
        assert.deepEqual(await counted(store, action), { ...NO_TOTALS, recipients: 1, seen: 1, done: 1 }, action);
      }
      assert.deepEqual(await resultsOf(store, damaged), before);
    });

    it("can be discarded: what has no final result fails, with the damage as evidence", async (t) => {
      const opened = await open(t);
      const { store } = opened;
      const { id, ...message } = await quarantinedMessage(opened);
      const [found] = (await store.quarantined(10)).messages;
      assert.ok(found);
      const discarded = await store.discardQuarantined({ message: id, by: BY, nowMs: LATER_MS });
      assert.deepEqual(discarded, { messageId: id, seq: found.seq, failed: 2, isComplete: true });
      assert.deepEqual(await resultsOf(store, { id, ...message }), [
        ["failed", "discarded"],
        ["failed", "discarded"],
        ["delivered", null],
        ["failed", "test"],
      ]);
      const report = (await store.report(id)) ?? assert.fail();
      const { foundAtMs: found_at_ms, part, error } = found;
      for (const recipient of report.recipients.slice(0, 2)) {
        const entry = recipient.events.at(-1);
        assert.ok(entry?.type === "discarded");
        assert.deepEqual([entry.by, entry.at_ms, entry.result], [BY, LATER_MS, "failed"]);
        assert.deepEqual(entry.damage, { found_at_ms, part, error });
        assert.equal(recipient.nextAttemptAtMs, null);
      }
      assert.equal(report.quarantined, undefined, "it is final, not in quarantine");
    });

    it("can be discarded with a recipient that was at its final dot", async (t) => {
      const { store, quarantine } = await open(t);
      const { id } = await acceptMessage(store, { recipients: recipientsAt(DOMAIN, 1) });
      await markMessage(store, id, [0]);
      await quarantine(id);
      const discarded = await store.discardQuarantined({ message: id, by: BY, nowMs: LATER_MS });
      assert.deepEqual([discarded?.failed, discarded?.isComplete], [1, true]);
      assert.equal((await store.report(id))?.recipients[0]?.reason, "discarded");
    });

    it("that was discarded is over: no alert, no claim, no release, and an event for each recipient", async (t) => {
      const opened = await open(t);
      const { store } = opened;
      const { id } = await quarantinedMessage(opened);
      await store.discardQuarantined({ message: id, by: BY, nowMs: LATER_MS });
      assert.deepEqual(await store.quarantined(10), {
        count: 0,
        messages: [],
        places: (await store.quarantined(0)).places,
      });
      assert.deepEqual((await store.recheckQuarantined(RECHECK)).released, []);
      assert.deepEqual((await store.claim({ ...CLAIM, nowMs: LATER_MS + 2 * DAY_MS })).jobs, []);
      assert.deepEqual(await countsOf(store), { waiting: 0, unknown: 0, backlog: 0, ofDomain: 0, listed: [] });
      const filter = { types: null, keys: null, domains: null };
      const asked = { accountId: "acc_default", afterNumber: null, withDomains: true, limit: 100, filter };
      const page = await store.events(asked);
      assert.ok(page !== "expired");
      const failed = page.events.filter(({ recipient }) => recipient?.reason === "discarded");
      assert.deepEqual(
        failed.map(({ type, recipient }) => [type, recipient?.result]),
        [0, 1].map(() => ["recipient.failed", "failed"]),
      );
    });

    it("is the only kind that can be discarded, and once", async (t) => {
      const opened = await open(t);
      const { store } = opened;
      const sound = await settledMessage(store);
      const discard = (message: string | number) => store.discardQuarantined({ message, by: BY, nowMs: LATER_MS });
      assert.deepEqual([await discard(sound.id), await discard("msg_none"), await discard(999)], [null, null, null]);
      assert.deepEqual((await resultsOf(store, sound))?.[0], ["pending", "test"]);
      const damaged = await quarantinedMessage(opened);
      const { seq } = (await store.quarantined(1)).messages[0] ?? assert.fail();
      assert.equal((await discard(seq))?.failed, 2, "by its row too");
      assert.deepEqual([await discard(seq), await discard(damaged.id)], [null, null]);
    });
  });

  describe(`${name}: a quarantined message that can be read again`, () => {
    /** Three messages that are due, in quarantine. */
    const quarantined = async ({ store, quarantine }: DamageableStore): Promise<string[]> => {
      const ids: string[] = [];
      for (let i = 0; i < 3; i += 1) ids.push((await acceptMessage(store)).id);
      for (const id of ids) await quarantine(id);
      return ids;
    };

    it("is released by a recheck, in steps, and due; the others stay", async (t) => {
      const opened = await open(t);
      const ids = await quarantined(opened);
      const { store, mend } = opened;
      assert.deepEqual(await store.recheckQuarantined(RECHECK), { released: [], next: null });
      const woken = new Promise<void>((resolve) => store.onDue(resolve));
      for (const id of ids.slice(1)) await mend(id);
      const first = await store.recheckQuarantined({ ...RECHECK, limit: 2 });
      assert.deepEqual(first.released, ids.slice(1, 2));
      assert.ok(first.next !== null);
      await woken;
      const rest = await store.recheckQuarantined({ ...RECHECK, limit: 2, after: first.next });
      assert.deepEqual(rest, { released: ids.slice(2), next: null });
      assert.equal((await store.quarantined(1)).count, 1);
      assert.equal((await store.report(ids[1] ?? ""))?.quarantined, undefined);
    });

    it("is one of as many as a step may read", async (t) => {
      const opened = await open(t);
      const ids = await quarantined(opened);
      for (const id of ids) await opened.mend(id);
      const { released, next } = await opened.store.recheckQuarantined({ ...RECHECK, bytesMax: 1 });
      assert.deepEqual(released, ids.slice(0, 1));
      assert.ok(next !== null);
      assert.deepEqual((await opened.store.recheckQuarantined({ ...RECHECK, after: next })).released, ids.slice(1));
    });

    it("is released by a retry, which fails before", async (t) => {
      const opened = await open(t);
      const { id } = await quarantinedMessage(opened);
      const { store, mend } = opened;
      const retry = { accountId: "acc_default", messageId: id, nowMs: LATER_MS };
      await assert.rejects(store.retry(retry), MessageDamaged);
      assert.equal((await store.quarantined(1)).count, 1);
      await mend(id);
      assert.equal(await store.retry(retry), 2);
      assert.equal((await store.quarantined(1)).count, 0);
    });

    it("has its failed recipients retried only if it is named", async (t) => {
      const opened = await open(t);
      const { id: messageId } = await quarantinedMessage(opened);
      const { store, mend } = opened;
      const step = { accountId: "acc_default", nowMs: LATER_MS, expiresAtMs: LATER_MS + DAY_MS, limit: 9, after: null };
      const retry = async (parts: { messageId?: string; dryRun?: boolean }) => {
        const { recipients, unreadable } = await store.retryFailed({ ...step, dryRun: false, ...parts });
        return [recipients.length, unreadable];
      };
      assert.deepEqual(await retry({ messageId }), [0, 1]);
      await mend(messageId);
      assert.deepEqual(await retry({}), [0, 1]);
      assert.deepEqual(await retry({ messageId, dryRun: true }), [1, 0]);
      assert.equal((await store.quarantined(1)).count, 1, "a dry run changes nothing");
      assert.deepEqual(await retry({ messageId }), [1, 0]);
      assert.equal((await store.quarantined(1)).count, 0);
    });
  });
}
