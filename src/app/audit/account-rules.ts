/** How changes of accounts, users, sessions and invitations are described. */
import type { Account } from "../../spool/port/accounts.ts";
import { accountOf, type Membership, membershipIn } from "../../spool/port/memberships.ts";
import type { People, User } from "../../spool/port/people.ts";
import type { ProviderChange, ProviderEntry } from "../../spool/port/provider-sign-ins.ts";
import type { Store } from "../../spool/port/store.ts";
import { type Action, type Change, difference } from "./change.ts";
import { notAudited, type RuleContext, type Rules, reads } from "./rule.ts";

type Named = Pick<Account, "id" | "name">;

const accountTarget = ({ id, name }: Named) => ({ kind: "account", id, name });
const userTarget = ({ id, email }: Pick<User, "id" | "email">) => ({ kind: "user", id, name: email });
const invitationTarget = ({ id, email }: { id: string; email: string }) => ({ kind: "invitation", id, name: email });

async function accountBefore({ store }: RuleContext, id: string): Promise<Account | null> {
  return (await store.accounts()).find((each) => each.id === id) ?? null;
}

const aboutAccount = (action: Action, account: Named | null, id: string): Change => ({
  action,
  accountId: id,
  target: accountTarget(account ?? { id, name: "" }),
});

/**
 * A change of a user; none of a user that does not exist. Without an account in `more`, it is of the account that the actor acts in, if the
 * user belongs to it, else of the user's own.
 */
function aboutUser(
  { accountId }: Pick<RuleContext, "accountId">,
  action: Action,
  user: User | null,
  more: Partial<Change> = {},
): Change[] {
  return user === null ? [] : [{ action, accountId: accountOf(user, accountId), target: userTarget(user), ...more }];
}

/** Of these, ended sessions, the new account of a session, and the new session are a part. */
const CREDENTIALS_CHANGED: readonly Action[] = [
  "user.password_changed",
  "user.second_factor_on",
  "user.second_factor_off",
];
const JOINED: readonly Action[] = ["invitation.accepted"];
const ENTERED: readonly Action[] = ["user.created", ...JOINED];

