/** @jsxRuntime automatic @jsxImportSource preact */
/** The page of a request that failed: what is wrong, and where to go from there. */
import type { AuthContext } from "../auth/sessions.ts";
import type { PageProps } from "../views/layout.tsx";
import type { PageError } from "../web/page-error.ts";

export interface ErrorContext {
  /** Null without a session. */
  auth: AuthContext | null;
  requestId: string;
}

/** Renders an error; null stands for an internal error. */
export function errorPage(error: PageError | null, context: ErrorContext): PageProps {
  if (error?.code === "not_found") return notFoundPage(error, context);
  if (error?.code === "invitation_ended") return endedInvitationPage(error, context);
  if (error?.code === "reset_ended") return endedResetPage(error, context);
  return {
    title: "Request failed",
    children: (
      <>
        <h1>Request failed</h1>
        <p>{error?.message ?? "This page failed because of an internal error. Try again in a moment."}</p>
        {error === null ? (
          <p>
            If it fails again, an operator finds the cause in the service's log under the request id{" "}
            <code>{context.requestId}</code>.
          </p>
        ) : null}
        <WayOn auth={context.auth} />
      </>
    ),
  };
}

function notFoundPage({ message }: PageError, { auth }: ErrorContext): PageProps {
  return {
    title: "Page not found",
    children: (
      <>
        <h1>Page not found</h1>
        <p>{message}</p>
        {auth === null ? (
          <p>If you have copied the address from a message, check that it is complete.</p>
        ) : (
          <ul class="bullets">
            <li>If you typed or copied the address, check that it is complete.</li>
            <li>
              What it showed may have been removed since, or deleted after its retention period. Find a message by its
              id or its recipient in <a href="/dashboard/messages">Messages</a>.
            </li>
            {auth.user.operator ? (
              <li>
                Your current account is <strong>{auth.account.name}</strong>. To open a page of another account, switch
                to it in <a href="/dashboard/operator/accounts">Accounts</a>.
              </li>
            ) : (
              <li>
                You see the pages of your account, <strong>{auth.account.name}</strong>, only.
              </li>
            )}
          </ul>
        )}
        <WayOn auth={auth} />
      </>
    ),
  };
}

const COPIED = "If you have copied the link from a message, check that it is complete.";

/** Used, expired, revoked and unknown links are alike: who has none learns nothing from a guess. */
function endedInvitationPage({ message }: PageError, { auth }: ErrorContext): PageProps {
  return {
    title: "Invitation no longer valid",
    children: (
      <>
        <h1>This invitation is no longer valid</h1>
        <p>{message}</p>
        <ul class="bullets">
          <li>If you have accepted it, sign in with the password that you chose.</li>
          <li>Otherwise, ask the person who invited you for another invitation.</li>
          <li>{COPIED}</li>
        </ul>
        <WayOn auth={auth} />
      </>
    ),
  };
}

function endedResetPage({ message }: PageError, { auth }: ErrorContext): PageProps {
  return {
    title: "Password link no longer valid",
    children: (
      <>
        <h1>This password link is no longer valid</h1>
        <p>{message}</p>
        <ul class="bullets">
          <li>If you have chosen a new password with it, sign in with that password.</li>
          <li>
            Otherwise, <a href="/dashboard/sign-in/forgotten">request another link</a>.
          </li>
          <li>{COPIED}</li>
        </ul>
        <WayOn auth={auth} />
      </>
    ),
  };
}

function WayOn({ auth }: { auth: AuthContext | null }) {
  return (
    <p>
      {auth === null ? (
        <a class="button primary" href="/dashboard/sign-in">
          Sign in
        </a>
      ) : (
        <a class="button" href="/dashboard">
          Go to the overview
        </a>
      )}
    </p>
  );
}
