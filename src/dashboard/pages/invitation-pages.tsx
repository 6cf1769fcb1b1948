/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages of an invitation's link. Somebody new chooses a password, or signs in at the identity provider. Who has a user already signs in,
 * and joins the account with that user: never without doing so, and only with the invited email address.
 */
import type { Context } from "koa";
import { inviterName } from "../../app/accounts/invite-user.ts";
import { hashLinkToken } from "../../security/link-token.ts";
import { foldedEmail } from "../../spool/port/folded-email.ts";
import type { Invitation } from "../../spool/port/invitations.ts";
import type { Credentials } from "../auth/credentials.ts";
import { type AuthContext, authenticate, beginSession } from "../auth/sessions.ts";
import { PostForm } from "../views/components.tsx";
import { signedInPage, signedOutPage } from "../views/layout.tsx";
import { PasswordField, passwordFault } from "../views/new-user-form.tsx";
import { ProviderForm } from "../views/provider-form.tsx";
import { ROLE_NAMES, ROLE_TEXTS } from "../views/role-labels.ts";
import { SignedOutForm } from "../views/signed-out-form.tsx";
import { rawField } from "../web/form.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Pages } from "./routes.ts";

/** The beginning of the paths of invitations, before the token. */
export const INVITATION_PATH = "/dashboard/invitation/";

export const PASSWORDS_OFF =
  "Passwords are turned off here, except for operators. Sign in by the company's identity provider.";

interface OpenInvitation {
  invitation: Invitation;
  /** The name of the account. */
  account: string;
}

/** For everybody who has the link. */
export function createInvitationPages(
  parts: DashboardParts,
  credentials: Credentials,
): Record<string, (ctx: Context) => Promise<unknown>> {
  const pages = new InvitationPages(parts, credentials);
  return {
    "GET /invitation/:token": (ctx) => pages.show(ctx),
    "POST /invitation/:token": (ctx) => pages.accept(ctx),
  };
}

/** For a signed-in user. */
export function createJoinRoutes(parts: DashboardParts): Pages {
  return {
    "POST /invitation/:token/join": async (ctx, auth) => {
      const open = await openInvitation(ctx, parts);
      const { registry, people, clock } = parts;
      const use = { hash: hashOf(ctx), userId: auth.user.id, nowMs: clock.now() };
      const joined = await registry.joinByInvitation(use);
      if (joined === "gone") throw new PageError("invitation_ended");
      if (joined === "other_address") {
        ctx.status = 403;
        return otherAddressPage(auth, open);
      }
      if (joined === "joined") await people.switchAccount(auth.session.hash, open.invitation.accountId);
      ctx.redirect("/dashboard");
    },
  };
}

class InvitationPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async show(ctx: Context): Promise<string> {
    const auth = await authenticate(ctx, this.#parts);
    if (auth !== null) ctx.state.auth = auth;
    const open = await openInvitation(ctx, this.#parts);
    if (auth === null) return this.#newUserPage(ctx, open);
    const isSame = foldedEmail(auth.user.email) === foldedEmail(open.invitation.email);
    return isSame ? joinPage(auth, open, ctx.path) : otherAddressPage(auth, open);
  }

  /** With the password of somebody new. */
  async accept(ctx: Context): Promise<unknown> {
    const open = await openInvitation(ctx, this.#parts);
    if (this.#parts.passwordSignIn !== "on") throw new PageError("forbidden", PASSWORDS_OFF);
    const password = rawField(ctx, "password");
    const fault = passwordFault(password);
    if (fault !== null) {
      ctx.status = 400;
      return this.#newUserPage(ctx, open, fault);
    }
    const { registry, people, clock } = this.#parts;
    const passwordHash = await this.#credentials.hashPassword(password, open.invitation.id);
    const accepted = await registry.acceptInvitation({ hash: hashOf(ctx), passwordHash, nowMs: clock.now() });
    if (accepted === "gone") throw new PageError("invitation_ended");
    if (accepted === "exists") return takenPage(ctx, open);
    const user = await people.user(accepted.userId);
    if (user === null) throw new Error("the invited user is missing after its creation");
    await beginSession(ctx, this.#parts, user);
    ctx.redirect("/dashboard");
  }

  #newUserPage(ctx: Context, open: OpenInvitation, error?: string): string {
    return newUserPage(this.#parts, { ...open, action: ctx.path, error });
  }
}

const hashOf = (ctx: Context): Buffer => hashLinkToken(ctx.params.token ?? "");

async function openInvitation(ctx: Context, { registry, clock }: DashboardParts): Promise<OpenInvitation> {
  const invitation = await registry.invitationOf(hashOf(ctx), clock.now());
  const account = (await registry.accounts()).find(({ id }) => id === invitation?.accountId);
  if (invitation === null || account === undefined || account.deletedAtMs !== null) {
    throw new PageError("invitation_ended");
  }
  return { invitation, account: account.name };
}

const signInPath = (invitationPath: string): string =>
  `/dashboard/sign-in?${new URLSearchParams({ next: invitationPath })}`;

/**
 * The email address has a user, who probably reads this. Shown only for a sent form: the inviter has the link too, and would learn from
 * it, without a trace, which email addresses have users in other accounts.
 */
function takenPage(ctx: Context, { invitation, account }: OpenInvitation): string {
  const { email, invitedBy } = invitation;
  ctx.status = 409;
  return signedOutPage({
    title: "Email address in use",
    children: (
      <>
        <h1>This email address already has a user</h1>
        <p>
          {inviterName(invitedBy)} invites {email} to the account {account}. Sign in as the user with this address to
          join the account. Nothing has changed so far.
        </p>
        <p>
          <a href={signInPath(ctx.path)}>Sign in to join</a>
        </p>
      </>
    ),
  });
}

function joinPage(auth: AuthContext, { invitation, account }: OpenInvitation, path: string): string {
  const { role, invitedBy } = invitation;
  return signedInPage(auth, "none", {
    title: `Join ${account}`,
    children: (
      <>
        <h1>Join {account}?</h1>
        <p>
          {inviterName(invitedBy)} invites you as {ROLE_NAMES[role].toLowerCase()} ({ROLE_TEXTS[role]}). You are signed
          in as {auth.user.email}, and keep the accounts that you have.
        </p>
        <p>An owner of the account can then change your role in it, remove you from it, and end your sessions.</p>
        <PostForm action={`${path}/join`} formToken={auth.formToken}>
          <button type="submit" class="primary">
            Join {account}
          </button>
        </PostForm>
      </>
    ),
  });
}

function otherAddressPage(auth: AuthContext, { invitation: { email }, account }: OpenInvitation): string {
  return signedInPage(auth, "none", {
    title: `Join ${account}`,
    children: (
      <>
        <h1>This invitation is for another email address</h1>
        <p>
          It invites {email} to the account {account}. You are signed in as {auth.user.email}. Sign out, then open the
          link again.
        </p>
      </>
    ),
  });
}

function newUserPage(
  { provider, passwordSignIn }: Pick<DashboardParts, "provider" | "passwordSignIn">,
  { invitation, account, action, error }: OpenInvitation & { action: string; error?: string | undefined },
): string {
  const { email, role, invitedBy } = invitation;
  return signedOutPage({
    title: "Accept the invitation",
    children: (
      <>
        <h1>Join {account}</h1>
        <p>
          {inviterName(invitedBy)} invites you as {ROLE_NAMES[role].toLowerCase()} ({ROLE_TEXTS[role]}).
          {provider === null
            ? " Choose a password to sign in with."
            : ` Sign in with ${provider.name}, where your email address must be ${email}.`}
        </p>
        {provider === null ? null : <ProviderForm name={provider.name} next={action} />}
        {passwordSignIn !== "on" ? null : (
          <>
            {provider === null ? null : <p>Or choose a password to sign in with.</p>}
            <SignedOutForm action={action} error={error} button="Accept invitation">
              <div class="field">
                <label for="field-email">Email address</label>
                <input id="field-email" type="email" value={email} readOnly autoComplete="username" />
              </div>
              <PasswordField />
            </SignedOutForm>
          </>
        )}
        <p>
          Do you have a user with this email address already? <a href={signInPath(action)}>Sign in to join</a>
        </p>
      </>
    ),
  });
}
