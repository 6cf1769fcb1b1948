/** Pages that anyone may read: with the dashboard's navigation for a session, else public, and then rendered once each. */
import type { Context } from "koa";
import { type AuthContext, authenticate } from "../auth/sessions.ts";
import { type PageProps, publicPage, signedInPage } from "../views/layout.tsx";
import type { DashboardParts } from "../web/parts.ts";

export interface OpenPage {
  /** As signedInPage's. */
  at: string;
  /** Names the page among those of its group; null: it is not kept. */
  name: string | null;
  /** `auth` is null without a session. */
  render: (auth: AuthContext | null) => PageProps | Promise<PageProps>;
}

/** Public pages by their name. */
export type KeptPages = Map<string, Buffer>;

/** Returns the page for a session, or sets the public one as the response. */
export async function showOpenPage(
  ctx: Context,
  parts: DashboardParts,
  kept: KeptPages,
  { at, name, render }: OpenPage,
): Promise<string | undefined> {
  const auth = await authenticate(ctx, parts);
  if (auth !== null) {
    ctx.state.auth = auth;
    return signedInPage(auth, at, await render(auth));
  }
  const html = kept.get(name ?? "") ?? Buffer.from(publicPage(await render(null)));
  if (name !== null) kept.set(name, html);
  ctx.type = "html";
  ctx.body = html;
  return undefined;
}
