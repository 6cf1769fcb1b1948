/**
 * How many attempts one account may have at once. An account may hold up to HELD_PER_FREE times what remains free, so
 * that one alone gets two thirds of all places, several get less each, and whoever comes next finds one: places held for
 * minutes by hosts that do not answer are never all there are.
 */

const HELD_PER_FREE = 2;

/** As a claim asks for it; see ClaimRequest in the spool's port. */
export interface AccountShares {
  perAccount: number;
  accountAllowance: Record<string, number>;
}

/** What each account may begin now, by how many attempts it has under way, with `free` places left of all. */
export function accountShares(held: ReadonlyMap<string, number>, free: number): AccountShares {
  // n more of f free places leave f - n: the most for which held + n <= HELD_PER_FREE * (f - n), rounded up.
  const share = (has: number): number => Math.max(0, Math.ceil((HELD_PER_FREE * free - has) / (HELD_PER_FREE + 1)));
  const accountAllowance = Object.fromEntries([...held].map(([accountId, has]) => [accountId, share(has)]));
  return { perAccount: share(0), accountAllowance };
}
