/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Routes for signing in and out. A wrong password and an unknown email address take the same time and get the same
 * response. Limits on attempts are in auth/credentials.ts.
 */
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import { type Credentials, type Rejection, reject } from "../auth/credentials.ts";
import { beginPending, endPending, isCurrent, type PendingSignIn, pendingOf } from "../auth/pending-sign-in.ts";
import { takeIdToken } from "../auth/provider-flow.ts";
import { authenticate, beginSession, endSession, requireFormToken } from "../auth/sessions.ts";
import { type SignInTarget, signInTarget } from "../auth/sign-in-target.ts";
import { Field, Notice } from "../views/components.tsx";
import { noticeText } from "../views/labels.ts";
import { signedOutPage } from "../views/layout.tsx";
import { ProviderForm } from "../views/provider-form.tsx";
import { EmailField, SignedOutForm } from "../views/signed-out-form.tsx";
import { field, rawField } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";
import { leavingPage } from "./leaving-page.tsx";

const WRONG_PASSWORD = { status: 401, sentence: "Wrong email address or password." };
export const SESSION_ENDED = "Your session has ended. Sign in to continue.";

const NOTICES: Record<string, string> = {
  password: "Password changed. Sign in with the new one.",
  ended: SESSION_ENDED,
};

const WRONG_CODE = { status: 401, sentence: "The code is wrong, expired or already used." };

export function createSignIn(
  parts: DashboardParts,
  credentials: Credentials,
): Record<string, (ctx: Context) => Promise<unknown>> {
  const pages = new SignInPages(parts, credentials);
  return {
    "GET /sign-in": (ctx) => pages.show(ctx),
    "POST /sign-in": (ctx) => pages.signIn(ctx),
    "GET /sign-in/code": (ctx) => pages.showCode(ctx),
    "POST /sign-in/code": (ctx) => pages.checkCode(ctx),
    "POST /sign-out": (ctx) => pages.signOut(ctx),
  };
}

class SignInPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async show(ctx: Context): Promise<unknown> {
    if ((await authenticate(ctx, this.#parts)) !== null) return ctx.redirect("/dashboard");
    const isFresh = !(await this.#parts.registry.hasUsers());
    const notice = noticeText(NOTICES, ctx.query.done);
    return signInPage(this.#parts, { next: String(ctx.query.next ?? ""), email: "", isFresh, notice });
  }

  async signIn(ctx: Context): Promise<unknown> {
    const email = field(ctx, "email").slice(0, 400);
    const next = dashboardPath(field(ctx, "next"));
    const kept = field(ctx, "kept");
    const check = await this.#credentials.checkSignIn(ctx, email, rawField(ctx, "password"));
    if (check.type !== "right") {
      // Only then: how long it takes would say whether there is such a user.
      if (check.type === "wrong") ctx.res.once("close", () => void this.#parts.failedSignIn(email, "password"));
      return signInPage(this.#parts, { next, kept, email, error: reject(ctx, check, WRONG_PASSWORD) });
    }
    const { user, counted } = check;
    const target = await signInTarget(this.#parts, user, { next, kept });
    if (user.sealedTotp !== null) {
      beginPending(ctx, this.#parts, { user, counted, ...target });
      return ctx.redirect("/dashboard/sign-in/code");
    }
    await this.#credentials.undoFailures(counted);
    return this.#enter(ctx, user, target);
  }

  async showCode(ctx: Context): Promise<unknown> {
    const pending = pendingOf(ctx, this.#parts);
    const mayTry = pending !== null && (await this.#credentials.mayTryCodeOf(pending));
    return mayTry ? codePage() : ctx.redirect("/dashboard/sign-in");
  }

  async checkCode(ctx: Context): Promise<unknown> {
    const pending = pendingOf(ctx, this.#parts);
    const user = pending === null ? null : await this.#parts.people.user(pending.userId);
    if (pending === null || user === null || !isCurrent(pending, user)) return ctx.redirect("/dashboard/sign-in");
    if (!(await this.#credentials.countCodeOf(pending))) return ctx.redirect("/dashboard/sign-in");
    const check = await this.#credentials.checkCode(ctx, user, field(ctx, "code"));
    if (check.type === "wrong") await this.#parts.failedSignIn(user.email, "code");
    if (check.type !== "right") return this.#rejectCode(ctx, pending, check);
    await check.clearFailures();
    await this.#credentials.undoFailures(pending.counted);
    endPending(ctx, this.#parts);
    return this.#enter(ctx, user, pending);
  }

  /** Leads a user who has signed in at the identity provider to the sign-out there, if it has one. */
  async signOut(ctx: Context): Promise<unknown> {
    const auth = await authenticate(ctx, this.#parts);
    if (auth !== null) {
      requireFormToken(ctx, auth);
      await endSession(ctx, this.#parts, auth);
    }
    const idToken = takeIdToken(ctx, this.#parts);
    const { provider, publicUrl } = this.#parts;
    const isByProvider = auth !== null && auth.session.providerSid !== null;
    if (provider === null || !isByProvider) return ctx.redirect("/dashboard/sign-in");
    const url = await provider.signOutUrl(idToken, `${publicUrl}/dashboard/sign-in`);
    return url === null
      ? ctx.redirect("/dashboard/sign-in")
      : leavingPage(ctx, { name: provider.name, url, title: "Signed out" });
  }

  async #enter(ctx: Context, user: User, { next, accountId }: SignInTarget): Promise<void> {
    await beginSession(ctx, this.#parts, user, { accountId });
    ctx.redirect(next);
  }

  async #rejectCode(ctx: Context, pending: PendingSignIn, rejection: Rejection): Promise<string> {
    const error = reject(ctx, rejection, WRONG_CODE);
    if (await this.#credentials.mayTryCodeOf(pending)) return codePage(error);
    endPending(ctx, this.#parts);
    return signInPage(this.#parts, { next: pending.next, email: "", error: "Too many wrong codes. Sign in again." });
  }
}

/** Returns `path` if it is a path of the dashboard, else the front page: prevents open redirects. */
export function dashboardPath(path: string): string {
  return /^\/dashboard(?:[/?][\w\-./?=&%@:+~]*)?$/.test(path) ? path : "/dashboard";
}

export interface SignInState {
  next: string;
  /** The form to fill in after the sign-in, sealed. */
  kept?: string;
  email: string;
  error?: string;
  isFresh?: boolean;
  notice?: string | undefined;
}

export function signInPage(
  { provider, passwordSignIn }: Pick<DashboardParts, "provider" | "passwordSignIn">,
  state: SignInState,
): string {
  const form = <PasswordForm {...state} autoFocus={provider === null} />;
  return signedOutPage({
    title: "Sign in",
    children: (
      <>
        <h1>Sign in</h1>
        {state.isFresh ? (
          <Notice tone="warn">
            No user exists yet. Open the one-time setup link that the service logged when it started.
          </Notice>
        ) : null}
        {state.notice === undefined ? null : <Notice tone="warn">{state.notice}</Notice>}
        {provider === null ? null : <ProviderForm name={provider.name} next={state.next} kept={state.kept} />}
        {passwordSignIn === "on" ? (
          form
        ) : (
          <details open={state.error !== undefined}>
            <summary>Operators: sign in with a password</summary>
            {form}
          </details>
        )}
        <p>
          <a href="/dashboard/api">API reference</a> · <a href="/dashboard/docs">Documentation</a>
        </p>
      </>
    ),
  });
}

function PasswordForm({ next, kept = "", email, error, autoFocus }: SignInState & { autoFocus: boolean }) {
  return (
    <>
      <SignedOutForm action="/dashboard/sign-in" error={error} button="Sign in">
        <input type="hidden" name="next" value={next} />
        {kept === "" ? null : <input type="hidden" name="kept" value={kept} />}
        <EmailField value={email} autoFocus={autoFocus && email === ""} />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          autoComplete="current-password"
          autoFocus={email !== ""}
        />
      </SignedOutForm>
      <p>
        <a href="/dashboard/sign-in/forgotten">Forgot your password?</a>
      </p>
    </>
  );
}

function codePage(error?: string): string {
  return signedOutPage({
    title: "Enter your code",
    children: (
      <>
        <h1>Enter your code</h1>
        <SignedOutForm action="/dashboard/sign-in/code" error={error} button="Continue">
          <Field
            label="Code"
            name="code"
            required
            autoComplete="one-time-code"
            autoFocus
            hint="Six digits from your authenticator app, or one of your recovery codes."
          />
        </SignedOutForm>
        <p>
          <a href="/dashboard/sign-in">Sign in as a different user</a>
        </p>
      </>
    ),
  });
}
