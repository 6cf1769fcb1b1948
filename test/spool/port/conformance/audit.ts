/** The audit trail. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuditEntry, AuditFilter } from "../../../../src/spool/port/audit.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { NOW_MS, type OpenSpool } from "./suite.ts";

const entry = (id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  atMs: NOW_MS,
  accountId: "acc_default",
  actor: { kind: "user", id: "usr_ann", name: "Ann@Shop.example", ip: "192.0.2.7" },
  action: "domain.added",
  target: { kind: "domain", id: "dom_one", name: "shop.example" },
  before: null,
  after: { selector: "one", nothing: null, list: ["a", 1, true] },
  ...more,
});

const idsOf = async (spool: Spool, filter: Partial<AuditFilter> = {}): Promise<string[]> =>
  (await spool.auditEntries({ accountId: null, limit: 100, ...filter })).entries.map(({ id }) => id);

export function auditConformance(name: string, open: OpenSpool): void {
  describe(`${name}: audit trail`, () => {
    it("keeps an entry as it is across a crash", async (t) => {
      const first = await open(t);
      const keyed = entry("aud_2", {
        accountId: null,
        actor: { kind: "command_line", id: null, name: "command line", ip: null },
        target: { kind: "node", id: null, name: null },
        before: { text: "NUL \0 and ü" },
        after: null,
      });
      await first.spool.recordAudit(entry("aud_1"));
      await first.spool.recordAudit(keyed);
      const { spool } = await first.reopen();
      const page = await spool.auditEntries({ accountId: null, limit: 100 });
      assert.deepEqual(page, { entries: [keyed, entry("aud_1")], cursor: null });
    });

    it("gives an entry of the same id another target and other fields, in its place", async (t) => {
      const { spool } = await open(t);
      await spool.recordAudit(entry("aud_1"));
      await spool.recordAudit(entry("aud_2"));
      const target = { kind: "domain", id: null, name: "2 domains" };
      await spool.recordAudit(entry("aud_1", { atMs: NOW_MS + 5, target, before: { a: 1 }, after: null }));
      const { entries } = await spool.auditEntries({ accountId: null, limit: 100 });
      assert.deepEqual(entries, [entry("aud_2"), entry("aud_1", { target, before: { a: 1 }, after: null })]);
    });

    it("filters by account, actor, action, target and time", async (t) => {
      const { spool } = await open(t);
      await spool.recordAudit(entry("aud_1"));
      const actor = { kind: "key", id: "key_1", name: "100%_web\\", ip: "192.0.2.8" } as const;
      await spool.recordAudit(entry("aud_2", { actor, action: "domain.removed", atMs: NOW_MS + 1 }));
      const target = { kind: "user", id: "usr_bob", name: "bob@shop.example" };
      await spool.recordAudit(entry("aud_3", { accountId: "acc_other", action: "user.removed", target }));
      const visitor = { kind: "visitor", id: null, name: null, ip: "192.0.2.9" } as const;
      await spool.recordAudit(entry("aud_4", { accountId: null, actor: visitor, action: "sign_in_failed", target }));
      assert.deepEqual(await idsOf(spool), ["aud_4", "aud_3", "aud_2", "aud_1"]);
      assert.deepEqual(await idsOf(spool, { accountId: "acc_default" }), ["aud_2", "aud_1"]);
      assert.deepEqual(await idsOf(spool, { by: "ann@" }), ["aud_3", "aud_1"]);
      assert.deepEqual(await idsOf(spool, { by: "key_1" }), ["aud_2"]);
      assert.deepEqual(await idsOf(spool, { by: "0%_W" }), ["aud_2"]);
      assert.deepEqual(await idsOf(spool, { by: "b\\" }), ["aud_2"]);
      assert.deepEqual(await idsOf(spool, { by: "%" }), ["aud_2"]);
      assert.deepEqual(await idsOf(spool, { action: "domain." }), ["aud_2", "aud_1"]);
      assert.deepEqual(await idsOf(spool, { action: "domain.added" }), ["aud_1"]);
      assert.deepEqual(await idsOf(spool, { action: "omain" }), []);
      assert.deepEqual(await idsOf(spool, { target: "usr_bob" }), ["aud_4", "aud_3"]);
      assert.deepEqual(await idsOf(spool, { target: "shop.example", accountId: "acc_default" }), ["aud_2", "aud_1"]);
      assert.deepEqual(await idsOf(spool, { sinceMs: NOW_MS + 1 }), ["aud_2"]);
      assert.deepEqual(await idsOf(spool, { untilMs: NOW_MS + 1 }), ["aud_4", "aud_3", "aud_1"]);
      assert.deepEqual(await idsOf(spool, { by: "ann", action: "user.", accountId: "acc_other" }), ["aud_3"]);
    });

    it("lists in pages, each entry once", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 7; i += 1) await spool.recordAudit(entry(`aud_${i}`, { action: i % 2 ? "odd" : "even" }));
      const pages: string[][] = [];
      const filter = { accountId: "acc_default", limit: 3 };
      for (let cursor: number | null = Number.MAX_SAFE_INTEGER; cursor !== null; ) {
        const page = await spool.auditEntries({ ...filter, cursor });
        pages.push(page.entries.map(({ id }) => id));
        cursor = page.cursor;
      }
      assert.deepEqual(pages, [["aud_6", "aud_5", "aud_4"], ["aud_3", "aud_2", "aud_1"], ["aud_0"]]);
      const even = await spool.auditEntries({ ...filter, action: "even", limit: 4 });
      assert.deepEqual([even.entries.length, even.cursor], [4, null]);
    });

    it("removes old entries in bounded steps, the oldest first", async (t) => {
      const { spool } = await open(t);
      for (let i = 0; i < 5; i += 1) await spool.recordAudit(entry(`aud_${i}`, { atMs: NOW_MS - i }));
      assert.equal(await spool.removeAuditBefore(NOW_MS, 3), 3);
      assert.deepEqual(await idsOf(spool), ["aud_1", "aud_0"]);
      assert.equal(await spool.removeAuditBefore(NOW_MS, 3), 1);
      assert.equal(await spool.removeAuditBefore(NOW_MS, 3), 0);
      assert.deepEqual(await idsOf(spool), ["aud_0"]);
    });
  });
}
