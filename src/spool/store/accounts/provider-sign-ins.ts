/**
 * Sign-ins by the identity provider. What leads to a user is looked up twice: to find the account whose lock is needed, and again under
 * that lock, so that two sign-ins of one person at the same time create one user.
 */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { INVITATION_MS } from "../../port/invitations.ts";
import { ownAccountId, ownMembership, type Role } from "../../port/memberships.ts";
import type { User } from "../../port/people.ts";
import type {
  GroupGrant,
  ProviderChange,
  ProviderEntry,
  ProviderRefusal,
  ProviderSignIn,
  ProviderSignOut,
} from "../../port/provider-sign-ins.ts";
import { insertUser, isAccountDeleted } from "./accounts.ts";
import { foldedEmail } from "./folded-email.ts";
import { setTotp } from "./second-factors.ts";
import { findUser, findUserNamed, setPassword } from "./users.ts";

interface Identity {
  userId: string;
  byGroup: boolean;
}

interface FoundInvitation extends GroupGrant {
  id: string;
  email: string;
  invitedBy: string;
}

/** Whom a sign-in leads to, the first that there is. */
interface Found {
  identity: Identity | null;
  user: User | null;
  invitation: FoundInvitation | null;
}

const findIdentity = statement<Identity>(
  `SELECT user_id AS "userId", by_group AS "byGroup" FROM provider_identities WHERE issuer = $1 AND subject = $2`,
  { booleans: ["byGroup"] },
);
const hasIdentity = statement("SELECT 1 FROM provider_identities WHERE issuer = $1 AND user_id = $2");
const addIdentity = statement(
  "INSERT INTO provider_identities (issuer, subject, user_id, by_group) VALUES ($1, $2, $3, $4)",
);
// The newest of each account; with an account, only its own.
const openInvitations = statement<FoundInvitation>(
  `SELECT id, account_id AS "accountId", email, role, invited_by AS "invitedBy" FROM invitations
     WHERE lower(email) = $1 AND abs(created_at_ms - CAST($2 AS bigint)) < ${INVITATION_MS}
       AND account_id IN (SELECT id FROM accounts WHERE deleted_at_ms IS NULL)
       AND (account_id = $3 OR CAST($3 AS text) IS NULL)
     ORDER BY created_at_ms DESC, id LIMIT 100`,
);
const dropInvitation = statement("DELETE FROM invitations WHERE id = $1");
const countPlaces = statement<{ count: number }>(
  `SELECT (SELECT count(*) FROM users WHERE account_id = $1)
        + (SELECT count(*) FROM invitations WHERE account_id = $1) AS count`,
);
const setGrant = statement("UPDATE users SET account_id = $2, role = $3 WHERE id = $1");
const endInvitationsOf = statement(
  "DELETE FROM invitations WHERE invited_by = (SELECT email FROM users WHERE id = $1)",
);
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

async function find(session: Session, { issuer, subject, email, grant, nowMs }: ProviderSignIn): Promise<Found> {
  const identity = await first(session, findIdentity, [issuer, subject]);
  if (identity !== null) return { identity, user: await findUser(session, identity.userId), invitation: null };
  const user = await findUserNamed(session, email);
  if (user !== null) return { identity, user, invitation: null };
  return { identity, user, invitation: await invitationOf(session, { email, grant, nowMs }) };
}

/**
 * An owner of any account can invite any address. So a group's account goes first, and of invitations of several accounts the person
 * has to choose by their links.
 */
async function invitationOf(
  session: Session,
  { email, grant, nowMs }: Pick<ProviderSignIn, "email" | "grant" | "nowMs">,
): Promise<FoundInvitation | null> {
  const { rows } = await session.run(openInvitations, [foldedEmail(email), nowMs, grant?.accountId ?? null]);
  const [newest = null] = rows;
  return rows.some(({ accountId }) => accountId !== newest?.accountId) ? null : newest;
}

async function enterByProvider(session: Session, signIn: ProviderSignIn): Promise<ProviderEntry> {
  const outlook = await find(session, signIn);
  const accountId = accountOf(outlook, signIn);
  if (accountId === null) return refused("unknown");
  await session.lock("accounts", accountId);
  const found = await find(session, signIn);
  // Another sign-in or an owner came first: this one counts as made before that, and the person can try again.
  if (accountOf(found, signIn) !== accountId) return refused("unknown");
  const { identity, user, invitation } = found;
  if (identity !== null && user !== null) return enterKnown(session, signIn, { user, byGroup: identity.byGroup });
  if (user !== null) return link(session, signIn, user);
  return createFrom(session, signIn, invitation);
}

