/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Signing in and out. A wrong password, an unknown address and a user without one take the same time and get the same
 * words; failures are counted by address and by network address.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import { hashPassword, passwordMatches } from "../passwords.ts";
import type { User } from "../spool/people.ts";
import { Attempts, inTurns } from "./attempts.ts";
import { field, rawField } from "./form.ts";
import { openPage } from "./layout.tsx";
import type { DashboardParts } from "./parts.ts";
import { Field, Notice } from "./pieces.tsx";
import { PageRefusal } from "./refusal.ts";
import { isSecondFactor } from "./second-factor.ts";
import { beginSession, endSession, requireFormToken, setCookie, visitOf } from "./sessions.ts";

const HALF_COOKIE = "postrider_half";
/** Between the password and the code. */
const HALF_MS = 5 * 60_000;
const HALVES_MAX = 1000;
const CODE_TRIES_MAX = 5;

/** Failures within ten minutes. One address from everywhere gets many, so that nobody can be locked out for ever. */
const FAILURES_MAX = { addressFromHere: 5, here: 50, address: 100 };

/** scrypt takes 64 MiB for each. */
const CHECKS_AT_ONCE = 2;
const CHECKS_WAITING_MAX = 30;
const PASSWORD_LENGTH_MAX = 1000;

interface Half {
  userId: string;
  untilMs: number;
  next: string;
  tries: number;
}

type Checked = { type: "right"; user: User } | { type: "wrong" } | { type: "too_many" };

export function createSignIn(parts: DashboardParts): Record<string, (ctx: Context) => Promise<unknown>> {
  const halves = new Map<string, Half>();
  const check = createCheck(parts);

  async function enter(ctx: Context, user: User, next: string): Promise<void> {
    await beginSession(ctx, parts, user);
    ctx.redirect(next);
  }

  async function askForCode(ctx: Context, user: User, next: string): Promise<void> {
    const ticket = randomBytes(24).toString("base64url");
    const [oldest] = halves.keys();
    if (halves.size >= HALVES_MAX && oldest !== undefined) halves.delete(oldest);
    halves.set(ticket, { userId: user.id, untilMs: parts.clock.now() + HALF_MS, next, tries: 0 });
    setCookie(ctx, parts, { name: HALF_COOKIE, value: ticket, maxAgeMs: HALF_MS });
    ctx.redirect("/dashboard/sign-in/code");
  }

  function halfOf(ctx: Context): { ticket: string; half: Half } | null {
    const ticket = ctx.cookies.get(HALF_COOKIE) ?? "";
    const half = halves.get(ticket);
    if (half === undefined || half.untilMs <= parts.clock.now() || half.tries >= CODE_TRIES_MAX) return null;
    return { ticket, half };
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
      const checked = await check(ctx, email);
      if (checked.type === "right") {
        const { user } = checked;
        return user.sealedTotp === null ? enter(ctx, user, next) : askForCode(ctx, user, next);
      }
      ctx.status = checked.type === "wrong" ? 401 : 429;
      if (checked.type === "too_many") ctx.set("Retry-After", "600");
      const error =
        checked.type === "wrong" ? "Email or password is wrong." : new PageRefusal("too_many_attempts").message;
      return signInPage({ next, email, error, fresh: false });
    },

    "GET /sign-in/code": async (ctx) => (halfOf(ctx) === null ? ctx.redirect("/dashboard/sign-in") : codePage()),

    "POST /sign-in/code": async (ctx) => {
      const found = halfOf(ctx);
      const user = found === null ? null : await parts.people.user(found.half.userId);
      if (found === null || user === null) return ctx.redirect("/dashboard/sign-in");
      found.half.tries += 1;
      if (await isSecondFactor(parts, user, field(ctx, "code"))) {
        halves.delete(found.ticket);
        setCookie(ctx, parts, { name: HALF_COOKIE, value: null, maxAgeMs: 0 });
        return enter(ctx, user, found.half.next);
      }
      ctx.status = 401;
      if (found.half.tries < CODE_TRIES_MAX) return codePage("The code is wrong, was used already, or is too old.");
      halves.delete(found.ticket);
      return signInPage({
        next: found.half.next,
        email: "",
        error: "Too many wrong codes. Sign in again.",
        fresh: false,
      });
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

/** Checks a request's password, within the bounds on failures and on work. */
function createCheck({ people, clock }: DashboardParts): (ctx: Context, email: string) => Promise<Checked> {
  const attempts = new Attempts();
  const inTurn = inTurns(CHECKS_AT_ONCE, CHECKS_WAITING_MAX);
  // What is compared where there is no user: nobody knows its password.
  const nobody = hashPassword(randomBytes(24).toString("base64"));

  return async (ctx, email) => {
    const address = email.toLowerCase();
    const here = ctx.req.socket.remoteAddress ?? "";
    const names: [string, number][] = [
      [`${address} ${here}`, FAILURES_MAX.addressFromHere],
      [here, FAILURES_MAX.here],
      [address, FAILURES_MAX.address],
    ];
    const nowMs = clock.now();
    if (names.some(([name, most]) => !attempts.allowed(name, most, nowMs))) return { type: "too_many" };
    const password = rawField(ctx, "password").slice(0, PASSWORD_LENGTH_MAX);
    const user = await people.userNamed(email);
    // Counted before the work: many at one moment must not all pass the look above.
    for (const [name] of names) attempts.failed(name, nowMs);
    const hash = user?.passwordHash ?? (await nobody);
    const matches = await inTurn(() => passwordMatches(password, hash));
    if (matches === null) return { type: "too_many" };
    if (!matches || user === null) return { type: "wrong" };
    for (const [name] of names) attempts.succeeded(name);
    return { type: "right", user };
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
