/**
 * Sign-ins by the identity provider. What leads to a user is looked up twice: to find the accounts whose locks are needed, and again under
 * those locks, so that two sign-ins of one person at the same time create one user.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { foldedEmail } from "../../port/folded-email.ts";
import { INVITATION_MS } from "../../port/invitations.ts";
import type { User } from "../../port/people.ts";
import type {
  GroupGrant,
  PlaceFault,
  ProviderChange,
  ProviderEntry,
  ProviderRefusal,
  ProviderSignIn,
  ProviderSignOut,
} from "../../port/provider-sign-ins.ts";
import { insertUser } from "./accounts.ts";
import { accountsOfGrants, applyGrants, placeFault } from "./group-memberships.ts";
import { setTotp } from "./second-factors.ts";
import { findUser, findUserNamed, setPassword } from "./users.ts";

interface FoundInvitation extends GroupGrant {
  id: string;
  email: string;
  invitedBy: string;
}

/** Whom a sign-in leads to, the first that there is. */
interface Found {
  /** Whether the person's subject is known. */
  isKnown: boolean;
  user: User | null;
  invitation: FoundInvitation | null;
}

const findIdentity = statement<{ userId: string }>(
  `SELECT user_id AS "userId" FROM provider_identities WHERE issuer = $1 AND subject = $2`,
);
const hasIdentity = statement("SELECT 1 FROM provider_identities WHERE issuer = $1 AND user_id = $2");
const addIdentity = statement("INSERT INTO provider_identities (issuer, subject, user_id) VALUES ($1, $2, $3)");
// Of one address, an account has at most one.
const openInvitations = statement<FoundInvitation>(
  `SELECT id, account_id AS "accountId", email, role, invited_by AS "invitedBy" FROM invitations
     WHERE lower(email) = $1 AND abs(created_at_ms - CAST($2 AS bigint)) < ${INVITATION_MS}
       AND account_id IN (SELECT id FROM accounts WHERE deleted_at_ms IS NULL)
     ORDER BY created_at_ms DESC, id LIMIT 100`,
);
const dropInvitation = statement("DELETE FROM invitations WHERE id = $1");
const endAll = statement("DELETE FROM sessions WHERE user_id = $1");
const endOfPerson = statement<{ userId: string }>(
  `DELETE FROM sessions WHERE provider_sid IS NOT NULL
     AND user_id = (SELECT user_id FROM provider_identities WHERE issuer = $1 AND subject = $2)
   RETURNING user_id AS "userId"`,
);
const endOfSession = statement<{ userId: string }>(
  `DELETE FROM sessions WHERE provider_sid = $1
     AND user_id IN (SELECT user_id FROM provider_identities WHERE issuer = $2 AND (subject = $3 OR $3 IS NULL))
   RETURNING user_id AS "userId"`,
);

/** Writes. */
export const providerSignInOperations = { enterByProvider, endProviderSessions };

async function find(session: Session, { issuer, subject, email, grants, nowMs }: ProviderSignIn): Promise<Found> {
  const identity = await first(session, findIdentity, [issuer, subject]);
  const user = await (identity === null ? findUserNamed(session, email) : findUser(session, identity.userId));
  const invitation = user === null ? await invitationOf(session, { email, grants, nowMs }) : null;
  return { isKnown: identity !== null, user, invitation };
}

/**
 * An owner of any account can invite any address. So accounts of groups go first, and of invitations of several accounts the person has to
 * choose by their links.
 */
async function invitationOf(
  session: Session,
  { email, grants, nowMs }: Pick<ProviderSignIn, "email" | "grants" | "nowMs">,
): Promise<FoundInvitation | null> {
  const { rows } = await session.run(openInvitations, [foldedEmail(email), nowMs]);
  const isGiven = ({ accountId }: FoundInvitation): boolean => grants.some((grant) => grant.accountId === accountId);
  const counting = grants.length === 0 ? rows : rows.filter(isGiven);
  return counting.length === 1 ? (counting[0] ?? null) : null;
}

async function enterByProvider(session: Session, signIn: ProviderSignIn): Promise<ProviderEntry> {
  const locked = accountsOf(await find(session, signIn), signIn);
  for (const accountId of locked) await session.lock("accounts", accountId);
  const found = await find(session, signIn);
  // Another sign-in or an owner came first: this one counts as made before that, and the person can try again.
  if (!accountsOf(found, signIn).every((accountId) => locked.includes(accountId))) return refused("unknown");
  const { isKnown, user, invitation } = found;
  if (user === null) return createFrom(session, signIn, invitation);
  return isKnown ? enter(session, signIn, { user, changes: [] }) : link(session, signIn, user);
}