/** The account that the sign-in concerns: its row is locked. */
function accountOf({ identity, user, invitation }: Found, { grant }: ProviderSignIn): string | null {
  const own = user === null ? null : ownAccountId(user);
  if (identity?.byGroup === true) return grant?.accountId ?? own ?? null;
  return own ?? invitation?.accountId ?? grant?.accountId ?? null;
}

async function enterKnown(
  session: Session,
  { grant, usersMax }: ProviderSignIn,
  { user, byGroup }: { user: User; byGroup: boolean },
): Promise<ProviderEntry> {
  if (!byGroup) return entered(user, null);
  if (grant === null) {
    await session.run(endAll, [user.id]);
    return refused("no_group", user.id);
  }
  const { accountId, role } = ownMembership(user);
  const isMoved = grant.accountId !== accountId;
  if (!isMoved && grant.role === role) return entered(user, null);
  const fault = isMoved ? await placeFault(session, grant.accountId, usersMax) : null;
  if (fault !== null) return refused(fault, user.id);
  if (isMoved) await session.run(endAll, [user.id]);
  if (isMoved || grant.role !== "owner") await session.run(endInvitationsOf, [user.id]);
  await session.run(setGrant, [user.id, grant.accountId, grant.role]);
  const before = { accountId, role };
  return entered(
    { ...user, memberships: [{ ...grant, byGroup: true, joinedAtMs: user.createdAtMs }] },
    { type: "granted", before, after: grant },
  );
}

/**
 * Whoever knew the user's password so far may be another person than the one whom the provider has signed in: it ends, with the second
 * factor and the sessions. An operator's stays, for the days on which the provider fails.
 */
async function link(
  session: Session,
  { issuer, subject, passwordHash }: ProviderSignIn,
  user: User,
): Promise<ProviderEntry> {
  if ((await session.run(hasIdentity, [issuer, user.id])).count > 0) return refused("other_person", user.id);
  await session.run(addIdentity, [issuer, subject, user.id, false]);
  if (!user.operator) {
    await session.run(endAll, [user.id]);
    await setPassword(session, user.id, passwordHash);
    await setTotp(session, user.id, null);
  }
  return entered(user, { type: "linked" });
}

async function createFrom(
  session: Session,
  signIn: ProviderSignIn,
  invitation: FoundInvitation | null,
): Promise<ProviderEntry> {
  const place: { accountId: string; role: Role } | null = invitation ?? signIn.grant;
  if (place === null) return refused("unknown");
  const { accountId, role } = place;
  // An open invitation has a place already.
  const usersMax = invitation === null ? signIn.usersMax : null;
  const fault = await placeFault(session, accountId, usersMax);
  if (fault !== null) return refused(fault);
  const { issuer, subject, passwordHash, nowMs } = signIn;
  const email = invitation?.email ?? signIn.email;
  const user = { email, accountId, role, passwordHash, operator: false, createdAtMs: nowMs };
  const created = await insertUser(session, user);
  // Created in another account since the look-up.
  if (created === null) return refused("unknown");
  await session.run(addIdentity, [issuer, subject, created.id, invitation === null]);
  const memberships = [{ accountId, role, byGroup: invitation === null, joinedAtMs: nowMs }] as const;
  const added: User = {
    id: created.id,
    email,
    operator: false,
    createdAtMs: nowMs,
    passwordHash,
    sealedTotp: null,
    memberships,
  };
  if (invitation === null) return entered(added, { type: "created", accountId, role });
  await session.run(dropInvitation, [invitation.id]);
  return entered(added, { type: "invited", accountId, role, invitedBy: invitation.invitedBy });
}

/** Why the account has no place for another user; null if it has. `usersMax`: null for no limit. */
async function placeFault(
  session: Session,
  accountId: string,
  usersMax: number | null,
): Promise<"account_deleted" | "too_many_users" | null> {
  if (await isAccountDeleted(session, accountId)) return "account_deleted";
  const counted = await first(session, countPlaces, [accountId]);
  return usersMax !== null && counted !== null && counted.count >= usersMax ? "too_many_users" : null;
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

const entered = (user: User, change: ProviderChange | null): ProviderEntry => ({ type: "entered", user, change });

const refused = (reason: ProviderRefusal, userId: string | null = null): ProviderEntry => ({
  type: "refused",
  reason,
  userId,
});
