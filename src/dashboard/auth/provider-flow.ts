/**
 * A sign-in that has gone to the identity provider and is to come back. The browser has all of it, sealed in a cookie, so that any node
 * can go on with it, and nobody else's browser can. Of two sign-ins of one browser, the later one counts.
 */
import type { Context } from "koa";
import type { SignInChecks } from "../../identity/identity-provider.ts";
import { MINUTE_MS } from "../../lib/units.ts";
import type { DashboardParts } from "../web/parts.ts";
import { setCookie } from "./sessions.ts";

const PATH = "/dashboard/sign-in/provider";
const FLOW = { cookie: "postrider_provider", seal: "sign-in by provider" };
const KEPT_COOKIE = "postrider_kept";
const ID_TOKEN = { cookie: "postrider_id_token", seal: "ID token", path: "/dashboard/sign-out" };

/** Time to sign in at the provider. */
const FLOW_MS = 15 * MINUTE_MS;
/** Browsers store cookies up to 4096 bytes, and proxies accept headers of some KiB. */
const NEXT_LENGTH_MAX = 1000;
const VALUE_LENGTH_MAX = 3000;
const ID_TOKEN_LENGTH_MAX = 3900;

export interface ProviderFlow {
  checks: SignInChecks;
  /** The page to go to. */
  next: string;
  untilMs: number;
}

type FlowParts = Pick<DashboardParts, "secrets" | "secure" | "clock">;

/** Sets the cookies of a sign-in. `kept`: the form that was sent after a session had ended, sealed; too long a one is lost. */
export function beginFlow(
  ctx: Context,
  parts: FlowParts,
  { checks, next, kept }: Pick<ProviderFlow, "checks" | "next"> & { kept: string },
): void {
  const flow: ProviderFlow = {
    checks,
    next: next.length > NEXT_LENGTH_MAX ? "/dashboard" : next,
    untilMs: parts.clock.now() + FLOW_MS,
  };
  const value = sealed(parts, FLOW.seal, flow);
  setCookie(ctx, parts, { name: FLOW.cookie, value, maxAgeMs: FLOW_MS, path: PATH });
  const isKept = kept !== "" && kept.length <= VALUE_LENGTH_MAX && /^[\w-]+$/.test(kept);
  setCookie(ctx, parts, { name: KEPT_COOKIE, value: isKept ? kept : null, maxAgeMs: FLOW_MS, path: PATH });
}

/** Returns the sign-in of the request's cookies, and deletes them; null without a valid one. */
export function takeFlow(ctx: Context, parts: FlowParts): (ProviderFlow & { kept: string }) | null {
  const flow = opened<ProviderFlow>(parts, FLOW.seal, ctx.cookies.get(FLOW.cookie));
  const kept = ctx.cookies.get(KEPT_COOKIE) ?? "";
  for (const name of [FLOW.cookie, KEPT_COOKIE]) setCookie(ctx, parts, { name, value: null, maxAgeMs: 0, path: PATH });
  // Absolute, so that a sign-in that began while the clock was ahead ends as well.
  const isOpen = flow !== null && Math.abs(flow.untilMs - FLOW_MS - parts.clock.now()) < FLOW_MS;
  return isOpen ? { ...flow, kept } : null;
}

/** Keeps the ID token for the sign-out; too long a one is not kept, and the provider then asks the user to confirm. */
export function keepIdToken(ctx: Context, parts: FlowParts, idToken: string, maxAgeMs: number): void {
  const text = sealed(parts, ID_TOKEN.seal, idToken);
  // That of another person who used the browser before ends in any case.
  const value = text.length > ID_TOKEN_LENGTH_MAX ? null : text;
  setCookie(ctx, parts, { name: ID_TOKEN.cookie, value, maxAgeMs, path: ID_TOKEN.path });
}

/** Returns the ID token of the request's cookie, and deletes it; null without one. */
export function takeIdToken(ctx: Context, parts: FlowParts): string | null {
  const idToken = opened<string>(parts, ID_TOKEN.seal, ctx.cookies.get(ID_TOKEN.cookie));
  if (idToken !== null) setCookie(ctx, parts, { name: ID_TOKEN.cookie, value: null, maxAgeMs: 0, path: ID_TOKEN.path });
  return idToken;
}

const sealed = ({ secrets }: FlowParts, name: string, value: unknown): string =>
  secrets.seal(name, JSON.stringify(value)).toString("base64url");

function opened<T>({ secrets }: FlowParts, name: string, text: string | undefined): T | null {
  if (text === undefined) return null;
  try {
    return JSON.parse(secrets.open(name, Buffer.from(text, "base64url")));
  } catch {
    // It is forged, or sealed with a former master key.
    return null;
  }
}
