/**
 * How many attempts one account may have at once: as many as remain free. So one alone gets half of all places, two a
 * third each, and whoever comes next finds one: places held for minutes by hosts that do not answer are never all.
 */

/** As a claim asks for it; see ClaimRequest in the spool's port. */
export interface AccountShares {
  perAccount: number;
  accountAllowance: Record<string, number>;
}

/** What each account may begin now, by how many attempts it has under way, with `free` places left of all. */
export function accountShares(held: ReadonlyMap<string, number>, free: number): AccountShares {
  // The most for which has + n <= free - n; rounded up, so that the last free place is somebody's.
  const share = (has: number): number => Math.max(0, Math.ceil((free - has) / 2));
  const accountAllowance = Object.fromEntries([...held].map(([accountId, has]) => [accountId, share(has)]));
  return { perAccount: share(0), accountAllowance };
}
