/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The confirmation pages for actions on another user, of an operator or of an owner of the user's account.
 */
import type { ComponentChildren } from "preact";
import type { Membership, Role } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { ConfirmButtons, Notice, PostForm, Select } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { ROLE_OPTIONS } from "../views/role-labels.ts";
import { ConfirmationFields } from "./confirmation.tsx";

/** A user, in one of the user's accounts. */
export interface Member extends Membership {
  user: User;
}

/** Where a user is managed from. */
export interface UserPlace {
  /** Whether it is a place of operators, whose forms name the account; in another one it is the current account. */
  isOfOperators: boolean;
  /** The path of the actions on a user, below /dashboard: `/users`. */
  path: string;
  /** The page that lists the users of an account, below /dashboard. */
  listOf: (accountId: string) => string;
  /** The page's place in the navigation. */
  at: string;
}

export function removeUserPage(auth: AuthContext, place: UserPlace, member: Member, error?: string): string {
  return confirmationPage(auth, place, member, {
    title: `Remove ${member.user.email}`,
    path: "remove",
    button: `Remove ${member.user.email}`,
    error,
    children: (
      <p>
        The user loses this account at once. A user of no other account is signed out everywhere, and cannot sign in
        again. Open invitations to the account that the user has sent end. The account with its keys, domains and
        messages does not change.
      </p>
    ),
  });
}

export function secondFactorOffPage(auth: AuthContext, place: UserPlace, member: Member, error?: string): string {
  return confirmationPage(auth, place, member, {
    title: `Turn off the second factor of ${member.user.email}`,
    path: "second-factor-off",
    button: "Turn off second factor",
    error,
    children: (
      <p>
        From then on, this user can sign in with the password only. The user's sessions end and the recovery codes are
        deleted. Do this only if the user has lost the authenticator app and all recovery codes.
      </p>
    ),
  });
}

export interface RoleForm {
  /** The chosen role; the user's own if absent. */
  typed?: Role;
  error?: string;
}

export function rolePage(auth: AuthContext, place: UserPlace, member: Member, { typed, error }: RoleForm): string {
  return confirmationPage(auth, place, member, {
    title: `Change the role of ${member.user.email}`,
    path: "role",
    button: "Change role",
    tone: "primary",
    error,
    children: (
      <p>The new role applies from the user's next request on. Open invitations that a former owner has sent end.</p>
    ),
    fields: <Select label="Role" name="role" value={typed ?? member.role} options={ROLE_OPTIONS} />,
  });
}

interface ConfirmationForm {
  /** Without the question mark. */
  title: string;
  /** The form's path below the user's. */
  path: string;
  button: string;
  tone?: "primary" | "danger";
  error: string | undefined;
  children: ComponentChildren;
  /** Before those of the confirmation. */
  fields?: ComponentChildren;
}

function confirmationPage(auth: AuthContext, place: UserPlace, member: Member, form: ConfirmationForm) {
  const { user, accountId } = member;
  const { title, path, button, tone = "danger", error, children, fields } = form;
  return signedInPage(auth, place.at, {
    title,
    children: (
      <>
        <h1>{fields === undefined ? `${title}?` : title}</h1>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        {children}
        <section class="card narrow">
          <PostForm
            action={`/dashboard${place.path}/${user.id}/${path}`}
            formToken={auth.formToken}
            entry={place.isOfOperators ? { account: accountId } : {}}
          >
            {fields}
            <ConfirmationFields auth={auth} />
            <ConfirmButtons tone={tone} text={button} back={`/dashboard${place.listOf(accountId)}`} />
          </PostForm>
        </section>
      </>
    ),
  });
}
