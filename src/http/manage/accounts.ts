/** For operators: accounts, their quota, their users and invitations. */

import { isAccountName } from "../../app/accounts/account-name.ts";
import { accountView, deletionView, userView } from "../../app/accounts/account-view.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { parseMailbox } from "../../message/address.ts";
import type { Account } from "../../spool/port/accounts.ts";
import { INVITATION_MS, type Invitation } from "../../spool/port/invitations.ts";
import { ROLES } from "../../spool/port/memberships.ts";
import type { People } from "../../spool/port/people.ts";
import { Problem } from "../response/problems.ts";
import { flag, object, oneOf, text } from "../response/schema.ts";
import { invalidBody } from "./body.ts";
import { found, limitReached } from "./found.ts";
import type { ManageRequest, Operation, Page } from "./operation.ts";
import { PAGE_QUERY, pageOf, timeKey } from "./page.ts";

const SHARED = { permission: "operate", tag: "accounts" } as const;

const viewOf = async ({ parts: { sending, store } }: ManageRequest, account: Account) => ({
  ...accountView(account),
  quota_daily: account.quotaDaily,
  effective_quota_daily: account.quotaDaily ?? sending.quotaDaily,
  status_pages: await store.hasStatusPages(account.id),
});

async function list(request: ManageRequest): Promise<Page<unknown>> {
  const accounts = (await request.parts.store.accounts()).filter(({ isEmptied }) => !isEmptied);
  const { data, next } = pageOf(request, accounts, ({ name }) => name);
  return { data: await Promise.all(data.map((account) => viewOf(request, account))), next };
}

async function create(request: ManageRequest): Promise<unknown> {
  const { name } = request.body;
  if (!isAccountName(name))
    throw invalidBody([{ field: "name", detail: "This must be 1 to 63 characters of a-z, 0-9, - and _." }]);
  const account = await request.parts.store.createAccount(name, request.nowMs);
  if (account === "exists") throw new Problem("already_exists", `The account ${name} exists already.`);
  return viewOf(request, account);
}

/** The account of the path, by name or id. Throws the 404 problem. */
async function named({ parts: { store }, params: { name = "" } }: ManageRequest): Promise<Account> {
  const account = (await store.accountNamed(name)) ?? (await store.accountWithId(name));
  if (account !== null) return account;
  throw new Problem("not_found", "No such account.");
}

const show = async (request: ManageRequest): Promise<unknown> => viewOf(request, await named(request));

async function version(request: ManageRequest): Promise<unknown> {
  const { id, quotaDaily, deletedAtMs } = await named(request);
  return { id, quotaDaily, deletedAtMs, statusPages: await request.parts.store.hasStatusPages(id) };
}

async function setQuota(request: ManageRequest): Promise<unknown> {
  const account = await named(request);
  const { daily } = request.body;
  await request.parts.store.setQuota(account.id, daily ?? null);
  return show(request);
}

async function setStatusPages(request: ManageRequest): Promise<unknown> {
  const account = await named(request);
  await request.parts.store.setStatusPages(account.id, request.body.enabled);
  return show(request);
}

async function remove(request: ManageRequest): Promise<unknown> {
  const account = await named(request);
  const deleted = await request.parts.deletions.delete(account, { operator: true });
  switch (deleted) {
    case "deleted":
      return { id: account.id, name: account.name, ...deletionView(request.nowMs) };
    case "is_default":
      throw new Problem("not_possible", "The service sends its own messages from this account.");
    case "has_operators":
      throw new Problem("not_possible", "The account has users who are operators. Remove them first.");
    case "already_deleted":
      throw new Problem("not_possible", "The account is deleted already.");
    case "not_found":
      throw new Problem("not_found", "No such account.");
  }
}

async function restore(request: ManageRequest): Promise<unknown> {
  const restored = await request.parts.deletions.restore(await named(request), { operator: true });
  if (restored !== "restored") throw new Problem("not_possible", "The account is not deleted.");
  return show(request);
}

async function users(request: ManageRequest): Promise<Page<unknown>> {
  const { store } = request.parts;
  const accountId = (await accountOfQuery(request))?.id ?? null;
  const names = new Map((await store.accounts()).map((each) => [each.id, each.name]));
  const all = await store.people.users(accountId);
  const { data, next } = pageOf(request, all, ({ email }) => email.toLowerCase());
  return { data: data.map((user) => userView(user, names, accountId)), next };
}

/** The account that the query names; null without one. */
async function accountOfQuery(request: ManageRequest): Promise<Account | null> {
  const { name } = request.query;
  return name === undefined ? null : named({ ...request, params: { name: String(name) } });
}

