/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Routes for signing in and out. A wrong password and an unknown email address take the same time and get the same
 * response. Limits on attempts are in auth/credentials.ts.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import { type Credentials, type Rejection, reject } from "../auth/credentials.ts";
import { authenticate, beginSession, endSession, requireFormToken, setCookie } from "../auth/sessions.ts";
import { Field, Notice } from "../views/components.tsx";
import { signedOutPage } from "../views/layout.tsx";
import { field, rawField } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";

const PENDING_COOKIE = "postrider_half";
/** Time between the password and the code. */
const PENDING_MS = 5 * 60_000;
const PENDING_MAX = 1000;
const CODE_ATTEMPTS_MAX = 5;

/** A sign-in whose password was right and whose code is not checked yet. */
interface PendingSignIn {
  ticket: string;
  userId: string;
  /** The hash that the password matched: the sign-in is void once the password has changed. */
  passwordHash: string;
  /** Clears the password's counted failure; not called before the code is right. */
  clearFailures: () => void;
  untilMs: number;
  next: string;
  attempts: number;
}

const WRONG_PASSWORD = { status: 401, sentence: "Wrong email address or password." };
const WRONG_CODE = { status: 401, sentence: "The code is wrong, expired or already used." };

export function createSignIn(
  parts: DashboardParts,
  credentials: Credentials,
): Record<string, (ctx: Context) => Promise<unknown>> {
  const pages = new SignInPages(parts, credentials);
  return {
    "GET /sign-in": (ctx) => pages.show(ctx),
    "POST /sign-in": (ctx) => pages.signIn(ctx),
    "GET /sign-in/code": async (ctx) => pages.showCode(ctx),
    "POST /sign-in/code": (ctx) => pages.checkCode(ctx),
    "POST /sign-out": (ctx) => pages.signOut(ctx),
  };
}

class SignInPages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;
  /** By ticket, the oldest first. */
  readonly #pending = new Map<string, PendingSignIn>();

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async show(ctx: Context): Promise<unknown> {
    if ((await authenticate(ctx, this.#parts)) !== null) return ctx.redirect("/dashboard");
    const isFresh = !(await this.#parts.registry.hasUsers());
    return signInPage({ next: String(ctx.query.next ?? ""), email: "", isFresh });
  }

  async signIn(ctx: Context): Promise<unknown> {
    const email = field(ctx, "email").slice(0, 400);
    const next = dashboardPath(field(ctx, "next"));
    const check = await this.#credentials.checkSignIn(ctx, email, rawField(ctx, "password"));
    if (check.type !== "right") return signInPage({ next, email, error: reject(ctx, check, WRONG_PASSWORD) });
    const { user, clearFailures } = check;
    if (user.sealedTotp !== null) return this.#askForCode(ctx, user, { next, clearFailures });
    clearFailures();
    return this.#enter(ctx, user, next);
  }

  showCode(ctx: Context): unknown {
    return this.#pendingOf(ctx) === null ? ctx.redirect("/dashboard/sign-in") : codePage();
  }

  async checkCode(ctx: Context): Promise<unknown> {
    const pending = this.#pendingOf(ctx);
    const user = pending === null ? null : await this.#parts.people.user(pending.userId);
    if (pending === null || user === null || user.passwordHash !== pending.passwordHash) {
      return ctx.redirect("/dashboard/sign-in");
    }
    pending.attempts += 1;
    const check = await this.#credentials.checkCode(ctx, user, field(ctx, "code"));
    if (check.type !== "right") return this.#rejectCode(ctx, pending, check);
    check.clearFailures();
    pending.clearFailures();
    this.#pending.delete(pending.ticket);
    setCookie(ctx, this.#parts, { name: PENDING_COOKIE, value: null, maxAgeMs: 0 });
    return this.#enter(ctx, user, pending.next);
  }

  async signOut(ctx: Context): Promise<void> {
    const auth = await authenticate(ctx, this.#parts);
    if (auth !== null) {
      requireFormToken(ctx, auth);
      await endSession(ctx, this.#parts, auth);
    }
    ctx.redirect("/dashboard/sign-in");
  }

  async #enter(ctx: Context, user: User, next: string): Promise<void> {
    await beginSession(ctx, this.#parts, user);
    ctx.redirect(next);
  }

  #askForCode(ctx: Context, user: User, { next, clearFailures }: Pick<PendingSignIn, "next" | "clearFailures">): void {
    const ticket = randomBytes(24).toString("base64url");
    const [oldest] = this.#pending.keys();
    if (this.#pending.size >= PENDING_MAX && oldest !== undefined) this.#pending.delete(oldest);
    const { id: userId, passwordHash } = user;
    const untilMs = this.#parts.clock.monotonicMs() + PENDING_MS;
    this.#pending.set(ticket, { ticket, userId, passwordHash, clearFailures, untilMs, next, attempts: 0 });
    setCookie(ctx, this.#parts, { name: PENDING_COOKIE, value: ticket, maxAgeMs: PENDING_MS });
    ctx.redirect("/dashboard/sign-in/code");
  }

  #pendingOf(ctx: Context): PendingSignIn | null {
    const pending = this.#pending.get(ctx.cookies.get(PENDING_COOKIE) ?? "");
    if (pending === undefined || pending.untilMs <= this.#parts.clock.monotonicMs()) return null;
    return pending.attempts >= CODE_ATTEMPTS_MAX ? null : pending;
  }

  #rejectCode(ctx: Context, { ticket, attempts, next }: PendingSignIn, rejection: Rejection): string {
    const error = reject(ctx, rejection, WRONG_CODE);
    if (attempts < CODE_ATTEMPTS_MAX) return codePage(error);
    this.#pending.delete(ticket);
    return signInPage({ next, email: "", error: "Too many wrong codes. Sign in again." });
  }
}

/** Returns `path` if it is a path of the dashboard, else the front page: prevents open redirects. */
export function dashboardPath(path: string): string {
  return /^\/dashboard(?:[/?][\w\-./?=&%@:+~]*)?$/.test(path) ? path : "/dashboard";
}

function signInPage(state: { next: string; email: string; error?: string; isFresh?: boolean }): string {
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
        {state.error === undefined ? null : <Notice tone="bad">{state.error}</Notice>}
        <form method="post" action="/dashboard/sign-in">
          <input type="hidden" name="next" value={state.next} />
          <Field
            label="Email address"
            name="email"
            type="email"
            value={state.email}
            required
            autoComplete="username"
            autoFocus={state.email === ""}
          />
          <Field
            label="Password"
            name="password"
            type="password"
            required
            autoComplete="current-password"
            autoFocus={state.email !== ""}
          />
          <button type="submit" class="primary wide">
            Sign in
          </button>
        </form>
        <p>
          <a href="/dashboard/api">API reference</a>
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
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <form method="post" action="/dashboard/sign-in/code">
          <Field
            label="Code"
            name="code"
            required
            autoComplete="one-time-code"
            autoFocus
            hint="Six digits from your authenticator app, or one of your recovery codes."
          />
          <button type="submit" class="primary wide">
            Continue
          </button>
        </form>
        <p>
          <a href="/dashboard/sign-in">Sign in as a different user</a>
        </p>
      </>
    ),
  });
}
