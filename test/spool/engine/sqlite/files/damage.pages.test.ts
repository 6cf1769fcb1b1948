/** Pages that SQLite cannot read: whatever does not need them goes on. */

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { SqliteStore } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { PAUSE_ENTRY, readDeliveryPause } from "../../../../../src/spool/port/delivery-pause.ts";
import type { RetryFailedResult, ShortenWaitsResult, WaitCursor } from "../../../../../src/spool/port/operations.ts";
import type { StsPolicy } from "../../../../../src/spool/port/sts-policies.ts";
import {
  ACCOUNT,
  CLAIM,
  claimAll,
  damagePage,
  deliverAll,
  edit,
  fillSpool,
  forgetAll,
  mustBeDamaged,
  mustBeUnavailable,
  NOW_MS,
  opened,
  openSpool,
  type Page,
  POLICY,
  pagesOf,
} from "../../../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

/** The cached policy of a domain numbered in the order of names. */
const policyOf = (number: number): StsPolicy => ({
  ...POLICY,
  domain: `p${String(number).padStart(3, "0")}.example`,
  mode: "enforce",
  mx: Array.from({ length: 10 }, (_, i) => `mx${i}.p${number}.customers.example`),
});

const POLICIES = 100;
/** Policies that a page holds. */
const POLICIES_OF_A_PAGE = 12;

const MESSAGES = 120;
const MARKED = 10;

/** A spool in which mail waits, has been marked and has been delivered; every copy of it is damaged in another place. */
async function livedSpool(dataDir: string): Promise<string[]> {
  // So that the contents have two parts, and the first has an overflow page.
  const spool = await openSpool(dataDir, 4500);
  const ids = await fillSpool(spool, { count: MESSAGES, domains: 30, contentBytes: 6000 });
  const { jobs } = await spool.claim({ ...CLAIM, limit: 2 * MARKED });
  for (const [i, { messageId, lease }] of jobs.entries()) {
    await spool.mark({ messageId, positions: [0], lease, atMs: NOW_MS, mx: "mx.example", ip: null });
    if (i >= MARKED) await spool.settle(messageId, NOW_MS, [settlement(0, "delivered")], lease);
  }
  await spool.writeValue("long", "y".repeat(6000));
  for (let i = 0; i < POLICIES; i += 1) await spool.storeStsPolicy(policyOf(i));
  await spool.close();
  return ids;
}

/** One page of each kind: the middle one, for damage at the end of a table refuses what is new. */
function onePageOfEachKind(pages: Page[]): Page[] {
  const kinds = new Map<string, Page[]>();
  for (const page of pages) kinds.set(kindOf(page), [...(kinds.get(kindOf(page)) ?? []), page]);
  return [...kinds.values()].flatMap((kind) => kind[kind.length >> 1] ?? []);
}

const kindOf = ({ name, type }: Page): string => `${name} ${type}`;

/** Most messages that one page of the kind may take out of the queue; none where it is not named. */
const LOST_MAX: Record<string, number> = {
  "messages leaf": 40,
  "messages internal": MESSAGES,
  "contents leaf": 9,
  "contents internal": MESSAGES,
  "contents overflow": 1,
  "content_parts leaf": 3,
  "content_parts internal": MESSAGES,
  "recipients leaf": 70,
  "recipients internal": MESSAGES,
  "work leaf": 110,
  "work internal": MESSAGES,
  "unknown_recipients leaf": MARKED,
};

/** Without these nothing new can be stored, or not with certainty but once. */
const REFUSES = /^(messages|contents|recipients|work|idempotency|sqlite_autoindex_messages_1) |^idempotency leaf/;

describe("a page that cannot be read", () => {
  it("of any table or index does not stop the start or anything that can be read", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await livedSpool(whole);
    const pages = onePageOfEachKind(pagesOf(whole));
    assert.ok(pages.length > 35);
    for (const page of pages) await t.test(kindOf(page), (each) => survives(each, { whole, ids, page }));
  });
});

async function survives(t: TestContext, { whole, ids, page }: { whole: string; ids: string[]; page: Page }) {
  const dataDir = join(tempDir(t), "damaged");
  cpSync(whole, dataDir, { recursive: true });
  damagePage(dataDir, page);
  const spool = await opened(t, dataDir);
  const lostMax = LOST_MAX[kindOf(page)] ?? 0;
  const recovered = await spool.recover(NOW_MS, "unknown");
  const isPaused = (await readDeliveryPause(spool)) !== null;
  assert.equal(isPaused, /^key_values (leaf|internal)/.test(kindOf(page)));
  if (isPaused) await spool.resumeDelivery({ nowMs: NOW_MS, waiting: "send" });
  const delivered = await deliverAll(spool);
  assert.equal(new Set(delivered).size, delivered.length);
  const expected = MESSAGES - MARKED - lostMax;
  assert.ok(recovered >= MARKED - lostMax, `${recovered} of ${MARKED} recovered`);
  assert.ok(delivered.length >= expected - MARKED, `${delivered.length} delivered`);
  const { count } = await spool.quarantined(1);
  // What was final before is in no queue that would find it damaged.
  assert.ok(count >= MESSAGES - 2 * MARKED - delivered.length && count <= lostMax, `${count} quarantined`);
  for (const id of ids) await spool.report(id).catch(mustBeDamaged);
  await spool.backlog();
  await storesPolicies(spool, page);
  await spool.writeValue("readiness", "now");
  const message = newMessage({ createdAtMs: NOW_MS, idempotency: { key: "k", payloadHash: "h" } });
  const accepting = spool.accept(message);
  if (REFUSES.test(kindOf(page))) await accepting.catch(mustBeUnavailable);
  else assert.equal((await accepting).type, "accepted");
  await forgetAll(spool);
}

