/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages that ask an operator to confirm an action on another user.
 */
import type { ComponentChildren } from "preact";
import type { User } from "../../spool/port/people.ts";
import type { Visit } from "../auth/sessions.ts";
import { Notice, PostForm } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { ConfirmationFields } from "./confirmation.tsx";

export function removeUserPage(visit: Visit, user: User, error?: string): string {
  return confirmationPage(visit, user, {
    title: `Remove ${user.email}`,
    path: "remove",
    button: `Remove ${user.email}`,
    cancel: "Keep the user",
    error,
    children: (
      <p>
        The user is signed out everywhere and cannot sign in again. The account, its keys, domains and messages stay as
        they are.
      </p>
    ),
  });
}

export function secondFactorOffPage(visit: Visit, user: User, error?: string): string {
  return confirmationPage(visit, user, {
    title: `Turn off the second factor of ${user.email}`,
    path: "second-factor-off",
    button: "Turn off second factor",
    cancel: "Keep the second factor",
    error,
    children: (
      <p>
        From then on the password alone signs this user in. The user's sessions end, and the recovery codes are deleted.
        Do this only when the user has lost the authenticator app and all recovery codes.
      </p>
    ),
  });
}

interface Confirmation {
  /** Without its question mark. */
  title: string;
  /** Of the form, below the user's. */
  path: string;
  button: string;
  cancel: string;
  error: string | undefined;
  children: ComponentChildren;
}

function confirmationPage(visit: Visit, user: User, { title, path, button, cancel, error, children }: Confirmation) {
  return signedInPage(visit, "/operator/accounts/one", {
    title,
    children: (
      <>
        <h1>{title}?</h1>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        {children}
        <section class="card narrow">
          <PostForm action={`/dashboard/operator/users/${user.id}/${path}`} formToken={visit.formToken}>
            <ConfirmationFields visit={visit} />
            <div class="bar">
              <button type="submit" class="danger">
                {button}
              </button>
              <a class="button" href={`/dashboard/operator/accounts/${user.accountId}`}>
                {cancel}
              </a>
            </div>
          </PostForm>
        </section>
      </>
    ),
  });
}
