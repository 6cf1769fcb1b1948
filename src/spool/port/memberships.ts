/** Memberships: the accounts that a user belongs to, and what the user may do in each. */

/** What users may do in an account. Each role may do what the later ones may. */
export const ROLES = ["owner", "developer", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export interface Membership {
  accountId: string;
  role: Role;
  /** Whether a group at the identity provider gives it. */
  byGroup: boolean;
  joinedAtMs: number;
}

/** The account that is used if none is current. */
export type Memberships = readonly [Membership, ...Membership[]];

interface Member {
  memberships: Memberships;
}

/** The account that counts where none is current. */
export const ownAccountId = ({ memberships: [own] }: Member): string => own.accountId;

/** Returns null if the user does not belong to the account. */
export const membershipIn = (
  { memberships }: { memberships: readonly Membership[] },
  accountId: string | null,
): Membership | null => memberships.find((each) => each.accountId === accountId) ?? null;

/** What the user may do in the account; null for nothing. Operators act as owners of every account. */
export const roleIn = (user: Member & { operator: boolean }, accountId: string): Role | null =>
  user.operator ? "owner" : (membershipIn(user, accountId)?.role ?? null);

/** The account, if the user belongs to it, else the user's own. */
export const accountOf = (user: Member, accountId: string | null): string =>
  membershipIn(user, accountId)?.accountId ?? ownAccountId(user);
