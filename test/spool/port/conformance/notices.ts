/** Notices: one of a cause an hour, the ways that they leave, their lists, and what users chose. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type NewNotice, NOTICE_APART_MS, type StoredNotice } from "../../../../src/spool/port/notices.ts";
import { checksAt, NOW_MS, newDomain, newUserParts, type OpenStore } from "./store-suite.ts";
import type { OpenSpool } from "./suite.ts";

const HELD = {
  atMs: NOW_MS,
  accountId: "acc_default",
  kind: "key_held",
  cause: "key key_1",
  occurrence: "held 1",
  subject: "The API key website is held",
  text: "NUL \0 and ü\n\nA second paragraph",
  link: "/dashboard/keys",
};
const notice = (id: string, more: Partial<NewNotice> = {}): NewNotice => ({ ...HELD, id, ...more });

export function noticeConformance(name: string, open: OpenSpool): void {
  describe(`${name}: notices`, () => {
    it("keeps a notice across a crash, and the ways that it has left", async (t) => {
      const first = await open(t);
      assert.equal(await first.spool.addNotice(notice("ntc_1")), "added");
      await first.spool.noticeLeft("ntc_1", "post", NOW_MS + 5);
      const { spool } = await first.reopen();
      const { cause: _, occurrence: __, ...shown } = HELD;
      const text = shown.text.replace("\0", "\uFFFD");
      const stored: StoredNotice = { ...shown, text, id: "ntc_1", mailedAtMs: null, postedAtMs: NOW_MS + 5 };
      assert.deepEqual(await spool.notices({ accountId: null, limit: 10 }), { notices: [stored], cursor: null });
      assert.deepEqual(await spool.openNotices("mail", NOW_MS, 10), [stored]);
      assert.deepEqual(await spool.openNotices("post", NOW_MS, 10), []);
      assert.deepEqual(await spool.openNotices("mail", NOW_MS + 1, 10), []);
      await spool.noticeLeft("ntc_1", "mail", NOW_MS + 6);
      assert.deepEqual(await spool.openNotices("mail", NOW_MS, 10), []);
    });

    it("adds no occurrence twice, and none of a cause within the hour", async (t) => {
      const { spool } = await open(t);
      const again = { occurrence: "held 2" };
      assert.equal(await spool.addNotice(notice("ntc_1")), "added");
      assert.equal(await spool.addNotice(notice("ntc_2", { atMs: NOW_MS + 5 * NOTICE_APART_MS })), "known");
      assert.equal(
        await spool.addNotice(notice("ntc_3", { ...again, atMs: NOW_MS + NOTICE_APART_MS - 1 })),
        "too_soon",
      );
      assert.equal(await spool.addNotice(notice("ntc_4", { ...again, cause: "key key_2" })), "added", "another cause");
      assert.equal(await spool.addNotice(notice("ntc_5", { ...again, atMs: NOW_MS + NOTICE_APART_MS })), "added");
      const { notices } = await spool.notices({ accountId: null, limit: 10 });
      assert.deepEqual(
        notices.map(({ id }) => id),
        ["ntc_5", "ntc_4", "ntc_1"],
      );
    });

    it("adds one notice of several calls at the same moment", async (t) => {
      const { spool } = await open(t);
      const results = await Promise.all(["a", "b", "c", "d"].map((id) => spool.addNotice(notice(`ntc_${id}`))));
      assert.deepEqual(results.toSorted(), ["added", "known", "known", "known"]);
    });

    it("lists the notices of an account, or of all and the installation, a page at a time", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 5; i += 1)
        await spool.addNotice(
          notice(`ntc_${i}`, { cause: `cause ${i}`, accountId: ["acc_default", "acc_other", null][i % 3] ?? null }),
        );
      const own = await spool.notices({ accountId: "acc_default", limit: 10 });
      assert.deepEqual(
        own.notices.map(({ id }) => id),
        ["ntc_3", "ntc_0"],
      );
      const found: string[] = [];
      for (let cursor: number | null | undefined; cursor !== null; ) {
        const page = await spool.notices({ accountId: null, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        found.push(...page.notices.map(({ id }) => id));
        cursor = page.cursor;
      }
      assert.deepEqual(found, ["ntc_4", "ntc_3", "ntc_2", "ntc_1", "ntc_0"]);
    });

    it("removes the oldest, and forgets their causes", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 4; i += 1) await spool.addNotice(notice(`ntc_${i}`, { cause: `c ${i}`, atMs: NOW_MS - i }));
      assert.equal(await spool.removeNoticesBefore(NOW_MS, 2), 2);
      assert.equal(await spool.removeNoticesBefore(NOW_MS, 2), 1);
      assert.equal(await spool.removeNoticesBefore(NOW_MS, 2), 0);
      assert.equal((await spool.notices({ accountId: null, limit: 10 })).notices[0]?.id, "ntc_0");
      assert.equal(await spool.addNotice(notice("ntc_5", { cause: "c 3" })), "added");
      assert.equal(await spool.addNotice(notice("ntc_6", { cause: "c 0" })), "known");
    });
  });
}

export function noticeSetupConformance(name: string, open: OpenStore): void {
  describe(`${name}: what notices are made of`, () => {
    it("keeps what a user has chosen until the user is removed", async (t) => {
      const store = await open(t);
      const { people } = store;
      const [ann, ben] = [
        await store.createUser(newUserParts),
        await store.createUser({ ...newUserParts, email: "ben@shop.example" }),
      ];
      assert.ok(typeof ann !== "string" && typeof ben !== "string");
      await people.setNoticeChoices(ann.id, { key_held: "off", failed_messages: "each" });
      await people.setNoticeChoices(ann.id, { failed_messages: "digest" });
      await people.setNoticeChoices(ben.id, { key_held: "on" });
      await people.setNoticeChoices("usr_none", { key_held: "on" });
      assert.deepEqual(await people.noticeChoices(ann.id), [
        { userId: ann.id, name: "failed_messages", choice: "digest" },
        { userId: ann.id, name: "key_held", choice: "off" },
      ]);
      assert.equal((await people.noticeChoices(null)).length, 3);
      await people.removeUser(ann.id);
      assert.deepEqual(await people.noticeChoices(null), [{ userId: ben.id, name: "key_held", choice: "on" }]);
    });

    it("finds the domains that have begun to fail since a moment, the newest first", async (t) => {
      const store = await open(t);
      const atMs = [NOW_MS + 10, NOW_MS + 20, NOW_MS + 30] as const;
      const domain = await store.addDomain(newDomain);
      assert.ok(typeof domain !== "string");
      await store.saveChecks(domain.id, checksAt(atMs[0], "verified"), true, NOW_MS + 99);
      const failing = {
        ...checksAt(atMs[1], "verified"),
        mx: { ...checksAt(atMs[1], "failed").mx, failedSinceMs: atMs[1] },
      };
      await store.saveChecks(domain.id, failing, true, NOW_MS + 99);
      await store.saveChecks(domain.id, checksAt(atMs[2], "failed"), false, NOW_MS + 99);
      const find = async (sinceMs: number, limit = 10) =>
        (await store.domainTroubles({ accountId: null, sinceMs, limit })).map((each) => [
          each.accountId,
          each.domain,
          each.type,
          each.atMs,
        ]);
      const lost = ["acc_default", "shop.example", "domain.lost", atMs[2]];
      assert.deepEqual(await find(NOW_MS), [lost, ["acc_default", "shop.example", "domain.failing", atMs[1]]]);
      assert.deepEqual(await find(NOW_MS, 1), [lost]);
      assert.deepEqual(await find(atMs[2]), [lost]);
    });
  });
}
