/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Accounts with their quota, and the users of each.
 */

import type { Account } from "../../spool/port/accounts.ts";
import type { User } from "../../spool/port/people.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Empty, Field, Notice, PostForm, Table } from "../views/components.tsx";
import { countText, sentenceNamed } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { PasswordField } from "../views/new-user-form.tsx";
import type { AccountState } from "./account-state.ts";
import { ConfirmationFields } from "./confirmation.tsx";

interface AccountRow {
  account: Account;
  users: number;
  used: number;
}

export interface AccountsState {
  rows: AccountRow[];
  /** The installation's. */
  quotaDaily: number;
  nowMs: number;
  typed?: string;
  error?: string;
}

export function accountsPage(visit: Visit, state: AccountsState): string {
  return signedInPage(visit, "/operator/accounts", {
    title: "Accounts",
    children: (
      <>
        <h1>Accounts</h1>
        <p class="lead">Each is a world of its own: its domains, keys, messages and users are seen by no other.</p>
        <Table
          label="Accounts"
          class="stacked"
          head={["Account", "Users", "Recipients today", "Quota a day", "Created", "Look"]}
        >
          {state.rows.map(({ account, users, used }) => (
            <tr key={account.id}>
              <th scope="row">
                <a href={`/dashboard/operator/accounts/${account.id}`}>{account.name}</a>
              </th>
              <td class="number" data-label="Users">
                {users}
              </td>
              <td class="number" data-label="Recipients today">
                {countText(used)}
              </td>
              <td class="number" data-label="Quota a day">
                {quotaText(account, state.quotaDaily)}
              </td>
              <td class="nowrap" data-label="Created">
                <Ago atMs={account.createdAtMs} nowMs={state.nowMs} />
              </td>
              <td>
                <LookAt visit={visit} account={account} />
              </td>
            </tr>
          ))}
        </Table>
        <section class="card">
          <h2>Add an account</h2>
          <PostForm action="/dashboard/operator/accounts" formToken={visit.formToken} class="inline-form">
            <Field
              label="Name"
              name="name"
              value={state.typed}
              error={state.error}
              required
              maxLength={63}
              hint="1 to 63 of a-z, 0-9, - and _."
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

function LookAt({ visit, account }: { visit: Visit; account: Account }) {
  if (account.id === visit.account.id) return <span class="quiet">You look at it</span>;
  return (
    <PostForm action="/dashboard/operator/look" formToken={visit.formToken}>
      <input type="hidden" name="account" value={account.id} />
      <button type="submit" class="small" aria-label={`Look at it: ${account.name}`}>
        Look at it
      </button>
    </PostForm>
  );
}

function quotaText({ quotaDaily }: Account, installation: number): string {
  const quota = quotaDaily ?? installation;
  return quota === 0 ? "No limit" : countText(quota);
}

const DONE: Record<string, string> = {
  quota: "The quota is changed, from the next message on.",
  user: "The user is created, and can sign in.",
  "second-factor": "The second factor is off, and the user's sessions have ended.",
  sessions: "The user's sessions have ended.",
  removed: "The user is removed.",
};

export function accountPage(visit: Visit, state: AccountState): string {
  const { account } = state;
  const done = sentenceNamed(DONE, state.done);
  return signedInPage(visit, "/operator/accounts/one", {
    title: account.name,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/operator/accounts">Accounts</a>
        </p>
        <div class="title-row">
          <h1>{account.name}</h1>
          <LookAt visit={visit} account={account} />
        </div>
        {done === undefined ? null : <Notice tone="good">{done}</Notice>}
        {state.error === undefined ? null : <Notice tone="bad">{state.error}</Notice>}
        <Users visit={visit} users={state.users} nowMs={state.nowMs} />
        <div class="columns">
          <NewUser visit={visit} state={state} />
          <Quota visit={visit} state={state} />
        </div>
      </>
    ),
  });
}

function Users({ visit, users, nowMs }: { visit: Visit; users: User[]; nowMs: number }) {
  if (users.length === 0) return <Empty title="No user yet" />;
  return (
    <Table label="Users" class="stacked" head={["User", "May", "Second factor", "Created", "Do"]}>
      {users.map((user) => (
        <tr key={user.id}>
          <th scope="row">{user.email}</th>
          <td>{user.operator ? "Operate everything" : "Use the account"}</td>
          <td data-label="Second factor">
            <Badge word={user.sealedTotp === null ? { text: "Off", tone: "quiet" } : { text: "On", tone: "good" }} />
          </td>
          <td class="nowrap" data-label="Created">
            <Ago atMs={user.createdAtMs} nowMs={nowMs} />
          </td>
          <td>
            <UserActions visit={visit} user={user} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function UserActions({ visit, user }: { visit: Visit; user: User }) {
  const action = `/dashboard/operator/users/${user.id}`;
  if (user.id === visit.user.id) return <a href="/dashboard/you">That is you</a>;
  return (
    <details class="menu">
      <summary aria-label={`Actions for ${user.email}`}>Actions</summary>
      <PostForm action={`${action}/end-sessions`} formToken={visit.formToken}>
        <button type="submit" class="small">
          End sessions
        </button>
      </PostForm>
      {user.sealedTotp === null ? null : (
        <a class="button small" href={`${action}/second-factor-off`}>
          Turn off second factor …
        </a>
      )}
      <a class="button small danger" href={`${action}/remove`}>
        Remove {user.email} …
      </a>
    </details>
  );
}

function NewUser({ visit, state }: { visit: Visit; state: AccountState }) {
  return (
    <section class="card">
      <h2>Add a user</h2>
      <PostForm action={`/dashboard/operator/accounts/${state.account.id}/users`} formToken={visit.formToken}>
        <Field
          label="Email"
          name="email"
          type="email"
          value={state.typed}
          error={state.userError}
          required
          autoComplete="off"
        />
        <PasswordField label="First password" />
        <label class="check-box">
          <input type="checkbox" name="operator" value="yes" checked={state.typedOperator} /> Operator: sees the whole
          system
        </label>
        <div class="operator-confirmation">
          <p class="hint">To add an operator, confirm that it is you.</p>
          <ConfirmationFields visit={visit} required={false} />
        </div>
        <button type="submit" class="primary">
          Add user
        </button>
      </PostForm>
    </section>
  );
}

function Quota({ visit, state }: { visit: Visit; state: AccountState }) {
  const { account, used, quotaDaily } = state;
  const installation = quotaDaily === 0 ? "no limit" : countText(quotaDaily);
  return (
    <section class="card">
      <h2>Quota</h2>
      <p>
        {countText(used)} recipients today (UTC), of {quotaText(account, quotaDaily).toLowerCase()}.
      </p>
      <PostForm action={`/dashboard/operator/accounts/${account.id}/quota`} formToken={visit.formToken}>
        <Field
          label="Recipients a day"
          name="quota"
          inputMode="numeric"
          value={account.quotaDaily === null ? "" : String(account.quotaDaily)}
          error={state.quotaError}
          hint={`0 for no limit; empty for the installation's (${installation}).`}
        />
        <button type="submit">Change quota</button>
      </PostForm>
    </section>
  );
}
