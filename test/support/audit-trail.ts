/** The audit trail in tests: what was added to it, and whether it holds a secret. */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { AuditEntry, AuditTrail } from "../../src/spool/port/audit.ts";

/** All entries, the newest first. */
export async function allEntries(store: Pick<AuditTrail, "auditEntries">): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let cursor: number | null = Number.MAX_SAFE_INTEGER; cursor !== null; ) {
    const page = await store.auditEntries({ accountId: null, cursor, limit: 100 });
    entries.push(...page.entries);
    cursor = page.cursor;
  }
  return entries;
}

/** The entries of some actions, the newest first. */
export async function entriesOf(store: Pick<AuditTrail, "auditEntries">, actions: string[]): Promise<AuditEntry[]> {
  return (await allEntries(store)).filter(({ action }) => actions.includes(action));
}

/** Returns the entries that are not among `former`, once there is one. */
export async function newEntries(
  store: Pick<AuditTrail, "auditEntries">,
  former: readonly AuditEntry[],
): Promise<AuditEntry[]> {
  const known = new Set(former.map(({ id }) => id));
  for (let looks = 0; looks < 200; looks += 1) {
    const added = (await allEntries(store)).filter(({ id }) => !known.has(id));
    if (added.length > 0) return added;
    await setTimeout(25);
  }
  return [];
}

/** Asserts that no entry has one of these texts, and that there are some to look for. */
export function assertNoSecrets(entries: readonly AuditEntry[], secrets: readonly string[]): void {
  const text = JSON.stringify(entries);
  assert.ok(secrets.length > 5);
  for (const secret of secrets) {
    assert.ok(secret.length >= 6, `'${secret}' is too short to look for`);
    assert.ok(!text.includes(secret), `the trail has the secret ${secret}`);
  }
}
