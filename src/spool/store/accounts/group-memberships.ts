/** Memberships that groups at the identity provider give: at each sign-in they become those that the groups give then. */
import type { Session } from "../../engine/session.ts";
import { membershipIn } from "../../port/memberships.ts";
import type { User } from "../../port/people.ts";
import type { GroupGrant, PlaceFault, ProviderChange, ProviderSignIn } from "../../port/provider-sign-ins.ts";
import { isAccountDeleted } from "./accounts.ts";
import { countPlaces } from "./invitations.ts";
import { addMembership, leaveAccount, membershipsOf, setRole } from "./memberships.ts";

export interface GrantOutcome {
  changes: ProviderChange[];
  withoutPlace: { accountId: string; fault: PlaceFault }[];
  /** False if the user's only membership is one that no group gives any more. */
  hasAccount: boolean;
}

type Grants = Pick<ProviderSignIn, "grants" | "usersMax" | "nowMs">;

/** The accounts whose locks applyGrants needs. */
export const accountsOfGrants = (user: User | null, grants: readonly GroupGrant[]): string[] => {
  if (user?.operator === true) return [];
  const byGroup = user?.memberships.filter((each) => each.byGroup) ?? [];
  return [...grants, ...byGroup].map(({ accountId }) => accountId);
};

/** `user`: as the caller has read it, with the locks of the accounts. What was given otherwise stays as it is. */
export async function applyGrants(session: Session, user: User, grants: Grants): Promise<GrantOutcome> {
  if (user.operator) return { changes: [], withoutPlace: [], hasAccount: true };
  await session.lock("users", user.id);
  // Before others end, so that the user always has one.
  const { changes, withoutPlace } = await addGiven(session, user, grants);
  const given = new Set(grants.grants.map(({ accountId }) => accountId));
  for (const { accountId, role, byGroup } of user.memberships.toReversed()) {
    if (!byGroup || given.has(accountId)) continue;
    if (await leaveAccount(session, { userId: user.id, accountId })) changes.push({ type: "left", accountId, role });
  }
  const left = (await membershipsOf(session, user.id)) ?? [];
  return { changes, withoutPlace, hasAccount: left.some((each) => !each.byGroup || given.has(each.accountId)) };
}

async function addGiven(session: Session, user: User, { grants, usersMax, nowMs }: Grants) {
  const changes: ProviderChange[] = [];
  const withoutPlace: GrantOutcome["withoutPlace"] = [];
  for (const { accountId, role } of grants) {
    const former = membershipIn(user, accountId);
    if (former === null) {
      const fault = await placeFault(session, accountId, { usersMax, nowMs });
      if (fault === null) {
        await addMembership(session, user.id, { accountId, role, byGroup: true, joinedAtMs: nowMs });
        changes.push({ type: "joined", accountId, role });
      } else withoutPlace.push({ accountId, fault });
    } else if (former.byGroup && former.role !== role) {
      await setRole(session, { userId: user.id, accountId }, role);
      changes.push({ type: "role_changed", accountId, before: former.role, after: role });
    }
  }
  return { changes, withoutPlace };
}

/** Why the account has no place for another user; null if it has. `usersMax`: null for no limit. */
export async function placeFault(
  session: Session,
  accountId: string,
  { usersMax, nowMs }: { usersMax: number | null; nowMs: number },
): Promise<PlaceFault | null> {
  if (await isAccountDeleted(session, accountId)) return "account_deleted";
  return usersMax !== null && (await countPlaces(session, accountId, nowMs)) >= usersMax ? "too_many_users" : null;
}
