/**
 * Routes for the user's own settings: the current account, password, second factor, notices, sessions.
 */
import type { Context } from "koa";
import type { Credentials } from "../auth/credentials.ts";
import { mayUsePassword } from "../auth/password-rule.ts";
import { enableSecondFactor, newTotpSecret, parseTotpSecret } from "../auth/second-factor.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { noticeText } from "../views/labels.ts";
import { passwordFault } from "../views/new-user-form.tsx";
import { field, rawField } from "../web/form.ts";
import { notFound, PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { sectionOf } from "./account-section.ts";
import { confirmPassword, confirmUser } from "./confirmation.tsx";
import { PASSWORDS_OFF } from "./invitation-pages.tsx";
import { readSwitches } from "./notice-switches.tsx";
import { type ProfileState, profilePage, recoveryPage, secondFactorPage } from "./profile-page.tsx";
import type { Pages } from "./routes.ts";

const NOTICES: Record<string, string> = {
  password: "Password changed. Your other sessions have ended.",
  session: "Session ended.",
  sessions: "Your other sessions have ended.",
  "second-factor-off": "Second factor turned off.",
  notices: "Your choice of notices is saved.",
};

export function createProfileRoutes(parts: DashboardParts, credentials: Credentials): Pages {
  const pages = new ProfilePages(parts, credentials);
  return {
    "GET /you": (ctx, auth) => pages.show(auth, { notice: noticeText(NOTICES, ctx.query.done) }),
    "POST /you/password": (ctx, auth) => pages.changePassword(ctx, auth),
    "POST /you/account": (ctx, auth) => pages.switchAccount(ctx, auth),
    "POST /you/notices": (ctx, auth) => pages.chooseNotices(ctx, auth),
    "POST /you/sessions/end": (ctx, auth) => pages.endSession(ctx, auth),
    "POST /you/sessions/end-others": (ctx, auth) => pages.endOtherSessions(ctx, auth),
    "GET /you/second-factor": (ctx, auth) => pages.setUpSecondFactor(ctx, auth),
    "POST /you/second-factor": (ctx, auth) => pages.enableSecondFactor(ctx, auth),
    "POST /you/second-factor/off": (ctx, auth) => pages.disableSecondFactor(ctx, auth),
  };
}

class ProfilePages {
  readonly #parts: DashboardParts;
  readonly #credentials: Credentials;

  constructor(parts: DashboardParts, credentials: Credentials) {
    this.#parts = parts;
    this.#credentials = credentials;
  }

  async show(auth: AuthContext, changes: Pick<ProfileState, "notice" | "error">): Promise<string> {
    const { people, clock } = this.#parts;
    const sessions = await people.sessions(auth.user.id);
    const codesLeft = await people.recoveryCodesLeft(auth.user.id);
    const noticeChoices = await people.noticeChoices(auth.user.id);
    const withoutPassword = mayUsePassword(this.#parts, auth.user) ? null : this.#parts.provider;
    return profilePage(auth, {
      nowMs: clock.now(),
      sessions,
      codesLeft,
      noticeChoices,
      withoutPassword,
      ...changes,
    });
  }

  /** To another account that the user belongs to. */
  async switchAccount(ctx: Context, auth: AuthContext): Promise<void> {
    const account = auth.others.find(({ id }) => id === field(ctx, "account"));
    if (account === undefined) throw notFound();
    await this.#parts.people.switchAccount(auth.session.hash, account.id);
    ctx.redirect(sectionOf(ctx));
  }

  async chooseNotices(ctx: Context, auth: AuthContext): Promise<void> {
    await this.#parts.people.setNoticeChoices(auth.user.id, readSwitches(ctx, auth.user));
    ctx.redirect("/dashboard/you?done=notices");
  }

  async changePassword(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { people } = this.#parts;
    if (!mayUsePassword(this.#parts, auth.user)) throw new PageError("forbidden", PASSWORDS_OFF);
    const error = await confirmPassword(ctx, auth, this.#credentials);
    if (error !== null) return this.show(auth, { error });
    const password = rawField(ctx, "password");
    const fault = passwordFault(password);
    if (fault !== null) {
      ctx.status = 400;
      return this.show(auth, { error: fault });
    }
    await people.setPassword(auth.user.id, await this.#credentials.hashPassword(password, auth.user.id));
    await people.endSessions(auth.user.id, auth.session.hash);
    ctx.redirect("/dashboard/you?done=password");
  }

  async endSession(ctx: Context, auth: AuthContext): Promise<void> {
    const hash = Buffer.from(field(ctx, "session"), "hex");
    if (!(await this.#parts.people.endSession(auth.user.id, hash))) throw notFound();
    ctx.redirect("/dashboard/you?done=session");
  }

  async endOtherSessions(ctx: Context, auth: AuthContext): Promise<void> {
    await this.#parts.people.endSessions(auth.user.id, auth.session.hash);
    ctx.redirect("/dashboard/you?done=sessions");
  }

  async setUpSecondFactor(ctx: Context, auth: AuthContext): Promise<unknown> {
    if (auth.user.sealedTotp !== null || !mayUsePassword(this.#parts, auth.user)) return ctx.redirect("/dashboard/you");
    return secondFactorPage(auth, newTotpSecret(auth.user.email));
  }

  async enableSecondFactor(ctx: Context, auth: AuthContext): Promise<unknown> {
    const secret = parseTotpSecret(field(ctx, "secret"), auth.user.email);
    if (secret === null || auth.user.sealedTotp !== null) return ctx.redirect("/dashboard/you");
    const error = await confirmPassword(ctx, auth, this.#credentials);
    if (error !== null) return secondFactorPage(auth, secret, error);
    // A wrong code is not a guess: the form itself contains the secret.
    const code = field(ctx, "code");
    const recoveryCodes = await enableSecondFactor(this.#parts, auth.user, { secret: secret.secret, code });
    if (recoveryCodes !== null) {
      await this.#parts.people.endSessions(auth.user.id, auth.session.hash);
      return recoveryPage(auth, recoveryCodes);
    }
    ctx.status = 400;
    return secondFactorPage(
      auth,
      secret,
      "The code is wrong. Check that the clocks of your phone and the server agree.",
    );
  }

  async disableSecondFactor(ctx: Context, auth: AuthContext): Promise<unknown> {
    const error = await confirmUser(ctx, auth, this.#credentials);
    if (error !== null) return this.show(auth, { error });
    await this.#parts.people.setTotp(auth.user.id, null);
    ctx.redirect("/dashboard/you?done=second-factor-off");
  }
}
