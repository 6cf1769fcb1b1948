/**
 * A form that was sent after its session had ended is kept until its user has signed in, and is then filled in again. Until then the
 * browser has it, sealed in the sign-in page, so that a visitor without a session stores nothing here; after that the spool holds it
 * for minutes. Passwords and codes are never kept.
 */

import type { Context } from "koa";
import { HOUR_MS } from "../../lib/units.ts";
import type { User } from "../../spool/port/people.ts";
import { rawField } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";

const SEAL_NAME = "kept form";
const KEPT_MS = HOUR_MS;
/** Of the kept form as JSON; the sign-in form carries a third more. */
const BYTES_MAX = 24 * 1024;

const NEVER_KEPT = /^(form_token|current|code)$|password|secret/i;

export interface KeptForm {
  userId: string;
  /** The account that the form acts on. */
  accountId: string;
  /** The page with the form, a path below /dashboard. */
  page: string;
  /** The path that the form is sent to. */
  action: string;
  fields: [name: string, value: string][];
  atMs: number;
}

type KeepParts = Pick<DashboardParts, "secrets" | "clock">;

/** The form of the request; null if it names no user, or is too large to keep. */
export function typedForm(ctx: Context, { clock }: Pick<KeepParts, "clock">, page: string): KeptForm | null {
  const [, accountId, userId] = rawField(ctx, "form_token").split(".");
  if (accountId === undefined || userId === undefined) return null;
  const fields = [...(ctx.state.form as URLSearchParams)].filter(([name]) => !NEVER_KEPT.test(name));
  const form = { userId, accountId, page, action: ctx.path, fields, atMs: clock.now() };
  return Buffer.byteLength(JSON.stringify(form)) > BYTES_MAX ? null : form;
}

/** For a hidden field of the sign-in page. */
export const sealedForm = ({ secrets }: KeepParts, form: KeptForm): string =>
  secrets.seal(SEAL_NAME, JSON.stringify(form)).toString("base64url");

/** Returns the user's form; null if it is another user's, too old or forged. */
export function openedForm({ secrets, clock }: KeepParts, sealed: string, user: User): KeptForm | null {
  if (sealed === "") return null;
  try {
    const form: KeptForm = JSON.parse(secrets.open(SEAL_NAME, Buffer.from(sealed, "base64url")));
    return form.userId === user.id && Math.abs(clock.now() - form.atMs) < KEPT_MS ? form : null;
  } catch {
    // It is forged, or sealed with a former master key.
    return null;
  }
}

/** The forms of signed-in users that are about to be filled in again. */
export class KeptForms {
  readonly #held: ShownOnce<KeptForm>;

  constructor(parts: Pick<DashboardParts, "heldValues" | "secrets">) {
    this.#held = new ShownOnce(parts, SEAL_NAME);
  }

  /** Returns the path of the page that fills the form in, once, where its account is the current one. */
  async hold(form: KeptForm): Promise<string> {
    const ticket = await this.#held.hold(form.accountId, form);
    return `${form.page}${form.page.includes("?") ? "&" : "?"}kept=${ticket}#kept-form`;
  }

  /** Returns the form of a ticket in the request's URL; null without one. */
  async take(
    ctx: Context,
    { user, account }: { user: Pick<User, "id">; account: { id: string } },
  ): Promise<KeptForm | null> {
    const { kept } = ctx.query;
    const form = typeof kept === "string" ? await this.#held.take(account.id, kept) : null;
    return form?.userId === user.id && form.accountId === account.id ? form : null;
  }
}
