/** Who gets a notice by email, what goes to the operators' webhook, and what happens if either fails. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KINDS, type NoticeKind } from "../../../src/app/notices/kinds.ts";
import type { NoticeView } from "../../../src/app/notices/notice.ts";
import { NoticeBoard } from "../../../src/app/notices/notice-board.ts";
import { NoticeSender } from "../../../src/app/notices/notice-sender.ts";
import type { OperatorsWebhookSettings } from "../../../src/app/notices/operators-webhook.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeNotices, mailStage, OPERATOR, textOf } from "../../support/notices.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ALL = Object.keys(KINDS) as NoticeKind[];

function scene() {
  const clock = fakeClock(20_000 * DAY_MS);
  const store = new FakeNotices();
  const mail = mailStage();
  const posted: { url: string; view: NoticeView }[] = [];
  const hook: { settings: OperatorsWebhookSettings | null; status: number | null } = { settings: null, status: 204 };
  const sender = new NoticeSender({
    ...mail.parts,
    clock,
    store: Object.assign(store, { suppression: mail.parts.suppression }),
    webhook: {
      settings: async () => hook.settings,
      async send({ url }, view) {
        posted.push({ url, view });
        return { status: hook.status, error: null, response: "", durationMs: 1 };
      },
    },
  });
  const board = new NoticeBoard({ store, clock });
  let number = 0;
  const post = (kind: NoticeKind, accountId: string | null): Promise<unknown> => {
    number += 1;
    const text = { subject: `A notice of ${kind}`, paragraphs: ["What happened.", "What to do:"] };
    return board.post({ kind, accountId, cause: `${number}`, occurrence: "1", ...text, link: "/dashboard/keys" });
  };
  /** The recipients of one notice. */
  const toOf = async (kind: NoticeKind, accountId: string | null) => {
    await post(kind, accountId);
    await sender.run();
    return mail.recipients().toSorted();
  };
  return { ...mail, clock, store, posted, hook, sender, post, toOf };
}

describe("a notice by email", () => {
  it("goes to those that the table names, unless they have chosen otherwise", async () => {
    const { toOf, choices } = scene();
    const [operator, owner, developer] = ["op@ops.example", "owner@shop.example", "dev@shop.example"];
    const expected: Record<NoticeKind, string[]> = {
      failed_message: [],
      failed_digest: [],
      domain_failing: [owner],
      webhook_failing: [developer, owner],
      key_held: [operator, owner],
      key_warned: [owner],
      receiver_blocks: [],
      preflight_worse: [],
      certificate_ends: [],
      certificate_not_renewed: [],
      disk_fills: [],
    };
    for (const kind of ALL) {
      const isOfHost = expected[kind].length === 0 && !kind.startsWith("failed");
      assert.deepEqual(await toOf(kind, isOfHost ? null : "acc_shop"), isOfHost ? [operator] : expected[kind], kind);
    }
    choices.push(
      { userId: "usr_2", name: "key_held", choice: "off" },
      { userId: "usr_3", name: "key_held", choice: "on" },
      { userId: "usr_4", name: "key_held", choice: "on" },
      { userId: "usr_2", name: "failed_messages", choice: "each" },
      { userId: "usr_3", name: "failed_messages", choice: "digest" },
      { userId: "usr_3", name: "disk_fills", choice: "on" },
      { userId: OPERATOR.id, name: "disk_fills", choice: "off" },
    );
    assert.deepEqual(await toOf("key_held", "acc_shop"), [developer, operator]);
    assert.deepEqual(await toOf("failed_message", "acc_shop"), [owner]);
    assert.deepEqual(await toOf("failed_digest", "acc_shop"), [developer]);
    assert.deepEqual(await toOf("disk_fills", null), []);
  });

  it("has the notice's text with a link to its page, once, from a verified domain of the user's account", async () => {
    const { post, sender, sent, store } = scene();
    await post("key_warned", "acc_shop");
    await sender.run();
    await sender.run();
    assert.equal(sent.length, 1);
    const [message] = sent;
    assert.ok(message !== undefined);
    assert.deepEqual(
      [message.accountId, message.keyId, message.isRated, message.draft.summary.from.address],
      ["acc_shop", "notice", false, "postrider@shop.example"],
    );
    assert.match(textOf(message), /What happened\.\n\nWhat to do:\n\nhttps:\/\/mail\.example\/dashboard\/keys/);
    assert.match(textOf(message), /^Auto-Submitted: auto-generated$/m);
    assert.notEqual(store.stored[0]?.mailedAtMs, null);
  });

  it("comes from the default account's domain without one of the own, as a message whose content is not shown", async () => {
    const { toOf, post, sender, sent, state, logged } = scene();
    state.unverified.add("shop.example");
    await post("domain_failing", "acc_shop");
    await sender.run();
    assert.deepEqual([sent[0]?.accountId, sent[0]?.keyId], ["acc_default", "foreign-notice"]);
    sent.length = 0;
    state.unverified.add("default.example");
    assert.deepEqual(await toOf("domain_failing", "acc_shop"), []);
    assert.equal(logged[0]?.message, "notice not sent: no domain of the account is verified");
  });

  it("does not go to a suppressed address", async () => {
    const { toOf, suppressed, logged } = scene();
    suppressed.add("owner@shop.example");
    assert.deepEqual(await toOf("key_warned", "acc_shop"), []);
    assert.deepEqual(
      logged.map(({ fields, message }) => [fields.userId, message]),
      [["usr_2", "notice not sent: the user's email address is suppressed"]],
    );
  });

  it("is tried again each minute for a day while it cannot be accepted", async () => {
    const { post, sender, state, recipients, clock } = scene();
    state.rejection = "quota_exceeded";
    await post("key_warned", "acc_shop");
    await sender.run();
    state.rejection = null;
    await sender.run();
    assert.deepEqual(recipients(), []);
    await clock.advance(MINUTE_MS);
    await sender.run();
    assert.deepEqual(recipients(), ["owner@shop.example"]);
    state.rejection = "engine_unavailable";
    await post("key_warned", "acc_shop");
    await sender.run();
    await clock.advance(DAY_MS + 1);
    state.rejection = null;
    await sender.run();
    assert.deepEqual(recipients(), []);
  });
});