/** The accounts that the sign-in concerns, whose rows are locked, in the order of all who lock several. */
const accountsOf = ({ isKnown, user, invitation }: Found, { grants }: ProviderSignIn): string[] => {
  const invited = invitation === null ? [] : [invitation.accountId];
  return [...new Set([...accountsOfGrants(user, { grants, isLinked: !isKnown }), ...invited])].sort();
};

/** `changes`: those made so far. */
async function enter(
  session: Session,
  signIn: ProviderSignIn,
  { user, changes: former }: { user: User; changes: ProviderChange[] },
): Promise<ProviderEntry> {
  const {
    changes: further,
    withoutPlace,
    hasAccount,
  } = await applyGrants(session, user, {
    ...signIn,
    isLinked: former.some(({ type }) => type === "linked"),
  });
  const changes = [...former, ...further];
  if (!hasAccount) {
    await session.run(endAll, [user.id]);
    return refused(withoutPlace[0]?.fault ?? "no_group", { user, changes });
  }
  return { type: "entered", user: (await findUser(session, user.id)) ?? user, changes, withoutPlace };
}

/**
 * Whoever knew the user's password so far may be another person than the one whom the provider has signed in: it ends, with the second
 * factor and the sessions. An operator's stays, for the days on which the provider fails.
 */
async function link(session: Session, signIn: ProviderSignIn, user: User): Promise<ProviderEntry> {
  const { issuer, subject, passwordHash } = signIn;
  await session.lock("users", user.id);
  if ((await session.run(hasIdentity, [issuer, user.id])).count > 0) return refused("other_person", { user });
  await session.run(addIdentity, [issuer, subject, user.id]);
  if (!user.operator) {
    await session.run(endAll, [user.id]);
    await setPassword(session, user.id, passwordHash);
    await setTotp(session, user.id, null);
  }
  return enter(session, signIn, { user, changes: [{ type: "linked" }] });
}

async function createFrom(
  session: Session,
  signIn: ProviderSignIn,
  invitation: FoundInvitation | null,
): Promise<ProviderEntry> {
  const place = await placeOf(session, signIn, invitation);
  if ("fault" in place) return refused(place.fault);
  const { accountId, role } = place;
  const { issuer, subject, passwordHash, nowMs } = signIn;
  const email = invitation?.email ?? signIn.email;
  const byGroup = invitation === null;
  const added = { email, accountId, role, passwordHash, byGroup, operator: false, createdAtMs: nowMs };
  const created = await insertUser(session, added);
  // Created in another account since the look-up.
  const user = created === null ? null : await findUser(session, created.id);
  if (user === null) return refused("unknown");
  await session.run(addIdentity, [issuer, subject, user.id]);
  if (invitation === null) return enter(session, signIn, { user, changes: [{ type: "created", accountId, role }] });
  await session.run(dropInvitation, [invitation.id]);
  const { invitedBy } = invitation;
  return enter(session, signIn, { user, changes: [{ type: "invited", accountId, role, invitedBy }] });
}

/** The first account of a user who is created: that of the invitation, else the first of the groups that has a place. */
async function placeOf(
  session: Session,
  { grants, usersMax, nowMs }: ProviderSignIn,
  invitation: FoundInvitation | null,
): Promise<GroupGrant | { fault: PlaceFault | "unknown" }> {
  let fault: PlaceFault | null = null;
  for (const place of invitation === null ? grants : [invitation]) {
    // An open invitation has a place already.
    const found = await placeFault(session, place.accountId, {
      usersMax: invitation === null ? usersMax : null,
      nowMs,
    });
    if (found === null) return place;
    fault ??= found;
  }
  return { fault: fault ?? "unknown" };
}

async function endProviderSessions(
  session: Session,
  { issuer, subject, sid }: ProviderSignOut,
): Promise<{ user: User; sessions: number }[]> {
  const { rows } =
    sid === null
      ? await session.run(endOfPerson, [issuer, subject])
      : await session.run(endOfSession, [sid, issuer, subject]);
  const ended: { user: User; sessions: number }[] = [];
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const user = await findUser(session, userId);
    if (user !== null) ended.push({ user, sessions: rows.filter((row) => row.userId === userId).length });
  }
  return ended;
}

const refused = (
  reason: ProviderRefusal,
  { user = null, changes = [] }: { user?: User | null; changes?: ProviderChange[] } = {},
): ProviderEntry => ({ type: "refused", reason, user, changes });
