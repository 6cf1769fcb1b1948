/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages of a forgotten password, up to the link with which somebody without a session chooses another one. The response is the same, and
 * takes the same time, whether or not there is such a user.
 */
import type { Context } from "koa";
import { hashLinkToken } from "../../security/link-token.ts";
import { type Credentials, reject } from "../auth/credentials.ts";
import { mayUsePassword } from "../auth/password-rule.ts";
import { signedOutPage } from "../views/layout.tsx";
import { PasswordField, passwordFault } from "../views/new-user-form.tsx";
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
    "GET /sign-in/forgotten": async () => forgottenPage({ email: "" }),
    "POST /sign-in/forgotten": (ctx) => pages.requestReset(ctx),
    "GET /new-password/:token": (ctx) => pages.showReset(ctx),
    "POST /new-password/:token": (ctx) => pages.resetPassword(ctx),
  };
}

class LinkPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
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

  async #resetUser(ctx: Context): Promise<string> {
    const { people, clock } = this.#parts;
    const userId = await people.passwordResetOf(hashOf(ctx), clock.now());
    if (userId === null) throw new PageError("reset_ended");
    return userId;
  }
}

const hashOf = (ctx: Context): Buffer => hashLinkToken(ctx.params.token ?? "");

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
