import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FailedFilter } from "../../../src/spool/port/operations.ts";
import { type FailedRecipient, selectRetried, selectsFailed } from "../../../src/spool/records/failed-filter.ts";

const NOW_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const failed = (parts: Partial<FailedRecipient> = {}): FailedRecipient => ({
  email: "ann@a.example",
  domain: "a.example",
  reason: "rejected",
  category: "policy",
  failedAtMs: NOW_MS - HOUR_MS,
  smtp: null,
  ...parts,
});
const selects = (filter: Partial<FailedFilter>, parts: Partial<FailedRecipient> = {}): boolean =>
  selectsFailed({ accountId: "acc_default", nowMs: NOW_MS, ...filter }, failed(parts));

describe("a filter of failed recipients", () => {
  it("selects by address, domain, reason, category and time", () => {
    assert.equal(selects({}), true);
    assert.equal(
      selects({ email: "ann@a.example", domain: "a.example", reason: "rejected", category: "policy" }),
      true,
    );
    for (const filter of [
      { email: "bob@a.example" },
      { domain: "b.example" },
      { reason: "expired" },
      { category: "reputation" },
      { sinceMs: NOW_MS },
    ] as const)
      assert.equal(selects(filter), false, JSON.stringify(filter));
  });

  it("selects by the exchanger of the last reply, on label borders", () => {
    const exchangers = { domains: ["outlook.com", "example.com"], except: ["olc.protection.outlook.com"] };
    const of = (mx: string | null): boolean => selects({ exchangers }, { smtp: mx === null ? null : { mx } });
    const hosts = ["a.Outlook.com", "example.com", "notexample.com", "x.olc.protection.outlook.com", null];
    assert.deepEqual(hosts.map(of), [true, true, false, false, false]);
  });

  it("leaves out suppressed recipients unless their reason is named", () => {
    assert.equal(selects({}, { reason: "suppressed" }), false);
    assert.equal(selects({ reason: "suppressed" }, { reason: "suppressed" }), true);
  });

  it("leaves out what failed during the pass, but not what failed while the clock was ahead", () => {
    assert.equal(selects({}, { failedAtMs: NOW_MS }), true);
    assert.equal(selects({}, { failedAtMs: NOW_MS + 1 }), false);
    assert.equal(selects({}, { failedAtMs: NOW_MS + HOUR_MS }), false);
    assert.equal(selects({}, { failedAtMs: NOW_MS + HOUR_MS + 1 }), true);
  });
});

describe("a retry of failed recipients", () => {
  const step = { accountId: "acc_default", nowMs: NOW_MS, expiresAtMs: NOW_MS, limit: 10, after: null, dryRun: false };
  const row = (email: string, parts: { deadlineMs?: number; hasContent?: boolean } = {}) => ({
    ...failed({ email }),
    messageId: `msg_${email}`,
    deadlineMs: null,
    hasContent: true,
    ...parts,
  });
  const rows = [
    row("due"),
    row("later", { deadlineMs: NOW_MS + 1 }),
    row("late", { deadlineMs: NOW_MS }),
    row("empty", { hasContent: false, deadlineMs: NOW_MS }),
  ];
  const retried = (email: string) => ({ messageId: `msg_${email}`, email, category: "policy" });

  it("leaves out those without content, and those whose deadline is over", () => {
    const { due, result } = selectRetried(step, rows);
    assert.deepEqual(due, rows.slice(0, 2));
    assert.deepEqual(result, { recipients: [retried("due"), retried("later")], contentDeleted: 1, pastDeadline: 1 });
  });

  it("ignores the deadline if it names the message", () => {
    const { result } = selectRetried({ ...step, messageId: "msg_late" }, rows.slice(2));
    assert.deepEqual(result, { recipients: [retried("late")], contentDeleted: 1, pastDeadline: 0 });
  });
});
