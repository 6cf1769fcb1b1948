/** What a store records for its actor: one entry for an action, also of many steps, and none for what has not changed. */

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Actor } from "../../../src/app/audit/actor.ts";
import { auditedStore, STORE_RULES } from "../../../src/app/audit/audited-store.ts";
import type { Rules } from "../../../src/app/audit/rule.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { FULL_ACCESS } from "../../../src/spool/port/api-keys.ts";
import { AUDIT_FIELDS_MAX } from "../../../src/spool/port/audit.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import { allEntries } from "../../support/audit-trail.ts";
import { HOUR_MS, newMessage, recipientsAt } from "../../support/messages.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";
import { openNode } from "../../support/postgres/open-node.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NOW_MS = 1_700_000_000_000;
const KEY: Actor = { type: "key", id: "key_1", name: "manager", ip: "192.0.2.7", accountId: "acc_default" };

/** A method without a rule does not compile. */
type Two = Pick<Store, "createAccount" | "accounts">;
// @ts-expect-error createAccount is missing.
const _incomplete: Rules<Two> = { accounts: "read" };

type OpenStore = (t: TestContext) => Promise<Store>;

const openFiles: OpenStore = async (t) => {
  const store = await openSqliteSpool({ dataDir: tempDir(t), role: "client", onFatal });
  t.after(() => store.close());
  return store;
};

const openDatabase: OpenStore = async (t) => {
  const { url } = await freshDatabase(t);
  return { ...(await openNode(t, url, "client")).store };
};

const onFatal = (error: Error): never => {
  throw error;
};

async function sceneOn(t: TestContext, open: OpenStore) {
  const store = await open(t);
  const faults: unknown[] = [];
  const parts = { clock: { now: () => NOW_MS }, onFault: (error: unknown) => faults.push(error) };
  const actAs = (actor: Actor = KEY): Store => auditedStore(store, actor, parts);
  const sent = async (count: number): Promise<string> => {
    const recipients = recipientsAt("a.example", count);
    const message = newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + HOUR_MS, recipients });
    await store.accept(message);
    return message.id;
  };
  return { store, faults, actAs, sent };
}

