/** The list of the audit trail, in pages, and an entry as JSON. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { auditView, listAudit } from "../../../src/app/audit/list-audit.ts";
import type { Account } from "../../../src/spool/port/accounts.ts";
import type { AuditEntry, AuditFilter } from "../../../src/spool/port/audit.ts";

const ENTRY: AuditEntry = {
  id: "aud_1",
  atMs: Date.UTC(2026, 0, 2),
  accountId: "acc_1",
  actor: { kind: "user", id: "usr_1", name: "ann@shop.example", ip: "192.0.2.7" },
  action: "user.role_changed",
  target: { kind: "user", id: "usr_2", name: "bob@shop.example" },
  before: { role: "owner" },
  after: { role: "viewer" },
};

function sources(cursor: number | null = null) {
  const filters: AuditFilter[] = [];
  const accounts = [
    { id: "acc_1", name: "shop", isEmptied: false },
    { id: "acc_2", name: "", isEmptied: true },
  ] as Account[];
  return {
    filters,
    accounts: async () => accounts,
    async auditEntries(filter: AuditFilter) {
      filters.push(filter);
      return { entries: [ENTRY, { ...ENTRY, accountId: "acc_2" }, { ...ENTRY, accountId: null }], cursor };
    },
  };
}

it("names the accounts, and passes only the filters that are given", async () => {
  const store = sources(17);
  const { entries, next } = await listAudit(store, {
    accountId: null,
    by: "",
    action: "user.",
    after: "42",
    limit: 500,
  });
  assert.deepEqual(store.filters, [{ accountId: null, action: "user.", cursor: 42, limit: 100 }]);
  assert.deepEqual(
    entries.map(({ account }) => account),
    ["shop", null, null],
  );
  assert.equal(next, "17");
});

it("begins at the first page where the cursor is malformed, and bounds the limit", async () => {
  const store = sources();
  for (const after of ["x", "-1", "", null]) await listAudit(store, { accountId: "acc_1", after, limit: 0 });
  assert.deepEqual(
    new Set(store.filters.map((filter) => JSON.stringify(filter))),
    new Set(['{"accountId":"acc_1","limit":1}']),
  );
});

it("shows an entry as JSON", async () => {
  const { entries } = await listAudit(sources(), { accountId: "acc_1" });
  const [first, , installation] = entries.map(auditView);
  assert.deepEqual(first, {
    id: "aud_1",
    at: "2026-01-02T00:00:00.000Z",
    actor: { type: "user", id: "usr_1", name: "ann@shop.example" },
    ip: "192.0.2.7",
    action: "user.role_changed",
    target: { type: "user", id: "usr_2", name: "bob@shop.example" },
    account: { id: "acc_1", name: "shop" },
    before: { role: "owner" },
    after: { role: "viewer" },
  });
  assert.equal(installation?.account, null);
});
