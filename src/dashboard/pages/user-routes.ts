/**
 * Routes for the users of the current account: the list, the actions of user-actions.ts, and invitations. Owners do not manage users
 * who are operators.
 */
import type { Context } from "koa";
import { type Credentials, reject } from "../auth/credentials.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { noticeText } from "../views/labels.ts";
import { emailFault } from "../views/new-user-form.tsx";
import { parseRole } from "../views/role-labels.ts";
import { field } from "../web/form.ts";
import { notFound, PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";
import { confirmUser } from "./confirmation.tsx";
import { tooManyUsers } from "./operator-users.ts";
import type { Pages } from "./routes.ts";
import { createUserActions } from "./user-actions.ts";
import { invitedPage, linkShownPage, type NewLink, type UsersState, usersPage } from "./users-page.tsx";

const NOTICES: Record<string, string> = {
  role: "Role changed.",
  removed: "User removed.",
  sessions: "The user's sessions have ended.",
  "second-factor": "Second factor turned off. The user's sessions have ended.",
  revoked: "Invitation revoked. Its link is no longer valid.",
};

export function createUserRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  const pages = new UserRoutes(parts, credentials);
  return {
    "GET /users": (ctx, auth) => pages.list(auth, { notice: noticeText(NOTICES, ctx.query.done) }),
    "POST /users/invite": (ctx, auth) => pages.invite(ctx, auth),
    "GET /users/invited/:ticket": (ctx, auth) => pages.showLink(ctx, auth),
    "POST /users/invitations/:id/revoke": (ctx, auth) => pages.revoke(ctx, auth),
    ...createUserActions({
      parts,
      credentials,
      place: { path: "/users", isOfOperators: false, listOf: () => "/users", at: "/users" },
      accountOf: (_ctx, auth) => auth.account.id,
      isInPlace: (auth, user) => !user.operator || auth.user.operator || user.id === auth.user.id,
    }),
  };
}

class UserRoutes {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;
  readonly #links: ShownOnce<NewLink>;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
    this.#links = new ShownOnce(parts, "invitation link");
  }

  async list(auth: AuthContext, changes: Partial<UsersState>): Promise<string> {
    const { people, registry, clock } = this.#parts;
    const users = await people.users(auth.account.id);
    const invitations = await registry.invitations(auth.account.id, clock.now());
    return usersPage(auth, { users, invitations, nowMs: clock.now(), ...changes });
  }

  async invite(ctx: Context, auth: AuthContext): Promise<unknown> {
    const email = field(ctx, "email").slice(0, 400);
    const role = parseRole(field(ctx, "role"));
    if (role === null) throw notFound();
    const again = (changes: Partial<UsersState>): Promise<string> =>
      this.list(auth, { typed: email, typedRole: role, ...changes });
    const rejectEmail = (emailError: string): Promise<string> => {
      ctx.status = 400;
      return again({ emailError });
    };
    const fault = emailFault(email);
    if (fault !== null) return rejectEmail(fault);
    const error = await confirmUser(ctx, auth, this.#credentials);
    if (error !== null) return again({ error });
    const rejection = await this.#credentials.countInvitation(auth);
    if (rejection !== null) return again({ error: reject(ctx, rejection) });
    const { usersMax } = this.#parts.limits;
    const { account, user } = auth;
    const invited = await this.#parts.links.invite({ account, email, role, invitedBy: user.email, usersMax });
    if (invited.type === "is_member") return rejectEmail("This account already has a user with this email address.");
    if (invited.type === "too_many") return rejectEmail(`${tooManyUsers(usersMax)} Open invitations count too.`);
    if (invited.type !== "invited") throw new PageError("account_deleted");
    const { type: _, ...made } = invited;
    ctx.redirect(`/dashboard/users/invited/${await this.#links.hold(account.id, { email, role, ...made })}`);
  }

  async showLink(ctx: Context, auth: AuthContext): Promise<string> {
    const link = await this.#links.take(auth.account.id, ctx.params.ticket ?? "");
    return link === null ? linkShownPage(auth) : invitedPage(auth, link);
  }

  async revoke(ctx: Context, auth: AuthContext): Promise<void> {
    if (!(await this.#parts.registry.revokeInvitation(auth.account.id, ctx.params.id ?? ""))) throw notFound();
    ctx.redirect("/dashboard/users?done=revoked");
  }
}