/** From one account, or from all. */
async function removeUser(request: ManageRequest): Promise<void> {
  const { people } = request.parts.store;
  const account = await accountOfQuery(request);
  const user = await people.userNamed(request.params.email ?? "");
  if (user === null || !(await removeFrom(people, user.id, account))) throw new Problem("not_found", "No such user.");
}

async function removeFrom(people: People, userId: string, account: Account | null): Promise<boolean> {
  if (account === null) return people.removeUser(userId);
  const change = { accountId: account.id, userId, role: null, keepOwner: false };
  return (await people.changeMember(change)) === "changed";
}

const invitationView = ({ id, email, role, invitedBy, createdAtMs }: Invitation) => ({
  id,
  email,
  role,
  invited_by: invitedBy,
  created_at: rfc3339(createdAtMs),
  valid_until: rfc3339(createdAtMs + INVITATION_MS),
});

async function invitations(request: ManageRequest): Promise<Page<unknown>> {
  const { parts, nowMs } = request;
  const account = await named(request);
  const all = await parts.store.invitations(account.id, nowMs);
  const { data, next } = pageOf(request, all, ({ createdAtMs, id }) => timeKey(createdAtMs, id));
  return { data: data.map(invitationView), next };
}

async function invite(request: ManageRequest): Promise<unknown> {
  const { parts, body, by, nowMs } = request;
  const account = await named(request);
  const mailbox = parseMailbox(body.email);
  if (mailbox.type === "invalid") throw invalidBody([{ field: "email", detail: mailbox.detail }]);
  const email = mailbox.address;
  const { usersMax } = parts.limits;
  const role = body.role ?? "owner";
  const invited = await parts.invite({ account, email, role, invitedBy: by, usersMax });
  switch (invited.type) {
    case "invited":
      return {
        email,
        account: account.name,
        role,
        link: invited.link,
        valid_until: rfc3339(nowMs + INVITATION_MS),
        sent_from: invited.sentFrom,
      };
    case "is_member":
      throw new Problem("already_exists", "The account has a user with this email address already.");
    case "too_many":
      throw limitReached("users and open invitations", usersMax, "USERS_MAX");
    case "gone":
      throw new Problem("account_deleted", `The account ${account.name} is deleted. Restore it first.`);
  }
}

async function revokeInvitation(request: ManageRequest): Promise<void> {
  const account = await named(request);
  const isRevoked = await request.parts.store.revokeInvitation(account.id, request.params.id ?? "");
  found(isRevoked || null, "invitation");
}

const ACCOUNT = {
  id: "acc_7Kq2mXwP",
  name: "shop",
  created_at: "2026-03-02T08:30:00.000Z",
  quota_daily: null,
  effective_quota_daily: 0,
  status_pages: true,
};
const USER = {
  id: "usr_4xTqZ7Jm2c",
  email: "ann@example.com",
  account: "shop",
  operator: false,
  role: "owner",
  memberships: [
    { account: "shop", role: "owner", by_group: false },
    { account: "other", role: "viewer", by_group: false },
  ],
  second_factor: true,
  created_at: "2026-03-02T08:30:00.000Z",
};
const INVITATION = {
  id: "inv_4xTqZ7Jm2c",
  email: "ben@example.com",
  role: "developer",
  invited_by: "ann@example.com",
  created_at: "2026-03-02T08:30:00.000Z",
  valid_until: "2026-03-09T08:30:00.000Z",
};
const ACCOUNT_QUERY = {
  name: { type: "string", minLength: 1, maxLength: 100, description: "the name or the id of an account" },
} as const;
const ROLE = oneOf(ROLES, "What the user may do in the account; `owner` if absent.");

