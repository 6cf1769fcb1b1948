/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages of links with which somebody without a session chooses a password: an invitation, and a forgotten password. The response to
 * a forgotten password is the same, and takes the same time, whether or not there is such a user.
 */
import type { Context } from "koa";
import { inviterName } from "../../app/accounts/invite-user.ts";
import { hashLinkToken } from "../../security/link-token.ts";
import type { Invitation } from "../../spool/port/invitations.ts";
import { type Credentials, reject } from "../auth/credentials.ts";
import { mayUsePassword } from "../auth/password-rule.ts";
import { beginSession } from "../auth/sessions.ts";
import { signedOutPage } from "../views/layout.tsx";
import { PasswordField, passwordFault } from "../views/new-user-form.tsx";
import { ProviderForm } from "../views/provider-form.tsx";
import { ROLE_NAMES, ROLE_TEXTS } from "../views/role-labels.ts";
import { EmailField, SignedOutForm } from "../views/signed-out-form.tsx";
import { field, rawField } from "../web/form.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";

export function createLinkPages(
  parts: DashboardParts,
  credentials: Credentials,
): Record<string, (ctx: Context) => Promise<unknown>> {
  const pages = new LinkPages(parts, credentials);
  return {
    "GET /invitation/:token": (ctx) => pages.showInvitation(ctx),
    "POST /invitation/:token": (ctx) => pages.acceptInvitation(ctx),
    "GET /sign-in/forgotten": async () => forgottenPage({ email: "" }),
    "POST /sign-in/forgotten": (ctx) => pages.requestReset(ctx),
    "GET /new-password/:token": (ctx) => pages.showReset(ctx),
    "POST /new-password/:token": (ctx) => pages.resetPassword(ctx),
  };
}

export const PASSWORDS_OFF =
  "Passwords are turned off here, except for operators. Sign in by the company's identity provider.";

interface OpenInvitation {
  invitation: Invitation;
  account: string;
}

class LinkPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async showInvitation(ctx: Context): Promise<string> {
    return this.#invitationPage(ctx, await this.#openInvitation(ctx));
  }

  async acceptInvitation(ctx: Context): Promise<unknown> {
    const open = await this.#openInvitation(ctx);
    if (this.#parts.passwordSignIn !== "on") throw new PageError("forbidden", PASSWORDS_OFF);
    const password = rawField(ctx, "password");
    const fault = passwordFault(password);
    if (fault !== null) {
      ctx.status = 400;
      return this.#invitationPage(ctx, open, fault);
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

  async requestReset(ctx: Context): Promise<string> {
    const email = field(ctx, "email").slice(0, 400);
    const rejection = await this.#credentials.countReset(ctx);
    if (rejection !== null) return forgottenPage({ email, error: reject(ctx, rejection) });
    const { log } = this.#parts;
    // Only then: how long it takes would say whether there is such a user.
    ctx.res.once("close", () => {
      this.#sendReset(email).catch((error: Error) => log.warn({ err: error }, "password reset failed"));
    });
    return requestedPage();
  }

  async #sendReset(email: string): Promise<void> {
    const { people, links } = this.#parts;
    const user = await people.userNamed(email);
    if (user === null || mayUsePassword(this.#parts, user)) await links.requestPasswordReset(email);
  }

  async showReset(ctx: Context): Promise<string> {
    await this.#resetUser(ctx);
    return newPasswordPage(ctx.path);
  }

  async resetPassword(ctx: Context): Promise<unknown> {
    const userId = await this.#resetUser(ctx);
    const password = rawField(ctx, "password");
    const fault = passwordFault(password);
    if (fault !== null) {
      ctx.status = 400;
      return newPasswordPage(ctx.path, fault);
    }
    const { people, clock } = this.#parts;
    const passwordHash = await this.#credentials.hashPassword(password, userId);
    const reset = await people.resetPassword({ hash: hashOf(ctx), passwordHash, nowMs: clock.now() });
    if (reset === null) throw new PageError("reset_ended");
    ctx.redirect("/dashboard/sign-in?done=password");
  }

  #invitationPage(ctx: Context, open: OpenInvitation, error?: string): string {
    return invitationPage(this.#parts, { ...open, action: ctx.path, error });
  }

  async #openInvitation(ctx: Context): Promise<OpenInvitation> {
    const { registry, clock } = this.#parts;
    const invitation = await registry.invitationOf(hashOf(ctx), clock.now());
    const account = (await registry.accounts()).find(({ id }) => id === invitation?.accountId);
    if (invitation === null || account === undefined || account.deletedAtMs !== null) {
      throw new PageError("invitation_ended");
    }
    return { invitation, account: account.name };
  }

  async #resetUser(ctx: Context): Promise<string> {
    const { people, clock } = this.#parts;
    const userId = await people.passwordResetOf(hashOf(ctx), clock.now());
    if (userId === null) throw new PageError("reset_ended");
    return userId;
  }
}

const hashOf = (ctx: Context): Buffer => hashLinkToken(ctx.params.token ?? "");

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
          {inviterName(invitedBy)} invites {email} to the account {account}. An email address can have one user only, in
          one account, and this one has a user already. The invitation changes nothing.
        </p>
        <p>Sign in as that user. To join another account, ask for an invitation to another email address.</p>
        <p>
          <a href="/dashboard/sign-in">Go to sign-in</a>
        </p>
      </>
    ),
  });
}

function invitationPage(
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
        {provider === null ? null : <ProviderForm name={provider.name} />}
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
      </>
    ),
  });
}

function forgottenPage({ email, error }: { email: string; error?: string }): string {
  return signedOutPage({
    title: "Forgot your password?",
    children: (
      <>
        <h1>Forgot your password?</h1>
        <p>Postrider sends you a link with which you can choose a new one.</p>
        <SignedOutForm action="/dashboard/sign-in/forgotten" error={error} button="Send the link">
          <EmailField value={email} />
        </SignedOutForm>
        <p>
          <a href="/dashboard/sign-in">Back to sign-in</a>
        </p>
      </>
    ),
  });
}

function requestedPage(): string {
  return signedOutPage({
    title: "Link requested",
    children: (
      <>
        <h1>Look for a message</h1>
        <p>
          If there is a user with this email address, a message with a link is on its way. The link is valid for an hour
          and can be used once. After several requests in half an hour no more messages are sent: use the link of the
          last one.
        </p>
        <p>
          If none arrives: Postrider can only send it from a verified domain of your account, or of the service's own.
          Without one, an operator can set a new password on the host, with the command <code>users set-password</code>.
        </p>
        <p>
          <a href="/dashboard/sign-in">Back to sign-in</a>
        </p>
      </>
    ),
  });
}

function newPasswordPage(action: string, error?: string): string {
  return signedOutPage({
    title: "Choose a new password",
    children: (
      <>
        <h1>Choose a new password</h1>
        <p>All your sessions end. If you have a second factor, you need it to sign in as before.</p>
        <SignedOutForm action={action} error={error} button="Change password">
          <PasswordField label="New password" />
        </SignedOutForm>
      </>
    ),
  });
}
