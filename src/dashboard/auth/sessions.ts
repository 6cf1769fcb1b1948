/**
 * Sessions: the cookie, its lifetime, and the form token that protects against cross-site requests. The spool stores only
 * a hash of the cookie's token, so a copy of the spool contains no usable session.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import { clientAddress } from "../../lib/client-address.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/units.ts";
import type { Account } from "../../spool/port/accounts.ts";
import { ownAccountId, type Role, roleIn } from "../../spool/port/memberships.ts";
import type { Session, User } from "../../spool/port/people.ts";
import { rawField } from "../web/form.ts";
import { PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { DEVICE_COOKIE, DEVICE_COOKIE_MS, deviceOf, newDevice } from "./device.ts";
import type { KeptForm } from "./kept-form.ts";
import { userInSession } from "./password-rule.ts";

const COOKIE = "postrider_session";
/** The ids of accounts, the last one first. */
const RECENT_COOKIE = "postrider_recent";
const RECENT_MAX = 6;
const TOKEN_BYTES = 32;
const IDLE_MS = 7 * DAY_MS;
const LIFETIME_MS = 30 * DAY_MS;
/** Of a session that began at the identity provider: who has left the company or a group is out a day later at most. */
export const PROVIDER_LIFETIME_MS = DAY_MS;
/** How long a sign-in at the identity provider stands for the current password. */
export const CONFIRMED_MS = 10 * MINUTE_MS;
/** The resolution of a session's time of last use. */
const TOUCH_MS = 60_000;
const AGENT_LENGTH_MAX = 200;

/** The current password; nothing, soon after a sign-in at the identity provider; such a sign-in. */
export type Confirmation = "password" | "given" | "provider";

/** The signed-in user of a request. */
export interface AuthContext {
  /** With the memberships that count in the session. */
  user: User;
  /** In the current account. */
  role: Role;
  session: Session;
  /** The current account: every query of a page is limited to it. */
  account: Account;
  /** The other accounts that the user belongs to. */
  others: Account[];
  /** Whether the account is deleted, and by an owner, so that an owner may restore it. */
  isDeletedByOwner: boolean;
  /** Other accounts that an operator has switched to in this browser, the last one first. */
  recent: Account[];
  /** What a change of who can sign in requires: see pages/confirmation.tsx. */
  confirmation: Confirmation;
  /** Sent with every form: proves the session, and names the account that the form acts on, and its user. */
  formToken: string;
  /** A form of an ended session, which the request's page shows again. */
  keptForm?: KeptForm | null;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Each page has another form token for the same session: the proof is masked with random bytes, which precede it. So the size of a
 * compressed page does not reveal it to somebody who sees the sizes of many pages and chooses a part of their text.
 */
function formTokenOf(token: string, accountId: string, userId: string): string {
  const proof = sha256(`form ${token}`);
  const mask = randomBytes(proof.length);
  return `${Buffer.concat([mask, xor(proof, mask)]).toString("base64url")}.${accountId}.${userId}`;
}

/** Returns the session's proof in a form token. */
function sessionProof(formToken: string): Buffer {
  const bytes = Buffer.from(formToken.split(".")[0] ?? "", "base64url");
  const half = bytes.length >> 1;
  return xor(bytes.subarray(half), bytes.subarray(0, half));
}

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, i) => byte ^ (mask[i] ?? 0)));

/** Returns the account and the user of a form token. */
const ownersOf = (formToken: string): string => formToken.slice(formToken.indexOf(".") + 1);