it("retention skips damaged pages and removes all other results", async (t) => {
  for (const [name, most] of [
    ["contents", 10],
    ["messages", 75],
    ["events", 90],
  ] as const) {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    await fillSpool(first, { count: MESSAGES, domains: 1, contentBytes: 6000 });
    await deliverAll(first);
    await first.close();
    const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type === "leaf");
    damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail());
    const spool = await opened(t, dataDir);
    await forgetAll(spool);
    const left = edit(dataDir, (db) => db.prepare("SELECT seq FROM recipients").pluck().all() as number[]);
    // Those of the page, and the ones beside it: removing them would change the page too.
    assert.ok(left.length <= most, `${name}: ${left.length} left`);
  }
});

it("a retry of failed recipients skips damaged pages and retries all others", async (t) => {
  const whole = join(tempDir(t), "whole");
  const first = await openSpool(whole);
  await fillSpool(first, { count: MESSAGES, domains: 1, contentBytes: 6000 });
  await claimAll(first, async ({ messageId, lease }) => {
    await first.settle(messageId, NOW_MS, [settlement(0, "failed")], lease);
  });
  await first.close();
  for (const [name, most] of [
    ["messages", 40],
    ["recipients", 110],
    ["contents", 10],
    ["events", 60],
    ["events_failed", 0],
    ["work_waiting", 0],
  ] as const) {
    const dataDir = join(tempDir(t), "damaged");
    cpSync(whole, dataDir, { recursive: true });
    const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type === "leaf");
    damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail(name));
    const spool = await opened(t, dataDir);
    const { retried, unreadable } = await retryAllFailed(spool);
    assert.equal(retried + unreadable, MESSAGES, name);
    assert.ok(unreadable <= most, `${name}: ${unreadable} unreadable`);
    assert.equal(unreadable > 0, most > 0, `${name}: ${unreadable} unreadable`);
    const { retried: others } = await retryAllFailed(spool);
    assert.equal(others, 0, `${name}: ${others} retried twice`);
  }
});

async function retryAllFailed(spool: SqliteStore): Promise<{ retried: number; unreadable: number }> {
  const step = { accountId: ACCOUNT, nowMs: NOW_MS + 1, expiresAtMs: 2 * NOW_MS, limit: 50, dryRun: false };
  const sum = { retried: 0, unreadable: 0 };
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const { recipients, unreadable, next }: RetryFailedResult = await spool.retryFailed({ ...step, after });
    sum.retried += recipients.length;
    sum.unreadable += unreadable;
    after = next;
  }
  return sum;
}

/** Each new policy is stored, and the others are kept that can be read. */
async function storesPolicies(spool: SqliteStore, { name, type }: Page): Promise<void> {
  for (const number of [-1, POLICIES / 2, POLICIES]) {
    const policy = { ...policyOf(number), id: "new" };
    await spool.storeStsPolicy(policy);
    assert.deepEqual(await spool.stsPolicy(policy.domain), policy);
  }
  const policies = await Promise.all(Array.from({ length: POLICIES }, (_, i) => spool.stsPolicy(policyOf(i).domain)));
  const lost = policies.filter((policy) => policy === null).length;
  const lostMax = { leaf: POLICIES_OF_A_PAGE, overflow: 1, internal: POLICIES };
  assert.ok(lost <= (name === "sts_policies" ? lostMax[type] : 0), `${lost} policies lost`);
}

/** A page of each kind that waiting mail stands on, and most recipients that damage of it keeps from a change of their state. */
const WAITING_PAGES = [
  ["work", 260],
  ["recipients", 180],
  ["messages", 0],
  ["contents", 0],
  ["events", 70],
  ["work_waiting", 0],
  ["unknown_recipients_account", 0],
] as const;

/** Mail that waits after a first attempt, or, each second message, has had none; copies of it are damaged. */
async function waitingSpool(dataDir: string, dueMs: number): Promise<string[]> {
  const spool = await openSpool(dataDir);
  const ids = await fillSpool(spool, { count: 4 * MESSAGES, domains: 1 });
  const { jobs } = await spool.claim({ ...CLAIM, limit: ids.length });
  for (const [i, { messageId, lease }] of jobs.entries()) {
    if (i % 2 === 0) await spool.settle(messageId, NOW_MS, [settlement(0, "pending", dueMs)], lease);
    else await spool.release({ messageId, positions: [0], lease });
  }
  await spool.close();
  return ids;
}