export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    id: "listAccounts",
    method: "GET",
    path: "/accounts",
    summary: "List the accounts, by name",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "AccountList", example: { data: [ACCOUNT], next: null } },
    run: list,
  },
  {
    ...SHARED,
    id: "createAccount",
    method: "POST",
    path: "/accounts",
    summary: "Create an account, with its own domains, keys and messages",
    body: object({
      name: { ...text("A name of 1 to 63 characters of a-z, 0-9, - and _."), minLength: 1, maxLength: 63 },
    }),
    bodyExample: { name: "shop" },
    status: 201,
    response: { schema: "Account", example: ACCOUNT },
    problems: ["already_exists"],
    run: create,
  },
  {
    ...SHARED,
    id: "getAccount",
    method: "GET",
    path: "/accounts/{name}",
    summary: "Get an account, by its name or id",
    status: 200,
    response: { schema: "Account", example: ACCOUNT },
    problems: ["not_found"],
    version,
    run: show,
  },
  {
    ...SHARED,
    id: "setQuota",
    method: "PUT",
    path: "/accounts/{name}/quota",
    summary: "Set the recipients that an account may address in a UTC day",
    body: object(
      {},
      {},
      {
        daily: {
          ...text("The number of recipients; 0 for no limit, QUOTA_DAILY if absent."),
          type: "integer",
          minimum: 0,
          maximum: 999_999_999_999,
        },
      },
    ),
    bodyExample: { daily: 50_000 },
    status: 200,
    response: { schema: "Account", example: { ...ACCOUNT, quota_daily: 50_000, effective_quota_daily: 50_000 } },
    problems: ["not_found"],
    version,
    run: setQuota,
  },
  {
    ...SHARED,
    id: "setStatusPages",
    method: "PUT",
    path: "/accounts/{name}/status-pages",
    summary: "Allow status pages of an account's messages, or end them",
    body: object({ enabled: flag("Whether messages may have status pages; if not, links made before show nothing.") }),
    bodyExample: { enabled: false },
    status: 200,
    response: { schema: "Account", example: { ...ACCOUNT, status_pages: false } },
    problems: ["not_found"],
    version,
    run: setStatusPages,
  },
  {
    ...SHARED,
    id: "deleteAccount",
    method: "DELETE",
    path: "/accounts/{name}",
    summary: "Delete an account: its API keys are rejected at once",
    description: "Until `restorable_until` it can be restored. Then all that belongs to it is removed.",
    status: 200,
    response: {
      schema: "DeletedAccount",
      example: {
        id: ACCOUNT.id,
        name: "shop",
        deleted_at: "2026-03-02T08:30:00.000Z",
        restorable_until: "2026-03-09T08:30:00.000Z",
      },
    },
    problems: ["not_found", "not_possible"],
    version,
    run: remove,
  },
  {
    ...SHARED,
    id: "restoreAccount",
    method: "POST",
    path: "/accounts/{name}/restore",
    summary: "Restore a deleted account",
    status: 200,
    response: { schema: "Account", example: ACCOUNT },
    problems: ["not_found", "not_possible"],
    run: restore,
  },
  {
    ...SHARED,
    tag: "users",
    id: "listUsers",
    method: "GET",
    path: "/users",
    summary: "List the users, by email address",
    query: { ...PAGE_QUERY, ...ACCOUNT_QUERY },
    status: 200,
    response: { schema: "UserList", example: { data: [USER], next: null } },
    problems: ["not_found"],
    run: users,
  },
  {
    ...SHARED,
    tag: "users",
    id: "removeUser",
    method: "DELETE",
    path: "/users/{email}",
    summary: "Remove a user: their sessions end at once",
    description: "With `name`, only from that account; a user of no other account is removed as a whole.",
    query: ACCOUNT_QUERY,
    status: 204,
    problems: ["not_found"],
    run: removeUser,
  },
  {
    ...SHARED,
    tag: "users",
    id: "listInvitations",
    method: "GET",
    path: "/accounts/{name}/invitations",
    summary: "List the open invitations to an account, the oldest first",
    query: PAGE_QUERY,
    status: 200,
    response: { schema: "InvitationList", example: { data: [INVITATION], next: null } },
    problems: ["not_found"],
    run: invitations,
  },
  {
    ...SHARED,
    tag: "users",
    id: "inviteUser",
    method: "POST",
    path: "/accounts/{name}/invitations",
    summary: "Invite a person to an account",
    description:
      "`link` of the response is shown only this once. It is sent if the account has a verified domain. A user of another account joins this one with it.",
    body: object({ email: { ...text("The person's email address."), maxLength: 254 } }, {}, { role: ROLE }),
    bodyExample: { email: "ben@example.com", role: "developer" },
    status: 201,
    response: {
      schema: "InvitedUser",
      example: {
        email: "ben@example.com",
        account: "shop",
        role: "developer",
        link: "https://mail.example.com/dashboard/invitation/EXAMPLE",
        valid_until: "2026-03-09T08:30:00.000Z",
        sent_from: "example.com",
      },
    },
    problems: ["not_found", "already_exists", "limit_reached", "account_deleted"],
    run: invite,
  },
  {
    ...SHARED,
    tag: "users",
    id: "revokeInvitation",
    method: "DELETE",
    path: "/accounts/{name}/invitations/{id}",
    summary: "Revoke an open invitation: its link ends",
    status: 204,
    problems: ["not_found"],
    run: revokeInvitation,
  },
];
