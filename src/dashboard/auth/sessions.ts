/**
 * Who visits: the session in the cookie, how long it lasts, and the token that its forms carry. The spool keeps only
 * the hash of what the cookie holds, so a copied spool signs nobody in.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "koa";
import { clientAddress } from "../../lib/client-address.ts";
import type { Account } from "../../spool/port/accounts.ts";
import type { Session, User } from "../../spool/port/people.ts";
import { rawField } from "../web/form.ts";
import { PageRefusal } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { DEVICE_COOKIE, DEVICE_COOKIE_MS, deviceOf, newDevice } from "./device.ts";

const COOKIE = "postrider_session";
const TOKEN_BYTES = 32;
const IDLE_MS = 7 * 86_400_000;
const LIFETIME_MS = 30 * 86_400_000;
/** How exactly it is known when a session was used last. */
const TOUCH_MS = 60_000;
const AGENT_LENGTH_MAX = 200;

export interface Visit {
  user: User;
  session: Session;
  /** Whose world is shown: every look-up of a page is bound to it. */
  account: Account;
  /** What every form of this visit carries: proof of the session, and the account that the form acts on. */
  formToken: string;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const formTokenOf = (token: string, accountId: string): string =>
  `${sha256(`form ${token}`).toString("base64url")}.${accountId}`;
const sessionPart = (formToken: string): Buffer => Buffer.from(formToken.split(".")[0] ?? "");

/** Cookies of ours are for this site's own requests, and out of scripts' reach. */
export function setCookie(
  ctx: Context,
  { secure }: Pick<DashboardParts, "secure">,
  cookie: { name: string; value: string | null; maxAgeMs: number },
): void {
  // Koa's own cookies would refuse `secure` behind a proxy that ends TLS.
  const age = cookie.value === null ? 0 : Math.floor(cookie.maxAgeMs / 1000);
  const text = `${cookie.name}=${cookie.value ?? ""}; Path=/dashboard; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  ctx.append("Set-Cookie", secure ? `${text}; Secure` : text);
}

/** Begins a session and hands its cookie out, and one by which the browser is known again. */
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

/** The visit that the request's cookie stands for; null when there is none. */
export async function visitOf(ctx: Context, parts: DashboardParts): Promise<Visit | null> {
  const token = ctx.cookies.get(COOKIE);
  if (token === undefined) return null;
  const found = await parts.people.session(sha256(token));
  if (found === null) return null;
  const { session, user } = found;
  const nowMs = parts.clock.now();
  const times = { nowMs, idleSinceMs: nowMs - IDLE_MS, begunSinceMs: nowMs - LIFETIME_MS };
  // In both directions: a session that was begun while the clock was ahead must not last until then.
  const isOver = Math.abs(nowMs - session.seenAtMs) > IDLE_MS || Math.abs(nowMs - session.createdAtMs) > LIFETIME_MS;
  if (isOver) return null;
  if (Math.abs(nowMs - session.seenAtMs) >= TOUCH_MS) {
    // When a session was used last is worth no trouble.
    parts.people.touchSession(session.hash, times).catch(() => {});
  }
  // Only an operator's session is ever turned to another account.
  const accountId = user.operator ? session.accountId : user.accountId;
  const account = (await parts.registry.accounts()).find(({ id }) => id === accountId);
  return account === undefined ? null : { user, session, account, formToken: formTokenOf(token, account.id) };
}

/** Throws unless the form carries its session's token. */
export function requireFormToken(ctx: Context, visit: Visit): void {
  const given = sessionPart(rawField(ctx, "form_token"));
  const expected = sessionPart(visit.formToken);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new PageRefusal("form_expired");
}

/** Throws when the form was made for another account: an operator has turned the session in another tab since. */
export function requireSameAccount(ctx: Context, visit: Visit): void {
  if (rawField(ctx, "form_token") !== visit.formToken) throw new PageRefusal("other_account");
}

export async function endSession(ctx: Context, parts: DashboardParts, visit: Visit): Promise<void> {
  await parts.people.endSession(visit.user.id, visit.session.hash);
  setCookie(ctx, parts, { name: COOKIE, value: null, maxAgeMs: 0 });
}