function auditsOn(name: string, open: OpenStore, skip: string | false): void {
  const scene = (t: TestContext) => sceneOn(t, open);
  describe(name, { skip }, () => {
    it("records the steps of an action as one entry with their sums, whatever their order", async (t) => {
      const { store, actAs, sent } = await scene(t);
      const ids = [await sent(1), await sent(2), await sent(3)];
      const acting = actAs();
      const cancel = (messageId: string, positions: number[]) =>
        acting.cancel({ accountId: "acc_default", recipients: [{ messageId, positions }], by: "x", nowMs: NOW_MS });
      await cancel(ids[0] ?? "", [0]);
      const [first] = await allEntries(store);
      assert.deepEqual([first?.target.id, first?.after], [ids[0], { recipients: 1, messages: 1 }]);
      await Promise.all([cancel(ids[1] ?? "", [0, 1]), cancel(ids[2] ?? "", [0]), cancel(ids[2] ?? "", [1, 2])]);
      await cancel(ids[0] ?? "", [0]);
      const entries = await allEntries(store);
      assert.equal(entries.length, 1);
      assert.deepEqual(entries[0], {
        id: first?.id,
        atMs: NOW_MS,
        accountId: "acc_default",
        actor: { kind: "key", id: "key_1", name: "manager", ip: "192.0.2.7" },
        action: "message.cancelled",
        target: { kind: "message", id: null, name: null },
        before: null,
        after: { recipients: 6, messages: 3 },
      });
      await actAs().retryDomain({ accountId: "acc_default", domain: "a.example", nowMs: NOW_MS, limit: 10 });
      assert.equal((await allEntries(store)).length, 1, "nothing was due later");
    });

    it("makes the change and reports the fault where the entry cannot be written", async (t) => {
      const { store, faults, actAs } = await scene(t);
      const fault = new Error("the disk is full");
      const acting = auditedStore(
        new Proxy(store, {
          get: (target, name) => {
            if (name === "recordAudit") return () => Promise.reject(fault);
            const member: unknown = Reflect.get(target, name);
            return typeof member === "function" ? member.bind(target) : member;
          },
        }),
        KEY,
        { clock: { now: () => NOW_MS }, onFault: (error) => faults.push(error) },
      );
      assert.ok((await acting.createAccount("shop", NOW_MS)) !== "exists");
      assert.deepEqual(faults, [fault]);
      assert.notEqual(await store.accountNamed("shop"), null);
      assert.deepEqual(await allEntries(store), []);
      await actAs().createAccount("other", NOW_MS);
      assert.equal((await allEntries(store)).length, 1);
    });

    it("records nothing for what fails, what is so already, and what the service does by itself", async (t) => {
      const { store, actAs } = await scene(t);
      const acting = actAs();
      await acting.setQuota("acc_default", null);
      await acting.revokeKey("acc_default", "key_none", NOW_MS);
      await acting.removeDomain("acc_default", "none.example", NOW_MS);
      await acting.people.setPassword("usr_none", "hash");
      await acting.people.endSessions("usr_none", null);
      await acting.changeEndpoint({ accountId: "acc_default", endpointId: "end_none", change: { type: "resume" } });
      await acting.resumeDomain("a.example");
      await acting.writeValue("probe-requests", "[]");
      await acting.writeValue("deleted-by-owner acc_1", "5");
      await acting.writeNodeValue("readiness", "x");
      await acting.touchKey("key_none", NOW_MS);
      await acting.accept(newMessage({ createdAtMs: NOW_MS, expiresAtMs: NOW_MS + HOUR_MS }));
      assert.deepEqual(await allEntries(store), []);
    });

    it("records an entry of the key-value store that has no rule, without its value", async (t) => {
      const { store, actAs } = await scene(t);
      await actAs().writeValue("new-setting", "a secret value");
      await actAs().writeValue("new-setting", "a secret value");
      const entries = await allEntries(store);
      assert.deepEqual(
        entries.map(({ action, target }) => [action, target.name]),
        [["setting.changed", "new-setting"]],
      );
      assert.ok(!JSON.stringify(entries).includes("a secret value"));
    });

    it("bounds the fields of an entry", async (t) => {
      const { store, actAs } = await scene(t);
      const domains = Array.from({ length: 1000 }, (_, i) => `domain-${i}.example`);
      const key = {
        accountId: "acc_default",
        name: "web",
        hash: Buffer.alloc(32),
        lastFour: "abcd",
        createdAtMs: 1,
        keysMax: 9,
      };
      await actAs().createKey({ ...key, access: { ...FULL_ACCESS, permissions: ["send"], domains } });
      const [entry] = await allEntries(store);
      assert.ok(JSON.stringify(entry?.after).length <= AUDIT_FIELDS_MAX);
      assert.deepEqual(entry?.after, {
        permissions: ["send"],
        domains: `left out: ${JSON.stringify(domains).length} octets`,
        networks: null,
        expires_at: null,
        test: false,
      });
    });

    it("records the drain of a node", async (t) => {
      const { store, actAs } = await scene(t);
      const names = ["mail-2#1", "mail-2#2"];
      const drain = async (name: string) =>
        name === "mail-2" ? { type: "draining" as const, names } : { type: "unknown_node" as const, names };
      const resume = async () => ({ type: "resumed" as const, names });
      Object.assign(store, { nodes: { own: null, list: async () => [], drain, resume, sendingIps: async () => [] } });
      await actAs({ type: "command_line", accountId: "acc_default" }).nodes?.drain("none");
      await actAs({ type: "command_line", accountId: "acc_default" }).nodes?.drain("mail-2");
      await actAs({ type: "command_line", accountId: "acc_default" }).nodes?.resume("mail-2");
      assert.deepEqual(
        (await allEntries(store)).map(({ action, accountId, actor, target, after }) => [
          action,
          accountId,
          actor.name,
          target.name,
          after,
        ]),
        [
          ["node.resumed", null, "command line", "mail-2", { nodes: names }],
          ["node.drained", null, "command line", "mail-2", { nodes: names }],
        ],
      );
    });
  });
}

auditsOn("SQLite", openFiles, false);
auditsOn("PostgreSQL", openDatabase, missingPostgres());

it("gives the reason of each method that is not recorded", () => {
  for (const [name, rule] of Object.entries(STORE_RULES)) {
    if (typeof rule === "object") assert.match(rule.notAudited, /^[a-z].*[a-z]$/, name);
  }
});
