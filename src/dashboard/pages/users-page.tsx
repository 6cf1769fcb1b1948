/** @jsxRuntime automatic @jsxImportSource preact */
/** The users of the current account and its open invitations, and the page that shows the link of a new one. */
import { INVITATION_MS, type Invitation } from "../../spool/port/invitations.ts";
import { ROLES, type Role } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import { hasAccess } from "../auth/roles.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { alreadyShownPage } from "../views/already-shown.tsx";
import { Copyable, Field, Notice, PostForm, Select, Table, Timestamp } from "../views/components.tsx";
import { useIsKept } from "../views/kept-form.tsx";
import { signedInPage } from "../views/layout.tsx";
import { Allowed, usePermission } from "../views/permissions.tsx";
import { ROLE_NAMES, ROLE_OPTIONS, ROLE_TEXTS } from "../views/role-labels.ts";
import { USER_HEAD, UserCells } from "../views/user-cells.tsx";
import { ConfirmationFields } from "./confirmation.tsx";

export interface UsersState {
  users: User[];
  invitations: Invitation[];
  nowMs: number;
  notice?: string | undefined;
  /** An error of the invitation as a whole. */
  error?: string;
  /** An error of the typed email address. */
  emailError?: string;
  typed?: string;
  typedRole?: Role;
}

export function usersPage(auth: AuthContext, state: UsersState): string {
  const { users, invitations, nowMs, notice, error } = state;
  return signedInPage(auth, "/users", {
    title: "Users",
    children: (
      <>
        <h1>Users</h1>
        <p class="lead">
          Who can sign in to the account {auth.account.name}. Your own role is {ROLE_NAMES[auth.role].toLowerCase()}.
        </p>
        <Allowed to="GET /audit">
          <p>
            <a href="/dashboard/audit">Audit trail: who changed what</a>
          </p>
        </Allowed>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <UserTable auth={auth} users={users} nowMs={nowMs} />
        {invitations.length === 0 ? null : <Invitations auth={auth} invitations={invitations} />}
        <Allowed to="POST /users/invite" instead={<Roles />}>
          <InviteCard auth={auth} state={state} />
        </Allowed>
      </>
    ),
  });
}

function UserTable({ auth, users, nowMs }: { auth: AuthContext; users: User[]; nowMs: number }) {
  const mayManage = usePermissionToManage();
  return (
    <Table label="Users" class="stacked pairs" head={mayManage ? [...USER_HEAD, "Actions"] : USER_HEAD}>
      {users.map((user) => (
        <tr key={user.id}>
          <UserCells user={user} accountId={auth.account.id} nowMs={nowMs} />
          {mayManage ? (
            <td class="right action">
              <Actions auth={auth} user={user} />
            </td>
          ) : null}
        </tr>
      ))}
    </Table>
  );
}

const usePermissionToManage = (): boolean => usePermission("POST /users/invite");

function Actions({ auth, user }: { auth: AuthContext; user: User }) {
  if (user.id === auth.user.id) return <a href="/dashboard/you">Your profile</a>;
  if (user.operator && !hasAccess(auth, "operator")) return <span class="quiet">Managed by operators</span>;
  return <UserMenu auth={auth} user={user} path={`/dashboard/users/${user.id}`} />;
}

export interface UserMenuProps {
  auth: AuthContext;
  user: User;
  /** That of the actions on the user. */
  path: string;
  /** The account that the actions concern, if it is not the current one. */
  accountId?: string | undefined;
}

export function UserMenu({ auth, user, path, accountId }: UserMenuProps) {
  const query = accountId === undefined ? "" : `?account=${accountId}`;
  const endSessions = `${path}/end-sessions`;
  return (
    <details class="menu" open={useIsKept(endSessions)}>
      <summary aria-label={`Actions for ${user.email}`}>Actions</summary>
      <PostForm
        action={endSessions}
        formToken={auth.formToken}
        entry={accountId === undefined ? {} : { account: accountId }}
      >
        <button type="submit" class="small">
          End sessions
        </button>
      </PostForm>
      <a class="button small" href={`${path}/role${query}`}>
        Change role …
      </a>
      {user.sealedTotp === null ? null : (
        <a class="button small" href={`${path}/second-factor-off${query}`}>
          Turn off second factor …
        </a>
      )}
      <a class="button small danger" href={`${path}/remove${query}`}>
        Remove {user.email} …
      </a>
    </details>
  );
}

