/** What a person decides about an API key that is held, and about its fuse (message/key-fuse.ts). */
import { HELD } from "../../message/result/reasons.ts";
import type { KeyFuse, KeyFuses, NamedKey } from "../../spool/port/key-fuses.ts";
import { type BulkAction, type BulkParts, type BulkTotals, runBulk } from "./bulk-actions.ts";

export interface HeldMail extends NamedKey {
  /** Who acts, for the histories. */
  by: string;
  maxAgeMs: number;
}

/** Makes the held mail of a key due now, or cancels it. Mail that has changed since is not touched. */
export function actOnHeld(
  parts: BulkParts,
  action: Extract<BulkAction, "try-now" | "cancel">,
  { accountId, keyId, by, maxAgeMs }: HeldMail,
  now: () => number,
): Promise<BulkTotals> {
  const filter = { accountId, keyId, reason: HELD };
  return runBulk(parts, { action, filter, scope: { atMs: now(), sinceMs: null }, by, maxAgeMs, renews: true }, now);
}

/** Releases a key, and lets its held mail be tried. Null if it is not held. */
export async function releaseHeld(
  parts: BulkParts & { spool: Pick<KeyFuses, "releaseKey"> },
  held: HeldMail,
  now: () => number,
): Promise<BulkTotals | null> {
  const { accountId, keyId } = held;
  if (!(await parts.spool.releaseKey({ accountId, keyId, atMs: now() }))) return null;
  return actOnHeld(parts, "try-now", held, now);
}

export async function fuseOf(
  store: Pick<KeyFuses, "keyFuses">,
  { accountId, keyId }: NamedKey,
): Promise<KeyFuse | null> {
  const fuses = await store.keyFuses();
  return fuses.find((fuse) => fuse.keyId === keyId && fuse.accountId === accountId) ?? null;
}