/** Most messages whose report damage of the page prevents. */
const UNREPORTED: Record<string, number> = { events: 70, messages: 40 };

async function heldInHistory(spool: SqliteStore, id: string): Promise<boolean> {
  const report = await spool.report(id).catch(mustBeDamaged);
  return report?.recipients[0]?.events.at(-1)?.type === "unknown";
}

/** A copy of a spool whose middle leaf of a table or index is damaged. */
function damagedCopy(t: TestContext, whole: string, name: string): { dataDir: string; undo: () => void } {
  const dataDir = join(tempDir(t), "damaged");
  cpSync(whole, dataDir, { recursive: true });
  const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type !== "internal");
  return { dataDir, undo: damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail(name)) };
}

describe("damaged pages are skipped", () => {
  it("when messages of a backup become unknown: all others do, and damaged ones are not sent", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await waitingSpool(whole, NOW_MS + 1);
    edit(whole, (db) => {
      const pause = JSON.stringify({ backupAtMs: NOW_MS, newestSeq: ids.length });
      db.prepare("INSERT INTO key_values (name, text) VALUES (?, ?)").run(PAUSE_ENTRY, pause);
    });
    for (const [name, most] of WAITING_PAGES) {
      const { dataDir, undo } = damagedCopy(t, whole, name);
      const spool = await opened(t, dataDir);
      const { unknown, unreadable } =
        (await spool.resumeDelivery({ nowMs: NOW_MS + 2, waiting: "hold" })) ?? assert.fail("no pause");
      assert.equal(unknown + unreadable, ids.length, name);
      assert.ok(unreadable <= most, `${name}: ${unreadable} unreadable`);
      assert.equal(unreadable > 0, most > 0, `${name}: ${unreadable} unreadable`);
      assert.equal(await readDeliveryPause(spool), null);
      assert.equal((await spool.quarantined(0)).count, unreadable, name);
      assert.deepEqual(await deliverAll(spool), [], name);
      const histories = await Promise.all(ids.map((id) => heldInHistory(spool, id)));
      const written = histories.filter(Boolean).length;
      // The look-up of a message beside damaged recipients meets them too.
      assert.ok(written >= unknown - (UNREPORTED[name] ?? 2), `${name}: ${written} of ${unknown} histories written`);
      if (unreadable === 0) continue;

      await spool.close();
      undo();
      const again = await opened(t, dataDir);
      const part = { after: 0, limit: 1000, bytesMax: 1e9 };
      const checked = await again.recheckQuarantined({ ...part, nowMs: NOW_MS + 3, result: "unknown" });
      assert.deepEqual(checked, { released: [], next: null }, "released by the operator alone");
      assert.deepEqual(await deliverAll(again), []);
      const [{ messageId = null } = {}] = (await again.quarantined(1)).messages;
      const id = messageId ?? ids[Number((await again.quarantined(1)).messages[0]?.seq) - 1] ?? assert.fail(name);
      assert.equal(await again.retry({ accountId: ACCOUNT, messageId: id, nowMs: NOW_MS + 3 }), 1);
      assert.deepEqual(await deliverAll(again), [id]);
    }
  });

  it("when waits are shortened: all others are shortened, and the pass ends", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await waitingSpool(whole, NOW_MS + 1e9);
    for (const [name, most] of WAITING_PAGES) {
      const { dataDir } = damagedCopy(t, whole, name);
      const spool = await opened(t, dataDir);
      let shortened = 0;
      let after: WaitCursor | null = null;
      do {
        const step: ShortenWaitsResult = await spool.shortenWaits({
          nowMs: NOW_MS + 1e6,
          longestMs: [0],
          after,
          limit: 50,
        });
        shortened += step.recipients;
        after = step.next;
      } while (after !== null);
      // The time in the row of work changes; the row of the message says whether its sender has chosen that time.
      const lost = { work: most, messages: UNREPORTED.messages }[name as string] ?? 0;
      assert.ok(shortened >= ids.length / 2 - lost, `${name}: ${shortened} shortened`);
      assert.equal(shortened < ids.length / 2, lost > 0, `${name}: ${shortened} shortened`);
    }
  });

  it("when a domain is retried: all others are due", async (t) => {
    const whole = join(tempDir(t), "whole");
    const ids = await waitingSpool(whole, NOW_MS + 1e9);
    for (const [name, most] of WAITING_PAGES) {
      const { dataDir } = damagedCopy(t, whole, name);
      const spool = await opened(t, dataDir);
      const filter = { accountId: ACCOUNT, domain: "d0.example", nowMs: NOW_MS + 1e6, limit: 1000 };
      const due = await spool.retryDomain(filter);
      assert.ok(due >= ids.length / 2 - most, `${name}: ${due} due`);
      assert.equal(due < ids.length / 2, most > 0, `${name}: ${due} due`);
      assert.equal(await spool.retryDomain(filter), 0, `${name}: retried twice`);
    }
  });
});