function Invitations({ auth, invitations }: { auth: AuthContext; invitations: Invitation[] }) {
  return (
    <>
      <h2>Open invitations</h2>
      <Table
        label="Open invitations"
        class="stacked"
        head={["Email address", "Role", "Invited by", "Open until", "Action"]}
      >
        {invitations.map(({ id, email, role, invitedBy, createdAtMs }) => (
          <tr key={id}>
            <th scope="row">{email}</th>
            <td data-label="Role">{ROLE_NAMES[role]}</td>
            <td data-label="Invited by">{invitedBy}</td>
            <td data-label="Open until">
              <Timestamp atMs={createdAtMs + INVITATION_MS} />
            </td>
            <td>
              <PostForm action={`/dashboard/users/invitations/${id}/revoke`} formToken={auth.formToken}>
                <button type="submit" class="small" aria-label={`Revoke the invitation of ${email}`}>
                  Revoke
                </button>
              </PostForm>
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function InviteCard({ auth, state }: { auth: AuthContext; state: UsersState }) {
  return (
    <section class="card">
      <h2>Invite a user</h2>
      <p>
        The person gets a link to choose a password, or to join with the user that the person has already. It is valid
        for 7 days and can be used once.
      </p>
      <PostForm action="/dashboard/users/invite" formToken={auth.formToken} class="invitation">
        <Field
          label="Email address"
          name="email"
          type="email"
          value={state.typed}
          error={state.emailError}
          required
          autoComplete="off"
        />
        <Select label="Role" name="role" value={state.typedRole ?? "developer"} options={ROLE_OPTIONS} />
        <ConfirmationFields auth={auth} />
        <button type="submit" class="primary">
          Invite user
        </button>
      </PostForm>
    </section>
  );
}

function Roles() {
  return (
    <section class="card">
      <h2>Roles</h2>
      <ul class="bullets">
        {ROLES.map((role) => (
          <li key={role}>
            {ROLE_NAMES[role]}: {ROLE_TEXTS[role]}.
          </li>
        ))}
      </ul>
      <p>An owner of the account can change roles and invite users.</p>
    </section>
  );
}

export interface NewLink {
  email: string;
  role: Role;
  link: string;
  /** The domain that the link was sent from; null if it was not sent. */
  sentFrom: string | null;
  /** What the link needs; null if it works from everywhere. */
  linkNote: string | null;
}

export function invitedPage(auth: AuthContext, { email, role, link, sentFrom, linkNote }: NewLink): string {
  return signedInPage(auth, "/users/invited", {
    title: "User invited",
    children: (
      <>
        <h1>{email} is invited</h1>
        <p class="lead">
          As {ROLE_NAMES[role].toLowerCase()} of the account {auth.account.name}.
        </p>
        {sentFrom === null ? (
          <Notice tone="warn">
            No message was sent, because neither this account nor the service's own has a verified domain that can send
            it. Pass the link on yourself.
          </Notice>
        ) : (
          <Notice tone="good">
            The link was sent to {email} from {sentFrom}.
          </Notice>
        )}
        {linkNote === null ? null : <Notice tone="warn">{linkNote}</Notice>}
        <section class="card">
          <h2>Invitation link</h2>
          <Copyable text={link} label="invitation link" kind="secret" />
          <p>Whoever has the link can use it, once, within 7 days. It is not shown again.</p>
        </section>
        <p>
          <a class="button" href="/dashboard/users">
            Go to users
          </a>
        </p>
      </>
    ),
  });
}

export const linkShownPage = (auth: AuthContext): string =>
  alreadyShownPage(auth, {
    at: "/users/invited",
    name: "link",
    text: "A link is shown once. If it is lost, invite the user again: the earlier link is then no longer valid.",
    link: { href: "/dashboard/users", text: "Go to users" },
  });