/** Sets a cookie for the dashboard's own requests only, unreadable by scripts; a null value deletes it. */
export function setCookie(
  ctx: Context,
  { secure }: Pick<DashboardParts, "secure">,
  cookie: { name: string; value: string | null; maxAgeMs: number; path?: string },
): void {
  // Not ctx.cookies.set: it writes Expires, which depends on the browser's clock, where Max-Age does not.
  const age = cookie.value === null ? 0 : Math.floor(cookie.maxAgeMs / 1000);
  const text = `${cookie.name}=${cookie.value ?? ""}; Path=${cookie.path ?? "/dashboard"}; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  ctx.append("Set-Cookie", secure ? `${text}; Secure` : text);
}

export interface SessionStart {
  /** The current account of an operator; the user's own if absent. */
  accountId?: string;
  /** Absent for a sign-in with a password. */
  provider?: { sid: string; authAtMs: number | null };
}

/** Starts a session and sets its cookie, and a device cookie unless the browser has one for this user. */
export async function beginSession(
  ctx: Context,
  parts: DashboardParts,
  user: User,
  { accountId = ownAccountId(user), provider }: SessionStart = {},
): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const nowMs = parts.clock.now();
  await parts.people.startSession({
    hash: sha256(token),
    userId: user.id,
    accountId,
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    agent: ctx.get("User-Agent").slice(0, AGENT_LENGTH_MAX),
    ip: clientAddress(ctx.req, parts.trustedProxies),
    providerSid: provider?.sid ?? null,
    providerAuthAtMs: provider?.authAtMs ?? null,
  });
  const maxAgeMs = provider === undefined ? LIFETIME_MS : PROVIDER_LIFETIME_MS;
  setCookie(ctx, parts, { name: COOKIE, value: token, maxAgeMs });
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
  const { session } = found;
  const user = userInSession(parts, found.user, session.providerSid === null ? "password" : "provider");
  if (user === null) return null;
  const nowMs = parts.clock.now();
  const times = { nowMs, idleSinceMs: nowMs - IDLE_MS, begunSinceMs: nowMs - LIFETIME_MS };
  // Absolute differences: a session that began while the clock was ahead must not last longer.
  const lifetimeMs = session.providerSid === null ? LIFETIME_MS : PROVIDER_LIFETIME_MS;
  const hasExpired = Math.abs(nowMs - session.seenAtMs) > IDLE_MS || Math.abs(nowMs - session.createdAtMs) > lifetimeMs;
  if (hasExpired) return null;
  if (Math.abs(nowMs - session.seenAtMs) >= TOUCH_MS) {
    // A failure must not fail the request: the time is informational.
    parts.people.touchSession(session.hash, times).catch(() => {});
  }
  const accounts = (await parts.registry.accounts()).filter(({ isEmptied }) => !isEmptied);
  const accountOf = (id: string): Account | undefined => accounts.find((each) => each.id === id);
  // The session's account, or the user's membership in it, may be gone.
  const ids = [session.accountId, ...user.memberships.map(({ accountId }) => accountId)];
  const account = ids
    .filter((id) => roleIn(user, id) !== null)
    .map(accountOf)
    .find((each) => each !== undefined);
  const role = account === undefined ? null : roleIn(user, account.id);
  if (account === undefined || role === null) return null;
  const recent = user.operator ? recentAccounts(ctx, accounts).filter((each) => each !== account) : [];
  const others = user.memberships
    .flatMap(({ accountId }) => accountOf(accountId) ?? [])
    .filter((each) => each !== account);
  const isDeletedByOwner = account.deletedAtMs !== null && (await parts.deletions.isByOwner(account));
  const formToken = formTokenOf(token, account.id, user.id);
  const confirmation = confirmationOf(session, nowMs);
  return { user, role, session, account, others, isDeletedByOwner, recent, confirmation, formToken };
}

function confirmationOf({ providerSid, providerAuthAtMs }: Session, nowMs: number): Confirmation {
  if (providerSid === null) return "password";
  return providerAuthAtMs !== null && Math.abs(nowMs - providerAuthAtMs) < CONFIRMED_MS ? "given" : "provider";
}

function recentAccounts(ctx: Context, accounts: Account[]): Account[] {
  const ids = recentIds(ctx);
  return accounts.filter(({ id }) => ids.includes(id)).sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

const recentIds = (ctx: Context): string[] => (ctx.cookies.get(RECENT_COOKIE) ?? "").split(".").slice(0, RECENT_MAX);

/** Sets the current account of an operator's session. */
export async function switchAccount(
  ctx: Context,
  parts: DashboardParts,
  { session, account }: AuthContext,
  accountId: string,
): Promise<void> {
  await parts.people.switchAccount(session.hash, accountId);
  const ids = [...new Set([accountId, account.id, ...recentIds(ctx)])].filter((id) => /^[\w-]+$/.test(id));
  const value = ids.slice(0, RECENT_MAX).join(".");
  setCookie(ctx, parts, { name: RECENT_COOKIE, value, maxAgeMs: DEVICE_COOKIE_MS });
}

/** Throws `form_expired` unless the form carries its session's token. */
export function requireFormToken(ctx: Context, auth: AuthContext): void {
  if (!isOfSession(ctx, auth)) throw new PageError("form_expired");
}

/** Whether the form carries its session's token. */
export function isOfSession(ctx: Context, auth: Pick<AuthContext, "formToken">): boolean {
  const actual = sessionProof(rawField(ctx, "form_token"));
  const expected = sessionProof(auth.formToken);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Throws `other_account` when the user has switched accounts, in another tab, since the form was rendered. */
export function requireSameAccount(ctx: Context, auth: AuthContext): void {
  if (ownersOf(rawField(ctx, "form_token")) !== ownersOf(auth.formToken)) throw new PageError("other_account");
}

export async function endSession(ctx: Context, parts: DashboardParts, auth: AuthContext): Promise<void> {
  await parts.people.endSession(auth.user.id, auth.session.hash);
  setCookie(ctx, parts, { name: COOKIE, value: null, maxAgeMs: 0 });
}