export const ACCOUNT_RULES = {
  createAccount: () => (account) =>
    account === "exists" ? null : aboutAccount("account.created", account, account.id),
  async deleteAccount(context, id) {
    const account = await accountBefore(context, id);
    return (deleted) => (deleted === "deleted" ? aboutAccount("account.deleted", account, id) : null);
  },
  async restoreAccount(context, id) {
    const account = await accountBefore(context, id);
    return (isRestored) => (isRestored ? aboutAccount("account.restored", account, id) : null);
  },
  async setQuota(context, id, quotaDaily) {
    const account = await accountBefore(context, id);
    if (account === null || account.quotaDaily === quotaDaily) return () => null;
    const [before, after] = [{ quota_daily: account.quotaDaily }, { quota_daily: quotaDaily }];
    return () => ({ ...aboutAccount("account.quota_set", account, id), before, after });
  },
  async setStatusPages(context, id, isOn) {
    const wasOn = await context.store.hasStatusPages(id);
    if (wasOn === isOn) return () => null;
    const account = await accountBefore(context, id);
    const [before, after] = [{ status_pages: wasOn }, { status_pages: isOn }];
    return () => ({ ...aboutAccount("account.status_pages_set", account, id), before, after });
  },
  createUser:
    (_context, { email, accountId, role = "owner", operator }) =>
    (created) => {
      if (typeof created === "string") return null;
      const target = userTarget({ id: created.id, email });
      return { action: "user.created", accountId, target, after: { role, operator } };
    },
  createFirstUser:
    (_context, { email, accountId, role = "owner", operator }) =>
    (created) => {
      if (created === "has_users") return null;
      const user = { id: created.id, email };
      return { action: "user.created", accountId, target: userTarget(user), after: { role, operator }, proven: user };
    },
  createInvitation: (_context, invitation) => (created) => {
    if (created !== "created") return null;
    const { accountId, role } = invitation;
    return { action: "invitation.created", accountId, target: invitationTarget(invitation), after: { role } };
  },
  async acceptInvitation({ store }, { hash, nowMs }) {
    const invitation = await store.invitationOf(hash, nowMs);
    return (accepted) => {
      if (typeof accepted === "string" || invitation === null) return null;
      const { accountId, email, role, invitedBy } = invitation;
      const proven = { id: accepted.userId, email };
      const target = userTarget(proven);
      return { action: "invitation.accepted", accountId, target, after: { role, invited_by: invitedBy }, proven };
    };
  },
  async joinByInvitation(context, { hash, userId, nowMs }) {
    const { store } = context;
    const invitation = await store.invitationOf(hash, nowMs);
    const user = await store.people.user(userId);
    return (joined) => {
      if (joined !== "joined" || invitation === null) return null;
      const { accountId, role, invitedBy } = invitation;
      return aboutUser(context, "invitation.accepted", user, { accountId, after: { role, invited_by: invitedBy } });
    };
  },
  async revokeInvitation({ store, nowMs }, accountId, id) {
    const invitation = (await store.invitations(accountId, nowMs)).find((each) => each.id === id);
    const target = invitationTarget(invitation ?? { id, email: "" });
    const before = invitation === undefined ? null : { role: invitation.role };
    return (isRevoked) => (isRevoked ? { action: "invitation.revoked", accountId, target, before } : null);
  },
  enterByProvider: (context) => (entry) => describeEntry(context, entry),
  endProviderSessions: (context) => (ended) =>
    ended.flatMap(({ user, sessions }) =>
      aboutUser(context, "user.sessions_ended", user, { after: { sessions, by: "identity provider" } }),
    ),
  ...reads(
    "accounts",
    "accountNamed",
    "accountWithId",
    "quotaUsed",
    "hasStatusPages",
    "hasUsers",
    "setupSeed",
    "invitations",
    "invitationOf",
  ),
  ...notAudited("the service removes what belongs to deleted accounts automatically", "removeDeletedAccounts"),
  ...notAudited(
    "they are about a request, whose changes are recorded",
    "beginRequest",
    "answerRequest",
    "forgetRequest",
    "removeAnswers",
  ),
} satisfies Partial<Rules<Store>>;

