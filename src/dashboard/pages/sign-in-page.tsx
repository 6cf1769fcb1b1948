/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Routes for signing in and out. A wrong password and an unknown email address take the same time and get the same
 * response. Limits on attempts are in auth/credentials.ts.
 */
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import { type Credentials, type Rejection, reject } from "../auth/credentials.ts";
import { KeptForms, openedForm } from "../auth/kept-form.ts";
import { beginPending, endPending, isCurrent, type PendingSignIn, pendingOf } from "../auth/pending-sign-in.ts";
import { authenticate, beginSession, endSession, requireFormToken } from "../auth/sessions.ts";
import { Field, Notice } from "../views/components.tsx";
import { noticeText } from "../views/labels.ts";
import { signedOutPage } from "../views/layout.tsx";
import { EmailField, SignedOutForm } from "../views/signed-out-form.tsx";
import { field, rawField } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";

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

type SignInTarget = Pick<PendingSignIn, "next" | "accountId">;

class SignInPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;
  readonly #keptForms: KeptForms;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
    this.#keptForms = new KeptForms(parts);
  }

  async show(ctx: Context): Promise<unknown> {
    if ((await authenticate(ctx, this.#parts)) !== null) return ctx.redirect("/dashboard");
    const isFresh = !(await this.#parts.registry.hasUsers());
    const notice = noticeText(NOTICES, ctx.query.done);
    return signInPage({ next: String(ctx.query.next ?? ""), email: "", isFresh, notice });
  }

  async signIn(ctx: Context): Promise<unknown> {
    const email = field(ctx, "email").slice(0, 400);
    const next = dashboardPath(field(ctx, "next"));
    const kept = field(ctx, "kept");
    const check = await this.#credentials.checkSignIn(ctx, email, rawField(ctx, "password"));
    if (check.type !== "right") {
      // Only then: how long it takes would say whether there is such a user.
      if (check.type === "wrong") ctx.res.once("close", () => void this.#parts.failedSignIn(email, "password"));
      return signInPage({ next, kept, email, error: reject(ctx, check, WRONG_PASSWORD) });
    }
    const { user, counted } = check;
    const target = await this.#targetOf(user, { next, kept });
    if (user.sealedTotp !== null) {
      beginPending(ctx, this.#parts, { user, counted, ...target });
      return ctx.redirect("/dashboard/sign-in/code");
    }
    await this.#credentials.undoFailures(counted);
    return this.#enter(ctx, user, target);
  }

  /** Where the sign-in leads: to the form that was sent after the session had ended, if it is this user's, else to `next`. */
  async #targetOf(user: User, { next, kept }: { next: string; kept: string }): Promise<SignInTarget> {
    const form = openedForm(this.#parts, kept, user);
    if (form === null) return { next, accountId: user.accountId };
    const accounts = user.operator ? await this.#parts.registry.accounts() : [];
    const account = accounts.find(({ id, isEmptied }) => id === form.accountId && !isEmptied);
    const accountId = account?.id ?? user.accountId;
    return { next: await this.#keptForms.hold(accountId, form), accountId };
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

  async signOut(ctx: Context): Promise<void> {
    const auth = await authenticate(ctx, this.#parts);
    if (auth !== null) {
      requireFormToken(ctx, auth);
      await endSession(ctx, this.#parts, auth);
    }
    ctx.redirect("/dashboard/sign-in");
  }

  async #enter(ctx: Context, user: User, { next, accountId }: SignInTarget): Promise<void> {
    await beginSession(ctx, this.#parts, user, accountId);
    ctx.redirect(next);
  }

  async #rejectCode(ctx: Context, pending: PendingSignIn, rejection: Rejection): Promise<string> {
    const error = reject(ctx, rejection, WRONG_CODE);
    if (await this.#credentials.mayTryCodeOf(pending)) return codePage(error);
    endPending(ctx, this.#parts);
    return signInPage({ next: pending.next, email: "", error: "Too many wrong codes. Sign in again." });
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

export function signInPage(state: SignInState): string {
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
        <SignedOutForm action="/dashboard/sign-in" error={state.error} button="Sign in">
          <input type="hidden" name="next" value={state.next} />
          {state.kept === undefined || state.kept === "" ? null : (
            <input type="hidden" name="kept" value={state.kept} />
          )}
          <EmailField value={state.email} autoFocus={state.email === ""} />
          <Field
            label="Password"
            name="password"
            type="password"
            required
            autoComplete="current-password"
            autoFocus={state.email !== ""}
          />
        </SignedOutForm>
        <p>
          <a href="/dashboard/sign-in/forgotten">Forgot your password?</a>
        </p>
        <p>
          <a href="/dashboard/api">API reference</a> · <a href="/dashboard/docs">Documentation</a>
        </p>
      </>
    ),
  });
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
