/**
 * How many attempts one account may have at once: as many as remain free. So a single account gets half of all slots, two get a
 * third each, and a newcomer always finds one: slots held for minutes by hosts that do not answer are never all of them.
 */
import type { ClaimRequest } from "../../spool/port/mail.ts";

/** The limits of a claim by account. */
export type AccountShares = Required<Pick<ClaimRequest, "perAccount" | "accountAllowance">>;

/** How many attempts each account may begin now, by its attempts under way, with `free` slots left of all. */
export function accountShares(attempts: ReadonlyMap<string, number>, free: number): AccountShares {
  // The largest n for which has + n <= free - n; rounded up so that the last free slot can be used.
  const share = (has: number): number => Math.max(0, Math.ceil((free - has) / 2));
  const accountAllowance = Object.fromEntries([...attempts].map(([accountId, has]) => [accountId, share(has)]));
  return { perAccount: share(0), accountAllowance };
}
