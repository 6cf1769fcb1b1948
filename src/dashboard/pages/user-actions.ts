/**
 * The actions on another user, for operators and for the owners of an account. confirmation.tsx says which require re-authentication.
 */
import type { Context } from "koa";
import { membershipIn } from "../../spool/port/memberships.ts";
import type { MemberChange, User } from "../../spool/port/people.ts";
import type { Credentials } from "../auth/credentials.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { parseRole } from "../views/role-labels.ts";
import { field } from "../web/form.ts";
import { notFound, PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { confirmUser } from "./confirmation.tsx";
import type { Pages } from "./routes.ts";
import { type Member, removeUserPage, rolePage, secondFactorOffPage, type UserPlace } from "./user-pages.tsx";

export interface UserActionParts {
  parts: DashboardParts;
  credentials: Credentials;
  place: UserPlace;
  /** The account whose user is managed. */
  accountOf: (ctx: Context, auth: AuthContext, user: User) => string;
  /** Whether a user of the account may be managed from this place. */
  isInPlace: (auth: AuthContext, user: User) => boolean;
}

export function createUserActions(actionParts: UserActionParts): Pages {
  const actions = new UserActions(actionParts);
  const path = `${actionParts.place.path}/:id`;
  return {
    [`POST ${path}/end-sessions`]: (ctx, auth) => actions.endSessions(ctx, auth),
    [`GET ${path}/second-factor-off`]: (ctx, auth) => actions.confirmSecondFactorOff(ctx, auth),
    [`POST ${path}/second-factor-off`]: (ctx, auth) => actions.turnSecondFactorOff(ctx, auth),
    [`GET ${path}/role`]: (ctx, auth) => actions.showRole(ctx, auth),
    [`POST ${path}/role`]: (ctx, auth) => actions.changeRole(ctx, auth),
    [`GET ${path}/remove`]: (ctx, auth) => actions.confirmRemoval(ctx, auth),
    [`POST ${path}/remove`]: (ctx, auth) => actions.remove(ctx, auth),
  };
}

const LAST_OWNER = "This is the last owner of the account. Make another user an owner first.";

class UserActions {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;
  readonly #place: UserPlace;
  readonly #accountOf: UserActionParts["accountOf"];
  readonly #isInPlace: UserActionParts["isInPlace"];

  constructor({ parts, credentials, place, accountOf, isInPlace }: UserActionParts) {
    this.#parts = parts;
    this.#credentials = credentials;
    this.#place = place;
    this.#accountOf = accountOf;
    this.#isInPlace = isInPlace;
  }

  /** No re-authentication: ending sessions does not weaken a sign-in. */
  async endSessions(ctx: Context, auth: AuthContext): Promise<void> {
    const member = await this.#memberOf(ctx, auth);
    const { id } = member.user;
    await this.#parts.people.endSessions(id, id === auth.user.id ? auth.session.hash : null);
    this.#redirectBack(ctx, member, "sessions");
  }

  async confirmSecondFactorOff(ctx: Context, auth: AuthContext): Promise<unknown> {
    const member = await this.#otherMemberOf(ctx, auth);
    requireOwnSignIn(auth, member);
    const isOff = member.user.sealedTotp === null;
    return isOff ? this.#redirectBack(ctx, member) : secondFactorOffPage(auth, this.#place, member);
  }

  async turnSecondFactorOff(ctx: Context, auth: AuthContext): Promise<unknown> {
    const member = await this.#otherMemberOf(ctx, auth);
    const { user } = member;
    requireOwnSignIn(auth, member);
    if (user.sealedTotp === null) return this.#redirectBack(ctx, member);
    const error = await confirmUser(ctx, auth, this.#credentials);
    if (error !== null) return secondFactorOffPage(auth, this.#place, member, error);
    await this.#parts.people.setTotp(user.id, null);
    await this.#parts.people.endSessions(user.id, null);
    this.#redirectBack(ctx, member, "second-factor");
  }

  async showRole(ctx: Context, auth: AuthContext): Promise<string> {
    return rolePage(auth, this.#place, await this.#otherMemberOf(ctx, auth), {});
  }

  async changeRole(ctx: Context, auth: AuthContext): Promise<unknown> {
    const member = await this.#otherMemberOf(ctx, auth);
    const role = parseRole(field(ctx, "role"));
    if (role === null) throw notFound();
    const again = (error: string): string => rolePage(auth, this.#place, member, { typed: role, error });
    const error = await this.#changeMember(ctx, auth, { ...namesOf(member), role });
    return error === null ? this.#redirectBack(ctx, member, "role") : again(error);
  }

  async confirmRemoval(ctx: Context, auth: AuthContext): Promise<string> {
    return removeUserPage(auth, this.#place, await this.#otherMemberOf(ctx, auth));
  }

  async remove(ctx: Context, auth: AuthContext): Promise<unknown> {
    const member = await this.#otherMemberOf(ctx, auth);
    const error = await this.#changeMember(ctx, auth, { ...namesOf(member), role: null });
    return error === null
      ? this.#redirectBack(ctx, member, "removed")
      : removeUserPage(auth, this.#place, member, error);
  }

  /** Returns an error message, with the response's status set, or null. Operators may take an account's last owner. */
  async #changeMember(
    ctx: Context,
    auth: AuthContext,
    change: Omit<MemberChange, "keepOwner">,
  ): Promise<string | null> {
    const error = await confirmUser(ctx, auth, this.#credentials);
    if (error !== null) return error;
    const changed = await this.#parts.people.changeMember({ ...change, keepOwner: !auth.user.operator });
    if (changed === "not_found") throw notFound();
    if (changed === "changed") return null;
    ctx.status = 409;
    return LAST_OWNER;
  }

  #redirectBack(ctx: Context, { accountId }: Pick<Member, "accountId">, done?: string): void {
    ctx.redirect(`/dashboard${this.#place.listOf(accountId)}${done === undefined ? "" : `?done=${done}`}`);
  }

  async #memberOf(ctx: Context, auth: AuthContext): Promise<Member> {
    const user = await this.#parts.people.user(ctx.params.id ?? "");
    const membership = user === null ? null : membershipIn(user, this.#accountOf(ctx, auth, user));
    if (user === null || membership === null || !this.#isInPlace(auth, user)) throw notFound();
    return { user, ...membership };
  }

  /** Throws `not_found` for the acting user, whose sign-in is changed under /you only and who cannot be removed. */
  async #otherMemberOf(ctx: Context, auth: AuthContext): Promise<Member> {
    const member = await this.#memberOf(ctx, auth);
    if (member.user.id === auth.user.id) throw notFound();
    return member;
  }
}

/** A sign-in of several accounts is no owner's of one of them to weaken. Throws `forbidden`. */
function requireOwnSignIn(auth: AuthContext, { user }: Member): void {
  if (auth.user.operator || user.memberships.length === 1) return;
  throw new PageError("forbidden", "Only an operator can turn off the second factor of this user.");
}

const namesOf = ({ accountId, user }: Member): Pick<MemberChange, "accountId" | "userId"> => ({
  accountId,
  userId: user.id,
});
