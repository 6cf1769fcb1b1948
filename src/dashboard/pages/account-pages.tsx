/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The operator's pages for accounts: the list, and one account with its users and quota.
 */
import type { Account } from "../../spool/port/accounts.ts";
import type { User } from "../../spool/port/people.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, Field, Notice, PostForm, RelativeTime, Select, Table } from "../views/components.tsx";
import { Input } from "../views/kept-form.tsx";
import { countText, noticeText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RowLink } from "../views/list-rows.tsx";
import { PasswordField } from "../views/new-user-form.tsx";
import { ROLE_OPTIONS } from "../views/role-labels.ts";
import { USER_HEAD, UserCells } from "../views/user-cells.tsx";
import { DeletionCard } from "./account-deletion.tsx";
import type { AccountState } from "./account-state.ts";
import { ConfirmationFields } from "./confirmation.tsx";
import { STATUS_PAGES_CHANGED, StatusPagesCard } from "./status-pages-card.tsx";
import { UserMenu } from "./users-page.tsx";

export interface AccountRow {
  account: Account;
  users: number;
  used: number;
}

export interface AccountsState {
  rows: AccountRow[];
  /** Part of the name of the listed accounts; "" for all. */
  find: string;
  /** How many accounts are not listed. */
  more: number;
  /** The default quota, QUOTA_DAILY. */
  quotaDaily: number;
  nowMs: number;
  typed?: string;
  error?: string;
}

export function accountsPage(auth: AuthContext, state: AccountsState): string {
  return signedInPage(auth, "/operator/accounts", {
    title: "Accounts",
    children: (
      <>
        <h1>Accounts</h1>
        <p class="lead">Accounts are isolated from each other: each has its own domains, keys, messages and users.</p>
        <form method="get" action="/dashboard/operator/accounts" class="inline-form">
          <Field label="Find accounts" name="find" value={state.find} maxLength={63} />
          <button type="submit">Find</button>
        </form>
        <AccountTable auth={auth} state={state} />
        <section class="card">
          <h2>Add an account</h2>
          <PostForm action="/dashboard/operator/accounts" formToken={auth.formToken} class="inline-form">
            <Field
              label="Name"
              name="name"
              value={state.typed}
              error={state.error}
              required
              maxLength={63}
              hint="1 to 63 characters: a-z, 0-9, - and _."
            />
            <button type="submit" class="primary">
              Add account
            </button>
          </PostForm>
        </section>
      </>
    ),
  });
}

function AccountTable({ auth, state }: { auth: AuthContext; state: AccountsState }) {
  if (state.rows.length === 0) {
    return (
      <EmptyState title={`No account name contains “${state.find}”`}>
        <p>
          <a href="/dashboard/operator/accounts">Show all accounts</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label="Accounts"
        class="stacked linked pairs"
        numbers={["Users", "Recipients today", "Daily quota"]}
        head={["Account", "Users", "Recipients today", "Daily quota", "Created", "Action"]}
      >
        {state.rows.map(({ account, users, used }) => (
          <tr key={account.id}>
            <th scope="row" class="left">
              <RowLink href={`/dashboard/operator/accounts/${account.id}`}>{account.name}</RowLink>{" "}
              {account.deletedAtMs === null ? null : <Badge label={{ text: "Deleted", tone: "warn" }} />}
            </th>
            <td class="number left small" data-label="Users">
              {users}
            </td>
            <td class="number right small" data-label="Recipients today">
              {countText(used)}
            </td>
            <td class="number secondary">{quotaText(account, state.quotaDaily)}</td>
            <td class="nowrap secondary">
              <RelativeTime atMs={account.createdAtMs} nowMs={state.nowMs} />
            </td>
            <td class="right action">
              <SwitchAccount auth={auth} account={account} />
            </td>
          </tr>
        ))}
      </Table>
      {state.more === 0 ? null : (
        <p class="quiet">{plural(state.more, "more account is", "more accounts are")} not listed. Find them by name.</p>
      )}
    </>
  );
}

function SwitchAccount({ auth, account }: { auth: AuthContext; account: Account }) {
  if (account.id === auth.account.id) return <span class="quiet">Current account</span>;
  return (
    <PostForm action="/dashboard/operator/look" formToken={auth.formToken} entry={{ account: account.id }}>
      <button type="submit" class="small" aria-label={`Switch to account: ${account.name}`}>
        Switch to account
      </button>
    </PostForm>
  );
}

function quotaText({ quotaDaily }: Account, installation: number): string {
  const quota = quotaDaily ?? installation;
  return quota === 0 ? "No limit" : countText(quota);
}

const NOTICES: Record<string, string> = {
  quota: "Quota changed. It applies from the next message.",
  "status-pages": STATUS_PAGES_CHANGED,
  user: "User added. The user can sign in now.",
  "second-factor": "Second factor turned off. The user's sessions have ended.",
  sessions: "The user's sessions have ended.",
  removed: "User removed.",
  role: "Role changed.",
  restored: "Account restored. Its API keys are active again.",
};

export function accountPage(auth: AuthContext, state: AccountState): string {
  const { account } = state;
  const done = noticeText(NOTICES, state.done);
  return signedInPage(auth, "/operator/accounts/one", {
    title: account.name,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/operator/accounts">Accounts</a>
        </p>
        <div class="title-row">
          <h1>{account.name}</h1>
          <SwitchAccount auth={auth} account={account} />
        </div>
        {done === undefined ? null : <Notice tone="good">{done}</Notice>}
        {state.error === undefined ? null : <Notice tone="bad">{state.error}</Notice>}
        <Users auth={auth} state={state} />
        <div class="columns">
          <NewUser auth={auth} state={state} />
          <Quota auth={auth} state={state} />
        </div>
        <StatusPagesCard auth={auth} path={`/dashboard/operator/accounts/${account.id}`} isOn={state.hasStatusPages} />
        <DeletionCard auth={auth} account={account} path={`/dashboard/operator/accounts/${account.id}`} />
      </>
    ),
  });
}