export const PEOPLE_RULES: Rules<People> = {
  async setPassword(context, userId) {
    const { store } = context;
    const user = await store.people.user(userId);
    return () => aboutUser(context, "user.password_changed", user);
  },
  async changeMember(context, { accountId, userId, role }) {
    const { store } = context;
    const user = await store.people.user(userId);
    const former = user === null ? null : membershipIn(user, accountId);
    return (changed) => {
      if (changed !== "changed" || user === null || former === null) return null;
      if (role === null) return removedFrom(context, user, former);
      if (role === former.role) return null;
      return aboutUser(context, "user.role_changed", user, {
        accountId,
        before: { role: former.role },
        after: { role },
      });
    };
  },
  async removeUser(context, userId) {
    const { store } = context;
    const user = await store.people.user(userId);
    return (isRemoved) =>
      isRemoved && user !== null ? user.memberships.flatMap((each) => removedFrom(context, user, each)) : null;
  },
  async setTotp(context, userId, totp) {
    const { store } = context;
    const user = await store.people.user(userId);
    if (user?.sealedTotp === null && totp === null) return () => null;
    return () => aboutUser(context, totp === null ? "user.second_factor_off" : "user.second_factor_on", user);
  },
  async startSession(context, { userId, accountId, agent, providerSid = null }) {
    const user = await context.store.people.user(userId);
    if (user === null) return () => null;
    const { id, email } = user;
    const after = { by: providerSid === null ? "password" : "identity provider", browser: agent };
    const of = { accountId: accountOf(user, accountId) };
    return () => aboutUser(context, "sign_in", user, { ...of, after, proven: { id, email }, partOf: ENTERED });
  },
  async switchAccount({ store }, hash, accountId) {
    const found = await store.people.session(hash);
    const former = found?.session.accountId;
    const accounts = await store.accounts();
    const named = (id: string | undefined) => accounts.find((each) => each.id === id);
    if (former === accountId) return () => null;
    const account = named(accountId) ?? null;
    const entered = { ...aboutAccount("account.entered", account, accountId), partOf: JOINED };
    // Whoever reads the trail of one account learns nothing about other accounts of its users.
    if (found?.user.operator !== true) return () => entered;
    const [before, after] = [{ account: named(former)?.name ?? null }, { account: named(accountId)?.name ?? null }];
    return () => ({ ...entered, before, after });
  },
  async endSession(context, userId) {
    const { store } = context;
    const user = await store.people.user(userId);
    const proven = user === null ? {} : { proven: { id: user.id, email: user.email } };
    return (isEnded) => (isEnded ? aboutUser(context, "user.session_ended", user, proven) : null);
  },
  async endSessions(context, userId) {
    const { store } = context;
    const user = await store.people.user(userId);
    return (sessions) =>
      sessions === 0
        ? null
        : aboutUser(context, "user.sessions_ended", user, { after: { sessions }, partOf: CREDENTIALS_CHANGED });
  },
  async createPasswordReset(context, { userId }) {
    const { store } = context;
    const user = await store.people.user(userId);
    return (isMade) => (isMade ? aboutUser(context, "user.password_reset_requested", user) : null);
  },
  async resetPassword(context, { hash, nowMs }) {
    const { store } = context;
    const userId = await store.people.passwordResetOf(hash, nowMs);
    const user = userId === null ? null : await store.people.user(userId);
    if (user === null) return () => null;
    const { id, email } = user;
    return (reset) =>
      reset === null ? null : aboutUser(context, "user.password_changed", user, { proven: { id, email } });
  },
  async setNoticeChoices(context, userId, choices) {
    const { store } = context;
    const user = await store.people.user(userId);
    const former = await store.people.noticeChoices(userId);
    const names = Object.keys(choices);
    const before = Object.fromEntries(
      former.filter(({ name }) => names.includes(name)).map((each) => [each.name, each.choice]),
    );
    const fields = difference(before, choices);
    return () => (fields === null ? null : aboutUser(context, "user.notices_set", user, fields));
  },
  ...reads(
    "user",
    "userNamed",
    "users",
    "recoveryCodesLeft",
    "session",
    "sessions",
    "passwordResetOf",
    "noticeChoices",
  ),
  ...notAudited("a spent code is a part of what it confirms", "spendTotpStep", "spendRecoveryCode"),
  ...notAudited("the use of a session changes nothing", "touchSession"),
};

const removedFrom = (context: RuleContext, user: User, { accountId, role }: Pick<Membership, "accountId" | "role">) =>
  aboutUser(context, "user.removed", user, { accountId, before: { role, operator: user.operator } });

/** A refusal may have ended memberships. The refusal of a known user itself is recorded as a failed sign-in. */
const describeEntry = (context: RuleContext, { user, changes }: ProviderEntry): Change[] =>
  user === null ? [] : changes.flatMap((change) => describeProviderChange(context, user, change));

function describeProviderChange(context: RuleContext, user: User, change: ProviderChange): Change[] {
  const proven = { id: user.id, email: user.email };
  switch (change.type) {
    case "linked":
      return aboutUser(context, "user.provider_linked", user, { proven });
    case "invited": {
      const { accountId, role, invitedBy } = change;
      const after = { role, invited_by: invitedBy, by: "identity provider" };
      return aboutUser(context, "invitation.accepted", user, { accountId, proven, after });
    }
    case "created":
    case "joined": {
      const { accountId, role } = change;
      const action = change.type === "created" ? "user.created" : "user.joined";
      return aboutUser(context, action, user, { accountId, proven, after: { role, by: "group" } });
    }
    case "role_changed": {
      const { accountId, before, after } = change;
      const fields = { before: { role: before }, after: { role: after, by: "group" } };
      return aboutUser(context, "user.role_changed", user, { accountId, proven, ...fields });
    }
    case "left": {
      const { accountId, role } = change;
      return aboutUser(context, "user.removed", user, { accountId, proven, before: { role }, after: { by: "group" } });
    }
  }
}
