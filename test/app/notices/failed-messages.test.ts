/** The notices of failed messages: each, those of a day, and their bounds. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { FailedMessages, watchedAccounts } from "../../../src/app/notices/failed-messages.ts";
import { NoticeBoard } from "../../../src/app/notices/notice-board.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { FoundMessage, MessageFilter } from "../../../src/spool/port/reports.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeNotices, mailStage, OPERATOR } from "../../support/notices.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = 20_000 * DAY_MS + 12 * HOUR_MS;

function scene(wanted: { each?: string[]; digest?: string[] }) {
  const clock = fakeClock(START_MS);
  const store = new FakeNotices();
  const failures: { message: FoundMessage; atMs: number }[] = [];
  const filters: MessageFilter[] = [];
  const failed = new FailedMessages({
    log: silentLog,
    board: new NoticeBoard({ store, clock }),
    monotonicMs: () => clock.monotonicMs(),
    accounts: async () => ({ each: [], digest: [], ...wanted }),
    reports: {
      async find(filter) {
        filters.push(filter);
        const { resultSinceMs = 0, resultUntilMs = Number.POSITIVE_INFINITY } = filter;
        const messages = failures.filter(({ atMs }) => atMs >= resultSinceMs && atMs < resultUntilMs);
        return { messages: messages.map(({ message }) => message).toReversed(), cursor: null, searchedBackToMs: null };
      },
    },
  });
  const fail = (id: string, more: { keyId?: string; failed?: number; atMs?: number } = {}): void => {
    const { keyId = "key_1", failed: count = 1, atMs = clock.now() } = more;
    const results = { delivered: 0, failed: count, pending: 0, unknown: 0 };
    const smtp = { message: "no such user" };
    const obstacle = { email: "ann@b.example", reason: "mailbox_unknown", category: "bad_address", smtp };
    const message = { id, keyId, from: "a@shop.example", subject: `Order ${id}`, to: "ann@b.example", recipients: 3 };
    failures.push({ message: { ...message, results, obstacle } as unknown as FoundMessage, atMs });
  };
  const look = () => failed.notice(clock.now());
  return { clock, store, failures, filters, fail, look };
}

it("notices each failed message once, with what its server has replied, and no message of Postrider's own", async () => {
  const { store, fail, look, filters } = scene({ each: ["acc_shop"] });
  fail("msg_1");
  fail("msg_notice", { keyId: "notice" });
  await look();
  await look();
  assert.equal(store.stored.length, 1);
  const [notice] = store.stored;
  assert.deepEqual(
    [notice?.kind, notice?.accountId, notice?.subject, notice?.link],
    ["failed_message", "acc_shop", "Message failed: Order msg_1", "/dashboard/messages/msg_1"],
  );
  for (const part of ["1 of 3 recipients", "ann@b.example: mailbox unknown.", "no such user"])
    assert.ok(notice?.text.includes(part), part);
  assert.deepEqual([filters[0]?.result, filters[0]?.test, filters[0]?.accountId], ["failed", false, "acc_shop"]);
});

it("notices further recipients of a message after the hour", async () => {
  const { clock, store, failures, fail, look } = scene({ each: ["acc_shop"] });
  fail("msg_1");
  await look();
  failures.length = 0;
  fail("msg_1", { failed: 2 });
  await clock.advance(HOUR_MS - 1);
  await look();
  assert.equal(store.stored.length, 1);
  await clock.advance(1);
  await look();
  assert.equal(store.stored.length, 2);
});

it("notices 20 messages of an account in a short time one by one, and the others in one notice", async () => {
  const { clock, store, fail, look } = scene({ each: ["acc_shop"] });
  for (let i = 0; i < 30; i += 1) fail(`msg_${i}`);
  await look();
  await look();
  assert.equal(store.stored.length, 21);
  assert.equal(store.stored.at(-1)?.subject, "More messages have failed");
  await clock.advance(HOUR_MS);
  await look();
  assert.equal(store.stored.filter(({ subject }) => subject.startsWith("Message failed")).length, 30);
});

it("notices the failed messages of a day once, after it has ended", async () => {
  const { clock, store, fail, look } = scene({ digest: ["acc_shop"] });
  for (let i = 0; i < 25; i += 1) fail(`msg_${i}`);
  fail("msg_own", { keyId: "notice" });
  await look();
  assert.equal(store.stored.length, 0, "nothing failed on the day before");
  await clock.advance(12 * HOUR_MS);
  await look();
  assert.equal(store.stored.length, 0, "the last results of the day are not stored yet");
  await clock.advance(300_000);
  await look();
  await clock.advance(2 * HOUR_MS);
  await look();
  assert.equal(store.stored.length, 1);
  const [notice] = store.stored;
  const date = new Date(START_MS).toISOString().slice(0, 10);
  assert.equal(notice?.subject, `Failed messages of ${date}: 25`);
  assert.match(notice?.text ?? "", /^msg_24 {2}ann@b\.example {2}mailbox unknown {2}Order msg_24$/m);
  assert.ok(!notice?.text.includes("msg_4 "), "the newest 20 alone");
  assert.equal(notice?.link, `/dashboard/messages?result=failed&kind=live&result_since=${date}T00:00`);
  await clock.advance(DAY_MS);
  await look();
  assert.equal(store.stored.length, 1, "nothing failed on the next day");
});

it("looks at accounts where a user wants it, and at all that the operators' webhook asks for", async () => {
  const { parts, choices } = mailStage();
  const watched = (kinds: readonly ("failed_message" | "failed_digest")[] | null) =>
    watchedAccounts({
      ...parts,
      webhook: { settings: async () => kinds && { url: "https://hooks.example/", kinds } },
    });
  assert.deepEqual(await watched(null), { each: [], digest: [] });
  choices.push({ userId: "usr_3", name: "failed_messages", choice: "each" });
  choices.push({ userId: OPERATOR.id, name: "failed_messages", choice: "digest" });
  assert.deepEqual(await watched(null), { each: ["acc_shop"], digest: ["acc_ops"] });
  const all = ["acc_default", "acc_ops", "acc_shop", "acc_other"];
  assert.deepEqual(await watched(["failed_message"]), { each: all, digest: ["acc_ops"] });
});
