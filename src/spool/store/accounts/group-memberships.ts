/** Memberships that groups at the identity provider give: at each sign-in they become those that the groups give then. */
import type { Session } from "../../engine/session.ts";
import { type Membership, membershipIn } from "../../port/memberships.ts";
import type { User } from "../../port/people.ts";
import type { PlaceFault, ProviderChange, ProviderSignIn } from "../../port/provider-sign-ins.ts";
import { isAccountDeleted } from "./accounts.ts";
import { countPlaces } from "./invitations.ts";
import { addMembership, hasOtherOwner, leaveAccount, membershipsOf, setRole } from "./memberships.ts";

export interface GrantOutcome {
  changes: ProviderChange[];
  withoutPlace: { accountId: string; fault: PlaceFault }[];
  /** False if the user's only membership is one that no group gives any more. */
  hasAccount: boolean;
}

interface Grants extends Pick<ProviderSignIn, "grants" | "usersMax" | "nowMs"> {
  /**
   * Whether the user is linked to the person only now. Whoever had the user's password so far may be somebody else, who has taken the address
   * by their own invitation: if groups give an account, the user leaves all others, but those without another owner.
   */
  isLinked: boolean;
}

/** The accounts whose locks applyGrants needs. */
export const accountsOfGrants = (
  user: User | null,
  { grants, isLinked }: Pick<Grants, "grants" | "isLinked">,
): string[] => {
  if (user?.operator === true) return [];
  const ending = user?.memberships.filter(({ byGroup }) => byGroup || isLinked) ?? [];
  return [...grants, ...ending].map(({ accountId }) => accountId);
};

/**
 * `user`: as the caller has read it, with the locks of the accounts. What was given otherwise stays as it is, unless the user is linked. A
 * membership that is left although no group gives it any more becomes a viewer's.
 */
export async function applyGrants(session: Session, user: User, grants: Grants): Promise<GrantOutcome> {
  if (user.operator) return { changes: [], withoutPlace: [], hasAccount: true };
  await session.lock("users", user.id);
  // Before others end, so that the user always has one.
  const { changes, withoutPlace } = await addGiven(session, user, grants);
  const given = new Set(grants.grants.map(({ accountId }) => accountId));
  const isGiven = ({ accountId }: Membership): boolean => given.has(accountId);
  const isUnproven = grants.isLinked && ((await membershipsOf(session, user.id)) ?? []).some(isGiven);
  for (const membership of user.memberships.toReversed()) {
    if (isGiven(membership) || !(membership.byGroup || isUnproven)) continue;
    const { accountId, role, byGroup } = membership;
    const key = { userId: user.id, accountId };
    if (!byGroup && role === "owner" && !(await hasOtherOwner(session, key))) continue;
    if (await leaveAccount(session, key)) changes.push({ type: "left", accountId, role });
  }
  const left = (await membershipsOf(session, user.id)) ?? [];
  const hasAccount = left.some((each) => !each.byGroup || isGiven(each));
  for (const { accountId, role } of hasAccount ? [] : left) {
    if (role === "viewer") continue;
    await setRole(session, { userId: user.id, accountId }, "viewer");
    changes.push({ type: "role_changed", accountId, before: role, after: "viewer" });
  }
  return { changes, withoutPlace, hasAccount };
}

async function addGiven(session: Session, user: User, { grants, usersMax, nowMs }: Omit<Grants, "isLinked">) {
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