function Users({ auth, state: { account, users, nowMs } }: { auth: AuthContext; state: AccountState }) {
  if (users.length === 0) return <EmptyState title="No users yet" />;
  return (
    <Table label="Users" class="stacked pairs" head={[...USER_HEAD, "Actions"]}>
      {users.map((user) => (
        <tr key={user.id}>
          <UserCells user={user} accountId={account.id} nowMs={nowMs} />
          <td>
            <UserActions auth={auth} user={user} accountId={account.id} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function UserActions({ auth, user, accountId }: { auth: AuthContext; user: User; accountId: string }) {
  if (user.id === auth.user.id) return <a href="/dashboard/you">Your profile</a>;
  return <UserMenu auth={auth} user={user} path={`/dashboard/operator/users/${user.id}`} accountId={accountId} />;
}

function NewUser({ auth, state }: { auth: AuthContext; state: AccountState }) {
  return (
    <section class="card">
      <h2>Add a user</h2>
      <PostForm action={`/dashboard/operator/accounts/${state.account.id}/users`} formToken={auth.formToken}>
        <Field
          label="Email address"
          name="email"
          type="email"
          value={state.typed}
          error={state.userError}
          required
          autoComplete="off"
        />
        <PasswordField label="Initial password" />
        <Select label="Role" name="role" value={state.typedRole ?? "owner"} options={ROLE_OPTIONS} />
        <label class="check-box">
          <Input type="checkbox" name="operator" value="yes" checked={state.typedOperator} /> Operator: can see and
          manage all accounts
        </label>
        <ConfirmationFields auth={auth} />
        <button type="submit" class="primary">
          Add user
        </button>
      </PostForm>
    </section>
  );
}

function Quota({ auth, state }: { auth: AuthContext; state: AccountState }) {
  const { account, used, quotaDaily } = state;
  const installation = quotaDaily === 0 ? "no limit" : countText(quotaDaily);
  return (
    <section class="card">
      <h2>Quota</h2>
      <p>
        {countText(used)} recipients today (UTC). Quota: {quotaText(account, quotaDaily).toLowerCase()}.
      </p>
      <PostForm action={`/dashboard/operator/accounts/${account.id}/quota`} formToken={auth.formToken}>
        <Field
          label="Recipients per day"
          name="quota"
          inputMode="numeric"
          value={account.quotaDaily === null ? "" : String(account.quotaDaily)}
          error={state.quotaError}
          hint={`Enter 0 for no limit. Leave empty for the default (${installation}).`}
        />
        <button type="submit">Change quota</button>
      </PostForm>
    </section>
  );
}
