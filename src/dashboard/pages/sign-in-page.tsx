/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Signing in and out. A wrong password, an unknown address and a user without one take the same time and get the same
 * words. What a wrong one costs is credentials.ts's to say.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { User } from "../../spool/port/people.ts";
import { type Credentials, type Refused, sayRefused } from "../auth/credentials.ts";
import { beginSession, endSession, requireFormToken, setCookie, visitOf } from "../auth/sessions.ts";
import { Field, Notice } from "../views/components.tsx";
import { openPage } from "../views/layout.tsx";
import { field, rawField } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";

const HALF_COOKIE = "postrider_half";
/** Between the password and the code. */
const HALF_MS = 5 * 60_000;
const HALVES_MAX = 1000;
const CODE_TRIES_MAX = 5;

interface Half {
  userId: string;
  /** The password that was given: with another one, this half is worth nothing. */
  passwordHash: string;
  /** Takes the password's failure back: not before the code is right. */
  settle: () => void;
  untilMs: number;
  next: string;
  tries: number;
}

const WRONG_PASSWORD = { status: 401, sentence: "Email or password is wrong." };
const WRONG_CODE = { status: 401, sentence: "The code is wrong, was used already, or is too old." };

export function createSignIn(
  parts: DashboardParts,
  credentials: Credentials,
): Record<string, (ctx: Context) => Promise<unknown>> {
  const halves = new Map<string, Half>();

  async function enter(ctx: Context, user: User, next: string): Promise<void> {
    await beginSession(ctx, parts, user);
    ctx.redirect(next);
  }

  function askForCode(ctx: Context, user: User, { next, settle }: Pick<Half, "next" | "settle">): void {
    const ticket = randomBytes(24).toString("base64url");
    const [oldest] = halves.keys();
    if (halves.size >= HALVES_MAX && oldest !== undefined) halves.delete(oldest);
    const { id: userId, passwordHash } = user;
    halves.set(ticket, { userId, passwordHash, settle, untilMs: parts.clock.monotonicMs() + HALF_MS, next, tries: 0 });
    setCookie(ctx, parts, { name: HALF_COOKIE, value: ticket, maxAgeMs: HALF_MS });
    ctx.redirect("/dashboard/sign-in/code");
  }

  function halfOf(ctx: Context): { ticket: string; half: Half } | null {
    const ticket = ctx.cookies.get(HALF_COOKIE) ?? "";
    const half = halves.get(ticket);
    if (half === undefined || half.untilMs <= parts.clock.monotonicMs() || half.tries >= CODE_TRIES_MAX) return null;
    return { ticket, half };
  }

  function codeRefused(ctx: Context, { ticket, half }: { ticket: string; half: Half }, refused: Refused): string {
    const error = sayRefused(ctx, refused, WRONG_CODE);
    if (half.tries < CODE_TRIES_MAX) return codePage(error);
    halves.delete(ticket);
    const { next } = half;
    return signInPage({ next, email: "", error: "Too many wrong codes. Sign in again.", fresh: false });
  }

  return {
    "GET /sign-in": async (ctx) => {
      if ((await visitOf(ctx, parts)) !== null) return ctx.redirect("/dashboard");
      const fresh = !(await parts.registry.hasUsers());
      return signInPage({ next: String(ctx.query.next ?? ""), email: "", fresh });
    },

    "POST /sign-in": async (ctx) => {
      const email = field(ctx, "email").slice(0, 400);
      const next = ownPath(field(ctx, "next"));
      const checked = await credentials.signIn(ctx, email, rawField(ctx, "password"));
      if (checked.type !== "right") {
        return signInPage({ next, email, error: sayRefused(ctx, checked, WRONG_PASSWORD), fresh: false });
      }
      const { user, settle } = checked;
      if (user.sealedTotp !== null) return askForCode(ctx, user, { next, settle });
      settle();
      return enter(ctx, user, next);
    },

    "GET /sign-in/code": async (ctx) => (halfOf(ctx) === null ? ctx.redirect("/dashboard/sign-in") : codePage()),

    "POST /sign-in/code": async (ctx) => {
      const found = halfOf(ctx);
      const user = found === null ? null : await parts.people.user(found.half.userId);
      if (found === null || user === null || user.passwordHash !== found.half.passwordHash) {
        return ctx.redirect("/dashboard/sign-in");
      }
      found.half.tries += 1;
      const checked = await credentials.code(ctx, user, field(ctx, "code"));
      if (checked.type !== "right") return codeRefused(ctx, found, checked);
      checked.settle();
      found.half.settle();
      halves.delete(found.ticket);
      setCookie(ctx, parts, { name: HALF_COOKIE, value: null, maxAgeMs: 0 });
      return enter(ctx, user, found.half.next);
    },

    "POST /sign-out": async (ctx) => {
      const visit = await visitOf(ctx, parts);
      if (visit !== null) {
        requireFormToken(ctx, visit);
        await endSession(ctx, parts, visit);
      }
      ctx.redirect("/dashboard/sign-in");
    },
  };
}

/** A path of the dashboard to go on to; anything else becomes its front page. */
export function ownPath(path: string): string {
  return /^\/dashboard(?:[/?][\w\-./?=&%@:+~]*)?$/.test(path) ? path : "/dashboard";
}

function signInPage(state: { next: string; email: string; error?: string; fresh: boolean }): string {
  return openPage({
    title: "Sign in",
    children: (
      <>
        <h1>Sign in</h1>
        {state.fresh ? (
          <Notice tone="warn">
            There is no user yet. Open the one-time setup link that the service wrote to its log when it started.
          </Notice>
        ) : null}
        {state.error === undefined ? null : <Notice tone="bad">{state.error}</Notice>}
        <form method="post" action="/dashboard/sign-in">
          <input type="hidden" name="next" value={state.next} />
          <Field
            label="Email"
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
  return openPage({
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
            Go on
          </button>
        </form>
        <p>
          <a href="/dashboard/sign-in">Sign in as somebody else</a>
        </p>
      </>
    ),
  });
}
