/**
 * Sessions: the cookie, its lifetime, and the form token that protects against cross-site requests. The spool stores only
 * a hash of the cookie's token, so a copy of the spool contains no usable session.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import { clientAddress } from "../../lib/client-address.ts";
import type { Account } from "../../spool/port/accounts.ts";
import type { Session, User } from "../../spool/port/people.ts";
import { rawField } from "../web/form.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { DEVICE_COOKIE, DEVICE_COOKIE_MS, deviceOf, newDevice } from "./device.ts";

const COOKIE = "postrider_session";
const TOKEN_BYTES = 32;
const IDLE_MS = 7 * 86_400_000;
const LIFETIME_MS = 30 * 86_400_000;
/** The resolution of a session's time of last use. */
const TOUCH_MS = 60_000;
const AGENT_LENGTH_MAX = 200;

/** The signed-in user of a request. */
export interface AuthContext {
  user: User;
  session: Session;
  /** The current account: every query of a page is limited to it. */
  account: Account;
  /** Sent with every form: proves the session and names the account that the form acts on. */
  formToken: string;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const formTokenOf = (token: string, accountId: string): string =>
  `${sha256(`form ${token}`).toString("base64url")}.${accountId}`;
const sessionProof = (formToken: string): Buffer => Buffer.from(formToken.split(".")[0] ?? "");

/** Sets a cookie for the dashboard's own requests only, unreadable by scripts; a null value deletes it. */
export function setCookie(
  ctx: Context,
  { secure }: Pick<DashboardParts, "secure">,
  cookie: { name: string; value: string | null; maxAgeMs: number },
): void {
  // Not ctx.cookies.set: it writes Expires, which depends on the browser's clock, where Max-Age does not.
  const age = cookie.value === null ? 0 : Math.floor(cookie.maxAgeMs / 1000);
  const text = `${cookie.name}=${cookie.value ?? ""}; Path=/dashboard; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  ctx.append("Set-Cookie", secure ? `${text}; Secure` : text);
}

/** Starts a session and sets its cookie, and a device cookie unless the browser has one for this user. */
export async function beginSession(ctx: Context, parts: DashboardParts, user: User): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const nowMs = parts.clock.now();
  await parts.people.startSession({
    hash: sha256(token),
    userId: user.id,
    accountId: user.accountId,
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    agent: ctx.get("User-Agent").slice(0, AGENT_LENGTH_MAX),
    ip: clientAddress(ctx.req, parts.trustedProxies),
  });
  setCookie(ctx, parts, { name: COOKIE, value: token, maxAgeMs: LIFETIME_MS });
  if (deviceOf(ctx, parts, user) !== null) return;
  setCookie(ctx, parts, { name: DEVICE_COOKIE, value: newDevice(parts, user), maxAgeMs: DEVICE_COOKIE_MS });
}

export const hasSessionCookie = (ctx: Context): boolean => ctx.cookies.get(COOKIE) !== undefined;

/** Looks up the session of the request's cookie; null when there is none or it has expired. */
export async function authenticate(ctx: Context, parts: DashboardParts): Promise<AuthContext | null> {
  const token = ctx.cookies.get(COOKIE);
  if (token === undefined) return null;
  const found = await parts.people.session(sha256(token));
  if (found === null) return null;
  const { session, user } = found;
  const nowMs = parts.clock.now();
  const times = { nowMs, idleSinceMs: nowMs - IDLE_MS, begunSinceMs: nowMs - LIFETIME_MS };
  // Absolute differences: a session that began while the clock was ahead must not last longer.
  const hasExpired =
    Math.abs(nowMs - session.seenAtMs) > IDLE_MS || Math.abs(nowMs - session.createdAtMs) > LIFETIME_MS;
  if (hasExpired) return null;
  if (Math.abs(nowMs - session.seenAtMs) >= TOUCH_MS) {
    // A failure must not fail the request: the time is informational.
    parts.people.touchSession(session.hash, times).catch(() => {});
  }
  // Only operators can switch accounts.
  const accountId = user.operator ? session.accountId : user.accountId;
  const account = (await parts.registry.accounts()).find(({ id }) => id === accountId);
  return account === undefined ? null : { user, session, account, formToken: formTokenOf(token, account.id) };
}

/** Throws `form_expired` unless the form carries its session's token. */
export function requireFormToken(ctx: Context, auth: AuthContext): void {
  const actual = sessionProof(rawField(ctx, "form_token"));
  const expected = sessionProof(auth.formToken);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw new PageError("form_expired");
}

/** Throws `other_account` when the operator has switched accounts, in another tab, since the form was rendered. */
export function requireSameAccount(ctx: Context, auth: AuthContext): void {
  if (rawField(ctx, "form_token") !== auth.formToken) throw new PageError("other_account");
}

export async function endSession(ctx: Context, parts: DashboardParts, auth: AuthContext): Promise<void> {
  await parts.people.endSession(auth.user.id, auth.session.hash);
  setCookie(ctx, parts, { name: COOKIE, value: null, maxAgeMs: 0 });
}
