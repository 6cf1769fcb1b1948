/** Where a switch to another account leads to. */
import type { Context } from "koa";

/** Pages that every account has. */
const SECTIONS = ["messages", "domains", "keys", "requests", "webhooks", "users", "start", "account"];

/** The list in the new account that the browser was at in the former one, or the overview. */
export function sectionOf(ctx: Context): string {
  const referrer = ctx.get("Referer");
  const [, section = ""] = /^\/dashboard\/(\w+)/.exec(URL.canParse(referrer) ? new URL(referrer).pathname : "") ?? [];
  return SECTIONS.includes(section) ? `/dashboard/${section}` : "/dashboard";
}
