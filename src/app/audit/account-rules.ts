/** How changes of accounts, users, sessions and invitations are described. */
import type { Account } from "../../spool/port/accounts.ts";
import { type Membership, membershipIn, ownAccountId } from "../../spool/port/memberships.ts";
import type { People, User } from "../../spool/port/people.ts";
import type { ProviderEntry } from "../../spool/port/provider-sign-ins.ts";
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

/** A change of a user; none of a user that does not exist. Without an account in `more`, it is of the user's own. */
const aboutUser = (action: Action, user: User | null, more: Partial<Change> = {}): Change[] =>
  user === null ? [] : [{ action, accountId: ownAccountId(user), target: userTarget(user), ...more }];

/** Of these, ended sessions and the new session are a part. */
const CREDENTIALS_CHANGED: readonly Action[] = [
  "user.password_changed",
  "user.second_factor_on",
  "user.second_factor_off",
];
const ENTERED: readonly Action[] = ["user.created", "invitation.accepted"];

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
  async revokeInvitation({ store, nowMs }, accountId, id) {
    const invitation = (await store.invitations(accountId, nowMs)).find((each) => each.id === id);
    const target = invitationTarget(invitation ?? { id, email: "" });
    const before = invitation === undefined ? null : { role: invitation.role };
    return (isRevoked) => (isRevoked ? { action: "invitation.revoked", accountId, target, before } : null);
  },
  enterByProvider: () => describeEntry,
  endProviderSessions: () => (ended) =>
    ended.flatMap(({ user, sessions }) =>
      aboutUser("user.sessions_ended", user, { after: { sessions, by: "identity provider" } }),
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
  ...notAudited("the service removes what belongs to deleted accounts by itself", "removeDeletedAccounts"),
  ...notAudited(
    "they are about a request, whose changes are recorded",
    "beginRequest",
    "answerRequest",
    "forgetRequest",
    "removeAnswers",
  ),
} satisfies Partial<Rules<Store>>;

export const PEOPLE_RULES: Rules<People> = {
  async setPassword({ store }, userId) {
    const user = await store.people.user(userId);
    return () => aboutUser("user.password_changed", user);
  },
  async changeMember({ store }, { accountId, userId, role }) {
    const user = await store.people.user(userId);
    const former = user === null ? null : membershipIn(user, accountId);
    return (changed) => {
      if (changed !== "changed" || user === null || former === null) return null;
      if (role === null) return removedFrom(user, former);
      if (role === former.role) return null;
      return aboutUser("user.role_changed", user, { accountId, before: { role: former.role }, after: { role } });
    };
  },
  async removeUser({ store }, userId) {
    const user = await store.people.user(userId);
    return (isRemoved) =>
      isRemoved && user !== null ? user.memberships.flatMap((each) => removedFrom(user, each)) : null;
  },
  async setTotp({ store }, userId, totp) {
    const user = await store.people.user(userId);
    if (user?.sealedTotp === null && totp === null) return () => null;
    return () => aboutUser(totp === null ? "user.second_factor_off" : "user.second_factor_on", user);
  },
  async startSession({ store }, { userId, agent, providerSid = null }) {
    const user = await store.people.user(userId);
    if (user === null) return () => null;
    const { id, email } = user;
    const after = { by: providerSid === null ? "password" : "identity provider", browser: agent };
    return () => aboutUser("sign_in", user, { after, proven: { id, email }, partOf: ENTERED });
  },
  async switchAccount({ store }, hash, accountId) {
    const former = (await store.people.session(hash))?.session.accountId;
    const accounts = await store.accounts();
    const named = (id: string | undefined) => accounts.find((each) => each.id === id);
    const [before, after] = [{ account: named(former)?.name ?? null }, { account: named(accountId)?.name ?? null }];
    if (former === accountId) return () => null;
    return () => ({ ...aboutAccount("account.entered", named(accountId) ?? null, accountId), before, after });
  },
  async endSession({ store }, userId) {
    const user = await store.people.user(userId);
    const proven = user === null ? {} : { proven: { id: user.id, email: user.email } };
    return (isEnded) => (isEnded ? aboutUser("user.session_ended", user, proven) : null);
  },
  async endSessions({ store }, userId) {
    const user = await store.people.user(userId);
    return (sessions) =>
      sessions === 0
        ? null
        : aboutUser("user.sessions_ended", user, { after: { sessions }, partOf: CREDENTIALS_CHANGED });
  },
  async createPasswordReset({ store }, { userId }) {
    const user = await store.people.user(userId);
    return (isMade) => (isMade ? aboutUser("user.password_reset_requested", user) : null);
  },
  async resetPassword({ store }, { hash, nowMs }) {
    const userId = await store.people.passwordResetOf(hash, nowMs);
    const user = userId === null ? null : await store.people.user(userId);
    if (user === null) return () => null;
    const { id, email } = user;
    return (reset) => (reset === null ? null : aboutUser("user.password_changed", user, { proven: { id, email } }));
  },
  async setNoticeChoices({ store }, userId, choices) {
    const user = await store.people.user(userId);
    const former = await store.people.noticeChoices(userId);
    const names = Object.keys(choices);
    const before = Object.fromEntries(
      former.filter(({ name }) => names.includes(name)).map((each) => [each.name, each.choice]),
    );
    const fields = difference(before, choices);
    return () => (fields === null ? null : aboutUser("user.notices_set", user, fields));
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

const removedFrom = (user: User, { accountId, role }: Membership): Change[] =>
  aboutUser("user.removed", user, { accountId, before: { role, operator: user.operator } });

/** A refusal changes nothing; that of a known user is recorded as a failed sign-in. */
function describeEntry(entry: ProviderEntry): Change[] {
  if (entry.type === "refused" || entry.change === null) return [];
  const { user, change } = entry;
  const more = { proven: { id: user.id, email: user.email } };
  switch (change.type) {
    case "linked":
      return aboutUser("user.provider_linked", user, more);
    case "invited": {
      const after = { role: change.role, invited_by: change.invitedBy, by: "identity provider" };
      return aboutUser("invitation.accepted", user, { ...more, after });
    }
    case "created":
      return aboutUser("user.created", user, { ...more, after: { role: change.role, by: "group" } });
    case "granted": {
      const [before, after] = [change.before, change.after].map(({ accountId, role }) => ({
        account: accountId,
        role,
      }));
      return aboutUser("user.role_changed", user, {
        ...more,
        before: before ?? null,
        after: { ...after, by: "group" },
      });
    }
  }
}
