/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The confirmation pages for an operator's actions on another user.
 */
import type { ComponentChildren } from "preact";
import type { User } from "../../spool/port/people.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { ConfirmationFields } from "./confirmation.tsx";

export function removeUserPage(auth: AuthContext, user: User, error?: string): string {
  return confirmationPage(auth, user, {
    title: `Remove ${user.email}`,
    path: "remove",
    button: `Remove ${user.email}`,
    error,
    children: (
      <p>
        The user is signed out everywhere and cannot sign in again. The account with its keys, domains and messages does
        not change.
      </p>
    ),
  });
}

export function secondFactorOffPage(auth: AuthContext, user: User, error?: string): string {
  return confirmationPage(auth, user, {
    title: `Turn off the second factor of ${user.email}`,
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

interface ConfirmationForm {
  /** Without the question mark. */
  title: string;
  /** The form's path below the user's. */
  path: string;
  button: string;
  error: string | undefined;
  children: ComponentChildren;
}

function confirmationPage(auth: AuthContext, user: User, { title, path, button, error, children }: ConfirmationForm) {
  return signedInPage(auth, "/operator/accounts/one", {
    title,
    children: (
      <>
        <h1>{title}?</h1>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        {children}
        <section class="card narrow">
          <PostForm action={`/dashboard/operator/users/${user.id}/${path}`} formToken={auth.formToken}>
            <ConfirmationFields auth={auth} />
            <div class="bar">
              <button type="submit" class="danger">
                {button}
              </button>
              <a class="button" href={`/dashboard/operator/accounts/${user.accountId}`}>
                Cancel
              </a>
            </div>
          </PostForm>
        </section>
      </>
    ),
  });
}