describe("a notice by the operators' webhook", () => {
  it("has its type, account and page; other kinds, and those without a webhook, are not posted later", async () => {
    const { post, sender, posted, hook, store } = scene();
    await post("key_held", "acc_shop");
    await sender.run();
    hook.settings = { url: "https://hooks.example/", kinds: ["key_held"] };
    await post("key_warned", "acc_shop");
    await post("key_held", "acc_shop");
    await sender.run();
    await sender.run();
    assert.equal(posted.length, 1);
    const notice = store.stored[2];
    assert.deepEqual([posted[0]?.url, posted[0]?.view.id], ["https://hooks.example/", notice?.id]);
    assert.deepEqual(posted[0]?.view, {
      id: notice?.id,
      type: "notice.key_held",
      at: new Date(notice?.atMs ?? 0).toISOString(),
      account: { id: "acc_shop", name: "shop" },
      subject: "A notice of key_held",
      text: "What happened.\n\nWhat to do:",
      url: "https://mail.example/dashboard/keys",
    });
  });

  it("is tried again with growing pauses, keeps the emails from nobody, and causes no notice", async () => {
    const { post, sender, posted, hook, store, clock, recipients, logged } = scene();
    hook.settings = { url: "https://hooks.example/", kinds: ALL };
    hook.status = 500;
    await post("disk_fills", null);
    await post("certificate_ends", null);
    await sender.run();
    assert.deepEqual([posted.length, recipients().length, store.stored.length], [1, 2, 2]);
    for (const minutes of [1, 2, 4]) {
      const before = posted.length;
      await clock.advance(minutes * MINUTE_MS - 1);
      await sender.run();
      assert.equal(posted.length, before, `before ${minutes} minutes`);
      await clock.advance(1);
      await sender.run();
      assert.equal(posted.length, before + 1, `after ${minutes} minutes`);
    }
    assert.deepEqual([store.stored.length, recipients()], [2, []]);
    assert.equal(logged[0]?.message, "operators' webhook failed");
    hook.status = 200;
    await clock.advance(8 * MINUTE_MS);
    await sender.run();
    assert.deepEqual(await store.openNotices("post", 0, 10), []);
  });
});
